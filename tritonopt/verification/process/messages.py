"""What a worker sends back of one run: plain data, no tensors."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tritonopt.verification.process.containment import Contained
from tritonopt.verification.process.coverage_data import Coverage, Span

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
    sanitized: int = 0
    """How many launches ran code that Triton's sanitizer has changed, in a run that asks for it."""
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
    random way, or all away from 0 (`tensor_data.AWAY`); 0 for not at all."""
    algebra: int = 0
    """Interpreter: the seed of a draw of residues, which are then followed; 0 for none."""
    known: bytes | None = None
    """In a run that follows residues: what is known, to tell where this one parts from it."""
    asked: tuple[str, int] = ("", 0)
    """Of which output, and of which of its elements, is asked where it parts from what is known."""
    sanitized: bool = False
    """cuda: compiled with Triton's floating-point sanitizer, where there is one."""
    roundings: int = 0
    """Interpreter: the seed of a run in which what is rounded comes out otherwise; 0 for none."""
    launching: bool = True
    """Whether kernels run: otherwise grids are looked at, and no more."""
    absolute: bool = False
    """Floating-point inputs lose their signs, so that no terms of a sum cancel."""
    work: bool = False
    """Whether it is noted what torch computes of what no kernel has written."""
    scrambled: bool = False
    """Whether what a launch wrote is changed after it: results that need it are others then."""
    hidden: bool = False
    """Whether kernels see other numbers than the inputs hold; with `work`."""
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
