"""The residues of what lies in memory, by address.

Beside every float that a kernel has stored lies its residue, with the bits that it was stored as:
where memory holds other bits by now, somebody else wrote them. What nothing is known of has the
residue of its value. So has what torch only moved: the numbers that kernels stored are looked up
by their value wherever they turn up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tritonopt.verification.algebra.carried import VARIABLE, Carried, Degree
from tritonopt.verification.algebra.field import as_reals
from tritonopt.verification.algebra.ring import is_simple

if TYPE_CHECKING:
    from tritonopt.verification.algebra.ring import Ring


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
                self.lost["torch moved numbers of which a kernel made several alike"] = None
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
