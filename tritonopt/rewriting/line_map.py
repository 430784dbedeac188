"""Where a line of a rewritten text stood in the original.

Remarks point into the text that the user has, whatever was edited since: with their own place,
and with every line that their words name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from tritonopt.rewriting.model import Remark
from tritonopt.source import Rewritten

# The line ends of Python's parser; str.splitlines() knows more of them.
_NEWLINE = re.compile(r"\r\n|\r|\n")

_LINES = re.compile(r"\blines? \d+(?:(?:, and |, or |, | and | or | to )\d+)*(?!\w)")
"""How a message names lines: `line 3`, `lines 3 and 4`, `line 3, 4`."""
_NUMBER = re.compile(r"\d+")


class LineMap:
    """The lines of a text that is edited step by step. Lines count from 1."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_map = list(range(1, len(_NEWLINE.findall(text)) + 2))
        self._moved = False

    def follow(self, parts: Sequence[Rewritten]) -> None:
        """Parts of the text were replaced, each given with its place in the text as it was."""
        line_map: list[int] = []
        done = offset = 0
        text: list[str] = []
        for part in parts:
            # Whole lines: from the one that the part begins in to the one that it ends in.
            first = done + len(_NEWLINE.findall(self._text, offset, part.start))
            behind = first + len(_NEWLINE.findall(self._text, part.start, part.end))
            line_map += self._line_map[done:first]
            old = _NEWLINE.split(self._text[part.start : part.end])
            new = _NEWLINE.split(part.text)
            # The last line of either is continued behind the part.
            line_map += [self._line_map[first + i] for i in _matched(old, new)][: len(new) - 1]
            text += [self._text[offset : part.start], part.text]
            done, offset = behind, part.end
        line_map += self._line_map[done:]
        self._text = "".join([*text, self._text[offset:]])
        self._line_map = line_map
        self._moved = True

    def original(self, line: int) -> int:
        """The line of the original text that `line` of the present one comes from."""
        return self._line_map[line - 1]

    def told(self, remark: Remark) -> Remark:
        """A remark on the present text, with the lines that its words name those of the original.

        The remark's own place stays what it is.
        """
        return relined(remark, self._known) if self._moved else remark

    def _known(self, line: int) -> int:
        return self.original(line) if 1 <= line <= len(self._line_map) else line


def relined(remark: Remark, line_of: Callable[[int], int]) -> Remark:
    """A remark whose words name other lines: what `line_of` gives for each of them."""

    def words(text: str) -> str:
        return _LINES.sub(lambda found: _NUMBER.sub(number, found[0]), text)

    def number(found: re.Match[str]) -> str:
        return str(line_of(int(found[0])))

    conditions = tuple(replace(c, detail=words(c.detail)) for c in remark.conditions)
    return replace(remark, message=words(remark.message), conditions=conditions)


def _matched(old: list[str], new: list[str]) -> list[int]:
    """For every new line the place of the old one that it comes from.

    A line that only moved in or out, into a branch say, is the same line. A changed one comes from
    where the change began.
    """
    import difflib  # most texts stay as they are

    old, new = [line.strip() for line in old], [line.strip() for line in new]

    # Edits are local: most of a function never reaches the quadratic part.
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    matcher = difflib.SequenceMatcher(
        None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False
    )
    found = list(range(head))
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        last = max(i1, i2 - 1)
        found += [min(head + min(i1 + k, last), len(old) - 1) for k in range(j2 - j1)]
    return [*found, *range(len(old) - tail, len(old))]


def _common(left: list[str], right: list[str]) -> int:
    """How many lines the two begin with in common."""
    shorter = min(len(left), len(right))
    return next((i for i in range(shorter) if left[i] != right[i]), shorter)
