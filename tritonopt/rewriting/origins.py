"""Where a line of a rewritten text stood in the original.

Remarks point into the text that the user has, whatever was edited since.
"""

from __future__ import annotations

import re

# The line ends of Python's parser; str.splitlines() knows more of them.
_NEWLINE = re.compile(r"\r\n|\r|\n")


class Origins:
    """The lines of a text that is edited step by step. Lines count from 1."""

    def __init__(self, text: str) -> None:
        self._lines = _NEWLINE.split(text)
        self._origins = list(range(1, len(self._lines) + 1))

    def follow(self, text: str) -> None:
        """The text has become `text`. A changed line comes from where the change began."""
        import difflib  # most texts stay as they are

        old, new = self._lines, _NEWLINE.split(text)
        # Edits are local: most of a large file never reaches the quadratic part.
        head = _common(old, new)
        tail = _common(old[head:][::-1], new[head:][::-1])
        origins = self._origins[:head]
        matcher = difflib.SequenceMatcher(
            None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False
        )
        for _, i1, i2, j1, j2 in matcher.get_opcodes():
            last = max(i1, i2 - 1)
            for offset in range(j2 - j1):
                place = head + min(i1 + offset, last)
                origins.append(self._origins[min(place, len(old) - 1)])
        origins.extend(self._origins[len(old) - tail :])
        self._lines, self._origins = new, origins

    def original(self, line: int) -> int:
        """The line of the original text that `line` of the present one comes from."""
        return self._origins[line - 1]


def _common(left: list[str], right: list[str]) -> int:
    """How many lines the two begin with in common."""
    shorter = min(len(left), len(right))
    return next((i for i in range(shorter) if left[i] != right[i]), shorter)
