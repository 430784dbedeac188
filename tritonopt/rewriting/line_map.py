"""Where a line of a rewritten text stood in the original.

Remarks point into the text that the user has, whatever was edited since: with their own place,
and with every line that their words name. A line that no line of the original resembles was
written by a pass: it is said to be "as rewritten", beside the line that it was written at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TypeVar

from tritonopt.rewriting.model import Remark
from tritonopt.source import Rewritten

# The line ends of Python's parser; str.splitlines() knows more of them.
_NEWLINE = re.compile(r"\r\n|\r|\n")

_LINES = re.compile(r"\blines? \d+(?:(?:, and |, or |, | and | or | to )\d+)*(?!\w)")
"""How a message names lines: `line 3`, `lines 3 and 4`, `line 3, 4`."""
_NUMBER = re.compile(r"\d+")


_ELSEWHERE = " of "
"""What follows a line of another file, with the path of that one."""

AS_REWRITTEN = " (as rewritten)"
_ALIKE = 0.5
"""Share of words from which on a changed line is taken for one that stood in its place."""
_ALIKE_ELSEWHERE = 0.7
"""And for one that stood anywhere else."""
_WINDOW = 200
"""Lines around the place of a new line in which a line like it is looked for."""
_WORD = re.compile(r"\w+")
_LOOP = re.compile(r"(for|while)\b")
"""A loop that stands where none did was written by a pass, whatever words they share."""
_T = TypeVar("_T")


@dataclass(frozen=True)
class Copy:
    """A kernel that an edit created from another one; lines count from 1."""

    old: range
    """The lines of the kernel that was edited, before the edit."""
    new: range
    """The lines of the created kernel, after it."""


@dataclass(frozen=True)
class _Origin:
    line: int
    """In the original; of a line that a pass wrote, the one that it was written at."""
    written: bool = False


class LineMap:
    """The lines of a text that is edited step by step. Lines count from 1."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._original = self._lines = _NEWLINE.split(text)
        self._origins = [_Origin(line) for line in range(1, len(self._original) + 1)]
        self._moved = False

    def follow(self, parts: Sequence[Rewritten], copies: Iterable[Copy] = ()) -> None:
        """Parts of the text were replaced, each given with its place in the text as it was."""
        origins: list[_Origin] = []
        done = offset = 0
        text: list[str] = []
        for part in parts:
            # Whole lines: from the one that the part begins in to the one that it ends in.
            first = done + len(_NEWLINE.findall(self._text, offset, part.start))
            behind = first + len(_NEWLINE.findall(self._text, part.start, part.end))
            origins += self._origins[done:first]
            old = _NEWLINE.split(self._text[part.start : part.end])
            new = _NEWLINE.split(part.text)
            # The last line of either is continued behind the part.
            matched = _matched(old, new, part.gone)
            origins += self._through(self._origins[first:], matched)[: len(new) - 1]
            text += [self._text[offset : part.start], part.text]
            done, offset = behind, part.end
        origins += self._origins[done:]
        after = "".join([*text, self._text[offset:]])
        lines = _NEWLINE.split(after)
        for copy in copies:
            old = self._lines[copy.old.start - 1 : copy.old.stop - 1]
            new = lines[copy.new.start - 1 : copy.new.stop - 1]
            of = self._through(self._origins[copy.old.start - 1 :], _matched(old, new))
            origins[copy.new.start - 1 : copy.new.stop - 1] = of
        self._text, self._lines, self._origins = after, lines, origins
        self._moved = True

    @staticmethod
    def _through(origins: Sequence[_Origin], matched: Sequence[_Match]) -> list[_Origin]:
        return [
            replace(origins[match.place], written=origins[match.place].written or not match.alike)
            for match in matched
        ]

    def original(self, line: int) -> int:
        """The line of the original text that `line` of the present one comes from."""
        return self._origins[line - 1].line

    def told(self, remark: Remark) -> Remark:
        """A remark on the present text, with its place and those that it names in the original."""
        if not self._moved:
            return remark
        line = self.original(remark.line)
        column = self._column(remark.line, remark.column)
        return replace(relined(remark, self._known), line=line, column=column)

    def _known(self, line: int) -> str:
        if not 1 <= line <= len(self._origins):
            return str(line)
        origin = self._origins[line - 1]
        return f"{origin.line}{AS_REWRITTEN if origin.written else ''}"

    def _column(self, line: int, column: int) -> int:
        """That of the same word in the original line, else where the line begins."""
        present = self._lines[line - 1]
        original = self._original[self.original(line) - 1]
        indentation = len(original) - len(original.lstrip())
        if present.strip() == original.strip():
            return column + indentation - (len(present) - len(present.lstrip()))
        word = _WORD.match(present, column - 1)
        found = re.search(rf"\b{word[0]}\b", original) if word else None
        return (found.start() if found else indentation) + 1


