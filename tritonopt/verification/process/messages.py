"""What a worker sends back of one run: plain data, no tensors."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tritonopt.verification.process.containment import Contained

Place = tuple[int, int]
"""A line of the file, and a column from 0."""
Span = tuple[int, int, int, int]
"""Where an expression begins and ends: lines, and columns from 0."""
BOTH = frozenset(("true", "false"))
"""What an expression that is true or false comes to."""
OBJECT = ""
"""What stands for all that is no number, text or type."""
DURING = " (during a launch)"
"""Ends the name of an operator that a grid, or what chooses a constant, runs."""
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


Both = tuple[Coverage, Coverage]
"""What the original ran, and what the rewritten version did."""


def both_merged(some: Both, more: Both) -> Both:
    return some[0].merged(more[0]), some[1].merged(more[1])


def all_ran(both: Both) -> set[object]:
    """Lines, outcomes of tests, second and ragged turns, in either version."""
    return {
        (at, thing)
        for at, side in enumerate(both)
        for thing in (
            *side.lines,
            *side.tests,
            *((line, min(loop.turns, 2), loop.ragged) for line, loop in side.loops.items()),
        )
    }


Bits = npt.NDArray[Any]
Reals = npt.NDArray[np.float64]

GRID_REFUSED = "GridRefused"
"""The kind of a failure to launch a grid that CUDA refuses, on the interpreter too."""
OUT_OF_MEMORY = "OutOfMemoryError"
"""The kind of a failure that the original is not blamed for."""
LATE = "Late"
"""The kind of a failure to answer while there was time at all, which blames nobody."""
TOO_LARGE = "TooLarge"
"""The kind of a failure to place more memory than is compared."""
TOO_LONG = "TooLong"
"""The kind of a failure of kernels that execute more statements than the run allows."""
SLOW_COMPILATION = "SlowCompilation"
"""The kind of a failure to compile a kernel within the time of a call."""
COMPILES, COMPILED = "tritonopt: Triton compiles ", "tritonopt: compiled"
"""Lines of a worker's log: what it compiles, a kernel's name; and that this has ended."""
NO_GPU = "NoGpu"
"""The kind of a failure of torch's to do on this machine what takes a GPU."""
REFERENCE = "the reference"
"""What stands for a launch of an original that has no kernel."""
TF32, ROUNDED, NARROW = "TF32", "rounded", "narrow"
"""A precision of `tl.dot`; that it rounds what was multiplied; operands narrower than float32."""
FORWARD, REVERSED = 0, 1
"""Orders of programs on the interpreter; every other number is the seed of a shuffled one."""
_REAL_TYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16}


