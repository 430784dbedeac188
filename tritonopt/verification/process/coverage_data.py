"""What of a file ran: lines, outcomes of tests, turns of loops. Plain data, merged over runs."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

Place = tuple[int, int]
"""A line of the file, and a column from 0."""
Span = tuple[int, int, int, int]
"""Where an expression begins and ends: lines, and columns from 0."""
BOTH = frozenset(("true", "false"))
"""What an expression that is true or false comes to."""
OBJECT = ""
"""What stands for all that is no number, text or type."""
_MOST_VALUES = 3
"""So many values are kept of an expression: more say no more of it."""
Bounds = tuple[int, int, int]
"""Start, stop and step of a `range`."""


@dataclass(frozen=True)
class Loop:
    """What one loop did in the entry that took it furthest."""

    turns: int = 0
    """The most turns of one entry; a turn whose accesses are all masked off does not count."""
    ragged: bool = False
    """Whether, in a last turn, fewer lanes of some access were on than in a turn before."""
    bounds: Bounds | None = None
    """Of the range with the most steps; None where it runs over something else."""

    def merged(self, other: Loop) -> Loop:
        return Loop(
            max(self.turns, other.turns),
            self.ragged or other.ragged,
            max(self.bounds, other.bounds, key=_steps),
        )


def span_of(node: ast.expr) -> Span:
    last = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return node.lineno, node.col_offset, *last


def values_together(
    some: Mapping[Span, frozenset[str]], more: Mapping[Span, frozenset[str]]
) -> Mapping[Span, frozenset[str]]:
    """What expressions came to in either of two runs."""
    found = dict(some)
    for span, values in more.items():
        known = found.get(span, frozenset())
        if len(known) < _MOST_VALUES:
            found[span] = known | values
    return found


def _steps(bounds: Bounds | None) -> float:
    return -1 if bounds is None else (bounds[1] - bounds[0]) / (bounds[2] or 1)


@dataclass(frozen=True)
class Coverage:
    """What ran in programs that stored something, and in the launcher's own code."""

    lines: frozenset[int] = frozenset()
    tests: frozenset[tuple[Place, bool]] = frozenset()
    """Tests of `if` and of conditional expressions, with the outcomes that they had."""
    loops: Mapping[int, Loop] = field(default_factory=dict)
    """By the line of the loop."""
    extents: Mapping[Place, int] = field(default_factory=dict)
    """The most that each expression came to that says how long a tile is."""
    grids: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Every kernel that was launched, with its grid."""
    constants: frozenset[int] = frozenset()
    """Whole numbers that were passed to kernels as constants: block sizes are among them."""
    work: int = 0
    """How many statements of kernels were executed, programs that stored nothing included; about,
    where the kernel is another file's, or what it calls takes long."""
    writers: frozenset[str] = frozenset()
    """Kernels of which a launch changed memory: known of compiled ones as well."""
    limits: frozenset[float] = frozenset()
    """Numbers that floats were compared with in kernels, or cut off at, as far as blocks of one
    number show them; what a program took from its data may be among them."""
    stored: bool = True
    """Whether a program stored something; else only guards that ended programs are told of."""

    values: Mapping[Span, frozenset[str]] = field(default_factory=dict)
    """What expressions of launchers came to that are watched."""

    @property
    def idle(self) -> bool:
        """Whether no program ran: nothing was launched, or grids without any."""
        return not any(math.prod(grid) for _, grid in self.grids)

    def as_launched(self, other: Coverage) -> Coverage:
        """What of it holds of the same call where it was launched as in the other.

        Programs of another grid share the tiles in another way: how often loops turn, and how
        many programs there are, is then not known.
        """
        if set(self.grids) == set(other.grids):
            return self
        return replace(self, loops={}, grids=other.grids)

    def merged(self, other: Coverage) -> Coverage:
        loops = dict(self.loops)
        for line, loop in other.loops.items():
            loops[line] = loops[line].merged(loop) if line in loops else loop
        extents = dict(self.extents)
        for place, length in other.extents.items():
            extents[place] = max(length, extents.get(place, 0))
        return Coverage(
            self.lines | other.lines,
            self.tests | other.tests,
            loops,
            extents,
            (*self.grids, *other.grids),
            self.constants | other.constants,
            self.work + other.work,
            self.writers | other.writers,
            self.limits | other.limits,
            self.stored or other.stored,
            values_together(self.values, other.values),
        )