def relined(remark: Remark, line_of: Callable[[int], int | str]) -> Remark:
    """A remark whose words name other lines: what `line_of` gives for each of this file."""

    def words(text: str) -> str:
        return _LINES.sub(lines, text)

    def lines(found: re.Match[str]) -> str:
        elsewhere = found.string.startswith(_ELSEWHERE, found.end())
        return found[0] if elsewhere else _NUMBER.sub(number, found[0])

    def number(found: re.Match[str]) -> str:
        return str(line_of(int(found[0])))

    conditions = tuple(replace(c, detail=words(c.detail)) for c in remark.conditions)
    return replace(remark, message=words(remark.message), conditions=conditions)


@dataclass(frozen=True)
class _Match:
    """Where a line comes from: the place of an old one, and whether it is like that one."""

    place: int
    alike: bool = True


def _matched(old: list[str], new: list[str], gone: Collection[int] = frozenset()) -> list[_Match]:
    """For every new line the place of the old one that it comes from.

    The lines that are `gone` stay in no place: only code that was moved comes from them.

    A line that only moved in or out, into a branch say, is the same line. A changed one comes from
    the line that it shares most words with, else from where the change began.
    """
    import difflib  # most texts stay as they are

    old, new = [line.strip() for line in old], [line.strip() for line in new]

    kept = [f"\0{place}" if place in gone else line for place, line in enumerate(old)]

    # Edits are local: most of a function never reaches the quadratic part.
    head = _common(kept, new)
    tail = _common(kept[head:][::-1], new[head:][::-1])
    matcher = difflib.SequenceMatcher(
        None, kept[head : len(old) - tail], new[head : len(new) - tail], autojunk=False
    )

    @cache
    def words(place: int) -> _Words:
        return _Words.of(old[place])

    found = [_Match(place) for place in range(head)]
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        for k in range(j2 - j1):
            place = min(head + min(i1 + k, max(i1, i2 - 1)), len(old) - 1)
            if tag == "equal":
                found.append(_Match(place))
                continue
            mine = _Words.of(new[head + j1 + k])
            inside = range(head + i1, head + i2)
            around = range(max(place - _WINDOW, 0), min(place + _WINDOW, len(old)))
            behind = found[-1].place + 1 if found else 0
            like = _most_alike(mine, words, inside, place)
            if like is None or mine.likeness(words(like))[0] < _ALIKE:
                like = _most_alike(mine, words, around, behind, gone)
                if like is not None and mine.likeness(words(like))[0] < _ALIKE_ELSEWHERE:
                    like = None
            if like is None:
                found.append(_Match(place, not mine.words))
            else:
                loops = [bool(_LOOP.match(line)) for line in (new[head + j1 + k], old[like])]
                found.append(_Match(like, loops != [True, False]))
    return [*found, *map(_Match, range(len(old) - tail, len(old)))]


@dataclass(frozen=True)
class _Words:
    """Those of a line, and the pairs of them that stand beside each other."""

    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, line: str) -> _Words:
        words = _WORD.findall(line)
        return cls(frozenset(words), frozenset(pairwise(words)))

    def likeness(self, other: _Words) -> tuple[float, float]:
        """The share of words in common, and that of pairs."""
        return _share(self.words, other.words), _share(self.pairs, other.pairs)


def _share(left: frozenset[_T], right: frozenset[_T]) -> float:
    return 2 * len(left & right) / max(len(left) + len(right), 1)


def _most_alike(
    mine: _Words,
    words: Callable[[int], _Words],
    among: range,
    near: int,
    gone: Collection[int] = frozenset(),
) -> int | None:
    """The line with most in common; of several one that is gone from its place, the nearest."""

    def rank(place: int) -> tuple[tuple[float, float], bool, int]:
        return mine.likeness(words(place)), place in gone, -abs(place - near)

    return max(among, key=rank, default=None)


def _common(left: list[str], right: list[str]) -> int:
    """How many lines the two begin with in common."""
    shorter = min(len(left), len(right))
    return next((i for i in range(shorter) if left[i] != right[i]), shorter)
