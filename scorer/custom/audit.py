"""Other games: claimed points of each rule, explained by what earns them on the board."""

from collections.abc import Iterable, Iterator, Mapping

from scorer.audit import Finding, Mistake, check, slip_of_claims, slips_of_adding
from scorer.custom.rules import EXTRA, TOTAL, WORTH, label_of_line
from scorer.custom.score import Earned, Item, PlayerScore, some_of
from scorer.text import Text, listed, plural


def audit(score: PlayerScore, claims: Iterable[tuple[str, int]]) -> Iterator[Finding]:
    """Check the claimed figures of one player, each by the name of its line."""
    items = {item.name: item for item in score.items}
    claimed_items = dict(claims)
    for name, claimed in claimed_items.items():
        if name == TOTAL:
            slips = _slips_of_sum(score, claimed_items)
            yield check(score.name, name, claimed, score.total, slips, _sum(score))
        elif name == EXTRA:
            why = plural(
                "1 point was noted by hand",
                "%(count)s points were noted by hand",
                count=score.extra,
            )
            yield check(score.name, name, claimed, score.extra, (), why)
        else:
            item = items.get(name, Item(name, ()))
            slips = _slips(item)
            yield check(score.name, name, claimed, item.points, slips, _counted(item), item.cells)


def _slips(item: Item) -> Iterator[Mistake]:
    """One thing missed, or counted twice."""
    for one in item.earned:
        missed = Text("%(what)s was missed", what=_in_words(one))
        yield Mistake(item.points - one.points, missed, one.cells)
    for one in item.earned:
        twice = Text("%(what)s was counted twice", what=_in_words(one))
        yield Mistake(item.points + one.points, twice, one.cells)


def _slips_of_sum(score: PlayerScore, claims: Mapping[str, int]) -> Iterator[Mistake]:
    """The lines as claimed; one line not added, or added twice."""
    parts = {item.name: item.points for item in score.items}
    if score.extra or EXTRA in claims:
        parts[EXTRA] = score.extra
    yield slip_of_claims(claims, parts)
    for item in score.items:
        if item.name == WORTH:
            why = Text("the points of the pieces were not added")
            yield Mistake(score.total - item.points, why, item.cells)
        else:
            yield from slips_of_adding(score.total, item.name, item.points)
    if score.extra:
        why = Text("the points noted by hand were not added")
        yield Mistake(score.total - score.extra, why)


def _counted(item: Item) -> Text:
    if not item.earned:
        return Text("nothing on the board earns points here")
    return some_of(map(_in_words, item.earned), " + ")


def _in_words(one: Earned) -> Text:
    return Text("%(points)s (%(why)s)", points=one.points, why=one.why)


def _sum(score: PlayerScore) -> Text:
    parts = [
        Text("%(name)s %(points)s", name=label_of_line(item.name), points=item.points)
        for item in score.items
    ]
    if score.extra:
        parts.append(Text("by hand %(points)s", points=score.extra))
    return listed(parts, " + ") if parts else Text("the sum is %(points)s", points=score.total)
