"""The accepted texts of several launchers of one file, in one text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from tritonopt.source.parsing import parsed

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


def merged(original: str, texts: Sequence[str]) -> tuple[str, list[int]]:
    """The original with the changes of all texts, and the places of those that are left out:

    what they change, one before them changes too.
    """
    taken: list[_Hunk] = []
    left_out: list[int] = []
    for at, text in enumerate(texts):
        own = hunks(original, text)
        both = sorted([*taken, *own], key=lambda hunk: hunk[:2])
        if any(_meet(one, other) for one in own for other in taken) or not _parses(original, both):
            left_out.append(at)
        else:
            taken = both
    return _applied(original, taken), left_out


def _meet(one: _Hunk, other: _Hunk) -> bool:
    """Whether two changes touch, or stand at one place."""
    return one[0] <= other[1] and other[0] <= one[1]


def _parses(original: str, changes: Sequence[_Hunk]) -> bool:
    try:
        parsed(_applied(original, changes))
    except SyntaxError:
        return False
    return True


def _applied(original: str, changes: Sequence[_Hunk]) -> str:
    lines = lines_of(original)
    for first, last, new in reversed(changes):
        lines[first:last] = new
    return "".join(lines)
