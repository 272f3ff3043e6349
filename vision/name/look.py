"""Looks at the cells of a located board, and in doubt again in another light."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.session import CROP_PX, embed
from scorer.notation import EMPTY
from vision.boards import BoardSpec
from vision.decode import weigh
from vision.evidence import Evidence, Look
from vision.find.board import LocatedBoard
from vision.geometry import Floats, Images, Pyramid
from vision.kinds import kind_of
from vision.name.details import pictured, told_by_details
from vision.name.frequency import with_frequencies
from vision.name.light import in_better_light
from vision.name.likeness import cell_evidence
from vision.name.untaught import all_looks, untaught_evidence, with_untaught
from vision.probability import Doubles
from vision.profile import Profile, mean_colours, tints, vectors_at

LEAST_TURN = 0.97
"""Least probability of the direction of untaught stones from which on they are compared with each
other: where it is lower, a person is asked anyway."""


def look_at(
    pyramid: Pyramid,
    board: LocatedBoard,
    spec: BoardSpec,
    profile: Profile,
    turns: Sequence[int],
    shown: Doubles | None,
) -> Look:
    """Look at the cells; in doubt again in corrected light, and at untaught stones in a mirror.

    ``shown`` is what the print shows, from ``Kind.print_log_p``.
    """
    kind = kind_of(spec)
    quads = board.quads_xy
    crops = pyramid.crops(quads, CROP_PX)
    there = board.presence.astype(np.float32)

    def weighed(evidence: Evidence) -> Look:
        return weigh(evidence, board, spec, profile.labels, turns)

    if profile.published:
        first = untaught_evidence(crops)
        seen = weighed(first)
        if not seen.decided:
            seen = weighed(all_looks(crops, first))
        if not seen.decided and seen.turn_probability >= LEAST_TURN:
            # some of its cells may be sure: they are compared with each other
            seen = replace(
                seen, evidence=replace(seen.evidence, vectors=vectors_at(pyramid, quads))
            )
    else:
        missing = profile.unseen if kind.is_published else ()
        untaught = all_looks(crops, untaught_evidence(crops)) if missing else None
        bare = None
        if shown is not None and EMPTY in profile.labels:
            bare = np.exp(shown[0][:, profile.labels.index(EMPTY)])

        def compared(at: Images, vectors: Floats) -> Evidence:
            evidence = cell_evidence(at, vectors, there, spec, profile, bare)
            if untaught is not None:
                return with_untaught(evidence, untaught, profile.labels, missing)
            if spec.labels:  # the rules of these boards say what lies on them
                return evidence
            return with_frequencies(evidence, profile.labels, profile.boards)

        told: Doubles | None = None

        def named(evidence: Evidence) -> Look:
            evidence = kind.with_print(evidence, shown, profile.labels)
            if told is not None:
                evidence = replace(evidence, scores=evidence.scores + told)
            return weighed(evidence)

        plain = compared(crops, vectors_at(pyramid, quads))
        seen = named(plain)
        if not seen.decided and profile.details:
            told = told_by_details(crops, seen, spec, profile)
            seen = named(plain)
        if not seen.decided and shown is not None:
            closer = kind.print_log_p(pyramid, board, profile.labels, seen)
            shown = shown if closer is None else (shown + closer) / 2
            seen = named(plain)
        if not seen.decided:
            seen = in_better_light(crops, seen, profile, lambda at: named(compared(at, embed(at))))
        if not seen.decided and profile.details and spec.turns == 1:
            confirmed = pictured(crops, seen, spec, profile)
            seen = replace(seen, evidence=replace(seen.evidence, pictured=confirmed))
    # pieces that may lie turned are not compared
    if seen.evidence.vectors is not None and spec.turns == 1:
        seen = replace(seen, evidence=replace(seen.evidence, tints=tints(mean_colours(crops))))
    return seen
