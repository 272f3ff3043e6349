"""Translates finished English sentences: finds their template and translates the parts.

The rules and the readers know one language, and their sentences are part of what the command line
promises. So that pages speak the reader's language, a sentence is matched with the templates of the
catalogue. What matches none stays English, which is better than nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

WORDINGS = (
    "The photo has another shape than those of the camera %(camera)s: it was read as it is.",
    # Audits: every sentence is a head and a reason, divided by a semicolon.
    "%(count)s point more than claimed",
    "%(count)s points more than claimed",
    "%(count)s point fewer than claimed",
    "%(count)s points fewer than claimed",
    "the cards give %(sum)s",
    "%(count)s of the cards have 1 point",
    "a single player gets no bonus",
    "nobody has a card of 1 point, so nobody gets the bonus",
    "most cards of 1 point: %(holders)s with %(most)s; %(name)s has %(ones)s",
    "card %(card)s with %(points)s was not counted",
    "card %(card)s with %(points)s was counted twice",
    "the cards were counted, not their points",
    "the bonus of %(bonus)s is not part of the points of the cards",
    "the bonus of %(bonus)s for the most 1-point cards was not added",
    "there is no bonus of %(bonus)s for this player",
    "it follows from the claimed %(points)s points + %(bonus)s bonus",
    "%(points)s points + %(bonus)s bonus = %(total)s",
    "1 point",
    "%(count)s points",
    "%(one)s and %(other)s",
    "it follows from the cards as claimed: %(sum)s",
    "the %(points)s points of %(card)s were not added",
    "the %(points)s points of %(card)s were added twice",
    "the %(points)s extra points of precious tiles were not counted on any card",
    "the %(points)s extra points of tiles of the own season were not counted on any card",
    "nothing scores: %(rule)s",
    "%(tiles)s tiles + %(precious)s precious + %(own)s of the own season = %(points)s",
    (
        "%(tiles)s tiles + %(precious)s precious + %(own)s of the own season, counted twice, = "
        "%(points)s"
    ),
    "the card scores its tiles twice, they were counted once",
    "the extra points of the %(count)s precious tiles were not counted",
    "the extra points of the %(count)s tiles of the own season were not counted",
    "neither precious tiles nor the own season were counted",
    "a tile that two groups share was counted twice: %(places)s",
    "%(count)s tiles that two groups share were counted twice: %(places)s",
    "the seasons of the areas 3 and 4 were exchanged",
    "a tile of the group was missed: %(places)s",
    "a tile was counted that is not %(season)s, the season of its area: %(places)s",
    "another group was counted, %(group)s has more tiles",
    "another group of %(count)s tiles was counted, the best one gives more",
    "%(tile)s was counted that touches the group diagonally: %(places)s",
    "%(tile)s was counted that touches the group not at all: %(places)s",
    "%(tile)s of its area was missed: %(places)s",
    "%(group)s was counted, but %(count)s of its spaces is empty: %(places)s",
    "%(group)s was counted, but %(count)s of its spaces are empty: %(places)s",
    "%(group)s was counted too, but %(season)s scores one group only",
    "%(group)s was counted, %(best)s gives more",
    "%(group)s was not counted",
    "%(group)s were not counted",
    "two tiles were counted as a pair that lie in the same area: %(places)s",
    "two tiles were counted as a pair that share a tile with a better pair: %(places)s",
    "a better %(season)s tile is in the area: %(places)s",
    "row %(row)s column %(col)s",
    "a spring tile",
    "a summer tile",
    "an autumn tile",
    "a winter tile",
    "the cards were counted, but the place gives the points",
    "%(season)s comes first with %(points)s; visible cards: %(counts)s",
    "%(season)s comes second with %(points)s; visible cards: %(counts)s",
    "%(season)s comes third with %(points)s; visible cards: %(counts)s",
    "%(season)s comes fourth with %(points)s; visible cards: %(counts)s",
    "%(one)s and %(other)s both show %(cards)s cards",
    "the larger connected group decides: %(one)s %(first)s, %(other)s %(second)s",
    "their largest groups are equal too, so %(season)s wins by turn order",
    "the supply of %(gold)s was not added",
    "the %(gold)s coins on villagers were not counted",
    "the %(gold)s silver was not counted",
    "the first market counts no silver, %(gold)s would be that of the second",
    "the first market counts no silver",
    "the %(gold)s gold of %(villager)s was not counted",
    "the %(gold)s silver of %(villager)s was not counted",
    "the %(gold)s coins of %(villager)s was not counted",
    "%(villager)s was counted, but it is covered and shows no gold",
    "the supply is given as %(gold)s",
    "the sum is %(points)s",
    "gold of the villagers: %(list)s",
    "silver of the villagers: %(list)s",
    "coins of the villagers: %(list)s",
    "none",
    "%(gold)s gold + %(silver)s silver + %(coins)s coins on villagers",
    "%(supply)s in the supply + %(gold)s gold + %(silver)s silver + %(coins)s coins on villagers",
    # Groups of tiles.
    "the row at the top",
    "the row at the bottom",
    "the row %(row)s",
    "the column on the left",
    "the column on the right",
    "the column %(col)s",
    "the diagonal from %(from)s to %(to)s",
    "the square at %(place)s",
    "the group of %(count)s at %(places)s",
    "the %(season)s row at the top",
    "the %(season)s row at the bottom",
    "the %(season)s row %(row)s",
    "the %(season)s column on the left",
    "the %(season)s column on the right",
    "the %(season)s column %(col)s",
    "the %(season)s diagonal from %(from)s to %(to)s",
    "the %(season)s square at %(place)s",
    "the %(season)s group of %(count)s at %(places)s",
    # Villagers: why a card gives what it gives.
    "covered by %(card)s, counts again under an Engineer",
    "covered by %(card)s",
    "shows no gold or silver",
    "%(gold)s gold (%(parts)s)",
    "%(silver)s silver (%(parts)s)",
    "%(coins)s coins on it",
    "%(count)s printed",
    # Photos: what hurt the reading.
    "There is glare on %(where)s: tilt the phone a little, or move the lamp.",
    "The photo cuts off %(where)s: step back until the whole board is in it.",
    "The photo is dark: switch on a light.",
    "The pieces are very small in the photo: go nearer.",
    "The photo is blurred: hold still and tap the board to focus.",
    "The photo was taken from very low: hold the phone more above the board.",
    "%(problem)s Then take %(photo)s again: faces that it taught are hard to know.",
    # What a set that was taught may lack.
    "%(photo)s was taken %(side)s and was turned upright",
    "from the left",
    "from the right",
    "from the far side",
    "not taught yet: %(faces)s; such a piece will be read as another or flagged",
    "%(face)s and %(other)s look alike in this light (%(likeness)s): take one more photo of them",
    (
        "the picture of %(face)s looks more like another face: check the layouts, or take one more "
        "photo"
    ),
    (
        "1 of %(count)s pictures of %(face)s looks more like another face: check the layouts, or "
        "take one more photo"
    ),
    (
        "%(odd)s of %(count)s pictures of %(face)s look more like another face: check the layouts, "
        "or take one more photo"
    ),
    "row %(row)s",
    "column %(col)s",
    "rows %(rows)s",
    # Files that are no photos.
    "send it as JPEG",
    "send it as JPEG (on an iPhone: Settings, Camera, Formats, Most Compatible)",
    "an AVIF image",
    "a HEIC photo",
    "a GIF image",
    "a TIFF image or a camera's raw file",
    "a JPEG XL image",
    "a JPEG 2000 image",
    "a Photoshop file",
    "an SVG drawing",
    "a PDF document",
    "an archive",
    "a video",
    "a sound file",
    # Stones that the box cannot give.
    "1 stone",
    "%(count)s stones",
    "no stone",
)
"""Templates of sentences that rules assemble, so that no f-string has them whole."""

_SENTENCE, _PLACE, _NUMBER = ".+?", "(?:(?!; | and ).)+?", r"-?\d+(?:\.\d+)?"

PARTS = {
    "season": "[Ss]pring|[Ss]ummer|[Aa]utumn|[Ww]inter",
    "count": _NUMBER,
    **dict.fromkeys(("message", "error", "reason", "rule"), _SENTENCE),
    **dict.fromkeys(("place", "places", "from", "to", "row", "col"), _PLACE),
}
"""What may stand in a gap of that name; in all others anything up to a semicolon."""

LEAST_LETTERS = 16
"""Least text of a template besides its gaps; shorter ones would match anything."""

MOST_DEEP = 5
"""Parts within parts; real sentences have two."""


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with gaps."""

    pattern: re.Pattern[str]
    text: str


