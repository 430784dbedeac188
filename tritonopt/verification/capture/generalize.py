"""From launches that were seen to launches that can be drawn.

Sizes that were equal in every launch get one name; numbers that were always a size, a stride
or a quotient rounded up become that formula. What changed and fits no formula is not
generalized. The result is a text as for `--kernel`, so that it can be read, kept and changed;
whether it holds is for the original to show, which `trial` runs on it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tritonopt.verification.signature.argument_language import short_name
from tritonopt.verification.signature.size_facts import CALLS

Launch = Mapping[str, Any]
"""A launch as `recording` describes it: `arguments` by parameter, and `grid`; of a tuned kernel
`tuned` instead, the `constants` of every configuration and the `grid` that it would have."""

Numbers = tuple[int, ...]
"""One number for every launch."""

_NAMES = ("n", "m", "k", "b", "h", "d", "p", "q", "r", "s")
_FEW = 4
"""So many values of a constant are listed; more are taken for something that varies."""
_MANY = 12
"""So many where they are seen to have nothing to do with the sizes."""


@dataclass(frozen=True)
class Generalized:
    """What `--grid` and `--args` would be."""

    grid: str
    args: str


class NotGeneral(Exception):
    """The launches have no form in common that could be told; the message says of what."""


@dataclass(frozen=True)
class Tiles:
    """Parameters of a kernel that are lengths of tiles, and so powers of two."""

    names: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    """Those that every launch in the file gives one number."""
    following: frozenset[str] = frozenset()
    """Those that every launch in the file makes as long as something, however long that is."""


def forms_of(launches: Sequence[Launch], tiles: Tiles) -> list[Generalized]:
    """Forms for launches of one kernel, one to be tried after the other; raises NotGeneral.

    A tile that was as long as a row may follow the row, be the same for all rows, or be the
    size itself, which only some sizes can be: the launches do not show which, but the file may.
    """
    found: list[Generalized] = []
    reason = NotGeneral()
    none: frozenset[str] = frozenset()
    for known, fixed in (
        (tiles.names, tiles.fixed),
        (tiles.names, tiles.names - tiles.following),
        (none, none),
    ):
        try:
            form = generalize(launches, tiles=known, fixed=fixed)
        except NotGeneral as error:
            reason = error
            continue
        if form not in found:
            found.append(form)
    if not found:
        raise reason
    return found


def generalize(
    launches: Sequence[Launch],
    *,
    all_sizes: bool = False,
    tiles: Collection[str] = (),
    fixed: Collection[str] = (),
) -> Generalized:
    """One form for launches of one kernel; raises NotGeneral. Only the commonest form counts.

    With `all_sizes` what was the same number in every launch is a size with a name as well.
    `tiles` are lengths of tiles: no sizes, but for what a size is rounded up to, and those that
    are `fixed` and never changed not that either.
    """
    forms: dict[object, list[tuple[int, Launch]]] = {}
    for number, launch in enumerate(launches):
        for each in _configured(launch):
            forms.setdefault(_form(each), []).append((number, each))
    most = max(forms.values(), key=len)
    count = 1 if all_sizes else len({n for n, _ in most})
    known = frozenset(tiles), frozenset(fixed)
    return _Form([launch for _, launch in most], count, *known).generalized()


def _configured(launch: Launch) -> Iterator[Launch]:
    """A launch, or one for each configuration: what holds for all of them is the form."""
    if not launch.get("tuned"):
        yield {**launch, "chosen": ()}
        return
    for choice in launch["tuned"]:
        yield {
            "arguments": {**launch["arguments"], **choice["constants"]},
            "grid": choice["grid"],
            "chosen": tuple(choice["constants"]),
        }


def _form(launch: Launch) -> object:
    """What must be equal for two launches to be described by one text."""
    kinds = []
    for name, value in launch["arguments"].items():
        kind: object = "number"
        if "shape" in value:
            kind = len(value["shape"])
        elif "other" in value or not isinstance(value["value"], (int, float)):
            kind = str(value)
        kinds.append((name, kind))
    return tuple(kinds), launch["grid"] is None or len(launch["grid"])


@dataclass
class _Form:
    launches: list[Launch]
    count: int
    """How many launches were seen; one may stand here once for each configuration. Of a single one
    every number may be a size."""
    tiles: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    sizes: dict[Numbers, str] = field(default_factory=dict)
    """The name of a size, by its values."""

    def generalized(self) -> Generalized:
        names = list(self.launches[0]["arguments"])
        tensors = [n for n in names if "shape" in self.column(n)[0]]
        if self.launches[0]["grid"] is None:
            raise NotGeneral("its grid could not be computed")
        parts = {name: self.tensor(name, tensors) for name in tensors}
        constants = {n: self.constant(n) for n in names if n not in tensors}
        for name in names:
            if name not in tensors and name not in self.launches[0]["chosen"]:
                parts[name] = self.plain(name, tensors, constants)
        axes = zip(*(launch["grid"] for launch in self.launches), strict=True)
        grid = self._grid([tuple(axis) for axis in axes], tensors, constants)
        chosen = self.launches[0]["chosen"]
        passed = ", ".join(f"{n}: {parts[n]}" for n in names if n not in chosen)
        return Generalized(", ".join(grid), passed)

    def column(self, name: str) -> list[Mapping[str, Any]]:
        return [launch["arguments"][name] for launch in self.launches]

    def _grid(
        self,
        axes: Sequence[Numbers],
        tensors: Sequence[str],
        constants: Mapping[str, tuple[object, ...]],
    ) -> list[str]:
        """What tiles one axis of the grid counts is seldom what another one counts."""
        found = []
        for axis in axes:
            others = {*axes} - {axis}
            others_last = sorted(self.sizes.items(), key=lambda size: size[0] in others)
            form = replace(self, sizes=dict(others_last))
            found.append(form.formula(axis, tensors, constants, "the grid"))
        return found

    # Tensors

    def tensor(self, name: str, tensors: Sequence[str]) -> str:
        column = self.column(name)
        for other in tensors[: tensors.index(name)]:
            pairs = zip(self.column(other), column, strict=True)
            if all((a["memory"], a["shape"]) == (b["memory"], b["shape"]) for a, b in pairs):
                return f"={other}"
        dtypes = list(dict.fromkeys(short_name(v["dtype"]) for v in column))
        rank = len(column[0]["shape"])
        shape = [self.size(tuple(v["shape"][axis] for v in column)) for axis in range(rank)]
        text = f"{'|'.join(dtypes)}[{', '.join(shape)}]"
        if not all("values" in v for v in column):
            return text
        lows, highs = zip(*(v["values"] for v in column), strict=True)
        return f"{text} in {self._bounds(min(lows), tuple(highs))}"

    def size(self, values: Numbers) -> str:
        if values not in self.sizes:
            varies = len(set(values)) > 1 or self.count == 1
            if values[0] == 1 and len(set(values)) == 1:
                varies = False
            self.sizes[values] = self._name(values) if varies else str(values[0])
        return self.sizes[values]

    def _name(self, values: Numbers) -> str:
        """What the kernel calls it, else a letter."""
        taken = {*self.sizes.values(), *self.launches[0]["arguments"]}
        for name in self.launches[0]["arguments"]:
            column = tuple(v.get("value") for v in self.column(name))
            if name in self.launches[0]["chosen"] or name in self.tiles:
                continue
            if column == values and "stride" not in name.lower():
                return str(name)
        letters = (f"{n}{'' if i == 0 else i}" for i in itertools.count() for n in _NAMES)
        return next(letter for letter in letters if letter not in taken)

    def _bounds(self, low: int, highs: Numbers) -> str:
        """Below the smallest size that every value was below, where there is one."""
        fitting = [
            (sizes, name)
            for sizes, name in self.sizes.items()
            if name.isidentifier() and all(h < s for h, s in zip(highs, sizes, strict=True))
        ]
        if low >= 0 and fitting:
            return f"0..{min(fitting)[1]}"
        return f"{low}..{max(highs)}"

    # Everything else

    def constant(self, name: str) -> tuple[object, ...]:
        """The values that a parameter had."""
        return tuple(dict.fromkeys(v.get("value", NotGeneral) for v in self.column(name)))

    def plain(
        self, name: str, tensors: Sequence[str], constants: Mapping[str, tuple[object, ...]]
    ) -> str:
        values = constants[name]
        if any(v is NotGeneral for v in values):
            raise NotGeneral(f"`{name}` is neither a tensor nor a plain value")
        column = [v["value"] for v in self.column(name)]
        if all(type(v) is int for v in column):
            return self.formula(tuple(column), tensors, constants, f"`{name}`", name)
        if len(values) > _FEW:
            values = values[:_FEW]
        return "|".join(map(repr, values))

    def formula(
        self,
        values: Numbers,
        tensors: Sequence[str],
        constants: Mapping[str, tuple[object, ...]],
        what: str,
        name: str = "",
    ) -> str:
        """The first formula that gave these values in every launch."""
        distinct = dict.fromkeys(values)
        stays = name in self.fixed and len(distinct) == 1
        for text, computed in self._formulas(tensors, constants, name):
            if computed == values and not stays:
                return text
        listed = len(distinct) <= _FEW or self._is_free(values, tensors)
        if len(distinct) == 1 or (name and listed):
            return "|".join(map(str, list(distinct)[:_MANY]))
        raise NotGeneral(f"{what} was {', '.join(map(str, list(distinct)[:_FEW]))}, ...")

    def _is_free(self, values: Numbers, tensors: Sequence[str]) -> bool:
        """Whether launches of the same sizes had different values: then these are no size."""
        seen: dict[str, int] = {}
        for launch, value in zip(self.launches, values, strict=True):
            shapes = str([launch["arguments"][t]["shape"] for t in tensors])
            if seen.setdefault(shapes, value) != value:
                return True
        return False

    def _formulas(
        self, tensors: Sequence[str], constants: Mapping[str, tuple[object, ...]], name: str
    ) -> Iterator[tuple[str, Numbers]]:
        sizes = [(text, values) for values, text in self.sizes.items() if text.isidentifier()]
        if name in self.tiles:
            yield from _rounded_up(sizes)
            return
        strides = [
            (f"{t}.stride({axis})", tuple(v["strides"][axis] for v in self.column(t)))
            for t in tensors
            for axis in range(len(self.column(t)[0]["shape"]))
        ]
        # A stride that several tensors share, or that is a size as well, is taken for the size:
        # what is not asked for its strides is drawn contiguous, and then it is right for all.
        shared = [values for _, values in strides]
        own = [(text, values) for text, values in strides if shared.count(values) == 1]
        if "stride" in name.lower():
            yield from own
        yield from sizes
        if name:
            yield from own
            yield from strides
        for tensor in tensors:
            shapes = [v["shape"] for v in self.column(tensor)]
            yield f"{tensor}.numel()", tuple(math.prod(s) for s in shapes)
        yield from _rounded_up(sizes)
        if name:
            return
        numbers = [
            (parameter, tuple(v["value"] for v in self.column(parameter)))
            for parameter, values in sorted(constants.items(), key=self._is_no_tile)
            if all(type(v) is int and v > 1 for v in values)
        ]
        totals = [
            (f"{t}.numel()", tuple(math.prod(v["shape"]) for v in self.column(t))) for t in tensors
        ]
        quotients = []
        for one, ones in (*sizes, *totals):
            for other, others in numbers:
                computed = tuple(-(-a // b) for a, b in zip(ones, others, strict=True))
                quotients.append((f"cdiv({one}, {other})", computed))
        yield from quotients
        products = [*sizes, *quotients]
        for at, (one, ones) in enumerate(products):
            for other, others in products[at:]:
                computed = tuple(a * b for a, b in zip(ones, others, strict=True))
                yield f"{one} * {other}", computed

    def _is_no_tile(self, constant: tuple[str, object]) -> bool:
        """What a grid is divided by is a tile rather than a size of the same number."""
        return constant[0] not in self.tiles


def _rounded_up(found: Sequence[tuple[str, Numbers]]) -> Iterator[tuple[str, Numbers]]:
    for name, values in found:
        yield f"next_power_of_2({name})", tuple(map(CALLS["next_power_of_2"], values))
