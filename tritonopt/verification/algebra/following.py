"""One run of a launcher with residues: what it knows, and what could not be followed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tritonopt.verification.algebra.field import (
    NUMBER,
    VARIABLE,
    Carried,
    Degree,
    P,
    Residues,
    Ring,
    as_reals,
    is_float,
    is_simple,
    of_integers,
    of_whole_floats,
    reals_of,
    width_of,
)

if TYPE_CHECKING:
    from tritonopt.verification.process.messages import Followed

# Where two versions part: what was computed from what, and the way back from an output.
#
# The original tells every residue that it computed. Of the rewritten version the way leads from the
# element that differs back to operands that the original does not know either. It ends at an
# operation all of whose operands the original knows, or at a constant that it has not.

_FARTHEST = 100_000


@dataclass
class Node:
    """One operation on a tile."""

    name: str
    place: str
    residues: Any
    """Modulo P, flat."""
    parents: list[Node] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    """Operands that were computed from nothing: their residues, and their values."""


@dataclass
class Trace:
    known: Known
    """What the original computed."""
    nodes: list[Node] = field(default_factory=list)
    launch: str = ""
    line: Callable[[], int] = lambda: 0
    """The line of the kernel that runs."""

    def note(self, name: str, residues: Residues, parents: list[Node], constants: Any) -> Node:
        builder: Any = importlib.import_module("triton.runtime.interpreter").interpreter_builder
        program = tuple(int(i) for i in builder.grid_idx or ())
        place = f"{self.launch}, program {program}, line {self.line()}"
        node = Node(name, place, np.ravel(residues[1]), parents, list(constants))
        self.nodes.append(node)
        return node

    def _agrees(self, residues: Any) -> bool:
        """Whether the original knows more than half: masked lanes may hold anything."""
        strange, count = self.known.unknown(residues)
        return 2 * strange <= count

    def parting(self, node: Node) -> str:
        """The operation where the way back from this one ends, in words."""
        for _ in range(_FARTHEST):
            unknown = next((p for p in node.parents if not self._agrees(p.residues)), None)
            if unknown is None:
                break
            node = unknown
        new = [v for r, v in node.constants if not self._agrees(np.ravel(r[1]))]
        what = f"the constant {new[0]:.7g}, which the original has not" if new else node.name
        return f"{node.place}: {what}"


_CARRIED, _NODE = "carried", "node"
"""The attributes of a handle under which its residues are, and what it was computed from."""
_SENTINEL = 1e18
"""Larger numbers stand for infinity."""


class Run:
    def __init__(self, seed: int, trace: Trace | None = None) -> None:
        self.ring = Ring(seed)
        self.memory = Memory(self.ring)
        self.trace = trace
        self.writers: dict[int, Node] = {}
        """What was last written to an address, in a run with a trace."""
        self.limits: set[float] = set()
        """The numbers of the program that floats were compared with, or limited by."""
        self.decisions = Decisions()

    def of(self, handle: Any) -> Carried:
        """What a handle of floats carries; a number of the program stands for itself."""
        found: Carried | None = getattr(handle, _CARRIED, None)
        if found is not None:
            return found
        if not is_float(handle):
            return Carried(of_integers(handle.data), NUMBER)
        if width_of(handle) == 0:
            self.lose("floats of 8 bits")
        values = reals_of(handle)
        if values.size == 1:
            constant = self.ring.of_constant(float(values.reshape(())), np.ndim(values))
            self.decisions.computed.add(constant)
            return Carried(constant, NUMBER)
        if ((values == 0) | np.isnan(values)).all():
            # The interpreter's own padding of a block pointer.
            return Carried(np.zeros((2, *np.shape(values)), dtype=np.uint64), NUMBER)
        self.lose("a tile of unknown origin")
        return self.memory.of_values(values)

    def give(self, handle: Any, carried: Carried) -> None:
        """A handle carries this from now on."""
        self.decisions.computed.add(carried.residues)
        setattr(handle, _CARRIED, carried.spread(np.shape(handle.data)))

    def limited(self, operands: Iterable[Any]) -> None:
        """These were compared, or the larger or smaller one was taken.

        Such a number decides, and may decide nothing on the calls that are made: no residue shows
        that it was changed. Neutral ones (0, infinities, what stands for these) are left out, and
        those that only a count is compared with, or another number of the program.
        """
        floats = [handle for handle in operands if is_float(handle) and np.size(handle.data)]
        numbers = [handle for handle in floats if self._is_number(handle)]
        if len(numbers) == len(floats):
            return
        for handle in numbers:
            values = reals_of(handle)
            first = float(values.flat[0])
            if 0 < abs(first) < _SENTINEL and (values == first).all():
                self.limits.add(float(np.float32(first)))

    def compared(self, operands: Iterable[Any]) -> None:
        """Values decide something here, of what is no number of the program."""
        floats = [handle for handle in operands if is_float(handle) and np.size(handle.data)]
        given = [self.of(h).residues for h in floats if not self._is_number(h)]
        if given:
            self.decisions.decide(COMPARED, given)

    def rounded(self, operand: Any, wholes: Any) -> None:
        """Values became these whole numbers; those that were whole ones were only moved."""
        residues = self.of(operand).residues
        other = (residues != of_whole_floats(wholes)).any(axis=0)
        if other.any():
            self.decisions.decide(ROUNDED, [residues[:, other]])

    @staticmethod
    def _is_number(handle: Any) -> bool:
        """Whether a value does not depend on what the calls are given."""
        carried: Carried | None = getattr(handle, _CARRIED, None)
        return carried is None or carried.degree == NUMBER

    def note(self, name: str, result: Any, operands: Iterable[Any]) -> None:
        """An operation gave this of these, as far as they are floats; for a trace, if there is."""
        if self.trace is None:
            return
        given = [operand for operand in operands if is_float(operand)]
        parents = [handle.node for handle in given if hasattr(handle, _NODE)]
        constants = [
            (self.of(handle).residues, float(reals_of(handle).reshape(-1)[0]))
            for handle in given
            if not hasattr(handle, _NODE) and np.size(handle.data) == 1
        ]
        setattr(result, _NODE, self.trace.note(name, self.of(result).residues, parents, constants))

    def stored(self, addresses: Any, value: Any) -> None:
        """A tile was written there."""
        if self.trace is not None and hasattr(value, _NODE):
            self.writers.update(dict.fromkeys(addresses.tolist(), value.node))

    def loaded(self, addresses: Any, result: Any) -> None:
        """A tile was read from there."""
        if self.trace is None:
            return
        found = (self.writers.get(address) for address in addresses.tolist())
        parents = {id(node): node for node in found if node is not None}
        residues = self.of(result).residues
        setattr(result, _NODE, self.trace.note("load", residues, list(parents.values()), ()))

    def carries(self, handle: Any) -> bool:
        return hasattr(handle, _CARRIED)

    def is_its_value(self, carried: Carried, values: Any) -> Any:
        """Where a residue is that of the number itself, as for what was only moved."""
        plain = self.ring.of_data(values)
        if np.size(values) == 1:
            constant = self.ring.of_constant(float(np.reshape(values, ())), np.ndim(values))
            return (carried.residues == plain).all(axis=0) | (carried.residues == constant).all(0)
        return (carried.residues == plain).all(axis=0)

    def lose(self, why: str) -> None:
        """Something is not followed: what comes of it stands for nothing."""
        self.memory.lost[why] = None


# The residues of what lies in memory, by address.
#
# Beside every float that a kernel has stored lies its residue, with the bits that it was stored as:
# where memory holds other bits by now, somebody else wrote them. What nothing is known of has the
# residue of its value. So has what torch only moved: the numbers that kernels stored are looked up
# by their value wherever they turn up.


@dataclass
class Region:
    """One stretch of memory that holds floats of one type."""

    low: int
    high: int
    type_name: str
    itemsize: int
    bits: Any = None
    residues: Any = None
    known: Any = None
    stored: Any = None
    """Which of them a kernel has stored, or what torch computed from such."""
    degree: Degree = VARIABLE

    def __post_init__(self) -> None:
        count = (self.high - self.low) // self.itemsize
        self.bits = np.zeros(count, dtype=f"u{self.itemsize}")
        self.residues = np.zeros((2, count), dtype=np.uint64)
        self.known = np.zeros(count, dtype=bool)
        self.stored = np.zeros(count, dtype=bool)

    def at(self, addresses: Any) -> Any:
        return ((addresses - np.uint64(self.low)) // np.uint64(self.itemsize)).astype(np.int64)


@dataclass
class Moved:
    """Numbers that kernels stored, sorted, and what they carry."""

    values: Any
    residues: Any
    ambiguous: Any
    """Of which there are several with different residues."""


@dataclass
class Memory:
    ring: Ring
    regions: list[Region] = field(default_factory=list)
    lost: dict[str, None] = field(default_factory=dict)
    """Why some residues could not be followed."""
    registered: list[tuple[Any, Any]] = field(default_factory=list)
    """Numbers and residues that are known beside those in memory."""
    moved: Moved | None = None
    """Made when it is asked for; None after a change."""

    def load(self, addresses: Any, values: Any, type_name: str, *, moved: bool = True) -> Carried:
        """What numbers carry that were read from there; the arrays are flat.

        `moved` says that what nobody stored there may be what a kernel stored elsewhere.
        """
        residues = np.zeros((2, values.size), dtype=np.uint64)
        left = np.ones(values.size, dtype=bool)
        degree = VARIABLE
        for region, chosen in self._regions(addresses, type_name, values.itemsize):
            degree = degree.largest(region.degree)
            at = region.at(addresses[chosen])
            current = values[chosen].view(region.bits.dtype)
            known = region.known[at] & (region.bits[at] == current)
            found = region.residues[:, at]
            if not known.all():
                new = self.of_values(
                    as_reals(values[chosen][~known], type_name), moved=moved
                ).residues
                found[:, ~known] = new
                where = at[~known]
                region.bits[where], region.residues[:, where] = current[~known], new
                region.known[where], region.stored[where] = True, False
            residues[:, chosen] = found
            left[chosen] = False
        if left.any():
            rest = as_reals(values[left], type_name)
            residues[:, left] = self.of_values(rest, moved=moved).residues
        return Carried(residues, degree)

    def store(self, addresses: Any, values: Any, carried: Carried, type_name: str) -> None:
        """Numbers were written there; of several in one place the last one stays."""
        self.moved = None
        for region, chosen in self._regions(addresses, type_name, values.itemsize):
            at = region.at(addresses[chosen])
            region.bits[at] = values[chosen].view(region.bits.dtype)
            region.residues[:, at] = carried.residues[:, chosen]
            region.known[at] = region.stored[at] = True
            region.degree = region.degree.largest(carried.degree)

    def cover(self, low: int, high: int, type_name: str, itemsize: int) -> None:
        """A stretch of memory that floats of one type are in."""
        for region in self.regions:
            if region.low <= low and high <= region.high and region.type_name == type_name:
                return
        apart = [r for r in self.regions if r.high <= low or high <= r.low]
        if len(apart) != len(self.regions):
            inside = [r for r in self.regions if r not in apart]
            merged = all(r.type_name == type_name for r in inside)
            low, high = min(low, *(r.low for r in inside)), max(high, *(r.high for r in inside))
            new = Region(low, high, type_name, itemsize)
            for old in inside if merged else ():
                at = (old.low - low) // itemsize
                part = slice(at, at + old.known.size)
                new.bits[part], new.residues[:, part] = old.bits, old.residues
                new.known[part], new.stored[part] = old.known, old.stored
                new.degree = new.degree.largest(old.degree)
            if not merged:
                self.register_all(inside)
            self.regions = [*apart, new]
            return
        self.regions.append(Region(low, high, type_name, itemsize))

    def register_all(self, regions: list[Region]) -> None:
        for region in regions:
            where = region.known & region.stored
            values = as_reals(_floats(region, where), region.type_name)
            self.register(values, region.residues[:, where])

    def forget(self, low: int, high: int) -> None:
        """Something else lies there now; what kernels stored is known by its value alone."""
        for region in self.regions:
            if region.high <= low or high <= region.low:
                continue
            first, last = max(low, region.low) - region.low, min(high, region.high) - region.low
            part = slice(first // region.itemsize, -(-last // region.itemsize))
            where = np.zeros_like(region.known)
            where[part] = region.known[part] & region.stored[part]
            if where.any():
                values = as_reals(_floats(region, where), region.type_name)
                self.register(values, region.residues[:, where])
            region.known[part] = region.stored[part] = False

    def unknown(self, addresses: Any, values: Any, type_name: str) -> Any:
        """Which of the numbers there nobody has stored, and are no simple ones either."""
        found = np.ones(values.size, dtype=bool)
        for region, chosen in self._regions(addresses, type_name, values.itemsize):
            at = region.at(addresses[chosen])
            current = values[chosen].view(region.bits.dtype)
            found[chosen] = ~(region.known[at] & (region.bits[at] == current))
        reals = as_reals(values, type_name)
        moved = self._moved().values
        return found & ~np.isin(reals, moved) & np.isfinite(reals) & ~is_simple(reals)

    def _regions(
        self, addresses: Any, type_name: str, itemsize: int
    ) -> Iterator[tuple[Region, Any]]:
        """Where the addresses lie; in most cases all of them in one region."""
        if not addresses.size:
            return
        first, last = int(addresses.min()), int(addresses.max()) + itemsize
        for region in self.regions:
            if region.type_name != type_name or last <= region.low or region.high <= first:
                continue
            if region.low <= first and last <= region.high:
                yield region, slice(None)
                return
            inside = (addresses >= region.low) & (addresses < region.high)
            if inside.any():
                yield region, inside

    # By value

    def of_values(self, values: Any, *, moved: bool = True) -> Carried:
        """What numbers carry of which nothing is known but their values."""
        reals = np.asarray(values)
        found = self.ring.of_data(reals)
        known = self._moved() if moved and reals.size else _sorted([])
        if known.values.size:
            at = np.searchsorted(known.values, reals)
            at = np.minimum(at, known.values.size - 1)
            same = (known.values[at] == reals) & (reals != 0)
            if known.ambiguous[at][same].any():
                self.lost["torch moved elements that are equal, so they cannot be matched"] = None
            found = np.where(same, known.residues[:, at], found)
        return Carried(found, VARIABLE)

    def register(self, values: Any, residues: Any) -> None:
        """Numbers that are known, wherever they turn up."""
        self.moved = None
        self.registered.append((np.ravel(values), residues.reshape(2, -1)))

    def _moved(self) -> Moved:
        if self.moved is None:
            parts = list(self.registered)
            for region in self.regions:
                where = region.known & region.stored
                if where.any():
                    values = as_reals(_floats(region, where), region.type_name)
                    parts.append((values, region.residues[:, where]))
            self.moved = _sorted(parts)
        return self.moved


def _floats(region: Region, where: Any) -> Any:
    bits = region.bits[where]
    if region.type_name == "bf16":
        return bits
    return bits.view(f"f{region.itemsize}")


def _sorted(parts: list[tuple[Any, Any]]) -> Moved:
    if not parts:
        return Moved(np.zeros(0), np.zeros((2, 0), np.uint64), np.zeros(0, bool))
    values = np.concatenate([v for v, _ in parts])
    residues = np.concatenate([r for _, r in parts], axis=1)
    finite = np.isfinite(values)
    values, residues = values[finite], residues[:, finite]
    order = np.argsort(values, kind="stable")
    values, residues = values[order], residues[:, order]
    firsts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))[: values.size]
    group = np.searchsorted(firsts, np.arange(values.size), side="right") - 1
    same = (residues == residues[:, firsts[group]]).all(axis=0) if values.size else group == 0
    ambiguous = np.zeros(firsts.size, bool)
    np.logical_or.at(ambiguous, group, ~same)
    return Moved(values[firsts], residues[:, firsts], ambiguous)


# What a run decides by: floats that it compares, or rounds to integers.
#
# What such a decision gives has no residue. It is the same in both versions where both decide by
# the same numbers; so what one version decides by has to be something that the other computes too.

ORIGINAL, REWRITTEN = "original", "rewritten"
COMPARED, ROUNDED = "compares", "rounds to integers"
_MOST_KEPT = 2**18
"""So many numbers are kept; of more a sample, the same in both versions: see `sampled`."""
_FEW = 0.5
"""Lanes that are masked off may hold anything, so a share of what is decided by may be strange."""


def sampled(residues: Any, level: int) -> Any:
    """Of residues modulo P those that 2 to this power divides."""
    return residues[residues & np.uint32((1 << level) - 1) == 0] if level else residues


def without_signs(residues: Any) -> Any:
    """Residues modulo P, flat, the same for a number and for what has the other sign."""
    flat = np.ravel(residues).astype(np.uint32)
    return np.minimum(flat, np.uint32(P) - flat)


def _distinct(parts: list[Any]) -> Any:
    """What is in some flat arrays, each number once and in order.

    As `np.unique`, which takes ten times as long where it makes a table of very many numbers.
    """
    found = np.sort(np.concatenate([np.zeros(0, np.uint32), *parts]))
    return found[np.concatenate([[True], found[1:] != found[:-1]])] if found.size else found


@dataclass
class Bag:
    """Residues modulo P without signs, each of them once; of very many a sample."""

    parts: list[Any] = field(default_factory=list)
    count: int = 0
    level: int = 0

    def add(self, residues: Any) -> None:
        flat = sampled(without_signs(residues[1]), self.level)
        self.parts.append(flat)
        self.count += flat.size
        if self.count > 2 * _MOST_KEPT:
            self._shrink()

    def _shrink(self) -> None:
        found = _distinct(self.parts)
        while found.size > _MOST_KEPT:
            self.level += 1
            found = sampled(found, self.level)
        self.parts, self.count = [found], found.size

    def told(self) -> bytes:
        """As it is sent: the level of the sample, and the numbers."""
        found = _distinct(self.parts)
        return np.concatenate([np.array([self.level], np.uint32), found]).tobytes()


class Known:
    """What a run computed, as it was sent."""

    def __init__(self, told: bytes) -> None:
        sent = np.frombuffer(told, np.uint32)
        self.level, self.residues = int(sent[0]), sent[1:]

    def unknown(self, residues: Any) -> tuple[int, int]:
        """How many of some residues it has not, and of how many that is known.

        0 is not counted: masked lanes hold it everywhere.
        """
        flat = without_signs(residues)
        flat = sampled(flat[flat != 0], self.level)
        return int((~np.isin(flat, self.residues)).sum()), flat.size


@dataclass
class Decisions:
    """Of one run."""

    computed: Bag = field(default_factory=Bag)
    by: dict[tuple[str, int], Bag] = field(default_factory=dict)
    """The operands, by what is done, and in which line."""
    line: Callable[[], int] = lambda: 0
    """The line of the kernel that runs."""

    def told(self) -> tuple[bytes, tuple[tuple[tuple[str, int], bytes], ...]]:
        """All that was computed, and all that was decided by, as it is sent."""
        return self.computed.told(), tuple((place, bag.told()) for place, bag in self.by.items())

    def decide(self, what: str, operands: Iterable[Any]) -> None:
        """Something is decided by these residues."""
        bag = self.by.setdefault((what, self.line()), Bag())
        for residues in operands:
            bag.add(residues)


def _strange(by: Iterable[tuple[tuple[str, int], bytes]], known: Known) -> tuple[str, int] | None:
    """The first decision by numbers of which the other version does not compute the most.

    Up to their signs: `-x < y` is `x > -y`.
    """
    for place, operands in by:
        strange, count = known.unknown(Known(operands).residues)
        if strange > _FEW * count:
            return place
    return None


def limits_differ(ours: Set[float], theirs: Set[float]) -> str:
    """A number that floats are compared with in one version alone, in words.

    What a comparison decides is followed by values, and only on the calls that were made.
    """
    for title, here, there in ((ORIGINAL, ours, theirs), (REWRITTEN, theirs, ours)):
        if here - there:
            number = f"{min(here - there):.7g}"
            return f"the {title} version alone compares floats with {number}"
    return ""


def decided_otherwise(ours: Followed, theirs: Followed) -> str:
    """A comparison, or a rounding, of floats that the other version does not compute; in words."""
    for title, other, here, there in (
        (REWRITTEN, ORIGINAL, theirs, ours),
        (ORIGINAL, REWRITTEN, ours, theirs),
    ):
        found = _strange(here.decisions, Known(there.computed))
        if found is not None:
            what, line = found
            where = f"line {line} of the {title} version" if line else f"the {title} version"
            return f"{where} {what} a value that the {other} version never computes"
    return ""