@dataclass(frozen=True)
class Output:
    """One tensor that a launcher returned, was passed, or gave to a kernel."""

    label: str
    dtype: str
    shape: tuple[int, ...]
    bits: Bits
    """Flat, as unsigned integers of the element's size."""
    poisoned: tuple[int, int] | None = None
    """For memory allocated without a value: the two bit patterns it was filled with."""
    strides: tuple[int, ...] = ()
    """Of what is returned."""
    shares: str = ""
    """Of what is returned, whose memory it is, where it is no memory of its own."""
    residues: Bits | None = None
    """Of the elements, where they were followed; see `algebra`."""

    @property
    def is_float(self) -> bool:
        return self.dtype in ("f64", "f32", "f16", "bf16")

    @property
    def is_bitwise(self) -> bool:
        """Whether it is of floats of 8 bits, of which only the bits are compared."""
        return self.dtype.startswith("f8")

    def reals(self) -> Reals:
        """The values as float64, flat."""
        if self.dtype == "bf16":
            with np.errstate(invalid="ignore"):  # a NaN that signals stays one, without a word
                return (self.bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        if self.dtype in _REAL_TYPES:
            return self.bits.view(_REAL_TYPES[self.dtype]).astype(np.float64)
        raise TypeError(f"{self.label} is {self.dtype}, not a floating-point tensor")

    def value(self, index: int) -> str:
        if self.is_float:
            return repr(float(self.reals()[index]))
        if self.dtype == "bool":
            return str(bool(self.bits[index]))
        if self.dtype.startswith("i"):
            return str(int(self.bits[index : index + 1].view(f"int{self.dtype[1:]}")[0]))
        return str(int(self.bits[index]))

    def position(self, index: int) -> str:
        where = np.unravel_index(index, self.shape) if self.shape else ()
        return f"[{', '.join(str(int(i)) for i in where)}]"


def same_bits(left: Output, right: Output) -> npt.NDArray[np.bool_]:
    """Where two outputs of one type and shape agree; any NaN agrees with any NaN."""
    same = left.bits == right.bits
    if left.is_float and not same.all():
        same = same | (np.isnan(left.reals()) & np.isnan(right.reals()))
    return np.asarray(same)


@dataclass(frozen=True)
class Failure:
    """What was raised, and whether it means that the backend cannot tell."""

    kind: str
    message: str
    refused: bool = False

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


@dataclass(frozen=True)
class Followed:
    """How well residues were followed through a run."""

    degree: int
    """Of the outputs as rational functions of the inputs, at most."""
    lost: tuple[str, ...] = ()
    """Why some were not."""
    limits: frozenset[float] = frozenset()
    """The numbers of the program that floats were compared with, or limited by."""
    computed: bytes = b""
    """Every residue of the run."""
    decisions: tuple[tuple[tuple[str, int], bytes], ...] = ()
    """What is decided by values, in which line, and the residues of what it is decided by."""
    parting: str = ""
    """The operation that first computed what is not known, on the way to what was asked for."""


@dataclass(frozen=True)
class Outcome:
    """Everything seen of one run of the launcher."""

    outputs: tuple[Output, ...] = ()
    plain: tuple[str, ...] = ()
    """What was returned that is no tensor."""
    out_of_bounds_stores: tuple[str, ...] = ()
    """Writes outside of a buffer."""
    out_of_bounds_loads: tuple[str, ...] = ()
    """Reads outside of every buffer."""
    races: tuple[str, ...] = ()
    """Interpreter: programs of one launch that overwrite each other."""
    unordered: tuple[str, ...] = ()
    """Interpreter: loads of what was stored in the same launch, which nothing orders after it."""
    products: frozenset[str] = frozenset()
    """Interpreter: the precisions of `tl.dot` that told on float32, and the words above."""
    false_hints: tuple[str, ...] = ()
    """Interpreter: promises to the compiler that the values broke."""
    launches: tuple[str, ...] = ()
    written: int = 0
    """How many elements kernels changed."""
    seconds: float = 0.0
    compile_seconds: float = 0.0
    """The part of `seconds` in which kernels were compiled."""
    compilations: int = 0
    atomics: bool = False
    """Whether a kernel used atomic operations, so that the order of its additions is open."""
    coverage: Coverage = field(default_factory=Coverage)
    """What ran: of compiled kernels only which of them wrote something."""
    retyped: tuple[str, ...] = ()
    """Interpreter: names that a loop leaves with another type, which does not compile."""
    not_compiled: tuple[str, ...] = ()
    """Interpreter: what kernels ran that the compiler does not take."""
    failure: Failure | None = None
    undefined: tuple[str, ...] = ()
    """Loads of whole numbers whose `other` is none of their type: what lanes that are off get."""
    notes: tuple[str, ...] = ()
    configurations: int = 1
    """From how many configurations an autotuner could choose at most."""
    work: frozenset[str] = frozenset()
    """Operators of torch that ran on what no kernel had written, of a run that asks for it."""
    held: bool = False
    """Of a run that asks for it, whether a copy of a result is held when the call is over."""
    caught: tuple[str, ...] = ()
    """Failures of launches which the launcher caught."""
    opened: tuple[str, ...] = ()
    """Of the rewritten version: how it opened the original's file."""
    followed: Followed | None = None
    """What there is to say of the residues, of a run that has them."""

    def output(self, label: str) -> Output | None:
        return next((o for o in self.outputs if o.label == label), None)

    @property
    def trouble(self) -> str:
        """That it failed, or touched what is not its own; nothing where it did neither."""
        if self.failure is not None:
            return str(self.failure)
        return next(iter((*self.out_of_bounds_stores, *self.out_of_bounds_loads)), "")


class Literal(int):
    """A number that stands in the text of a condition."""


@dataclass(frozen=True)
class Blame:
    """What the line that failed was about: plain data, of the run in which it did."""

    names: tuple[str, ...] = ()
    """Arguments that the line works with, or views of them."""
    ranks: tuple[tuple[str, int], ...] = ()
    """How many dimensions those of them had there that are tensors."""
    compared: tuple[tuple[str, object, object], ...] = ()
    """The comparisons of a condition that did not hold: an operator and two values, which are
    whole numbers, tuples of them, or names of types (`f32`). Of `n % 16 == 0` it is `%`, n, 16."""


@dataclass(frozen=True)
class Attempt:
    """How far the original came with some arguments."""

    level: int
    lines: int
    """How many lines of its file it reached."""
    trouble: str = ""
    configurations: int = 1
    """As in Outcome."""
    seconds: float = 0.0
    """Processor time that the call took: a busy machine must not change what is found."""
    blame: Blame = Blame()

    # Levels, the higher the nearer.
    FAILED: ClassVar[int] = 0
    NO_LAUNCH: ClassVar[int] = 1
    FAILED_AFTER_LAUNCH: ClassVar[int] = 2
    OUTSIDE: ClassVar[int] = 3
    NOTHING_WRITTEN: ClassVar[int] = 4
    RACING: ClassVar[int] = 5
    """Programs of one launch store different values in one place: shapes that overlap, or a race
    of the original's own."""
    GOOD: ClassVar[int] = 6


@dataclass(frozen=True)
class RunOptions:
    """How one run is made. The defaults are the plain run."""

    poison: int = 0
    """Which of two patterns fills memory that has no value yet."""
    lanes: bool = False
    """Interpreter: masked-off lanes of a load without `other` read poison, not 0."""
    order: int = FORWARD
    """Interpreter: programs run forward (0), reversed (1), or shuffled with this seed."""
    fusion: bool = True
    """cuda: whether `a * b + c` may be contracted."""
    widened: bool = False
    """Every launch is made by the float64 copy of its kernel."""
    perturbation: int = 0
    """Inputs are changed by about one unit in the last place of float32, each number in its own
    random way, or all away from 0 (`examples.AWAY`); 0 for not at all."""
    algebra: int = 0
    """Interpreter: the seed of a draw of residues, which are then followed; 0 for none."""
    known: bytes | None = None
    """In a run that follows residues: what is known, to tell where this one parts from it."""
    asked: tuple[str, int] = ("", 0)
    """Of which output, and of which of its elements, is asked where it parts from what is known."""
    roundings: int = 0
    """Interpreter: the seed of a run in which what is rounded comes out otherwise; 0 for none."""
    programs: int = 0
    """Interpreter: of a launch of more programs only so many run; 0 for all of them."""
    launching: bool = True
    """Whether kernels run: otherwise grids are looked at, and no more."""
    absolute: bool = False
    """Floating-point inputs lose their signs, so that no terms of a sum cancel."""
    work: bool = False
    """Whether it is noted what torch computes of what no kernel has written."""
    moving: bool = False
    """Whether what only moves numbers is noted as well, and gives no input; with `work`."""
    scrambled: bool = False
    """Whether what a launch wrote is changed after it: results that need it are others then."""
    hidden: bool = False
    """Whether kernels, or a reference, see other numbers than the inputs hold; with `work`."""
    calls: int = 1
    """So many times the call is made; the launches are those of the last."""
    most_work: float = math.inf
    """Interpreter: so many statements of kernels are executed at most."""


@dataclass(frozen=True)
class VersionSpec:
    """One version of the file, and how a worker is to load it."""

    title: str
    path: str
    """The original's path: what `__file__` is, whichever version runs."""
    text: str
    text_path: str
    """Where the text was read from; tracebacks and inspection show this."""
    backend: str
    launcher: str
    by_position: bool
    """Whether the launcher is called without the names of its parameters."""
    widened: str = ""
    """Source of the float64 copies of the kernels, empty where there are none."""
    widened_names: tuple[str, ...] = field(default=())
    results: tuple[tuple[str, str], ...] = field(default=())
    """Kernels and parameters whose memory counts although the launcher's caller never sees it."""
    home: str = ""
    """The file of the launcher, if it is another one."""
    left_out: tuple[str, ...] = ()
    """Statements at the top that do not run."""
    options: tuple[str, ...] = field(default=())
    """Arguments that are passed by name where the others are not."""
    watched: tuple[tuple[Span, bool], ...] = ()
    """Expressions of launchers whose values are noted, or whether they are true."""
    reference: bool = False
    """Whether it has no kernel: what it returns counts as what kernels wrote."""
    contained: Contained | None = None
    """What its process has of the machine; None for all that this one has."""
