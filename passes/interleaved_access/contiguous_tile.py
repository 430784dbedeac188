"""The contiguous tile that a group of accesses touches together, as it can be written.

Lane k of a group of two touches the elements `2 * (r + k) + c` and the one behind it. One access
to all of them has twice as many lanes:

    pairs = 2 * r + tl.arange(0, 2 * BLOCK)
    tl.load(X + c + pairs, mask=pairs < 2 * n)

Here r is where the lanes of the original begin, which it shares with the original's masks: the
lanes with `r + k < n` are those with `pairs < 2 * n`. All else that is added stays with the
pointer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.writing import NotExpressible, Writer, check_no_comment
from tritonopt.facts import Effect, EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Lane, Param
from tritonopt.facts.dtypes import BOOLEANS
from tritonopt.facts.memory.dependence import Accesses, prove_unchanged
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.passes.interleaved_access.strided_groups import Group
from tritonopt.source.trees import walk

_MASK = "same-arguments"
_MOST_TERMS = 6
"""Of an address, that are tried in all combinations."""
_FLIPPED = {Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE}


@dataclass(frozen=True)
class Term:
    """A part of a sum: an expression of the kernel, times a number."""

    node: ast.expr
    factor: int


@dataclass(frozen=True)
class Limit:
    """A comparison of the lanes, which is the same for all members."""

    operation: str
    """"<" or ">="."""
    bound: Value
    further: int
    """What is added to the bound."""


@dataclass(frozen=True)
class ContiguousTile:
    """What is read or written, in terms of the kernel."""

    group: Group
    begin: Polynomial
    """Where the tile of offsets begins, in elements: the width times r."""
    wide: bool
    """Whether the original's offsets may be of 64 bits."""
    kept: tuple[Term, ...]
    """What is added to the tile of offsets."""
    limits: tuple[Limit | Value, ...]
    """The mask: conditions on the lanes, and others as they are."""
    cast: str = ""
    """The type that what is stored is cast to first; empty where all is of one type."""


def contiguous_tile(facts: KernelFacts, group: Group) -> ContiguousTile:
    """Raises Declined where masks differ, or something is not understood."""
    first = group.members[0]
    limits, begin = _Masks(facts, group).limits()
    environment = facts.before[group.at]
    writer = Writer(facts)
    address = _Address(facts, group)
    terms = list(address.terms(first.pointer, 1, begin))
    lanes = [term for term in terms if address.has_lanes(term)]
    kept = [term for term in terms if not address.has_lanes(term)]
    if len(lanes) != 1:
        raise NotExpressible(f"the address in line {first.call.lineno} has lanes in two parts")
    own = address.begin_of(lanes[0])
    if begin is not None and begin != own:
        for taken in address.subsets(kept):
            if sum((address.form(t) for t in taken), own) == begin:
                kept = [term for term in kept if term not in taken]
                own = begin
                break
        else:
            raise NotExpressible(
                f"the mask in line {first.call.lineno} starts at another element than the address"
            )
    for term in kept:
        _check_one_for_all_lanes(facts.values[term.node], group)
        if not writer.means_the_same(term.node, environment):
            text = facts.kernel.module.text_of(term.node)
            raise NotExpressible(f"{text} is another value in line {group.at.lineno}")
    wide = any(_may_be_wide(value) for value in facts.values[lanes[0].node].walk())
    return ContiguousTile(group, own, wide, tuple(kept), tuple(limits))


def _check_one_for_all_lanes(value: Value, group: Group) -> None:
    """What stays as it is must go with twice as many lanes."""
    if value.shape is None or (value.shape and value.shape[-1].constant != 1):
        detail = f"a part of what {group.lines} use has a value for each lane, maybe the same"
        raise unknown("shape-stays", "shape-changes", detail)


def _may_be_wide(value: Value) -> bool:
    """Whether a part of an offset may make it one of 64 bits.

    A parameter makes it one where it is beyond 2**31 itself, and then it is so after the rewrite.
    """
    loaded = value.op in (Op.LOAD, Op.OPAQUE, Op.CARRIED, Op.RESULT) and value.dtype is None
    return value.dtype in ("int64", "uint64") or loaded


