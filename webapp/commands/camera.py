"""The command ``camera``: calibrate, list and forget the cameras of phones."""

from collections.abc import Iterable
from pathlib import Path

import click

from webapp.commands.common import data_option, json_option, tell
from webapp.commands.progress import working


@click.command()
@click.argument(
    "photos",
    nargs=-1,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="[PHOTO...]",
)
@click.option("--name", metavar="NAME", help="Under which name the camera is kept.")
@click.option("--delete", is_flag=True, help="Forget the camera of that name.")
@data_option
@json_option
def camera(
    photos: tuple[Path, ...], name: str | None, delete: bool, data_dir: Path, as_json: bool
) -> None:
    """Calibrate a camera from at least three PHOTOs of the camera sheet; without photos list all.

    Wide lenses bend straight lines. `tallystone print` writes the sheet, `read --camera NAME` uses
    what was found.
    """
    from calibration.camera import (
        CameraError,
        calibrated,
        delete_camera,
        list_cameras,
        load_camera,
        save_camera,
    )

    if delete:
        if photos or name is None:
            raise click.UsageError("--delete needs --name and no photos")
        delete_camera(name, data_dir)
        click.echo(f"forgot the camera {name}", err=as_json)
        return
    if not photos:
        known = [name] if name is not None else list_cameras(data_dir)
        for kept in known:
            try:
                one = load_camera(kept, data_dir)
            except CameraError as error:
                if name is not None:
                    raise
                click.echo(f"note: {error}", err=True)
                continue
            words = (
                f"{one.name}  {one.photos} photos, {one.error:.2f} thousandths off, made {one.made}"
            )
            tell(one.to_document(), words, as_json)
        if not known and not as_json:
            click.echo("No camera is calibrated yet: tallystone camera PHOTO... --name NAME")
        return
    if name is None:
        raise click.UsageError("--name is missing: under which name is the camera to be kept?")
    try:
        with working("looking for the sheet"):
            found, left_out = calibrated(name, [(str(path), path.read_bytes()) for path in photos])
    except CameraError as error:
        _note(error.left_out)
        raise
    save_camera(found, data_dir)
    _note(left_out)
    tell(
        found.to_document() | {"left_out": list(left_out)},
        f"camera {found.name}: {found.photos} photos, corners {found.error:.2f} thousandths "
        "of the photo off on average",
        as_json,
    )


def _note(left_out: Iterable[str]) -> None:
    for sentence in left_out:
        click.echo(f"note: {sentence}", err=True)
