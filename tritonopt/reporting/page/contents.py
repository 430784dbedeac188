"""What stands on a page, as plain data: each command makes it, and one template shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tritonopt.measurement.results import Comparison
    from tritonopt.reporting.page.side_by_side import Diff


@dataclass(frozen=True)
class Check:
    """A condition of a rewrite, and how it came out."""

    claim: str
    status: str
    detail: str = ""
    means: str = ""
    """The claim as a sentence."""


@dataclass(frozen=True)
class Tier:
    """One kind of evidence that two versions are the same function."""

    name: str
    answer: str
    grade: str
    """`yes`, `no`, or `open` where there is no answer."""
    rests_on: str


@dataclass(frozen=True)
class Evidence:
    """What is known of the rewritten version against the original."""

    headline: str
    grade: str
    """As of a tier."""
    where: str = ""
    """What it was run on."""
    tiers: tuple[Tier, ...] = ()
    """The strongest first."""
    counterexample: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Place:
    """A place in a file that a pass acts on, or could."""

    anchor: str
    where: str
    """`path:line`"""
    kernel: str
    pass_name: str
    label: str
    """What it needs beyond exact arithmetic, or `mistake`."""
    says: str
    why: str = ""
    worth: str = ""
    apply: str = ""
    checks: tuple[Check, ...] = ()
    diff: Diff | None = None


@dataclass(frozen=True)
class Table:
    """A table of texts."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Subject:
    """A file, or a launcher of one, and all that was found of it."""

    anchor: str
    name: str
    lead: tuple[str, ...] = ()
    """Sentences."""
    problems: tuple[str, ...] = ()
    apply: str = ""
    evidence: Evidence | None = None
    timing: Comparison | None = None
    """The calls of one launcher."""
    tables: tuple[Table, ...] = ()
    compiled: tuple[Table, ...] = ()
    places: tuple[Place, ...] = ()
    diff: Diff | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A line of the list that the page begins with."""

    anchor: str
    """Of what it leads to."""
    where: str
    what: str
    gain: str
    evidence: str
    grade: str = "open"


@dataclass(frozen=True)
class Listing:
    """What the page begins with, in the order that `order` tells."""

    title: str
    order: str
    gain: str
    """What stands above the column of gains."""
    verified: bool
    """Whether there is a column of evidence."""
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Left:
    """A place that was not rewritten."""

    where: str
    kernel: str
    says: str
    failed: tuple[Check, ...] = ()
    held: int = 0
    """How many other conditions hold."""


@dataclass(frozen=True)
class Group:
    """Places that one pass left alone for one reason."""

    pass_name: str
    reason: str
    means: str
    advice: str
    count: int
    places: tuple[Left, ...]
    """The first of them."""


@dataclass(frozen=True)
class Contents:
    """A whole page."""

    title: str
    lead: tuple[str, ...]
    """Sentences: what was found."""
    facts: Mapping[str, str]
    """How it was made: the command, the GPU, the versions."""
    listings: tuple[Listing, ...] = ()
    subjects: tuple[Subject, ...] = ()
    """In the order of the list."""
    groups: tuple[Group, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
