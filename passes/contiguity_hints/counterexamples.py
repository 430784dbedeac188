"""Numbers for which a promise about offsets is false.

`tl.max_contiguous(x, C)` promises that each aligned group of C lanes goes up by one, and
`tl.multiple_of(x, D)` that the first lane of each group is a multiple of D. Small numbers are put
in for whatever the offsets depend on, as long as nothing that is known forbids them. Where the
launches are seen, that is the sizes and the arguments that they compute from: what they pass for
the parameters follows from those.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    Compared,
    FloorDiv,
    Global,
    Iteration,
    Lane,
    Loaded,
    Mod,
    Negative,
    NumPrograms,
    Param,
    ProgramId,
    Quotient,
    TileNumber,
    Truth,
)
from tritonopt.facts.algebra.divisibility import Divisibility, stated_tests
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.algebra.variation import varies_along
from tritonopt.facts.host.launcher_code import is_free
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.offsets import (
    COMPUTED,
    NotConsecutive,
    Offsets,
    number_of,
    read_offsets,
    without_casts,
)
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value

MAX_DRAWS = 20_000
MAX_TRIALS = 2000
MAX_LANES = 1024
_TILES = (64, 128, 32, 16, 8)
_LENGTHS = (100, 1000, 72, 36, 90, 96, 200, 104, 112, 120, 40, 24, 48, 80, 144, 160, 192, 320)
_SMALL_LENGTHS = (20, 10, 7, 3, 64, 128, 256, 512, 1)
_COUNTERS = (0, 1, 2, 3)
_GRIDS = (1024, 1000)
"""For what only the number of programs depends on."""
_OTHERS = (1, 0, 2, 3, 8, 64)
_SHOWN = {2: 0, 0: 1, 1: 2, 3: 3}
_ANY_NUMBER = (Param, ProgramId, NumPrograms, Iteration, Lane, TileNumber, Loaded)
"""What may be any number, as far as the kernel shows; what is not followed may always be even."""
_COUNTED = (ProgramId, Iteration, Lane, TileNumber)


@dataclass(frozen=True)
class NumberedTile:
    """Offsets that start at a whole number of tiles, which the kernel has a name for (`pid_m`)."""

    name: str
    number: Polynomial
    offsets: Offsets
    """The offsets with that number as an atom, however it is computed, ..."""
    computed: Offsets
    """... and as they are."""

    def is_needed(self, numbers: Mapping[Atom, int]) -> bool:
        """Whether the tile starts within the length, as far as that has a number."""
        for offsets in (self.offsets, self.computed):
            assert offsets.limit is not None
            left = number_of(offsets.limit - offsets.start, numbers)
            if left is not None and left <= 0:
                return False
        return True


@dataclass(frozen=True)
class Promise:
    """What hints say of offsets along one axis of a tile."""

    offsets: Polynomial
    axis: int
    extent: Polynomial
    contiguity: Polynomial | None = None
    divisibility: Polynomial | None = None
    """Without a contiguity, it is said of the first lane at least."""
    wraps: bool = False
    selects: bool = False
    tile: NumberedTile | None = None
    ahead: Polynomial | None = None
    """From the first lane to the length, if the tile must start within it."""

    @property
    def forms(self) -> tuple[Polynomial, ...]:
        every = (self.offsets, self.extent, self.contiguity, self.divisibility)
        return tuple(form for form in every if form is not None)

    @property
    def names(self) -> frozenset[str]:
        """The parameters that it speaks of."""
        leaves = (leaf for form in self.forms for leaf in form.leaves())
        return frozenset(leaf.name for leaf in leaves if isinstance(leaf, Param))


def promise_about(
    facts: KernelFacts,
    value: Value,
    axis: int,
    extent: Polynomial,
    contiguity: Polynomial | None,
    divisibility: Polynomial | None,
    *,
    needed: bool = False,
) -> Promise:
    """What hints say of a value along one axis of it.

    With `needed`, it has to hold only of tiles that start within the length, where it is not known
    how many programs there are.
    """
    form = facts.forms.of(without_casts(value))
    return Promise(
        form,
        axis,
        extent,
        contiguity,
        divisibility,
        wraps=_depends_on_lanes(form, Mod),
        selects=_depends_on_lanes(form, Negative, Compared, Truth),
        tile=_numbered_tile(facts, value, axis),
        ahead=_ahead(facts, value) if needed else None,
    )


def _ahead(facts: KernelFacts, value: Value) -> Polynomial | None:
    try:
        offsets = read_offsets(facts, value)
    except NotConsecutive:
        return None
    return None if offsets.limit is None else offsets.limit - offsets.start


def _numbered_tile(facts: KernelFacts, value: Value, axis: int) -> NumberedTile | None:
    try:
        offsets = read_offsets(facts, value)
    except NotConsecutive:
        return None
    number = offsets.start.whole_quotient(offsets.extent)
    if offsets.axis != axis or offsets.limit is None or number is None:
        return None
    if all(isinstance(atom, (ProgramId, Iteration, Param)) for atom in number.atoms):
        return None
    name = _name_of(facts, number)
    if not name or not _counts_tiles(facts, offsets):
        return None
    start = Polynomial.of(TileNumber(name)) * offsets.extent
    return NumberedTile(name, number, replace(offsets, start=start), offsets)


def _counts_tiles(facts: KernelFacts, offsets: Offsets) -> bool:
    """Whether the kernel rounds up how many tiles the length has, so that the last is there too."""
    limit, extent = offsets.limit, offsets.extent
    assert limit is not None
    rounded = ((CeilDiv, limit, extent), (FloorDiv, limit + extent - 1, extent))
    return any(
        (type(leaf), leaf.dividend, leaf.divisor) in rounded
        for value in facts.interpretation.computed
        if value.op not in (Op.TUPLE, Op.DTYPE, Op.BLOCK_POINTER)
        for leaf in facts.forms.of(value).leaves()
        if isinstance(leaf, Quotient)
    )


def _name_of(facts: KernelFacts, form: Polynomial) -> str:
    """What the kernel calls something; empty where it has no name."""
    for node, value in facts.values.items():
        named = isinstance(node, ast.Name) and value.op not in (
            Op.TUPLE,
            Op.DTYPE,
            Op.BLOCK_POINTER,
        )
        if named and facts.forms.of(value) == form:
            assert isinstance(node, ast.Name)
            return node.id
    return ""


def _depends_on_lanes(form: Polynomial, *kinds: type[Atom]) -> bool:
    return any(
        isinstance(leaf, kinds) and any(inner.is_lane for inner in leaf.leaves())
        for leaf in form.leaves()
    )


@dataclass(frozen=True)
class Circumstance:
    """A condition that holds, or does not, where the offsets are computed."""

    condition: Polynomial
    holds: bool


class CannotTell(Exception):
    """Something stands in the way that numbers cannot be put into."""


def find_counterexample(
    facts: KernelFacts,
    divisibility: Divisibility,
    promise: Promise,
    circumstances: Sequence[Circumstance] = (),
) -> str:
    """Numbers for which the promise is false, in words; empty where none were found.

    Raises CannotTell where a circumstance has no number, or launches pass what is not understood.
    """
    if facts.launches.launches and not facts.launches.bindings:
        raise CannotTell(facts.launches.unknown)
    search = _Search(facts, divisibility, promise, circumstances)
    found = search.run()
    if found or not search.blind or promise.tile is None:
        return found
    # The number of the tile cannot be computed here; but the tiles that are needed are there.
    promise = replace(promise, offsets=promise.tile.offsets.form)
    return _Search(facts, divisibility, promise, circumstances).run()


class _Search:
    def __init__(
        self,
        facts: KernelFacts,
        divisibility: Divisibility,
        promise: Promise,
        circumstances: Sequence[Circumstance],
    ) -> None:
        self._facts = facts
        self._divisibility = divisibility
        self.blind = False
        """Whether something stood in the way of numbers."""
        self._promise = promise
        self._circumstances = circumstances
        tests = (facts.values.get(test) for test, _ in stated_tests(facts))
        self._stated = [facts.forms.condition(test) for test in tests if test is not None]
        self._lane = Lane(promise.extent, promise.axis)
        forms = (*promise.forms, *(c.condition for c in circumstances))
        leaves = {atom for form in forms for atom in _inputs(form)}
        self._counts = {
            Iteration(loop.identity): count
            for loop in facts.loops
            if Iteration(loop.identity) in leaves
            and (count := facts.forms.trip_count(loop)) is not None
        }
        leaves |= {atom for count in self._counts.values() for atom in _inputs(count)}
        leaves.discard(self._lane)
        self._tiles = set(_inputs(promise.extent)) | {
            atom for value in self._values for atom in _inputs(value)
        }
        lanes = (v.operands[0] for v in facts.interpretation.computed if v.op is Op.LANE)
        self._tiles |= {atom for v in lanes if (atom := facts.forms.of(v).sole_atom) is not None}
        self._lengths = {
            atom
            for leaf in promise.offsets.leaves()
            if isinstance(leaf, (Mod, Negative, Compared, Truth))
            for form in ([leaf.divisor] if isinstance(leaf, Mod) else leaf.inside)
            for atom in _inputs(form)
        }
        self._inputs = sorted(leaves, key=self._order)
        self._multiples = self._known_multiples()
        self._roles: dict[Atom, Atom] = {}
        """Of what a launcher computes from, the parameter that it decides first."""

    @property
    def _values(self) -> list[Polynomial]:
        """The values of the hints."""
        both = (self._promise.contiguity, self._promise.divisibility)
        return [value for value in both if value is not None]

    def _order(self, atom: Atom) -> tuple[int, str]:
        """What comes last is varied first."""
        if atom in self._tiles:
            return 0, atom.key
        if isinstance(atom, _COUNTED):
            return 3, atom.key
        return (2 if atom in self._lengths else 1), atom.key

    def _known_multiples(self) -> list[tuple[Polynomial, Polynomial]]:
        """What is known of the inputs, as (dividend, divisor)."""
        known = [multiple for multiple, _ in self._divisibility.stated]
        given = self._facts.assumptions.given
        known += [a.multiple for a in given if a.multiple is not None]
        for atom in self._inputs:
            if isinstance(atom, Param):
                form = Polynomial.of(atom)
                power = self._divisibility.largest_power_of_two(form)
                known.append((form, Polynomial.constant(power)))
                for divisor in {self._promise.extent, *self._values}:
                    if divisor != form and self._divisibility.proof(divisor, form) is not None:
                        known.append((form, divisor))
        return known

    def run(self) -> str:
        self.blind = not all(
            isinstance(atom, _ANY_NUMBER) and not varies_along(atom, self._promise.axis)
            for atom in self._inputs
        )
        if self.blind:
            return ""
        trials = islice(self._trials(), MAX_TRIALS)
        return next((text for numbers in trials if (text := self._violation(numbers))), "")

    def _trials(self) -> Iterator[dict[Atom, int]]:
        seen = set()
        for binding in self._divisibility.bindings or (None,):
            leaves = self._inputs if binding is None else self._leaves(binding)
            if leaves is None:
                self.blind = True
                continue
            candidates = [self._candidates(atom, binding) for atom in leaves]
            key = (binding and binding.launch, *map(tuple, candidates))
            if key in seen:
                continue
            seen.add(key)
            for numbers in islice(product(*candidates), MAX_DRAWS):
                trial = dict(zip(leaves, numbers, strict=True))
                needed = self._is_needed if binding is None else partial(self._is_passed, binding)
                if not needed(trial):
                    continue
                if self._is_possible(trial):
                    yield trial

    def _leaves(self, binding: LaunchBinding) -> list[Atom] | None:
        """What numbers are put in for at a launch; None where it passes what nobody can tell."""
        self._roles = {}
        grid: set[Atom] = set()
        for atom in self._inputs:
            passed = binding.values.get(atom)
            for leaf in [atom] if passed is None else _inputs(passed):
                if passed is not None and not is_free(leaf):
                    return None
                if leaf not in self._roles or atom in self._lengths:
                    self._roles[leaf] = atom
            if (programs := self._programs(binding, atom)) is not None:
                grid.update(leaf for leaf in _inputs(programs) if is_free(leaf))
        leaves = sorted(self._roles, key=lambda leaf: (self._order(self._roles[leaf]), leaf.key))
        return sorted(grid - set(leaves), key=lambda leaf: leaf.key) + leaves

    def _programs(self, binding: LaunchBinding, atom: Atom) -> Polynomial | None:
        return binding.programs(atom) if isinstance(atom, ProgramId) else None

    def _is_passed(self, binding: LaunchBinding, trial: dict[Atom, int]) -> bool:
        """Whether the launcher passes this; adds to the numbers what it makes of them."""
        for atom in self._inputs:
            if (passed := binding.values.get(atom)) is not None:
                number = number_of(passed, trial)
                if number is None:
                    return False
                trial[atom] = number
        for dividend, divisor in binding.multiples:
            a, b = number_of(dividend, trial), number_of(divisor, trial)
            if a is None or b is None:
                _require_open(dividend, trial, exact=True)
            elif b == 0 or a % b:
                return False
        for form in binding.unread:
            if not trial.keys().isdisjoint(_inputs(form)):
                raise CannotTell(form.readable)
        for form in binding.nonnegative:
            number = number_of(form, trial)
            if number is None:
                _require_open(form, trial, exact=-form in binding.nonnegative)
            elif number < 0:
                return False
        for atom in self._inputs:
            programs = self._programs(binding, atom)
            number = number_of(programs, trial) if programs is not None else None
            if number is not None and trial[atom] >= number:
                return False
            if isinstance(atom, ProgramId) and number is None and not self._is_needed(trial):
                return False
        return True

    def _is_needed(self, trial: Mapping[Atom, int]) -> bool:
        """Whether the tile starts within the length, if it must."""
        if self._promise.ahead is None:
            return True
        left = number_of(self._promise.ahead, trial)
        return left is None or left > 0

    def _candidates(self, atom: Atom, binding: LaunchBinding | None) -> Sequence[int]:
        if binding is not None:
            programs = self._programs(binding, atom)
            number = programs.constant_value if programs is not None else None
            if number is not None:
                return tuple(range(min(int(number), len(_COUNTERS))))
            if atom not in self._roles:
                return _GRIDS
            atom = self._roles[atom]
        if isinstance(atom, (Iteration, ProgramId, TileNumber)):
            return _COUNTERS
        if isinstance(atom, Lane):
            return (0, 1)
        if isinstance(atom, NumPrograms):
            return (4,)
        if atom in self._tiles:
            return _TILES
        return (*_LENGTHS, *_SMALL_LENGTHS) if atom in self._lengths else _OTHERS

    def _is_possible(self, trial: Mapping[Atom, int]) -> bool:
        extent = number_of(self._promise.extent, trial)
        if extent is None or extent < 1 or extent & (extent - 1) or extent > MAX_LANES:
            return False
        promised = [value.constant_value or 0 for value in self._values]
        chosen = self._promise.extent.constant_value is None and not self._divisibility.bindings
        if chosen and any(number > extent for number in promised):
            return False  # who promises 16 lanes does not launch it with a block of 8
        for dividend, divisor in self._multiples:
            a, b = number_of(dividend, trial), number_of(divisor, trial)
            if a is not None and b is not None and (b == 0 or a % b):
                return False
        for assumption in self._facts.assumptions.given:
            least = [number_of(form, trial) for form in assumption.nonnegative]
            if any(number is not None and number < 0 for number in least):
                return False
        if self._promise.tile is not None and not self._promise.tile.is_needed(trial):
            return False
        for iteration, count in self._counts.items():
            trips = number_of(count, trial)
            if trips is not None and trial[iteration] >= trips:
                return False
        for condition in self._stated:
            number = number_of(condition, trial)
            if number is None and not trial.keys().isdisjoint(_inputs(condition)):
                raise CannotTell(condition.readable)
            if number == 0:
                return False
        return self._comes_about(trial)

    def _comes_about(self, trial: Mapping[Atom, int]) -> bool:
        for circumstance in self._circumstances:
            number = number_of(circumstance.condition, trial)
            if number is None:
                raise CannotTell(circumstance.condition.readable)
            if bool(number) != circumstance.holds:
                return False
        return True

    def _violation(self, trial: dict[Atom, int]) -> str:
        promise = self._promise
        extent = number_of(promise.extent, trial)
        assert extent is not None
        lanes: list[int] = []
        for lane in range(extent):
            number = number_of(promise.offsets, {**trial, self._lane: lane})
            if number is None:
                return ""  # a division by zero
            lanes.append(number)
        contiguity = extent
        if promise.contiguity is not None:
            claimed = number_of(promise.contiguity, trial)
            if claimed is None or claimed < 1:
                return ""
            contiguity = min(claimed, extent)
            for lane in range(1, extent):
                if lane % contiguity and lanes[lane] != lanes[lane - 1] + 1:
                    return self._told(trial, lane, self._break(lanes, lane))
        if promise.divisibility is not None:
            divisor = number_of(promise.divisibility, trial)
            if not divisor:
                return ""
            for lane in range(0, extent, contiguity):
                if lanes[lane] % divisor:
                    what = f"is element {lanes[lane]}, no multiple of {divisor}"
                    return self._told(trial, lane, what)
        return ""

    def _break(self, lanes: Sequence[int], lane: int) -> str:
        if self._promise.wraps:
            return f"wraps to element {lanes[lane]}"
        if self._promise.selects:
            return f"selects element {lanes[lane]}"
        return f"is element {lanes[lane]}, not {lanes[lane - 1] + 1}"

    def _told(self, trial: Mapping[Atom, int], lane: int, what: str) -> str:
        """ "M=100, BLOCK=64: lane 36 of program 1 wraps to element 0"."""
        inputs = list(self._inputs)
        tile = self._promise.tile
        number = number_of(tile.number, trial) if tile is not None else None
        if tile is not None and number is not None:
            # Its name says more than all that it is computed from.
            needed = {atom for form in (tile.offsets.form, *self._values) for atom in _inputs(form)}
            inputs = [atom for atom in inputs if atom in needed]
        # Lengths first, then blocks, then what only tells one tile from another.
        inputs.sort(key=lambda atom: (_SHOWN[self._order(atom)[0]], atom.key))
        named = [f"{name}={trial[a]}" for a in inputs if (name := self._name(a))]
        if tile is not None and number is not None:
            named.append(f"{tile.name}={number}")
        programs = [str(trial[a]) for a in inputs if isinstance(a, ProgramId)]
        trips = [str(trial[a]) for a in inputs if isinstance(a, Iteration)]
        place = f"lane {lane}{_of('iteration', trips)}{_of('program', programs)}"
        where = ", ".join(named)
        return f"{where + ': ' if where else ''}{place} {what}"

    def _name(self, atom: Atom) -> str:
        if isinstance(atom, (Param, Global, TileNumber)):
            return atom.name
        if isinstance(atom, (ProgramId, Iteration, Lane, NumPrograms)):
            return ""
        return _name_of(self._facts, Polynomial.of(atom))


def _require_open(form: Polynomial, trial: Mapping[Atom, int], *, exact: bool) -> None:
    """Of a check that the numbers do not decide: something else must be free to make it hold.

    Raises CannotTell where nothing is.
    """
    if trial.keys().isdisjoint(_inputs(form)):
        return
    for monomial, coefficient in form.terms.items():
        atoms = [atom for atom, power in monomial if power == 1]
        alone = len(monomial) == len(atoms) == abs(coefficient) == 1 and atoms[0] not in trial
        if alone and (is_free(atoms[0]) or not exact):
            return
    raise CannotTell(form.readable)


def _of(what: str, numbers: Sequence[str]) -> str:
    if not numbers:
        return ""
    return f" of {what} {numbers[0] if len(numbers) == 1 else '(' + ', '.join(numbers) + ')'}"


def _inputs(form: Polynomial) -> Iterator[Atom]:
    """What a form is computed from: numbers can be put in for these."""
    for atom in form.atoms:
        if isinstance(atom, COMPUTED):
            for inner in atom.inside:
                yield from _inputs(inner)
        else:
            yield atom
