"""What has run of both versions, and whether that is all that has to run for a yes."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tritonopt import facts, source
from tritonopt.facts import Atom, Polynomial
from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    Compared,
    FloorDiv,
    Global,
    Iteration,
    Maximum,
    Minimum,
    Mod,
    Negative,
    NumPrograms,
    Param,
    ProgramId,
    Truth,
    Zero,
)
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.indicators import negative
from tritonopt.facts.values import is_float
from tritonopt.source.trees import blocks_of
from tritonopt.verification.coverage.demands import LOOPS, NUMBERS, Demand
from tritonopt.verification.coverage.sized_calls import TriedSizes
from tritonopt.verification.coverage.text_differences import Comparison, Version
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.client import Died, Refusal, VersionWorker
from tritonopt.verification.process.messages import (
    Both,
    Coverage,
    Place,
    RunOptions,
    VersionSpec,
    both_merged,
)
from tritonopt.verification.signature.argument_language import Signature
from tritonopt.verification.signature.launchers import Launcher

if TYPE_CHECKING:
    from tritonopt.verification.comparison.search import Search

# What both versions have run, over the examples that taught something.

_MUCH_WORK = 30_000
"""Statements of kernels that are executed in some seconds; a loop inside of a loop over all rows
has that many with a few hundred of them."""


@dataclass
class Observed:
    """Their coverage, by example and all of it together."""

    seen: dict[Example, Both] = field(default_factory=dict)
    """What both versions ran, of the examples that taught something."""
    covered: Both = (Coverage(), Coverage())
    """All of that together."""
    filled: Both = (Coverage(), Coverage())
    """Of calls in which every tensor has elements: what else asks for values tells nothing."""
    outside: Both = (Coverage(), Coverage())
    """Of calls in which the original leaves its memory: what they give is compared with nothing."""
    heavy: list[Example] = field(default_factory=list)
    """Calls that executed so much that few like them can be afforded."""

    def saw(self, example: Example, coverage: Both) -> None:
        """Both versions ran that, on an example that taught something."""
        self.seen[example] = coverage
        self.cost(example, sum(c.work for c in coverage))
        self.covers(coverage)
        self.fills(example, coverage)

    def cost(self, example: Example, work: int) -> None:
        """Both versions executed so many statements, whatever came of it."""
        if work > _MUCH_WORK:
            self.heavy.append(example)

    def covers(self, coverage: Both) -> None:
        """Some of what both versions ran: compiled kernels do not tell all of it."""
        self.covered = both_merged(self.covered, coverage)

    def fills(self, example: Example, coverage: Both) -> None:
        """The same of a call, if its tensors have elements."""
        if all(0 not in recipe.shape for recipe in example.tensors.values()):
            self.filled = both_merged(self.filled, coverage)

    def is_heavy(self, example: Example) -> bool:
        """Whether a call is as large as one that was heavy, in every dimension.

        Told by what was executed and not by the clock: on any machine the same calls are made.
        """
        return any(_as_large(example, other) for other in self.heavy)

    def saw_guards(self, example: Example, coverage: Both) -> None:
        """A guard ended every program of a call, or an early return the launcher.

        That nothing is written has been compared, and what is returned.
        """
        ours, theirs = coverage
        if not (ours.stored or theirs.stored):
            self.covers(coverage)
            self.fills(example, coverage)


def _as_large(example: Example, other: Example) -> bool:
    ours, theirs = example.tensors, other.tensors
    return ours.keys() == theirs.keys() and all(
        len(ours[n].shape) == len(theirs[n].shape)
        and all(a >= b for a, b in zip(ours[n].shape, theirs[n].shape, strict=True))
        for n in ours
    )


# What a call runs, asked of the interpreter where the verification itself is on a GPU.
#
# Compiled kernels do not tell which of their lines ran. The same call on the interpreter does:
# its sizes are what decides, and they are the same.

_SECONDS = 30.0
_PATIENCE = 6
"""So many calls it may fail to run before it is not asked again, unless it could run one."""


class Scouts:
    """Both versions on the interpreter; nothing is compared."""

    def __init__(self, original: VersionSpec, rewritten: VersionSpec) -> None:
        specs = (replace(spec, backend="interpreter") for spec in (original, rewritten))
        self.workers = [VersionWorker(spec, _SECONDS) for spec in specs]
        self.trouble = ""
        """Why the interpreter could not say it, of the last call of which it could not."""
        self.reached = False
        """Whether it could of any."""
        self.failed = 0
        self.seconds = 0.0
        """What asking took so far."""

    def run(self, example: Example) -> tuple[Coverage, Coverage] | None:
        """What both versions run; None where the interpreter cannot run one of them."""
        if self.failed >= _PATIENCE and not self.reached:
            return None
        begin = time.monotonic()
        for worker in self.workers:  # both at the same time
            self._ask(worker, example)
        found = [self._answer(worker) for worker in self.workers]
        self.seconds += time.monotonic() - begin
        ours, theirs = found
        if ours is None or theirs is None:
            self.failed += 1
            return None
        self.reached = True
        return ours, theirs

    def _ask(self, worker: VersionWorker, example: Example) -> None:
        try:
            worker.send_or_die(example, (RunOptions(),))
        except Refusal as refusal:
            worker.death = Died(refusal.failure)  # it cannot be imported

    def _answer(self, worker: VersionWorker) -> Coverage | None:
        (outcome,) = worker.receive(1)
        if outcome.failure is not None:
            self.trouble = str(outcome.failure)
            return None
        return outcome.coverage

    def close(self) -> None:
        for worker in self.workers:
            worker.close()


@dataclass(frozen=True)
class Requirements:
    """What is demanded, held against what was seen."""

    demands: Sequence[Demand]
    guards: Sequence[tuple[Guard, Guard]]
    """Guards that both versions have."""
    observed: Observed
    scouts: Scouts | None = None
    """Who says what runs, where compiled kernels do not."""
    elsewhere: frozenset[Demand] = frozenset()
    """What has run from other launchers."""

    def unmet(self) -> list[Demand]:
        """What has to run for a yes, and has not."""
        return [d for d in self._never_met() if not d.impossible]

    def to_reach(self) -> list[Demand]:
        """What of it other sizes and arguments may come to; single numbers are tried anyway."""
        unmet = (d for d in self.unmet() if d.kind not in NUMBERS and not d.is_far)
        return [d for d in unmet if d not in self.elsewhere]

    def met(self) -> list[Demand]:
        """What was demanded, and was seen to run."""
        never = self._never_met()
        return [] if self.blind else [d for d in self.demands if d not in never]

    def impossible(self) -> list[Demand]:
        """What would have to run, if the text did not show that it cannot."""
        return [d for d in self._never_met() if d.impossible]

    def _never_met(self) -> list[Demand]:
        sides, filled = self.observed.covered, self.observed.filled
        asked = self.demands
        if self.blind:
            # How many programs and lanes there were, and what lanes hold, the interpreter tells.
            asked = [d for d in asked if d.kind not in ("programs", "lanes", *NUMBERS)]
        return [d for d in asked if not d.met_by((filled if d.of_values else sides)[d.side])]

    @property
    def blind(self) -> bool:
        """Whether nothing is known of what ran inside of kernels."""
        return self.scouts is not None and not self.scouts.reached

    def excused(self, tried: Sequence[TriedSizes]) -> list[Demand]:
        """Loops of which no call could be found that cuts their last turn short."""
        if self.blind:
            return []
        ragged = [d for d in self.unmet() if d.kind == "ragged"]
        return [d for d in ragged if _cannot_be_ragged(d, tried)]

    def only_outside(self) -> list[Demand]:
        """Work that is left out only where an index is none, and there the original leaves its
        memory."""
        skipping = [d for d in self.unmet() if d.skips]
        return [d for d in skipping if d.met_by(self.observed.outside[d.side])]

    def never_left(self) -> list[Demand]:
        """What runs only where a guard holds that both versions have, and held in neither."""
        if self.blind:
            return []
        ours, theirs = self.observed.covered
        dead = [(a, b) for a, b in self.guards if not (a.left(ours) or b.left(theirs))]
        return [
            d
            for d in self.unmet()
            if any((a if d.title == "original" else b).asked_by(d) for a, b in dead)
        ]


def _cannot_be_ragged(demand: Demand, tried: Sequence[TriedSizes]) -> bool:
    """By those that show which size bears on the loop; where none does, by all."""
    bearing = [t for t in tried if t.governs(demand)]
    return all(t.cannot_be_ragged(demand) for t in bearing or tried)


# Guards that two versions of a kernel share: `if row >= M: return`, and what it has become.
#
# Where the grid is exact no program ever takes such a guard, and no call can be asked for that
# does. It need not be seen to run where both versions of the kernel leave under the same condition,
# all that the kernel does to memory stands behind the guard in both, and neither ever left: then
# nothing is written where it holds, in the one as in the other.
#
# Conditions are the same where they come to the same of arguments that both versions pass alike,
# and of the program's place in the grid; how they are written says nothing. A program that goes
# through several places of the original's grid is, in each turn, the program of that place.

_HARMLESS = (
    "abs", "arange", "broadcast_to", "cast", "cdiv", "cumsum", "dot", "exp", "exp2", "expand_dims",
    "float32", "full", "load", "log", "log2", "max", "maximum", "min", "minimum", "multiple_of",
    "num_programs", "program_id", "range", "rsqrt", "sqrt", "static_range", "sum", "trans",
    "where", "zeros",
)  # fmt: skip
"""Functions of Triton's language that write nothing, wait for nothing, and end nothing."""
_METHODS = ("to", "cast")
_SHARED = (
    *(ProgramId, NumPrograms, Negative, Zero, Compared, Truth),
    *(CeilDiv, FloorDiv, Mod, Minimum, Maximum),
)
"""Atoms that mean the same in two kernels, as far as what they are made of does."""


