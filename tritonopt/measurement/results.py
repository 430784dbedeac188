"""What a measurement found, as plain data: it travels between processes and into reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mode:
    """One of two times that a version takes."""

    center: float
    """Microseconds."""
    share: float
    """Of the runs."""


@dataclass(frozen=True)
class Times:
    """What the runs of one version took on the GPU, in microseconds."""

    median: float
    low: float
    """A tenth of the runs took less."""
    high: float
    """A tenth took more."""
    runs: int
    host: float | None = None
    """What the host needs for one launch, which is no part of the others; the median."""
    exposed: float = 0.0
    """The share of the runs in which the GPU may have waited for the host."""
    modes: tuple[Mode, ...] = ()
    """Two, where the runs are of two kinds."""


@dataclass(frozen=True)
class Ratio:
    """Time of the original / time of another version: above 1 the other one is faster."""

    value: float
    low: float
    high: float
    """The ends of the interval that holds the true ratio with 95 % confidence."""
    runs: int

    @property
    def width(self) -> float:
        """Half of the interval, as a part of the ratio."""
        return (self.high - self.low) / 2 / self.value

    @property
    def is_gain(self) -> bool:
        """Whether the other version is faster, as far as this confidence goes."""
        return self.low > 1

    @property
    def is_loss(self) -> bool:
        return self.high < 1


@dataclass(frozen=True)
class Clocks:
    """The clocks of a GPU while something ran on it."""

    low: int
    high: int
    """Megahertz of its multiprocessors, at any time that they were looked at."""
    highest: int
    """What they can reach."""
    reasons: tuple[str, ...] = ()
    """Why they were held back at some time."""

    @property
    def unsteady(self) -> bool:
        return self.low < 0.97 * self.high


@dataclass(frozen=True)
class Machine:
    """What was measured on."""

    gpu: str
    torch: str
    triton: str
    cuda: str
    driver: str = ""
    l2_bytes: int = 0
    clocks: Clocks | None = None
    """None where they cannot be read."""
    notes: tuple[str, ...] = ()
    """What a reader must know of this run: somebody else on the GPU, clocks that moved."""


@dataclass(frozen=True)
class Compiled:
    """A kernel of one version as machine code for one target."""

    version: str
    kernel: str
    target: str
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Registers, spills, shared memory, accesses by their width, and how often."""
    failure: str = ""
    digest: str = ""
    """Of the machine code: where two are equal, so are the programs."""


@dataclass(frozen=True)
class Row:
    """One call, timed in every version."""

    launcher: str
    """What was called."""
    label: str
    """Types and sizes, as in `x f16[4096, 1024]`."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    times: Mapping[str, Times] = field(default_factory=dict)
    """By the name of the version."""
    ratio: Ratio | None = None
    """Of the first version to the second one."""
    ratios: Mapping[str, Ratio] = field(default_factory=dict)
    """Of the first version to each of the others, by their names."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Of the versions that have no time, why."""
    moved: int = 0
    """Bytes of the arguments and of what was returned, each memory once."""
    copy: float | None = None
    """Microseconds that it takes to copy as many bytes, measured in the same run."""
    compiled: tuple[Compiled, ...] = ()
    """The kernels that the call launches, of every version."""
    notes: tuple[str, ...] = ()
    doubts: Mapping[str, str] = field(default_factory=dict)
    """Of the versions whose results are not the first one's within rounding: how they differ."""

    def copy_share(self, version: str) -> float | None:
        """How near a version comes to a copy of the bytes that it has to move; 1 is as fast."""
        if self.copy is None or version not in self.times:
            return None
        return self.copy / self.times[version].median


@dataclass(frozen=True)
class Comparison:
    """What `tritonopt bench` found."""

    versions: tuple[str, ...]
    """Their names in the rows, the original first."""
    paths: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    machine: Machine | None = None
    """None where nothing was timed."""
    notes: tuple[str, ...] = ()

    @property
    def ratios(self) -> tuple[Ratio, ...]:
        return tuple(row.ratio for row in self.rows if row.ratio is not None)
