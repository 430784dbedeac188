"""That a loop over single elements may become one over tiles, and all that writing it needs."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.dtypes import BOOLEANS, FLOATS, INTEGERS, SOME_FLOAT, SOME_INTEGER
from tritonopt.facts.operations import Op
from tritonopt.facts.precision import check_pins
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.passes.scalar_loop.carried_names import Carried, LaneMerge, carried_names
from tritonopt.passes.scalar_loop.loop_bodies import Body, is_surely, read_body
from tritonopt.passes.scalar_loop.memory_order import prove_memory_order
from tritonopt.passes.scalar_loop.scalar_loops import ScalarLoop
from tritonopt.source.trees import walk

_WIDE = frozenset({"fp32", "fp64", "int32", "int64", "uint32", "uint64"})


@dataclass(frozen=True)
class Vectorization:
    """A loop of which the iterations may be lanes."""

    body: Body
    carried: tuple[Carried, ...]
    dtypes: tuple[str, ...]
    """Of each carried name."""
    exact: bool

    @property
    def loop(self) -> ScalarLoop:
        return self.body.loop

    @property
    def facts(self) -> KernelFacts:
        return self.body.loop.facts


def prove_vectorization(loop: ScalarLoop, attempt: Attempt) -> Vectorization:
    """Goes through the conditions; raises Declined at the first one that does not hold."""
    _check_header(loop, attempt)
    body = read_body(loop)
    attempt.prove("iterations-are-independent", "every operation is done lane by lane")
    _check_names(loop)
    carried = carried_names(body)
    types = _Types(loop, attempt)
    dtypes = tuple(types.check(name) for name in carried)
    what = ", ".join(f"{c.name} is {_WORDS[c.kind]}" for c in carried)
    attempt.prove("accumulators-are-sums", what or "an iteration needs nothing of another")
    meets = any(c.kind is not LaneMerge.PREFIX for c in carried)
    exact = prove_memory_order(loop, attempt, meets=meets)
    exact = exact and not any(map(_rounds, carried, dtypes))
    if not exact:
        check_pins(attempt, loop.facts)
    detail = "a lane that is masked off may count beyond the end of the loop"
    attempt.assume("no-int32-overflow", detail)
    return Vectorization(body, carried, dtypes, exact)


_WORDS = {
    LaneMerge.REDUCED: "reduced",
    LaneMerge.PREFIX: "a running sum",
    LaneMerge.CHOSEN: "the last or the first that was chosen",
    LaneMerge.CHOSEN_INNER: "the last or the first that was chosen",
    LaneMerge.INDEX: "the index of an extremum",
}


def _rounds(carried: Carried, dtype: str) -> bool:
    """Whether another order may give other bits; of the sign of a zero too."""
    chosen = any(update.combining is None for update in carried.updates)
    return dtype in FLOAT_BITS and (carried.combining.rounds or chosen)


def _check_header(loop: ScalarLoop, attempt: Attempt) -> None:
    facts, found = loop.facts, loop.loop
    claim, where = "loops-are-plain", f"the loop in line {found.line}"
    facts.check_parameters()
    facts.check_ends(found, "warp_specialize")
    call = loop.node.iter
    if not isinstance(call, ast.Call) or not isinstance(loop.node.target, ast.Name):
        raise unknown(claim, "loop-is-not-plain", f"{where} counts with several names")
    if found.step is None:
        raise unknown(claim, "loop-is-not-plain", f"{where} is not counted")
    for bound in (found.start, found.stop, found.step):
        if bound is None or bound.shape != ():
            raise unknown(claim, "loop-is-not-plain", f"{where} has bounds of another kind")
        if facts.types.of(bound).some_in(INTEGERS - {"int32", "int64", "some integer"}):
            raise unknown(claim, "loop-is-not-plain", f"{where} counts in another type")
    number = facts.forms.of(found.step).constant_value
    if number is None and not facts.forms.is_positive(facts.forms.of(found.step)):
        attempt.assume("sizes-are-positive", f"the step of {where} is at least 1")
    attempt.prove(claim, "no iteration ends early")


def _check_names(loop: ScalarLoop) -> None:
    """What the loop binds for itself becomes tiles: it must not be read behind it."""
    facts, found = loop.facts, loop.loop
    assert isinstance(loop.node.target, ast.Name)
    own = {n.id for n in loop.nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    own -= set(found.carried)
    for node in walk(facts.kernel.node):
        if not isinstance(node, ast.Name) or node.id not in own or node in loop.nodes:
            continue
        value = facts.values.get(node)
        if isinstance(node.ctx, ast.Load) and (value is None or _is_left_over(value, loop)):
            text = f"line {node.lineno} reads {node.id}, which the loop binds for itself"
            raise refuted("type-stays", "name-is-bound-elsewhere", text)


def _is_left_over(value: Value, loop: ScalarLoop) -> bool:
    return any(part.op is Op.OPAQUE for part in value.walk()) or loop.is_lane(value)


@dataclass(frozen=True)
class _Types:
    loop: ScalarLoop
    attempt: Attempt

    def check(self, carried: Carried) -> str:
        """The type of a name, in which its tile is kept."""
        name = carried.name
        dtype = self._own(name)
        claim = "accumulators-are-wide"
        if dtype is None:
            text = f"the type of {name} is not known before the loop"
            raise unknown(claim, "type-is-unknown", text)
        logical = dtype in BOOLEANS and (
            carried.combining in (Kind.AND, Kind.OR) or carried.kind is LaneMerge.CHOSEN
        )
        if dtype not in _WIDE and not logical:
            text = f"{name} is {dtype}, in which a tile may be reduced in another type"
            raise refuted(claim, "accumulator-is-narrow", text)
        for update in carried.updates:
            self._check_term(name, dtype, update.term)
        if carried.kind is LaneMerge.REDUCED:
            self._check_operation(carried, dtype)
        if (
            carried.kind in (LaneMerge.CHOSEN, LaneMerge.CHOSEN_INNER, LaneMerge.INDEX)
            and dtype in FLOAT_BITS
        ):
            text = f"{name} is a float, and its order is not that of the loop"
            raise unknown(claim, "type-is-unknown", text)
        self.attempt.prove(claim, f"{name} is {dtype}")
        return dtype

    def _own(self, name: str) -> str | None:
        """As the kernel says it."""
        loop = self.loop.loop
        types = self.loop.facts.types.of(loop.carried[name])
        initial = loop.initial[name]
        if types.complete and len(types.seen) == 1 and not types.by_launch:
            (dtype,) = types.seen
            return None if dtype in (SOME_FLOAT, SOME_INTEGER) else dtype
        number = initial.constant
        if isinstance(number, float):
            return "fp32"
        return None

    def _check_term(self, name: str, dtype: str, node: ast.expr) -> None:
        """What is known of it must fit: the loop would not compile otherwise."""
        types = self.loop.facts.types.of(self.loop.facts.values[node])
        wider = {"int32": frozenset({"int64", "uint64", "uint32"}) | FLOATS}.get(dtype, frozenset())
        wider |= {"fp32": frozenset({"fp64"})}.get(dtype, frozenset())
        wider |= {"int64": frozenset({"uint64"}) | FLOATS}.get(dtype, frozenset())
        if types.some_in(wider):
            text = f"{name} is {dtype}, and line {node.lineno} combines it with {types.where}"
            raise unknown("accumulators-are-wide", "accumulator-is-narrow", text)

    def _check_operation(self, carried: Carried, dtype: str) -> None:
        """Whether there is a reduction for it."""
        claim, combining = "accumulators-are-sums", carried.combining
        if combining is Kind.MUL:
            text = f"the language has no product of the lanes of a tile, as {carried.name} is one"
            raise refuted(claim, "no-such-reduction", text)
        if combining is Kind.XOR and dtype not in ("int32", "int64"):
            raise unknown(claim, "no-such-reduction", f"{carried.name} is no integer")
        if combining in (Kind.AND, Kind.OR) and not self._is_logical(carried):
            text = f"the language has no reduction for the bits of {carried.name}"
            raise refuted(claim, "no-such-reduction", text)
        if combining is Kind.ADD and dtype in BOOLEANS:
            raise refuted(claim, "no-such-reduction", f"{carried.name} is a truth value")

    def _is_logical(self, carried: Carried) -> bool:
        """Whether bits are truth values, so that `or` is the largest and `and` the least."""
        facts = self.loop.facts
        initial = self.loop.loop.initial[carried.name].constant
        terms = all(
            is_surely(facts, facts.values[update.term], BOOLEANS) for update in carried.updates
        )
        plain = all(update.plain for update in carried.updates)
        return terms and plain and type(initial) in (bool, int) and initial in (0, 1)
