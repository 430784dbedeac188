"""A launch, and one after it that takes what it has left: what the launcher does with both."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.local_names import LocalNames, names_of
from tritonopt.facts.host.reach import reach_of
from tritonopt.facts.host.same_memory import bindings_in
from tritonopt.facts.host.side_effects import effects_of
from tritonopt.facts.host.tensor_expressions import Allocation, allocation
from tritonopt.launches.launch_grids import statement_of
from tritonopt.launches.plan import PlannedLaunch
from tritonopt.source import Kernel, Launch
from tritonopt.source.trees import walk

CLAIM = "pair-is-private"
_OPTIONS = frozenset({"num_warps", "num_stages", "num_ctas", "maxnreg"})


@dataclass(frozen=True)
class Candidate:
    """Buffers that a kernel stores to, and that another one is launched with after it."""

    final: Kernel
    buffers: Mapping[str, str]
    """By the parameter of the first kernel, that of the second."""


@dataclass(frozen=True)
class Pair:
    """A launch of each kernel, the second after the first in one block of the launcher."""

    first: Launch
    second: Launch
    candidate: Candidate

    @cached_property
    def local(self) -> LocalNames:
        assert self.first.launcher is not None
        return names_of(self.first.launcher)

    @cached_property
    def statements(self) -> tuple[ast.Expr, ast.Expr]:
        return PlannedLaunch(self.first).statement, PlannedLaunch(self.second).statement

    @cached_property
    def between(self) -> list[ast.stmt]:
        first, second = (PlannedLaunch(launch).before for launch in (self.first, self.second))
        return list(second[len(first) + 1 :])

    def tensor(self, parameter: str) -> ast.expr | None:
        """What the first launch passes."""
        return self.first.arguments.get(parameter)


def candidates(facts: KernelFacts) -> Iterator[Candidate]:
    """The kernels that take what this one stores, as the first of its launches shows."""
    stored = {
        base
        for effect in facts.effects
        if effect.kind is EffectKind.STORE
        for base in facts.bases(effect) or ()
    }
    for launch in facts.launches.launches[:1]:
        if launch.launcher is None:
            return
        yield from (candidate for _, candidate in _after(launch, stored))


def _after(launch: Launch, stored: set[str]) -> Iterator[tuple[Launch, Candidate]]:
    """The launches after one in its launcher that are passed what it has stored."""
    passed = {
        argument.id: name
        for name, argument in launch.arguments.items()
        if isinstance(argument, ast.Name) and name in stored
    }
    for other in launch.module.launches:
        later = other.call.lineno > launch.call.lineno and other.launcher is launch.launcher
        apart = later and _are_apart(launch, launch.call, other.call)
        if not later or other.kernel is launch.kernel or apart:
            continue
        buffers = {
            passed[argument.id]: name
            for name, argument in other.arguments.items()
            if isinstance(argument, ast.Name) and argument.id in passed
        }
        if buffers:
            yield other, Candidate(other.kernel, buffers)


def _are_apart(launch: Launch, one: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions of a launcher stand in two branches of one `if`, and in no loop,
    which may come to one branch, and then to the other."""
    assert launch.launcher is not None
    alone = not names_of(launch.launcher).has_loops
    return alone and bindings_in(launch.launcher).are_apart(one, other)


def pairs_of(facts: KernelFacts, candidate: Candidate) -> list[Pair]:
    """Each launch of the kernel with that of the final one after it. Raises Declined."""
    name, found = facts.kernel.name, []
    for launch in facts.launches.launches:
        after = [
            other
            for other, same in _after(launch, set(candidate.buffers))
            if same.final is candidate.final and same.buffers == candidate.buffers
        ]
        if not after:
            text = f"after the launch in {launch.where} there is none of {candidate.final.name}"
            raise refuted(CLAIM, "launches-are-not-paired", f"{text} for what it stores")
        pair = Pair(launch, after[0], candidate)
        _check_block(pair)
        _check_between(pair)
        if not effects_of(pair.second.module).changes([pair.second.call]).nothing:
            text = (
                f"the launch in {pair.second.where} evaluates an expression that may have an effect"
            )
            raise unknown(CLAIM, "launches-are-not-paired", text)
        for one in (pair.first, pair.second):
            _check_options(one)
        found.append(pair)
    if not found:
        raise unknown(CLAIM, "unseen-launches", f"there is no visible launch of {name}")
    return found


def _check_block(pair: Pair) -> None:
    for launch in (pair.first, pair.second):
        if statement_of(launch) is None:
            text = f"the launch in {launch.where} is not a statement of its own"
            raise unknown(CLAIM, "unseen-launches", text)
    one, other = pair.statements
    if pair.local.home[one][1] is not pair.local.home[other][1]:
        text = f"the launches in {pair.first.where} and {pair.second.where} are in two blocks"
        raise refuted(CLAIM, "launches-are-not-paired", text)
    module = pair.first.module
    if not (module.has_own_lines(one) and module.has_own_lines(other)):
        text = f"the launch in {pair.first.where} shares its line with another statement"
        raise unknown(CLAIM, "launches-are-not-paired", text)


