"""Whether two versions decide by the same numbers, as far as their residues tell."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from tritonopt.verification.algebra.decisions import strange
from tritonopt.verification.process.messages import Followed

ORIGINAL, REWRITTEN = "original", "rewritten"


def limits_differ(ours: Set[float], theirs: Set[float]) -> str:
    """A number that floats are compared with in one version alone, in words.

    What a comparison decides is followed by values, and only on the calls that were made.
    """
    for title, here, there in ((ORIGINAL, ours, theirs), (REWRITTEN, theirs, ours)):
        if here - there:
            number = f"{min(here - there):.7g}"
            return f"the {title} version alone compares floats with {number}"
    return ""


def decided_otherwise(ours: Followed, theirs: Followed) -> str:
    """A comparison, or a rounding, of floats that the other version does not compute; in words."""
    for title, other, here, there in (
        (REWRITTEN, ORIGINAL, theirs, ours),
        (ORIGINAL, REWRITTEN, ours, theirs),
    ):
        computed = np.frombuffer(there.computed, "u4")
        by = {place: np.frombuffer(operands, "u4") for place, operands in here.decisions}
        found = strange(by, computed)
        if found is not None:
            what, line = found
            where = f"line {line} of the {title} version" if line else f"the {title} version"
            return f"{where} {what} what the {other} one never computes"
    return ""