class _Address:
    def __init__(self, facts: KernelFacts, group: Group) -> None:
        self._facts = facts
        self._lane = group.lane
        self._width = group.width
        self._environment = facts.before[group.at]

    def form(self, term: Term) -> Polynomial:
        return self._facts.forms.of(self._facts.values[term.node]) * term.factor

    def has_lanes(self, term: Term) -> bool:
        return self._lane in self.form(term).leaves()

    def begin_of(self, term: Term) -> Polynomial:
        return self.form(term) - Polynomial.of(self._lane) * self._width

    def terms(self, node: ast.expr, factor: int, begin: Polynomial | None) -> Iterator[Term]:
        """The parts of a sum: those without the lanes, and one that has nothing but them.

        That one begins where the mask begins, if it can be had.
        """
        term = Term(node, factor)
        if node not in self._facts.values:
            raise NotExpressible(f"the address in line {node.lineno} is not understood")
        if not self.has_lanes(term):
            is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
            yield from self._parts(term, begin) if is_sum and begin is not None else (term,)
        elif not self._is_only_lanes(term):
            yield from self._parts(term, begin)
        elif begin is None or self.begin_of(term) == begin:
            yield term
        else:
            try:
                yield from list(self._parts(term, begin))
            except NotExpressible:
                yield term

    def _parts(self, term: Term, begin: Polynomial | None) -> Iterator[Term]:
        node, factor = term.node, term.factor
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                yield from self.terms(left, factor, begin)
                sign = -1 if isinstance(node.op, ast.Sub) else 1
                yield from self.terms(right, factor * sign, begin)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                for number, other in ((left, right), (right, left)):
                    constant = self._facts.values[number].constant
                    if isinstance(constant, int):
                        yield from self.terms(other, factor * constant, begin)
                        return
                raise _not_apart(node)
            case ast.Name():
                definition = self._definition(node, self._facts.values[node])
                yield from self.terms(definition, factor, begin)
            case _:
                raise _not_apart(node)

    def _is_only_lanes(self, term: Term) -> bool:
        """Whether it is the lanes and numbers of the whole program: no other axis, no pointer."""
        rest = self.begin_of(term)
        return not any(
            isinstance(atom, Lane)
            or (isinstance(atom, Param) and atom.name in self._facts.pointers)
            for atom in rest.leaves()
        )

    def _definition(self, name: ast.Name, value: Value) -> ast.expr:
        for node in self._facts.kernel.nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=bound)], value=expression):
                    if bound == name.id and self._facts.values.get(expression) is value:
                        return expression
        raise _not_apart(name)

    def subsets(self, terms: Sequence[Term]) -> Iterator[tuple[Term, ...]]:
        """Numbers among what is added, in all combinations."""
        numbers = [t for t in terms if not any(isinstance(a, Lane) for a in self.form(t).leaves())]
        for size in range(1, min(len(numbers), _MOST_TERMS) + 1):
            yield from combinations(numbers[:_MOST_TERMS], size)


def _not_apart(node: ast.expr) -> NotExpressible:
    return NotExpressible(f"the address in line {node.lineno} cannot be split into terms")


class _Masks:
    def __init__(self, facts: KernelFacts, group: Group) -> None:
        self._facts = facts
        self._group = group
        self._lane = Polynomial.of(group.lane)

    def limits(self) -> tuple[list[Limit | Value], Polynomial | None]:
        masks = [list(self._conjuncts(m.effect.mask)) for m in self._group.members]
        found: list[Limit | Value] = []
        begins: list[Polynomial] = []
        for conjunct in masks[0]:
            if not self._has_lanes(conjunct):
                self._check_in_all(conjunct, masks)
                _check_one_for_all_lanes(conjunct, self._group)
                found.append(conjunct)
                continue
            limit, begin = self._limit(conjunct, masks)
            found.append(limit)
            begins.append(begin)
        if any(len(mask) != len(masks[0]) for mask in masks):
            raise self._differ()
        if any(begin != begins[0] for begin in begins):
            raise self._not_understood()
        return found, begins[0] if begins else None

    def _conjuncts(self, mask: Value | None) -> Iterator[Value]:
        if mask is None or mask.is_none or mask.constant is True:
            return
        if mask.op is Op.AND and mask.dtype == "bool":
            for operand in mask.operands:
                yield from self._conjuncts(operand)
            return
        yield mask

    def _has_lanes(self, value: Value) -> bool:
        return self._group.lane in self._facts.forms.of(value).leaves()

    def _check_in_all(self, conjunct: Value, masks: Sequence[Sequence[Value]]) -> None:
        if not all(any(other is conjunct for other in mask) for mask in masks):
            raise self._differ()

    def _limit(self, conjunct: Value, masks: Sequence[Sequence[Value]]) -> tuple[Limit, Polynomial]:
        """A comparison of the lanes, as one of the elements of all members."""
        own = self._compared(conjunct)
        if own is None:
            raise self._not_understood()
        operation, left, bound = own
        begin, width = left - self._lane, self._group.width
        self._check_in_all(conjunct, masks)
        if operation not in _FLIPPED or self._group.lane in begin.leaves():
            raise self._not_understood()
        # k <= n for k < n + 1, k > n for k >= n + 1: the last element of lane k counts as k.
        further = 1 if operation in (Op.LE, Op.GT) else 0
        sign = "<" if operation in (Op.LT, Op.LE) else ">="
        return Limit(sign, bound, further), begin * width

    def _compared(self, value: Value) -> tuple[Op, Polynomial, Value] | None:
        """A comparison with the lanes on its left; None for all else."""
        if value.op not in COMPARISONS:
            return None
        forms = self._facts.forms
        operation, left, right = value.op, value.left, value.right
        if self._has_lanes(right):
            operation, left, right = _FLIPPED.get(operation, operation), right, left
        if self._has_lanes(right) or right.rank != 0:
            return None
        form = forms.of(left)
        return (operation, form, right) if forms.is_integer(form) else None

    def _differ(self) -> Declined:
        return refuted(
            _MASK, "different-mask", f"the accesses of {self._group.lines} are masked differently"
        )

    def _not_understood(self) -> Declined:
        detail = f"how the mask in {self._group.lines} depends on the lanes is not understood"
        return unknown(_MASK, "opaque-value", detail)


