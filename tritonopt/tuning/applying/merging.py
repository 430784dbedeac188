"""The accepted texts of several launchers of one file, in one text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from tritonopt import source
from tritonopt.verification.signature.launchers import Launchers, differing_definitions

_Hunk = tuple[int, int, list[str]]
"""Lines of the original, from one to before another, and what stands for them."""


def lines_of(text: str) -> list[str]:
    """Its lines with their ends: `str.splitlines` ends one at a form feed too."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def hunks(original: str, text: str) -> list[_Hunk]:
    """How a text differs, line by line."""
    old, new = lines_of(original), lines_of(text)
    opcodes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(a, b, new[c:d]) for tag, a, b, c, d in opcodes if tag != "equal"]


def merged(original: str, texts: Sequence[str]) -> str | None:
    """The original with the changes of all texts; None where two of them change one place."""
    taken: list[_Hunk] = []
    for text in texts:
        own = hunks(original, text)
        if any(_meet(one, other) for one in own for other in taken):
            return None
        taken = sorted([*taken, *own], key=lambda hunk: hunk[:2])
    return _applied(original, taken)


def runs_the_same(one: str, other: str, launcher: str) -> bool:
    """Whether a launcher runs the same definitions in two texts, and both can be read."""
    try:
        modules = source.read(one), source.read(other)
    except source.SourceError:
        return False
    launchers = Launchers.of(modules[0])
    reached = launchers.reached(launchers.definition_of(launchers.named(launcher)))
    return not reached & differing_definitions(*modules)


def _meet(one: _Hunk, other: _Hunk) -> bool:
    """Whether two changes touch, or stand at one place."""
    return one[0] <= other[1] and other[0] <= one[1]


def _applied(original: str, changes: Sequence[_Hunk]) -> str:
    lines = lines_of(original)
    for first, last, new in reversed(changes):
        lines[first:last] = new
    return "".join(lines)
