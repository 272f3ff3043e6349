"""Photos of a game: read, kept as evidence, looked at again."""

from sqlalchemy import func, select

from scorer.game import Json
from scorer.text import Text
from vision.find.corners import Corners
from webapp.i18n import gettext
from webapp.service import TableReader
from webapp.store.models import Photo
from webapp.store.photos import PhotoFolder, picture_of
from webapp.tables.confirmed import confirmed_boards, last_confirmed, still_confirmed
from webapp.tables.copies import Copies, devices_of, keep_found, own_board
from webapp.tables.desk import Desk
from webapp.tables.errors import TableError, no_such_player
from webapp.tables.placing import placed_as
from webapp.tables.scene import photo_document
from webapp.tables.values import checked_key, size_of
from webapp.tables.visit import Visit, refuse_long

MOST_PHOTOS = 500
"""Photos of one game: a whole evening, and an end for whoever wants to fill the disk."""


class Photos:
    """The photos of the games; ``folder`` holds their files."""

    def __init__(
        self, desk: Desk, reader: TableReader, folder: PhotoFolder, copies: Copies
    ) -> None:
        self._desk = desk
        self._reader = reader
        self._copies = copies
        self.folder = folder

    def add(
        self,
        code: str,
        token: str,
        data: bytes,
        board: str | None,
        seat: int | None = None,
        profile: str | None = None,
        corners: Corners | None = None,
        size: tuple[int, int] | None = None,
        camera: str | None = None,
        key: str | None = None,
    ) -> Json:
        """Read a photo and keep it as evidence; gives its number, reading and the cells' options.

        Without *board* it shows that of the game. Nothing is kept of a photo that is refused; one
        that comes again with the same *key* is kept once. Raises VisionError, ProfileError and
        TableError.
        """
        checked_key(key)
        with self._desk.looking(code, token, acting=True) as visit:
            done = _kept_before(visit, key)
        if done is not None:
            return self.reading(code, token, done)
        with self._desk.looking(code, token, acting=True) as visit:
            _refuse_more(visit, seat)
            board = board or visit.game.kind
            own, devices = own_board(visit.game, board), devices_of(visit)
            self._desk.quotas.admit(visit.session, token, 0)
            if profile is None:
                profile = self._copies.described(visit, board)["copy"]
            before = last_confirmed(visit, board, seat)
            noted = _noted(visit, seat)
            shown = confirmed_boards(visit, board, self.folder)
        read = self._reader.read_board(
            data, board, profile, corners, own, size, camera, devices, confirmed=shown
        )
        picture = picture_of(data)
        document = kept(scaled(read.document, picture.per_px))
        if noted is not None:
            document = placed_as(document, noted)
        if before is not None and (earlier := self.folder.read(before.file)) is not None:
            document = still_confirmed(document, picture.jpeg, before, earlier)
        photo = Photo(
            seat=seat,
            board=board,
            profile=document["profile"],
            sha256=picture.sha256,
            file=self.folder.save(picture.jpeg),
            reading=document,
            width=picture.width,
            height=picture.height,
            size=len(picture.jpeg),
            request_key=key,
        )
        try:
            done = self._keep(code, token, photo)
        except BaseException:
            self.folder.remove(str(photo.file))
            raise
        if done is not None:
            self.folder.remove(str(photo.file))
            return self.reading(code, token, done)
        self._desk.pruning.prune()
        return _answer(photo) | {"spec": read.spec}

    def _keep(self, code: str, token: str, photo: Photo) -> int | None:
        """Write the row of a photo, or give the number under which it was kept meanwhile.

        Raises TableError if there is no room for it.
        """
        with self._desk.store.writing() as session:
            visit = self._desk.enter(session, code, token, lock=True, acting=True)
            done = _kept_before(visit, photo.request_key)
            if done is not None:
                return done
            game, read_bytes = visit.game, size_of(photo.reading)
            refuse_long(game, read_bytes)
            self._desk.quotas.admit(session, token, photo.size + read_bytes)
            game.photo_bytes += photo.size
            game.log_bytes += read_bytes
            game.people_version = game.version + 1
            keep_found(game, photo.board, photo.reading)
            photo.game_id, photo.member_id = game.id, visit.member.id
            session.add(photo)
        return None

    def look(
        self,
        code: str,
        token: str,
        data: bytes,
        board: str | None,
        profile: str | None = None,
        camera: str | None = None,
    ) -> dict[str, Json]:
        """Read a live camera's picture and keep nothing: ``{"reading"}``, in its pixels.

        Raises VisionError, ProfileError and TableError.
        """
        with self._desk.looking(code, token, acting=True) as visit:
            board = board or visit.game.kind
            own = own_board(visit.game, board)
            if profile is None:
                profile = self._copies.first(visit, board)
            shown = confirmed_boards(visit, board, self.folder)
        read = self._reader.read_board(
            data, board, profile, own=own, camera=camera, confirmed=shown
        )
        return {"reading": told(read.document)}

    def cards(self, code: str, token: str, data: bytes, profile: str | None = None) -> Json:
        """Read a photo of pattern cards and keep nothing: a hand is private.

        Raises VisionError, ProfileError and TableError.
        """
        with self._desk.looking(code, token, acting=True) as visit:
            copy = self._copies.described(visit, "stones")["copy"]
        return told(self._reader.read_cards(data, profile or copy or None))

    def reading(self, code: str, token: str, photo_id: int) -> Json:
        """A kept photo with its reading, to go on correcting it."""
        with self._desk.looking(code, token) as visit:
            photo = visit.photo(photo_id)
            return _answer(photo) | {
                "spec": self._copies.described(visit, photo.board),
                "used": _in_use(visit, photo),
            }

    def jpeg(self, code: str, token: str, photo_id: int) -> bytes:
        """The bytes of a kept photo.

        Raises TableError if it was removed or cannot be read, or is not for this device.
        """
        with self._desk.looking(code, token) as visit:
            name = visit.photo(photo_id).file
        jpeg = name and self.folder.read(name)
        if not jpeg:
            raise TableError(
                404, "photo_removed", "This photo was removed; what was read from it is kept."
            )
        return jpeg


