"""What tuning one launcher found, as plain data: it travels between processes and into reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from tritonopt.measurement.results import Compiled, Machine, Ratio, Row

ORIGINAL, TUNED = "original", "tuned"
"""How the versions are called in the rows of an answer."""


class Fate(str, Enum):
    """How far a variant came."""

    WAITING = "waiting"
    """The time was over before its turn."""
    REFUSED = "refused"
    """It was not proved to be the same function."""
    SAME_CODE = "same-code"
    """The compiler makes the same machine code of it, for every call."""
    FAILED = "failed"
    """It could not be timed, on any call."""
    DROPPED = "dropped"
    """It was timed, and others were faster."""
    FINALIST = "finalist"
    """It was timed to the end, and not chosen, or not accepted."""
    ACCEPTED = "accepted"


@dataclass(frozen=True)
class Evidence:
    """What a verification said of a text."""

    verdict: str
    """As `verify` calls it: `identical`, `equivalent`, `counterexample`, `unsupported`."""
    backend: str = ""
    examples: int = 0
    reason: str = ""
    """Why there is no yes; of a counterexample, what it is."""
    notes: tuple[str, ...] = ()
    args: str = ""
    """What was drawn from, as `--args` has it."""
    algebra: str = ""
    """`same`, `different` or `not-applicable`; "" where it was not asked for."""

    @property
    def is_yes(self) -> bool:
        return self.verdict in ("identical", "equivalent")

    @property
    def compared_nothing(self) -> bool:
        """Whether it came to an end without one call that could be compared."""
        return bool(self.backend) and self.verdict == "unsupported" and not self.examples


@dataclass(frozen=True)
class Applied:
    """What a pass did at one site of the original, or would have done; as its remark."""

    pass_name: str
    kind: str
    """`passed`, `missed` or `analysis`."""
    kernel: str
    line: int
    message: str
    conditions: tuple[tuple[str, str, str], ...] = ()
    """Of each: the claim, its status, the detail."""
    reason: str = ""
    """Of what is missed: the name of what stood in the way."""


@dataclass(frozen=True)
class Tried:
    """One variant of a launcher, and what came of it."""

    name: str
    """What it is, in short: `fuse-stats + BLOCK 1024 -> 4096`."""
    text: str = field(repr=False)
    """The whole file."""
    fate: Fate
    reason: str = ""
    """Why it came no further."""
    evidence: Evidence | None = None
    """None where it was not verified."""
    ratios: Mapping[str, Ratio] = field(default_factory=dict)
    """Of the search, by the label of the call: original / variant, as it was last measured."""
    remarks: tuple[Applied, ...] = ()
    compiled: tuple[Compiled, ...] = ()
    """Where nothing was timed: its kernels for the first call, as machine code."""


@dataclass(frozen=True)
class TunedRow:
    """One call: what was found in the search, and what was measured again."""

    label: str
    sizes: Mapping[str, int]
    row: Row | None = None
    """The fresh measurement of `ORIGINAL` and `TUNED`, which chose nothing: times, the ratio with
    its interval, the copy, the machine code of both. None where nothing was to be accepted."""
    original: Row | None = None
    """What the original alone took in the search."""
    best: str = ""
    """The variant that was fastest here in the search; "" where none was faster."""
    best_ratio: Ratio | None = None
    uses_new: bool = False
    """Whether the accepted file runs new code for this call; else it runs the original's."""

    @property
    def ratio(self) -> Ratio | None:
        """Of the accepted file, as measured again."""
        return self.row.ratio if self.row is not None else None


@dataclass(frozen=True)
class Answer:
    """What tuning one launcher found."""

    path: str
    launcher: str
    original: str = field(repr=False)
    """The text of the file as it was."""
    text: str = field(repr=False)
    """The accepted text, or the original's."""
    what: str = ""
    """The name of the accepted variant; "" where the original stays."""
    condition: str = ""
    """For which calls it is chosen, as it is written in the file: `n >= 8192`; "" for all."""
    rows: tuple[TunedRow, ...] = ()
    """One for every call, in the order of the request."""
    tried: tuple[Tried, ...] = ()
    """Every variant, the original not among them."""
    evidence: Evidence | None = None
    """Of the accepted text."""
    machine: Machine | None = None
    """None where nothing was timed."""
    notes: tuple[str, ...] = ()
    """What a reader must know: why the original stays, what failed, what was left out."""
    failure: str = ""
    """Why there is no answer at all: nothing of the rest means anything then."""
    seconds: float = 0.0
    """It took so long."""
    spent: Mapping[str, float] = field(default_factory=dict)
    """Seconds of these for each phase, in its order: see `Progress`."""

    @property
    def changed(self) -> bool:
        return self.text != self.original


@dataclass(frozen=True)
class Progress:
    """Where the tuning of a launcher is; given to a callback."""

    launcher: str
    phase: str
    """`original`, `timing`, `afresh`, `verifying`; without a GPU `compiling`."""
    done: int
    of: int
    """Variants that are done in this phase, and all of it."""
    left: float
    """Seconds of the budget."""
    best: str = ""
    """The variant that is the best so far, with its ratio; "" where there is none yet."""
