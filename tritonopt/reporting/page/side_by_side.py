"""Two versions of a text side by side: what differs with its surroundings, the rest to unfold."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from tritonopt.reporting.page.highlighting import LONGEST, colored, lines_of, spans_of

_CONTEXT = 3
_WORD = re.compile(r"\w+|\s+|.")
_NAME = re.compile(r"\w+")
_ALIKE = 0.5
"""What two lines have in common of their words, from which on it is shown which differ."""


@dataclass(frozen=True)
class Line:
    """A line of the one and of the other version; either may be missing."""

    kind: str
    """`same`, or `changed`."""
    before: int | None = None
    """Its number, from 1."""
    after: int | None = None
    old: Markup = Markup()
    new: Markup = Markup()


@dataclass(frozen=True)
class Stretch:
    """Lines that follow each other."""

    lines: tuple[Line, ...]
    is_same: bool
    """Whether nothing in it differs, so that it is only shown when somebody asks."""

    @property
    def runs(self) -> list[list[Line]]:
        """The lines in groups of one kind."""
        return [list(group) for _, group in groupby(self.lines, lambda line: line.kind)]


@dataclass(frozen=True)
class Diff:
    """All lines of both versions."""

    stretches: tuple[Stretch, ...]
    removed: int = 0
    added: int = 0


def diff_of(old: str, new: str) -> Diff | None:
    """What differs between two texts; None where nothing does."""
    if old == new:
        return None
    return _Sides(old, new).diff()


class _Sides:
    """The lines of both versions, as text and as HTML."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = lines_of(old), lines_of(new)
        if self.old == self.new:  # only the ends of lines differ
            self.old, self.new = old.splitlines(keepends=True), new.splitlines(keepends=True)
            self.old = [repr(line)[1:-1] for line in self.old]
            self.new = [repr(line)[1:-1] for line in self.new]
        self._old_spans, self._new_spans = spans_of(old), spans_of(new)

    def diff(self) -> Diff:
        matcher = difflib.SequenceMatcher(None, self.old, self.new)
        codes = matcher.get_opcodes()
        stretches: list[Stretch] = []
        removed = added = 0
        for at, (tag, i1, i2, j1, j2) in enumerate(codes):
            if tag != "equal":
                removed, added = removed + i2 - i1, added + j2 - j1
                self._append(stretches, tuple(self._changed(i1, i2, j1, j2)))
                continue
            lead = _CONTEXT if at else 0
            tail = _CONTEXT if at + 1 < len(codes) else 0
            lines = tuple(self._same(i1 + k, j1 + k) for k in range(i2 - i1))
            if len(lines) <= lead + tail + 1:
                self._append(stretches, lines)
                continue
            end = len(lines) - tail
            self._append(stretches, lines[:lead])
            stretches.append(Stretch(lines[lead:end], is_same=True))
            self._append(stretches, lines[end:])
        return Diff(tuple(stretches), removed, added)

    @staticmethod
    def _append(stretches: list[Stretch], lines: tuple[Line, ...]) -> None:
        """Lines that are shown, in one stretch with those before them."""
        if not lines:
            return
        if stretches and not stretches[-1].is_same:
            lines = stretches.pop().lines + lines
        stretches.append(Stretch(lines, is_same=False))

    def _same(self, i: int, j: int) -> Line:
        text = self._html_of_new(j)
        return Line("same", i + 1, j + 1, text, text)

    def _changed(self, i1: int, i2: int, j1: int, j2: int) -> Iterator[Line]:
        pairs = min(i2 - i1, j2 - j1)
        for k in range(pairs):
            i, j = i1 + k, j1 + k
            ours, theirs = _differing(self.old[i], self.new[j])
            old, new = self._html_of_old(i, ours), self._html_of_new(j, theirs)
            yield Line("changed", i + 1, j + 1, old, new)
        for i in range(i1 + pairs, i2):
            yield Line("changed", i + 1, None, self._html_of_old(i))
        for j in range(j1 + pairs, j2):
            yield Line("changed", None, j + 1, new=self._html_of_new(j))

    def _html_of_old(self, at: int, changed: Sequence[tuple[int, int]] = ()) -> Markup:
        return colored(self.old[at], self._old_spans.get(at, ()), changed)

    def _html_of_new(self, at: int, changed: Sequence[tuple[int, int]] = ()) -> Markup:
        return colored(self.new[at], self._new_spans.get(at, ()), changed)


def _differing(old: str, new: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The columns in which two lines differ, if they have more in common than not."""
    if max(len(old), len(new)) > LONGEST:
        return [], []
    names = _NAME.findall(old), _NAME.findall(new)
    if difflib.SequenceMatcher(None, *names, autojunk=False).ratio() < _ALIKE:
        return [], []
    ours, theirs = _WORD.findall(old), _WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        list(_columns(ours, [(i1, i2) for _, i1, i2, _, _ in codes])),
        list(_columns(theirs, [(j1, j2) for _, _, _, j1, j2 in codes])),
    )


def _columns(words: Sequence[str], places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where words stand; blanks alone, as those of an indentation, are left out."""
    for first, behind in places:
        text = "".join(words[first:behind])
        if text.strip():
            start = sum(map(len, words[:first]))
            yield start, start + len(text)