@dataclass(frozen=True)
class Guard:
    """A test of a kernel on which all that it writes depends."""

    place: Place
    leaves: bool
    """The outcome of the test with which the kernel does nothing more."""
    exits: frozenset[int]
    """The lines of the statements that it leaves by."""
    condition: str
    """Under which it leaves, the same for all conditions that come to the same."""

    def left(self, seen: Coverage) -> bool:
        return (self.place, self.leaves) in seen.tests

    def asked_by(self, demand: Demand) -> bool:
        """Whether something is demanded that runs only where the kernel leaves."""
        if demand.kind == "line":
            return demand.line in self.exits
        outcome = "true" if self.leaves else "false"
        return demand.kind == outcome and (demand.line, demand.column) == self.place


def kept_guards(compared: Comparison) -> list[tuple[Guard, Guard]]:
    """The guards that both versions of a kernel have."""
    found = []
    for kernel in compared.old.module.kernels:
        counterpart = compared.new.module.kernel(kernel.name)
        if counterpart is None:
            continue
        old = _Conditions(compared, compared.old, kernel, facts.of(counterpart))
        new = _Conditions(compared, compared.new, counterpart, facts.of(kernel))
        theirs = {guard.condition: guard for guard in _guards(new, counterpart)}
        ours = _guards(old, kernel)
        found += [(g, theirs[g.condition]) for g in ours if g.condition in theirs]
    return found