def templates(texts: Iterable[str]) -> list[Template]:
    """Those of *texts* that have gaps and may be whole sentences, the most particular first."""
    with_gaps = [
        text
        for text in texts
        if "%(" in text and (text in WORDINGS or _letters(text) >= LEAST_LETTERS)
    ]
    with_gaps.sort(key=lambda text: (-_letters(text), text))
    return [Template(_pattern(text), text) for text in with_gaps]


def _letters(text: str) -> int:
    return len(re.sub(r"%\(\w+\)s", "", text))


def _pattern(text: str) -> re.Pattern[str]:
    seen: set[str] = set()
    out = []
    for piece in re.split(r"(%\(\w+\)s)", text):
        if piece.startswith("%("):
            name = piece[2:-2]
            part = PARTS.get(name, "(?:(?!; ).)+?")
            out.append(f"(?P={name})" if name in seen else f"(?P<{name}>{part})")
            seen.add(name)
        else:
            out.append(re.escape(piece.replace("%%", "%")))
    return re.compile("".join(out), re.DOTALL)


def reworded(
    sentence: str, exact: Mapping[str, str], gaps: list[Template], deep: int = MOST_DEEP
) -> str | None:
    """The sentence in the language of the catalogue *exact*; None if nothing of it is known.

    >>> known = {"the card %(card)s was lost": "Karte %(card)s verloren", "sun": "Sonne"}
    >>> reworded("the card sun was lost", known, templates(known))
    'Karte Sonne verloren'
    """
    if sentence in exact:
        return exact[sentence]
    if not deep:
        return None
    for one in gaps:
        found = one.pattern.fullmatch(sentence)
        if found:
            parts = {
                name: reworded(part, exact, gaps, deep - 1) or part
                for name, part in found.groupdict().items()
            }
            return exact[one.text] % parts
    if sentence[:1].isupper() and sentence.endswith("."):
        clause = reworded(sentence[:1].lower() + sentence[1:-1], exact, gaps, deep - 1)
        if clause:
            return clause[:1].upper() + clause[1:] + "."
    return _in_pieces(sentence, lambda piece: reworded(piece, exact, gaps, deep - 1))


def _in_pieces(sentence: str, translate: Callable[[str], str | None]) -> str | None:
    """A list or a chain of clauses, piece by piece."""
    for divider, most in (("; ", 1), (", ", -1)):
        pieces = sentence.split(divider, most)
        if len(pieces) > 1:
            translated = [translate(piece) for piece in pieces]
            if any(translated):
                return divider.join(new or old for new, old in zip(translated, pieces, strict=True))
    return None
