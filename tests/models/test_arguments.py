"""Trainings and measurements refuse in one sentence what would fail after hours, or never end."""

from pathlib import Path

import pytest

from models.training.arguments import add_jobs, add_network_options, parser_of


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("draw BANK missing/out.npz", "there is no folder missing: make it first"),
        ("draw other.npz out.npz", "there is no other.npz"),
        ("draw BANK out.npz --count 0", "--count must be above 0"),
        ("draw BANK out.npz --seed -1", "--seed must be 0 or above"),
        ("train --boards BANK other.npz --validation BANK --out out.pt", "there is no other.npz"),
        ("train --boards BANK --validation BANK --out out.pt --steps -1", "--steps must be 0 or"),
        ("train --boards BANK --validation BANK --out out.pt --minutes 0", "--minutes must be"),
        ("train --boards BANK --validation BANK --out out.pt --start a.pt", "there is no a.pt"),
        ("draw BANK out.npz --seed 0", ""),
        ("train --boards BANK BANK --validation BANK --out out.pt --steps 1", ""),
    ],
)
def test_arguments_are_refused_before_anything_is_done(
    words: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("BANK").touch()
    parser = parser_of("Draws and trains.")
    _, fit = add_jobs(parser, "--boards", ("bank",), count=9, seed=1)
    add_network_options(fit, minutes=1.0, rate=1e-3, batch=2)
    if not told:
        assert parser.parse_args(words.split()).seed in (0, 7)
        return
    with pytest.raises(SystemExit):
        parser.parse_args(words.split())
    assert told in capsys.readouterr().err