def _guards(conditions: _Conditions, kernel: source.Kernel) -> Iterator[Guard]:
    inside = (n for s in kernel.node.body for n in ast.walk(s))
    effects = {n for n in inside if _has_effect(kernel.module, n)}
    for block, loops in _blocks(kernel.node):
        for index, node in enumerate(block):
            if not isinstance(node, ast.If) or node.orelse:
                continue
            leaving = len(node.body) == 1 and _leaves(node.body[0], loops)
            guarded = block[index + 1 :] if leaving else node.body
            if not effects or not effects <= {n for s in guarded for n in ast.walk(s)}:
                continue
            condition = conditions.of(node.test, holds=leaving)
            if condition is not None and conditions.leaves_out_no_more(condition, loops):
                exits = frozenset({node.body[0].lineno} if leaving else ())
                place = node.test.lineno, node.test.col_offset
                yield Guard(place, leaving, exits, condition.key)


class _Conditions:
    """What tests of one kernel come to, in terms that another version of it shares."""

    def __init__(
        self,
        compared: Comparison,
        version: Version,
        kernel: source.Kernel,
        other: facts.KernelFacts,
    ) -> None:
        self.facts = facts.of(kernel)
        self.other = other
        """Of the other version."""
        self.integers = self.facts.integers.parameters | other.integers.parameters
        """Parameters that either version shows to be integers: they are given the same."""
        bodies = (b for b in version.bodies.values() if b.node is kernel.node)
        body = next(bodies, None)
        self.suspects = compared.suspects | (compared.local[body.name] if body else set())
        self.known = body is not None

    def of(self, test: ast.expr, *, holds: bool) -> Polynomial | None:
        """A condition, or its opposite; None where it is made of more than is shared."""
        value = self.facts.values.get(test)
        if value is None or not self.known:
            return None
        if any(is_float(part.dtype) or part.dtype == "float" for part in value.walk()):
            return None  # which numbers are equal is then a matter of rounding
        form = self._in_place(self.facts.forms.condition(value))
        if not all(map(self._is_shared, form.leaves())):
            return None
        return form if holds else -form + 1

    def leaves_out_no_more(self, condition: Polynomial, loops: Sequence[ast.stmt]) -> bool:
        """Whether what the loops around a guard do not come to is what it leaves out as well.

        And whether no turn leaves anything to a later one. A loop from the program's id on has to
        go through all programs of the other version, or up to where the guard leaves.
        """
        for node in loops:
            loop = next((x for x in self.facts.loops if x.node is node), None)
            if loop is None or loop.initial:
                return False
            start = _program(self.facts, loop)
            if start is None:
                continue
            assert loop.stop is not None
            stop = self.facts.forms.of(loop.stop)
            rest = -negative(Polynomial.of(start) - stop) + 1
            if rest != condition and not self._is_of_the_other(stop, start):
                return False
        return True

    def _is_of_the_other(self, stop: Polynomial, start: ProgramId) -> bool:
        """Whether a number is that of the programs of the other version, or its loop's end."""
        alike = (x for x in self.other.loops if _program(self.other, x) == start)
        ends = (self.other.forms.of(x.stop) for x in alike if x.stop is not None)
        if stop in ends and all(map(self._is_shared, stop.leaves())):
            return True
        grids = [b.programs(start) for b in self.other.launches.bindings]
        return bool(grids) and grids == [substitute(stop, b) for b in self.facts.launches.bindings]

    def _in_place(self, form: Polynomial) -> Polynomial:
        """The form with the program's id for what a loop goes on to from there."""
        total = Polynomial({})
        for monomial, coefficient in form.terms.items():
            term = Polynomial.constant(coefficient)
            for atom, power in monomial:
                if self._counts_programs(atom):
                    # What begins at the id and goes on by the number of programs is an id.
                    term = Polynomial({})
                elif power > 0:
                    term = term * self._atom_in_place(atom).power(power)
                else:
                    term = term * Polynomial.of(atom, power)
            total = total + term
        return total

    def _atom_in_place(self, atom: Atom) -> Polynomial:
        match atom:
            case Negative(form):
                inside = self._in_place(form)
                whole = self.facts.forms.is_integer(inside, self.integers)
                return negative(inside) if whole else Polynomial.of(Negative(inside))
            case Compared("lt" | "le" as order, left, right):
                difference = self._in_place(left - right)
                if self.facts.forms.is_integer(difference, self.integers):
                    return negative(difference if order == "lt" else difference - 1)
        arguments = tuple(
            self._in_place(a) if isinstance(a, Polynomial) else a for a in atom.arguments
        )
        return Polynomial.of(atom.with_arguments(arguments))

    def _counts_programs(self, atom: Atom) -> bool:
        """Whether it numbers the turns of a loop from the program's id by the number of them."""
        loop = next((x for x in self.facts.loops if atom == Iteration(x.identity)), None)
        return loop is not None and _program(self.facts, loop) is not None

    def _is_shared(self, atom: Atom) -> bool:
        if isinstance(atom, (Param, Global)):
            return atom.name not in self.suspects
        return isinstance(atom, _SHARED)