def _kept_before(visit: Visit, key: str | None) -> int | None:
    """The number of this device's photo of that key, if it arrived before."""
    mine = Photo.game_id == visit.game.id, Photo.member_id == visit.member.id
    sent = select(Photo.id).where(*mine, Photo.request_key == key)
    return None if key is None else visit.session.scalar(sent)


def _refuse_more(visit: Visit, seat: int | None) -> None:
    """Raise TableError if there is no such seat, or no room for one more photo."""
    if seat is not None and not 0 <= seat < len(visit.players()):
        raise no_such_player()
    kept = select(func.count()).select_from(Photo).where(Photo.game_id == visit.game.id)
    if (visit.session.scalar(kept) or 0) >= MOST_PHOTOS:
        raise TableError(
            409,
            "too_many_photos",
            "This game holds %(most)s photos; it cannot take more.",
            most=MOST_PHOTOS,
        )


def _noted(visit: Visit, seat: int | None) -> str | None:
    """The board of a seat, or that of all, as a photo would show it; None if none was noted."""
    boards = dict(visit.rules.boards(visit.state))
    return visit.rules.on_photo(boards[seat]["text"]) if seat in boards else None


def _in_use(visit: Visit, photo: Photo) -> Json | None:
    """The board that a photo gave, as it is now, or as it was used where it lies there no more:
    ``{"text", "turns"}``; None if the photo was not used."""
    for action in visit.standing_actions():
        if action["type"] == "board" and action.get("photo") == photo.id:
            boards = [board for _, board in visit.rules.boards(visit.state)]
            texts = (board["text"] for board in boards if board.get("photo") == photo.id)
            text = visit.rules.on_photo(next(texts, action["text"]))
            return {"text": text, "turns": action.get("turns") or 0}
    return None


def _answer(photo: Photo) -> Json:
    return {"photo": photo.id, **photo_document(photo), "reading": told(photo.reading)}


def kept(reading: Json) -> Json:
    """A reading as it is kept, its problems with their templates."""
    return reading | {"problems": [Text(one).to_json() for one in reading["problems"]]}


def told(reading: Json) -> Json:
    """A reading whose problems are told in the language of the request.

    Those of early photos were kept in English only.
    """
    problems = [gettext(Text.from_json(one)) for one in reading.get("problems", ())]
    return reading | {"problems": problems}


def scaled(document: Json, per_px: tuple[float, float]) -> Json:
    """A reading's document with its corners in pixels of another size of the photo.

    Pixel centres are whole numbers, so the picture's edge lies at -0.5.
    """

    def moved(quad: list[list[float]]) -> list[list[float]]:
        return [
            [
                round((value + 0.5) * factor - 0.5, 2)
                for value, factor in zip(point, per_px, strict=True)
            ]
            for point in quad
        ]

    cells = [cell | {"quad": moved(cell["quad"])} for cell in document["cells"]]
    return document | {"cells": cells, "outline": moved(document["outline"])}
