"""The page as text: templates filled in, and as much of it as a file of 2 MB holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from tritonopt.reporting.glossary import glossary
from tritonopt.reporting.page.contents import Check, Contents, Subject
from tritonopt.reporting.page.timed_calls import timed

MOST_BYTES = 2_000_000
_FRAME = 100_000
"""For what stands around the parts."""
_LISTED = 0.3
"""Of the room, for the lists that the page begins with."""
_GROUPED = 0.15
"""For what was not rewritten."""
_MOST_LINES = 200
"""Of errors and notes."""
_ONE_LINE = 36
"""Characters of a path that are never broken."""
_LONGEST = 6_000
"""Characters of one text."""
_TEMPLATES = Path(__file__).with_name("templates")
_WORDS = {
    "ratio": "Time of the first version / time of the second one: above 1 the second is faster.",
    "95 % interval": "Where the true ratio is, with 95 % confidence. Faster is called only what "
    "lies above 1 with all of its interval, slower what lies below.",
    "copy": "The time to copy as many bytes as the call has to read and write, measured in the "
    "same run. A kernel that moves data can hardly be faster: at 100 % nothing is left to gain.",
    "proved": "A condition that was derived from the source.",
    "assumed": (
        "A condition that a documented default, or a fact given with `--assume`, "
        "lets us take as true."
    ),
    "refuted, unknown": "A condition that is false, or could not be decided. The rewrite is not "
    "made.",
}
_FROM_THE_GLOSSARY = (
    "kernel",
    "launcher",
    "tile",
    "sweep",
    "mask",
    "program",
    "constexpr",
    "spill",
)


def rendered(contents: Contents) -> str:
    """The page, of at most 2 MB in UTF-8."""
    room = MOST_BYTES - _FRAME
    while len((text := _Page(contents, room).text()).encode()) > MOST_BYTES:
        room //= 2  # something around the parts is larger than it should be
    return text


@dataclass
class _Page:
    """One attempt, with room for so many bytes."""

    contents: Contents
    room: int
    left_out: Counter[str] = field(default_factory=Counter)
    anchors: set[str] = field(default_factory=set)
    """What is there to be linked to."""

    def text(self) -> str:
        contents = self.contents
        listed = [self._fitting(self._entries(linked=True), int(_LISTED * self.room))]
        groups = self._groups()
        used = sum(map(_size, [*listed[0], *groups]))
        sections = list(self._sections(self.room - used))
        rows = list(self._entries(linked=False))[: len(listed[0])]
        if len(contents_entries := list(_entries(contents))) > len(rows):
            self.left_out["lines of the lists"] += len(contents_entries) - len(rows)
        return (
            _environment()
            .get_template("page.html")
            .render(
                page=contents,
                style=Markup(_TEMPLATES.joinpath("page.css").read_text(encoding="utf-8")),
                listings=self._by_listing(rows),
                sections=sections,
                groups=groups,
                left_alone=sum(group.count for group in contents.groups),
                problems=_first(contents.problems),
                notes=_first(contents.notes),
                words=_words([*listed[0], *sections, *groups]),
                left_out=[f"{count:,} {what}" for what, count in self.left_out.items()],
            )
        )

    def _entries(self, *, linked: bool) -> Iterator[Markup]:
        """The lines of all lists; with `linked` as long as they can be."""
        for listing in self.contents.listings:
            for one in listing.entries:
                yield _part("entry", one, listing, linked or one.anchor in self.anchors)

    def _by_listing(self, rows: Sequence[Markup]) -> list[tuple[object, Sequence[Markup]]]:
        found: list[tuple[object, Sequence[Markup]]] = []
        for listing in self.contents.listings:
            found.append((listing, rows[: len(listing.entries)]))
            rows = rows[len(listing.entries) :]
        return found

    def _groups(self) -> list[Markup]:
        parts = (_part("group", group) for group in self.contents.groups)
        groups = self._fitting(parts, int(_GROUPED * self.room))
        if len(groups) < len(self.contents.groups):
            self.left_out["reasons for which sites were not rewritten"] += len(
                self.contents.groups
            ) - len(groups)
        return groups

    @staticmethod
    def _fitting(parts: Iterable[Markup], room: int) -> list[Markup]:
        """As many as there is room for, from the first one on."""
        found = []
        for part in parts:
            room -= _size(part)
            if room < 0:
                break
            found.append(part)
        return found

    def _sections(self, room: int) -> Iterator[Markup]:
        """All subjects, each as whole as there is room for."""
        space = _Space(room)
        for subject in self.contents.subjects:
            parts = list(self._subject(subject, space))
            if parts:
                yield Markup("<section>{}</section>").format(Markup().join(parts))

    def _subject(self, subject: Subject, space: _Space) -> Iterator[Markup]:
        head = space.take(_part("head", subject))
        if head is None:
            self.left_out["files or launchers, and their places"] += 1
            return
        self.anchors.add(subject.anchor)
        yield head
        if subject.timing is not None:
            yield from self._timing(subject, space)
        for place in subject.places:
            part = space.first(_part("place", place, level) for level in range(4))
            if part is None:
                self.left_out["places in full (their files are listed)"] += 1
                continue
            self.anchors.add(place.anchor)
            yield part
        if subject.diff is not None:
            title = Markup("<h3>Changes</h3>")
            part = space.first(_part("hunks", subject.diff, whole) for whole in (True, False))
            if part is None:
                self.left_out["diffs"] += 1
            else:
                yield title + part
        for name, tables in (("", subject.tables), (_COMPILED, subject.compiled)):
            if tables and name:
                yield Markup("<h3>{}</h3>").format(name)
            for table in tables:
                part = space.take(_part("table", table))
                if part is None:
                    self.left_out["tables"] += 1
                else:
                    yield part

    def _timing(self, subject: Subject, space: _Space) -> Iterator[Markup]:
        assert subject.timing is not None
        found = timed(subject.timing)
        if not found.has_times and not any(call.failures or call.remarks for call in found.calls):
            return  # sizes alone: they stand above the machine code
        head = space.take(_part("timing_head", found, subject.name))
        if head is None:
            self.left_out["tables of times"] += 1
            return
        yield head
        rows = []
        for call in found.calls:
            row = space.take(_part("call", call, found))
            if row is None:
                self.left_out["calls"] += 1
            else:
                rows.append(row)
        yield _part("calls", found, rows)


_COMPILED = "Machine code: registers, spills and widths of memory accesses"


@dataclass
class _Space:
    """Bytes that are left for details."""

    left: int

    def take(self, part: Markup) -> Markup | None:
        """The part, if there is room for it."""
        size = _size(part)
        if size > self.left:
            return None
        self.left -= size
        return part

    def first(self, parts: Iterable[Markup]) -> Markup | None:
        """The first of several forms that there is room for."""
        return next((found for part in parts if (found := self.take(part)) is not None), None)


def _size(part: str) -> int:
    return len(part.encode()) + 20  # and what stands around it


def _entries(contents: Contents) -> Iterator[object]:
    for listing in contents.listings:
        yield from listing.entries


def _first(lines: Sequence[str]) -> list[str]:
    shown = list(lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        shown.append(f"and {len(lines) - _MOST_LINES:,} more")
    return shown


def _words(parts: Iterable[str]) -> list[tuple[str, str]]:
    """The words that a reader meets on the page, and may not know."""
    known = glossary()
    explained = {**{word: known[word] for word in _FROM_THE_GLOSSARY}, **_WORDS}
    text = "".join(parts)
    return [
        (word, said)
        for word, said in explained.items()
        if any(re.search(rf"\b{part}", text) for part in word.split(", "))
    ]


def _part(name: str, *given: object) -> Markup:
    """One macro of the templates, filled in."""
    macro: Any = getattr(_parts(), name)
    found: Markup = macro(*given)
    return found


@cache
def _parts() -> Any:
    return _environment().get_template("parts.html").module


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        cut=_cut, code=_code, parted=_parted, grade=_grade, safety=_safety, statuses=_statuses
    )
    return environment


# Filters of the templates


def _cut(text: str) -> str:
    """A text of a length that a person reads."""
    if len(text) <= _LONGEST:
        return text
    more = f" ... ({len(text) - _LONGEST:,} more characters)"
    return text[:_LONGEST] + more


def _code(text: str) -> Markup:
    """What stands in backticks, as code."""
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(text))))


def _parted(path: str) -> Markup:
    """A path that is broken between its parts, where it has to be broken."""
    if len(path) <= _ONE_LINE:
        return escape(path)
    return Markup(re.sub(r"([/_])", r"\1<wbr>", str(escape(path))))


def _grade(status: str) -> str:
    return {"proved": "yes", "refuted": "no"}.get(status, "open")


_SAFETY = {
    "exact": "the same function; callers need no change",
    "rounding": "floating-point results may differ in rounding",
    "contract": "requires a change of callers, made in the same edit at every launch",
    "assumption": "right only under facts given with --assume",
}


def _safety(label: str) -> str:
    return "; ".join(_SAFETY.get(part, part) for part in re.split(", *", label))


def _statuses(checks: Sequence[Check]) -> str:
    """`12 conditions: 11 proved, 1 assumed`"""
    counts = Counter(check.status for check in checks)
    noun = "condition" if len(checks) == 1 else "conditions"
    listed = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    return f"{len(checks)} {noun}: {listed}"