def _program(known: facts.KernelFacts, loop: facts.Loop) -> ProgramId | None:
    """The program's id, where a loop begins at it and goes on by the number of programs."""
    if loop.start is None or loop.step is None:
        return None
    start, step = (known.forms.of(value).sole_atom for value in (loop.start, loop.step))
    if not isinstance(start, ProgramId) or not isinstance(step, NumPrograms):
        return None
    return start if start.axis == step.axis else None


def _blocks(
    node: ast.AST, loops: tuple[ast.stmt, ...] = ()
) -> Iterator[tuple[list[ast.stmt], tuple[ast.stmt, ...]]]:
    """The blocks of statements, each with the loops around it."""
    around = (*loops, node) if isinstance(node, (ast.For, ast.While)) else loops
    for block in blocks_of(node):
        yield block, around
        for statement in block:
            yield from _blocks(statement, around)


def _leaves(node: ast.stmt, loops: Sequence[ast.stmt]) -> bool:
    """Whether nothing more is done in this turn, or in this program: not in later turns either."""
    ends = isinstance(node, ast.Return) and node.value is None and not loops
    return ends or (isinstance(node, ast.Continue) and len(loops) == 1)


def _has_effect(module: source.Module, node: ast.AST) -> bool:
    """Whether it may write, or call what does; in doubt it does."""
    if not isinstance(node, ast.Call):
        return isinstance(node, (ast.While, ast.Assert))
    name = module.resolve(node.func) or module.builtin(node.func)
    if name.startswith("triton.language."):
        return name.removeprefix("triton.language.") not in _HARMLESS
    if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        return False
    return name not in ("range", "min", "max", "triton.cdiv")


