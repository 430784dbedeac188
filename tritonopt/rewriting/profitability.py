"""The one model of profitability: is a rewrite faster at the sizes that the launches show?

Each rewrite has bounds on sizes of a launch, read off the recorded measurements of
`benchmarks/results`; `tests/rewriting/test_profitability.py` holds them against every recorded
cell. The bounds are shown, refuted or open at each launch and configuration. What is open is not
profitable. Passes that are not in the table act only where they are named.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod
from typing import TYPE_CHECKING, Any

from tritonopt.facts.algebra.atoms import LauncherParameter, Param
from tritonopt.facts.algebra.divisibility import replaced, substitute
from tritonopt.facts.algebra.polynomial import ONE, Atom, Polynomial, TooLarge
from tritonopt.facts.algebra.turns import (
    is_nonnegative_at,
    length_and_tile,
    takes_at_most,
    tiles_of,
)
from tritonopt.facts.host.callers import numbers_at_calls
from tritonopt.facts.memory.circumstances import inputs_of
from tritonopt.rewriting.model import Answer, Profit
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.facts import KernelFacts, Loop
    from tritonopt.facts.launch_bindings import LaunchBinding, Recorded
    from tritonopt.source import Launch

MULTIPROCESSORS = 132
"""Of the H100 and H200 that were measured."""
MOST_LIVE = 16
"""Elements for each thread up to which one more tile is taken to find registers: with 32 a loop
took 1.04 times as long (`kldiv_forward_triton`); tiles of two axes spilled from 64 on (sm_90)."""
_USUAL_WARPS = 4
_EXTRA = "triton.language.extra."
_OTHERS = frozenset({"ascend", "mlu", "musa", "npu"})
"""Devices of other makers: words in the names of modules that are for these alone."""


@dataclass(frozen=True)
class Sizes:
    """One launch: numbers, or forms of its launcher; None for what is not known there."""

    length: Any = None
    """Elements of the row that a loop goes through."""
    tile: Any = None
    """Elements of it that one iteration takes."""
    programs: Any = None
    threads: int | None = 32 * _USUAL_WARPS
    """Of a program."""


_Fraction = Callable[[Sizes], tuple[Any, Any]]

_ROW: Mapping[str, _Fraction] = {
    "elements of a row": lambda at: (at.length, 1),
    "iterations": lambda at: (at.length + at.tile - 1, at.tile),
    "elements of a tile": lambda at: (at.tile, 1),
    "elements of a tile for each thread": lambda at: (at.tile, at.threads),
    "percent of a tile that a row fills": lambda at: (at.length * 100, at.tile),
    "programs": lambda at: (at.programs, 1),
    # Where many programs share a multiprocessor, one computes while another one waits.
    "iterations for each program of a multiprocessor": lambda at: (
        at.length * MULTIPROCESSORS,
        at.tile * at.programs,
    ),
}
"""Quantities as fractions, rounded down."""


@dataclass(frozen=True)
class Bound:
    """What a quantity must be for a gain."""

    quantity: str
    least: int | None = None
    most: int | None = None
    neutral: bool = False
    """Whether the rewritten kernel is as fast as the original beyond the bound, as measured: then
    it suffices that there are launches, and none is shown to be there."""
    inert: bool = False
    """Whether a kernel without loops is compiled to the same code beyond the bound: then it
    suffices that some launch is shown to be within it, and none beyond."""

    def __str__(self) -> str:
        limit = f"at least {self.least}" if self.least is not None else f"at most {self.most}"
        return f"{limit} {self.quantity}"

    def margins(self, at: Sizes) -> tuple[Any, Any]:
        """Two numbers: where the first is not negative, the bound holds; where the second, not."""
        above, below = _ROW[self.quantity](at)
        if self.least is not None:
            return above - below * self.least, -above + below * self.least - 1
        assert self.most is not None
        rest = -above + below * (self.most + 1)
        return rest - 1, -rest

    def holds(self, at: Sizes) -> bool:
        """Whether it holds at a launch of known numbers."""
        return bool(self.margins(at)[0] >= 0)


BOUNDS: Mapping[str, tuple[Bound, ...]] = {
    "one-tile": (Bound("iterations", most=1),),
    "one-tile, raised": (
        Bound("elements of a row", least=2048),
        Bound("elements of a row", most=32768),
        Bound("percent of a tile that a row fills", least=75),
    ),
    "online-softmax": (Bound("iterations", least=2, neutral=True),),
    "fuse-stats": (
        Bound("iterations", least=8),
        Bound("elements of a row", least=8192),
        Bound("programs", least=264),
    ),
    "fuse-stats, expanded": (
        Bound("iterations", least=4),
        Bound("elements of a row", least=16384),
        Bound("programs", least=264),
    ),
    "defer-reduction": (
        Bound("iterations", least=4),
        Bound("iterations for each program of a multiprocessor", least=16),
        Bound("elements of a tile for each thread", most=MOST_LIVE, neutral=True),
    ),
    "row-batch": (
        Bound("elements of a row", most=256, inert=True),
        Bound("iterations", most=1),
        Bound("programs", least=4096, neutral=True),
    ),
    "split-reduce": (
        Bound("programs", most=MULTIPROCESSORS),
        Bound("iterations", least=64),
    ),
    "scalar-loop": (Bound("iterations", least=64),),
    "interleaved-access": (Bound("elements of a tile", least=256),),
    "grid-stride": (Bound("programs", least=4096, neutral=True),),
    "loop-unswitch": (),
    "exp-to-exp2": (),
    "mask-partial-tiles": (),
}
"""By the rewrite; what has no bounds is profitable wherever the pass finds what was measured."""


def is_profitable(rewrite: str, at: Sizes) -> bool:
    """Whether a launch of known numbers gains."""
    return all(bound.holds(at) for bound in BOUNDS[rewrite])


def profit(
    facts: KernelFacts,
    rewrite: str,
    *,
    loop: Loop | None = None,
    tile: Sequence[Polynomial] = (),
    never: str = "",
) -> Profit:
    """Whether a rewrite of `BOUNDS` gains at the launches of a kernel.

    `loop` goes through a row; `tile` are the extents of a tile without one. `never` says what the
    pass found that loses at all sizes, "" for nothing.
    """
    elsewhere = _measured_elsewhere(facts)
    if elsewhere or never:
        return Profit(Answer.NEVER, never or elsewhere, is_unlikely=True)
    at_launches = list(_sizes(facts, loop, tile))
    failed: list[Bound] = []
    refuted = False
    run, rests = facts.recorded, False
    soft = [b for b in BOUNDS[rewrite] if b.neutral or (b.inert and not facts.loops)]
    for bound in BOUNDS[rewrite]:
        shown = [_shown(facts, bound, binding, at, loop) for binding, at in at_launches]
        suffices = {True, None} if bound.neutral and facts.launches.bindings else {True}
        if bound.inert and bound in soft and True in shown:
            suffices = {True, None}
        if run is not None and run.launches and None in shown:
            rests |= not suffices.issuperset(shown)
            together = soft if bound in soft else [bound]
            recorded = _shown_by(run, together, at_launches[0][1], at_some=bound in soft)
            shown = [recorded if answer is None else answer for answer in shown]
        refuted |= bool(shown) and all(answer is False for answer in shown)
        if not suffices.issuperset(shown):
            failed.append(bound)
    told = run.told if rests and run is not None else ""
    if not failed:
        return Profit(Answer.ALWAYS, recorded=told)
    alone = failed
    if told and run is not None:  # of bounds that were judged together, those that fail alone
        at = at_launches[0][1]
        alone = [b for b in failed if not _shown_by(run, [b], at, at_some=b in soft)] or failed
    needs = f"needs {', '.join(map(str, alone))}"
    if refuted:
        return Profit(
            Answer.NEVER, f"{needs}: not the case in {told or 'the launches'}", len(failed)
        )
    why = f"{needs}: " + (
        f"not the case in all of {told}" if told else "the launches do not show it"
    )
    fact = _fact(failed[0], at_launches[0][1]) if len(failed) == 1 else ""
    return Profit(Answer.AT_LAUNCH, why, len(failed), fact)


def _measured_elsewhere(facts: KernelFacts) -> str:
    """Why the records say nothing of a file: it imports what is for other GPUs alone; else ""."""
    found, modules = set[str](), set[str]()
    for node in walk(facts.kernel.module.tree):
        match node:
            case ast.Import(names=names):
                modules.update(name.name for name in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                found.update(f"{module}.{name.name}" for name in names)
                modules.add(module)
    extra = {name for name in found | modules if name.startswith(_EXTRA)}
    words = {name: {*name.replace("_", ".").split(".")} for name in extra | modules}
    if any("cuda" in words[name] for name in words) or f"{_EXTRA}libdevice" in extra:
        return ""
    others = {name for name in modules if words[name] & _OTHERS}
    other = min(extra | others, default="")
    return other and f"gains were measured on NVIDIA GPUs only, and the file imports {other}"


def _fact(bound: Bound, at: Sizes) -> str:
    """A bound as a fact that a user can give; "" where it is no plain limit of a parameter."""
    above, below = _ROW[bound.quantity](at)
    if below != 1 or not isinstance(above, Polynomial) or not isinstance(above.sole_atom, Param):
        return ""
    limit = f">= {bound.least}" if bound.least is not None else f"<= {bound.most}"
    return f"{above.readable} {limit}"


def _shown_by(run: Recorded, bounds: Sequence[Bound], at: Sizes, *, at_some: bool) -> bool | None:
    """Whether bounds hold together at every recorded launch; `at_some`, at one of them.

    `at` is in terms of the kernel. None where they hold at some, or where a size is not recorded.
    """
    answers: list[bool | None] = []
    for launch in run.launches:
        numbers: dict[Atom, int] = {Param(name): n for name, n in launch.numbers.items()}
        length, tile = (
            form.value(numbers) if isinstance(form, Polynomial) else form
            for form in (at.length, at.tile)
        )
        programs = prod(launch.grid) if launch.grid else None
        try:
            sizes = Sizes(length, tile, programs, at.threads)
            answers.append(all(bound.holds(sizes) for bound in bounds))
        except TypeError:  # a size that is not known
            answers.append(None)
    if all(answers) or (at_some and any(answers)):
        return True
    return False if not any(answers) and None not in answers else None


def at_all(found: Iterable[Profit]) -> Profit:
    """What is answered where each of several answers has to be a gain: the first that is none."""
    answers = list(found)
    return next((one for one in answers if not one.is_expected), answers[0])


def threads_of(launch: Launch) -> int | None:
    """The threads of a program; None where the launch computes how many warps it has."""
    warps = launch.options.get("num_warps", ast.Constant(_USUAL_WARPS))
    number = warps.value if isinstance(warps, ast.Constant) else None
    return 32 * number if isinstance(number, int) else None


def _sizes(
    facts: KernelFacts, loop: Loop | None, tile: Sequence[Polynomial]
) -> Iterator[tuple[LaunchBinding | None, Sizes]]:
    """The sizes of every launch and configuration; without one, in terms of the kernel."""
    row = length_and_tile(facts, loop) if loop is not None else None
    whole = reduce(operator.mul, tile, ONE) if tile else None
    length, step = row or (whole, whole)
    if not facts.launches.bindings:
        yield None, Sizes(length, step, None, None)
    for one in facts.launches.bindings:
        for binding in _as_called(one, [form for form in (length, step) if form is not None]):
            programs = None
            if binding.grid and None not in binding.grid:
                programs = reduce(operator.mul, binding.grid, ONE)
            yield binding, Sizes(length, step, programs, threads_of(binding.launch))


def _as_called(binding: LaunchBinding, forms: Iterable[Polynomial]) -> Iterator[LaunchBinding]:
    """A launch with the numbers of each call of its launcher, or those that are its defaults."""
    asked = [substitute(form, binding) for form in forms]
    asked += [*binding.nonnegative, *filter(None, binding.grid)]
    read = {a.name for form in asked for a in inputs_of(form) if isinstance(a, LauncherParameter)}
    calls = numbers_at_calls(binding.launch) if read else ({},)
    for numbers in dict.fromkeys(
        tuple((name, n) for name, n in call.items() if name in read) for call in calls
    ):
        given: dict[Atom, Polynomial] = {
            LauncherParameter(name): Polynomial.constant(n) for name, n in numbers
        }
        yield (
            replace(
                binding,
                values={name: replaced(form, given) for name, form in binding.values.items()},
                nonnegative=tuple(replaced(form, given) for form in binding.nonnegative),
                grid=tuple(extent and replaced(extent, given) for extent in binding.grid),
            )
            if given
            else binding
        )


def _shown(
    facts: KernelFacts,
    bound: Bound,
    binding: LaunchBinding | None,
    at: Sizes,
    loop: Loop | None,
) -> bool | None:
    """Whether a bound holds at a launch; None where that is open."""
    counted = loop if bound.quantity == "iterations" else None
    if counted and bound.most is not None and takes_at_most(facts, counted, bound.most):
        return True
    if counted and binding is not None:
        # A tile that grows with the row is meant to hold it, but a limit cuts off longer ones.
        tiles = [t for t in tiles_of(facts, counted) if t.where == binding.launch.where]
        if tiles and all(t.holds_row or t.grows for t in tiles):
            holds = all(t.holds_row for t in tiles)
            return False if bound.least is not None else holds or None
    try:
        holds, fails = bound.margins(at)
        if is_nonnegative_at(facts, holds, binding):
            return True
        return False if is_nonnegative_at(facts, fails, binding) else None
    except (TypeError, TooLarge):  # a size that is not known
        return None