# Whether a group of loads, or of stores, can be one: what must be true of memory and arguments

_POLICIES = ("cache_modifier", "eviction_policy")
_IN_BETWEEN = (EffectKind.ATOMIC, EffectKind.BARRIER, EffectKind.CALL, EffectKind.EXIT)


def prove_one_access(facts: KernelFacts, group: Group, attempt: Attempt) -> ContiguousTile:
    """The tile that all of a group is. Raises Declined at the first condition that fails."""
    caller = facts.launches.caller
    if caller is not None:
        detail = f"{caller.name} calls this function, and may pass tiles for its parameters"
        raise unknown("launches-are-seen", "called-from-a-kernel", detail)
    if facts.launches.unknown:
        detail = f"{facts.launches.unknown}; no call by other jit code is in this file"
        attempt.assume("launches-are-seen", detail)
    if any(member.effect.volatile for member in group.members):
        raise refuted("data-is-unchanged", "volatile-load", f"{group.lines}: a load is volatile")
    attempt.prove("data-is-unchanged", "none is volatile")
    between = _between(facts, group)
    _check_nothing_in_between(group, between, attempt)
    if group.is_load:
        loads = [member.effect for member in group.in_order[1:]]
        prove_unchanged(attempt, facts, loads, between, "there is no store between the loads")
    else:
        _check_stores(facts, group, between, attempt)
    _check_arguments(facts, group, attempt)
    tile = contiguous_tile(facts, group)
    attempt.prove("same-arguments", "one mask covers the elements of all accesses")
    _assume_integers(facts, tile, attempt)
    return tile if group.is_load else replace(tile, cast=_cast(facts, group, attempt))


def _between(facts: KernelFacts, group: Group) -> list[Effect]:
    """What happens from the first to the last, and with the statement of the first."""
    members = {member.effect for member in group.members}
    first, last = group.in_order[0], group.in_order[-1]
    with_first = {e for e in facts.effects if e.node in set(walk(first.statement))}
    with_last = {e for e in facts.effects if e.node in set(walk(last.statement))}
    start = min(first.effect.order, *(e.order for e in with_first), first.effect.order)
    end = max(last.effect.order, *(e.order for e in with_last), last.effect.order)
    return [e for e in facts.effects if start <= e.order <= end and e not in members]


def _check_nothing_in_between(group: Group, between: Sequence[Effect], attempt: Attempt) -> None:
    claim = "data-is-unchanged"
    for effect in between:
        if effect.kind in _IN_BETWEEN:
            detail = f"{effect.name or 'an exit'} in line {effect.line} is between them"
            reason = "early-exit" if effect.kind is EffectKind.EXIT else "memory-order"
            raise refuted(claim, reason, detail)
    attempt.prove(claim, f"{group.lines}: no exit, barrier, atomic or unknown call between them")


def _check_stores(
    facts: KernelFacts, group: Group, between: Sequence[Effect], attempt: Attempt
) -> None:
    """Earlier stores come later now: nobody may have read or written there meanwhile."""
    claim, accesses = "data-is-unchanged", Accesses(facts)
    moved = [member.effect for member in group.in_order[:-1]]
    for effect in between:
        if effect.kind not in (EffectKind.LOAD, EffectKind.STORE):
            continue
        for store in moved:
            if not accesses.are_disjoint(store, effect):
                detail = (
                    f"the {effect.name} in line {effect.line} may access the memory "
                    "that they store to"
                )
                raise refuted(claim, "data-may-change", detail)
    accesses.prove(attempt, claim, "no access between the stores goes to their memory")
    for member in group.members:
        stored = member.effect.stored
        if stored is None or member.effect.pointer is None:
            continue
        if stored.shape is None or stored.shape != member.effect.pointer.shape:
            detail = f"line {member.call.lineno} does not store a whole tile"
            raise unknown("shape-stays", "shape-changes", detail)