# What had to run for a yes and did not, and what a user can write so that it does.


def listed(unmet: Sequence[Demand]) -> str:
    lines = [f"line {d.line} of the {d.title} version" for d in unmet]
    return ", ".join(dict.fromkeys(lines))


@dataclass(frozen=True)
class NeverRan:
    """What a search has left open."""

    unmet: tuple[Demand, ...] = ()
    """What has to run for a yes, and has not."""
    single: Mapping[Demand, int] = field(default_factory=dict)
    """Of loops that never took a second turn, the largest size that was tried for them."""
    blind: str = ""
    """Why nothing is known of what ran inside of kernels."""
    notes: tuple[str, ...] = ()
    """What did not run and need not have."""
    met: tuple[Demand, ...] = ()
    """What has run of all that has to."""

    @classmethod
    def after(cls, search: Search, *, given: bool) -> NeverRan:
        """`given`: whether the caller says what the launcher is called with."""
        required, every = search.requirements, search.every_tried
        excused, dead = required.excused(every), required.never_left()
        outside = required.only_outside()
        # Who gives the arguments says as well how many programs there are.
        alone = [d for d in required.unmet() if given and _is_fixed(d, required)]
        unmet = tuple(d for d in required.unmet() if d not in (*excused, *dead, *alone, *outside))
        notes = [
            f"{d}; the source proves that none can"
            if d.kind in LOOPS
            else f"{d}; no launch passes arguments that reach it"
            for d in required.impossible()
        ]
        notes += [f"{d}; no size was found that reaches it" for d in excused]
        notes += [f"{d}, because of the given arguments" for d in alone]
        notes += [f"{d}, except where the original accesses memory out of bounds" for d in outside]
        notes += [
            f"{d}; the other version has the same guard, before all of its stores" for d in dead
        ]
        blind = ""
        if required.scouts is not None and required.blind:
            blind = required.scouts.trouble or "no call could reach it"
        tried = {d: max(t.largest_single(d) for t in every) for d in unmet}
        single = {d: size for d, size in tried.items() if size}
        return cls(unmet, single, blind, tuple(notes), tuple(required.met()))

    def explained(
        self,
        unmet: Sequence[Demand],
        launcher: Launcher,
        signature: Signature,
        modules: tuple[source.Module, source.Module],
    ) -> str:
        """Some of it in words; `modules` are the original and the rewritten version."""
        if self.blind:
            return (
                "which lines ran is unknown: compiled kernels do not record it, and the "
                f"interpreter cannot run these kernels ({self.blind}). Not known to have "
                f"run: {listed(unmet)}. If the calls run all of it, add --assume-covered"
            )
        more = f" (and {len(unmet) - 1} more such)" if len(unmet) > 1 else ""
        left = [p.arg for p in launcher.parameters if signature.get(p.arg) is None]
        rest = f"; left at their defaults were {', '.join(left)}" if left else ""
        module = modules[unmet[0].title != "original"]
        inside = next((k for k in module.kernels if _holds(k.node, unmet[0].line)), None)
        alone = "" if inside is None else (
            f"; or run the kernel by itself: --kernel {inside.name} --grid ... --args ..."
        )  # fmt: skip
        largest = self.single.get(unmet[0])
        single = "" if largest is None else (
            f", although sizes up to {largest} were tried: its tile may grow with them"
        )  # fmt: skip
        return (
            f"{unmet[0]}{single}{more}. Give arguments that reach it: --launcher {launcher.name} "
            f"--args '{signature}'{rest}{alone}"
        )


def _is_fixed(demand: Demand, required: Requirements) -> bool:
    """Whether the arguments leave nothing open that has a part in what is asked for.

    Of a loop: it ran over the same single step in every call, with the same constants, where the
    other version's took several turns. Its tile holds what the arguments say that there is.
    """
    if demand.kind not in LOOPS:
        return demand.kind == "programs"
    every = (both[demand.side] for both in required.observed.seen.values())
    ran = [c for c in every if demand.line in c.loops]
    loops = [c.loops[demand.line] for c in ran]
    single = all(loop.turns == 1 and loop.bounds is not None for loop in loops)
    same = len({loop.bounds for loop in loops}) == 1 and len({c.constants for c in ran}) == 1
    unmet = required.unmet()
    other = (d for d in required.demands if d.title != demand.title and d.text == demand.text)
    return single and same and any(d.kind == "turns" and d not in unmet for d in other)


def _holds(node: ast.FunctionDef, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)