def _check_between(pair: Pair) -> None:
    """Nothing stands between that may work with streams, or is not understood."""
    module = pair.first.module
    effects = effects_of(module)
    for statement in pair.between:
        changes = effects.changes([statement])
        calls = (n for n in walk(statement) if isinstance(n, ast.Call))
        resolved = (module.resolve(call.func) for call in calls)
        plain = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr, ast.Assert, ast.Pass))
        moves = any(name.startswith("torch.cuda") for name in resolved)
        if not plain or moves or changes.anything or changes.reshaped or changes.mutated:
            text = f"what line {statement.lineno} does between the two launches"
            raise unknown(CLAIM, "launches-are-not-paired", f"{text} is not understood")


def _check_options(launch: Launch) -> None:
    strange = sorted(set(launch.options) - _OPTIONS)
    if strange or launch.hides_options:
        text = f"the launch in {launch.where} says {', '.join(strange) or 'what is not seen'}"
        raise unknown(CLAIM, "launches-are-not-paired", text)


@dataclass(frozen=True)
class Made:
    """A tensor that a launcher allocates, and gives one name."""

    name: str
    statement: ast.stmt
    call: ast.Call
    memory: Allocation
    function: str
    """By which it is allocated, without what stands before the dot."""


def made(pair: Pair, tensor: ast.expr | None, otherwise: str) -> Made:
    """How the launcher allocates what it passes. Raises Declined."""
    local, module = pair.local, pair.first.module
    text = f"the launch in {pair.first.where} or the one after it passes what may be used by others"
    declined = refuted(CLAIM, otherwise, text)
    if not isinstance(tensor, ast.Name):
        raise declined
    name = tensor.id
    bound = local.bound_otherwise | local.parameters | local.packed | local.hidden
    values = [v for v in local.assigned.get(name, []) if not _are_apart(pair.first, v, tensor)]
    call = values[0] if len(values) == 1 else None
    if name in bound or not isinstance(call, ast.Call) or local.stores_data:
        raise declined
    assert pair.first.launcher is not None
    statement = next(s for s in local.home if getattr(s, "value", None) is call)
    memory = allocation(module, call)
    before = bindings_in(pair.first.launcher).dominates(statement, pair.statements[0])
    if memory is None or memory.may_reuse or not before:
        raise declined
    assert isinstance(call.func, (ast.Attribute, ast.Name))
    function = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
    end = pair.second.call.end_lineno or pair.second.call.lineno
    if reach_of(module, pair.first.launcher).is_reached(name, end):
        raise declined
    return Made(name, statement, call, memory, function)


def uses(pair: Pair, name: str) -> list[ast.Name]:
    """Where a launcher uses what a name stands for at a pair of launches, but for its binding."""
    assert pair.first.launcher is not None
    names = (n for n in walk(pair.first.launcher) if isinstance(n, ast.Name) and n.id == name)
    reads = (n for n in names if isinstance(n.ctx, ast.Load))
    return [n for n in reads if not _are_apart(pair.first, n, pair.first.call)]


def check_unread(pair: Pair, buffer: str) -> Made:
    """Whether only the two launches see a buffer. Raises Declined."""
    tensor = pair.tensor(buffer)
    found = made(pair, tensor, "partials-are-used-elsewhere")
    inside = set(walk(pair.second.call))
    others = [n for n in uses(pair, found.name) if n is not tensor and n not in inside]
    if others:
        text = f"line {others[0].lineno} uses {found.name}, which holds the partial results"
        raise refuted(CLAIM, "partials-are-used-elsewhere", text)
    changes = effects_of(pair.first.module).changes([found.statement])
    if changes.anything or changes.reshaped or changes.mutated:
        text = f"line {found.statement.lineno} may do more than allocate {found.name}"
        raise unknown(CLAIM, "partials-are-used-elsewhere", text)
    return found


def check_zeros(pair: Pair, parameter: str) -> None:
    """Whether a launch passes new zeros, which only the two launches see. Raises Declined."""
    found = check_unread(pair, parameter)
    if found.function not in torch_api.ZEROED:
        text = f"line {found.call.lineno} does not fill {found.name} with zeros"
        raise refuted(CLAIM, "partials-are-used-elsewhere", text)


def check_output(pair: Pair, parameter: str, *, from_zero: bool) -> Made:
    """Whether an output is memory that nobody sees before the second launch. Raises Declined.

    What it holds where the second kernel stores nothing is anything, or 0 where that is stored
    first (`from_zero`).
    """
    tensor = pair.second.arguments.get(parameter)
    reason = "output-may-hold-something"
    found = made(pair, tensor, reason)
    zeros = torch_api.ZEROED if from_zero else ()
    plain = {k.arg for k in found.call.keywords} <= {"dtype", "device", "size"}
    if not plain or found.function not in (*torch_api.EMPTY, *zeros):
        text = f"line {found.call.lineno} makes {found.name} of what may be read"
        raise refuted(CLAIM, reason, text)
    assert isinstance(tensor, ast.Name)
    module = pair.first.module
    parents = module.names.parents
    until = pair.second.call.lineno
    for use in uses(pair, found.name):
        around = parents.get(use)
        asked = isinstance(around, ast.Attribute) and around.attr in (
            torch_api.PROPERTIES - {"data_ptr", "item"}
        )
        if use.lineno < until and not asked:
            text = f"line {use.lineno} uses {found.name} before the second launch"
            raise refuted(CLAIM, reason, text)
    passed = [n for n in walk(pair.second.call) if isinstance(n, ast.Name) and n.id == found.name]
    if passed != [tensor]:
        text = f"the launch in {pair.second.where} passes {found.name} twice"
        raise refuted(CLAIM, reason, text)
    return found
