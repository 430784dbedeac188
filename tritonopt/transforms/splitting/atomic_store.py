"""What the programs of a row have found, put together by an atomic in place of a second kernel.

The memory it goes to holds the identity first: -inf or the least integer for a maximum, not 0.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted
from tritonopt.facts import EffectKind, Polynomial, Value
from tritonopt.facts.algebra.atoms import ProgramId
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.local_names import Function, names_of
from tritonopt.facts.host.tensor_expressions import allocation
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.launches.launch_grids import Extent, given_by, statement_of
from tritonopt.source.trees import walk
from tritonopt.transforms.splitting.split_sums import SplitLoop

_CLAIM = "accumulators-can-be-combined"
_IDENTITIES = {Kind.MAX: '-float("inf")', Kind.MIN: 'float("inf")'}


@dataclass(frozen=True)
class AtomicStore:
    """The one store behind the loop, which becomes an atomic."""

    node: ast.Call
    pointer: ast.expr
    value: ast.expr
    function: str
    """Of the language: `atomic_max`."""
    output: str
    """The parameter that it goes to."""
    identity: str
    """Code of the host for what the output holds first."""


def prove_atomic(
    split: SplitLoop, extents: tuple[tuple[Extent, ...], ...], attempt: Attempt
) -> AtomicStore:
    """Raises Declined where an atomic would not leave what the store left, bit for bit."""
    found = _store(split)
    _check_start(split)
    _check_places(split, found, extents)
    for at_launch in extents:
        _check_output(at_launch[0], found.output)
    detail = f"all that is done after the loop is a store to {found.output}, which is new memory"
    attempt.prove(_CLAIM, detail)
    return found


def _store(split: SplitLoop) -> AtomicStore:
    facts, accumulators = split.facts, split.accumulators
    effects = [e for e in facts.effects if e.order > split.loop.last]
    first = accumulators[0]
    whole = len(accumulators) == 1 and not first.left and first.partner is None
    if not whole or len(effects) != 1 or split.second is not None:
        raise _declined("something else is done after the loop than to store one number")
    if first.rounds:
        raise _declined(f"{first.name} is a {first.combining.noun} of which the order matters")
    if len(facts.kernel.decorators) > 1:
        raise _declined("a tuner would run it several times, and sets what it adds to back to 0")
    effect, statement = effects[0], split.behind[-1]
    plain = isinstance(statement, ast.Expr) and statement.value is effect.node
    if effect.kind is not EffectKind.STORE or not plain or effect.mask is not None:
        raise _declined(f"line {statement.lineno} is no plain store")
    call = effect.node
    assert isinstance(call, ast.Call)
    if len(call.args) != 2 or call.keywords:
        raise _declined(f"line {call.lineno} says how it stores")
    pointer, value = call.args
    found = split.loop.result[first.name]
    if first.reduction is not None:
        found = facts.values[first.reduction]
    if facts.values.get(value) is not found:
        raise _declined(f"line {call.lineno} stores something else than {first.name}")
    types = facts.types.behind(effect)
    if not types.all_in(frozenset({first.dtype})):
        raise _declined(
            f"{first.name} is {first.dtype}, and what it is stored to may be another type"
        )
    bases = facts.bases(effect) or frozenset()
    if len(bases) != 1:
        raise _declined(f"it is not seen where line {call.lineno} stores")
    (output,) = bases
    others = [e for e in facts.effects if e is not effect]
    other = next((e for e in others if facts.may_alias(effect, e)), None)
    if other is not None:
        raise _declined(f"line {other.line} may access what {output} holds as well")
    if first.combining is Kind.ADD:
        identity = "0"
    elif first.dtype.startswith("int"):
        end = "min" if first.combining is Kind.MAX else "max"
        identity = f"torch.iinfo(torch.{first.dtype}).{end}"
    else:
        identity = _IDENTITIES[first.combining]
    return AtomicStore(call, pointer, value, first.combining.atomic, output, identity)


def _check_places(
    split: SplitLoop, found: AtomicStore, extents: tuple[tuple[Extent, ...], ...]
) -> None:
    """Each program of the grid stores to an element of its own, which no other one adds to."""
    grids = [extent.expression for at_launch in extents for extent in at_launch]
    if all(isinstance(size, ast.Constant) and size.value == 1 for size in grids):
        return
    facts = split.facts
    _, offset = facts.forms.address(facts.values[found.pointer])
    ids = [atom for atom in offset.atoms if isinstance(atom, ProgramId)]
    if len(extents[0]) == 1 and len(ids) == 1:
        step = offset.terms.get(((ids[0], 1),), Fraction(0))
        rest = offset - Polynomial.of(ids[0]) * step
        if step and not any(isinstance(leaf, ProgramId) for leaf in rest.leaves()):
            return
    raise _declined("two programs may store to one element")


def _check_start(split: SplitLoop) -> None:
    """No program brings NaN, of which an atomic makes something else than `tl.max` does."""
    initial: Value = split.loop.initial[split.accumulators[0].name]
    if initial.op is Op.FULL:
        initial = initial.operand
    number = initial.constant
    if not isinstance(number, (int, float)) or number != number:
        raise _declined(f"{split.accumulators[0].name} may begin with NaN, as far as is seen")


def _check_output(extent: Extent, output: str) -> None:
    """At a launch the output is memory that nobody has written, or reads before the launch."""
    launch, passed = extent.launch, given_by(extent.launch).get(output)
    text = f"line {launch.call.lineno} passes for {output} what may hold something already"
    if not isinstance(passed, ast.Name) or launch.launcher is None:
        raise _declined(text)
    local, name = names_of(launch.launcher), passed.id
    made = local.assigned.get(name, [])
    call = made[0] if len(made) == 1 else None
    statement = statement_of(launch)
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, (ast.Attribute, ast.Name))
        or statement is None
        or name in local.bound_otherwise | local.parameters | local.declared | local.of_inner
        or local.has_loops
        or local.stores_data
        or statement not in launch.launcher.body
    ):
        raise _declined(text)
    memory = allocation(launch.module, call)
    function = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
    if memory is None or memory.may_reuse or function not in torch_api.LEFT_UNWRITTEN:
        raise _declined(text)
    if any(_is_used_before(launch.launcher, name, statement)):
        raise _declined(text)


def _is_used_before(function: Function, name: str, statement: ast.stmt) -> Iterator[bool]:
    """For each use of a tensor before a statement, whether it is asked for more than its sizes."""
    for before in function.body[: function.body.index(statement)]:
        asked = {
            node.value
            for node in walk(before)
            if isinstance(node, ast.Attribute) and node.attr in torch_api.PROPERTIES - {"data_ptr"}
        }
        for node in walk(before):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                yield node not in asked


def _declined(why: str) -> Declined:
    return refuted(_CLAIM, "not-one-atomic", why)