def _check_arguments(facts: KernelFacts, group: Group, attempt: Attempt) -> None:
    for name in _POLICIES:
        given = {facts.values.get(m.arguments[name]) for m in group.members if name in m.arguments}
        number = sum(name in member.arguments for member in group.members)
        if number and (len(given) > 1 or None in given or number < group.width):
            detail = f"{group.lines}: {name} is not the same for all"
            raise refuted("same-arguments", "arguments-differ", detail)
    if any({"boundary_check", "padding_option"} & m.arguments.keys() for m in group.members):
        detail = f"{group.lines}: boundary_check is for block pointers"
        raise refuted("same-arguments", "arguments-differ", detail)
    paddings = {
        facts.values.get(m.arguments["other"]) for m in group.members if "other" in m.arguments
    }
    if len(paddings) > 1 or None in paddings:
        detail = f"{group.lines}: inactive lanes get different values"
        raise refuted("same-arguments", "arguments-differ", detail)
    for padding in paddings:
        if padding is not None and padding.rank != 0:
            detail = f"{group.lines}: inactive lanes get different values"
            raise unknown("same-arguments", "arguments-differ", detail)
    attempt.prove("same-arguments", "they have the same padding and the same cache options")
    for member in group.members:
        check_no_comment(facts.kernel.module, member.call)


def _assume_integers(facts: KernelFacts, tile: ContiguousTile, attempt: Attempt) -> None:
    """`k < 2.5` has lane 2, and `pairs < 5.0` half of it."""
    claim, forms = "arguments-are-understood", facts.forms
    bounds = [limit.bound for limit in tile.limits if isinstance(limit, Limit)]
    unsure = [bound for bound in bounds if not forms.is_integer(forms.of(bound))]
    names = sorted({part.name for b in unsure for part in b.walk() if part.op is Op.PARAM})
    if not all(forms.is_integer(forms.of(bound), names) for bound in unsure):
        detail = f"what the mask of {tile.group.lines} compares with may be no integer"
        raise unknown(claim, "opaque-value", detail)
    if unsure:
        attempt.assume(claim, f"{', '.join(names)}: no argument is a fraction")


def _cast(facts: KernelFacts, group: Group, attempt: Attempt) -> str:
    """The type that what is stored is cast to first; empty where all is of one type."""
    stored = [m.effect.stored for m in group.members if m.effect.stored is not None]
    types = [facts.types.of(value) for value in stored]
    if all(t.complete and t.seen == types[0].seen and len(t.seen) == 1 for t in types):
        if any(t.by_launch for t in types):
            attempt.assume_no_other_launches()
        return ""
    buffers = {_type_of_buffer(facts, value) for value in stored}
    if len(buffers) == 1 and "" not in buffers:
        return ""
    (base,) = facts.bases(group.members[0].effect) or ("",)
    value = facts.before[group.at].get(base)
    if value is None or value.rank != 0:
        raise NotExpressible(f"the type that {group.lines} store has no name")
    # A cast to int1 asks whether a value is 0, and a store of booleans takes its lowest bit.
    claim = "elements-are-not-boolean"
    behind = [facts.types.behind(member.effect) for member in group.members]
    if any(found.some_in(BOOLEANS) for found in behind):
        raise refuted(claim, "elements-are-boolean", f"{group.lines}: the elements are booleans")
    if all(found.complete for found in behind):
        attempt.prove(claim, "every launch passes tensors of other types")
    else:
        attempt.assume(claim, "no tensor of booleans is passed for what is stored to")
    return f"{base}.dtype.element_ty"


def _type_of_buffer(facts: KernelFacts, value: Value) -> str:
    """The parameter whose elements are of the type of a value; empty where nothing shows one."""
    if value.op is Op.LOAD:
        bases = facts.bases(facts.interpretation.loads[value.number])
        return next(iter(bases)) if bases is not None and len(bases) == 1 else ""
    if value.op is Op.CAST and value.dtype is None:
        return _named_buffer(value.target)
    if value.op in (Op.NEG, Op.ADD, Op.SUB, Op.MUL):
        names = {_type_of_buffer(facts, operand) for operand in value.operands}
        return names.pop() if len(names) == 1 else ""
    return ""


def _named_buffer(target: Value) -> str:
    """The parameter whose elements' type a cast names: `X.dtype.element_ty`; empty for others."""
    for name in ("element_ty", "dtype"):
        if target.op is not Op.ATTRIBUTE or target.name != name:
            return ""
        target = target.operand
    return target.name if target.op is Op.PARAM else ""
