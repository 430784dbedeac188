"""contiguity-hints: what is true of wrapped offsets is said to the compiler, and checked."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from tritonopt.facts import Atom, Effect, EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import Divisibility, Proof, substitute
from tritonopt.facts.algebra.polynomial import ONE, TooLarge
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.language import function
from tritonopt.facts.memory.addresses import strides
from tritonopt.facts.memory.counterexamples import CannotTell, find_counterexample, promise_about
from tritonopt.facts.memory.hints import Hinted, counterexample, is_address, read_hints
from tritonopt.facts.memory.offsets import (
    Kind,
    NotConsecutive,
    Offsets,
    read_offsets,
    stays_below,
    without_casts,
)
from tritonopt.facts.memory.zeros import put_in
from tritonopt.facts.uses import adds_up_floats
from tritonopt.facts.values import is_float
from tritonopt.rewriting.advice import is_worth_assuming
from tritonopt.rewriting.checklist import Checklist, Declined, refuted, unknown
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Condition, Safety, Site, Status
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change, InsertAfter, ReplaceExpression
from tritonopt.transforms.writing import NotExpressible, Writer

WIDEST = 1024
"""The largest number that is tried as a hint."""

WIDEST_LOAD = 16
"""Elements of one load at the most: 16 bytes."""


@dataclass(frozen=True)
class ContiguityHints(Pass):
    """Say how far wrapped offsets are contiguous, and find hints that are not true.

    ## What it does

    `offsets % N` and `tl.where(offsets < N, offsets, 0)` hide from the compiler that neighbouring
    lanes read neighbouring elements. Where that is true of whole groups of lanes, the pass says so:

        offsets = tl.max_contiguous(tl.multiple_of(offsets, V), V)

    with the widest V that is true: the number of lanes, else the largest power of two. For a tile
    of rank 2 the hints get one value for each axis, `[1, V]`. A comment says what the promise
    rests on, for nobody checks it at run time.

    What the two hints mean: `max_contiguous(x, C)` says that along each axis every aligned group of
    C lanes goes up by one from lane to lane; `multiple_of(x, D)` says that the first lane of each
    such group is a multiple of D. After `%` neither does anything without the other. They are
    properties of the operation that computes x, wherever they are written: a hint under an `if`
    about a value from outside of it holds on every way. They replace what the compiler found by
    itself, so a narrow hint can make loads narrower. Hints on parameters do nothing.

    Hints that are there are checked: one that can be false gets an analysis remark with numbers
    for which it is (`hint-can-be-false`), and so does one of a value that is no power of two or
    of more lanes than there are, and one below 16 on offsets of which the compiler knows more
    (`hint-narrows`). Hints under a condition that the launcher chooses (`if EVEN_N:`) and promises
    about parameters are left to their author. Where a store masks off the lanes for which a hint
    is false, as matrix products that wrap with `% M` do, the remark says so, and `tritonopt
    suggest` shows it only when the pass is named.

    The option `least` is the smallest number that is written. Below 16 a hint can make loads of
    small types narrower where N happens to be a multiple of 16, which Triton then sees by itself.

    ## Why

    Loads of 16 bytes in place of one element each. That matters where N is not specialised
    (`do_not_specialize`, a length that is loaded or computed), and behind `tl.where` always:
    the compiler never sees through a selection, but through `%` it sees where it knows that N is a
    multiple of 16. Of a parameter nobody can tell beforehand.

    ## Conditions

    The lanes go up by one before they are wrapped; they are added to a pointer as they are, or
    times 1. For `%`: the offset is not negative (the rest of a negative number is negative), and V
    divides the number of lanes, the offset of lane 0 and N; or no lane reaches N at all. For
    `tl.where`: V divides the offset of lane 0, and every lane is below N, in every program and
    iteration. It is not enough that N is a multiple of V: in a group beyond N all lanes
    are 0. So N is a multiple of the block, and the loop or the grid is known to end there.

    This is shown by the kernel's arithmetic, by `tl.static_assert` and `tl.assume`, by every launch
    in the file (its arithmetic, what it asserts or raises, configurations and heuristics of the
    tuner), or given: `--assume 'N % BLOCK == 0'`. Where it is not shown, the remark has numbers for
    which the hint would be false. Where the launches are the evidence, files that were not given
    are taken not to launch the kernel (`no-other-launches`); what divides or bounds a loop is taken
    to be positive (`sizes-are-positive`); index arithmetic is taken not to overflow int32.

    Declined as well: lengths of which the compiler knows as much (constexprs, `blocks * BLOCK`).

    ## Numerics

    Exact, or `assumption` where a given fact is used. Bits `reduction-order` where the
    kernel adds up floats or multiplies matrices: a hint changes which thread holds which element,
    and with it the order of sums (seen on 210 of 256 rows on a GPU). Otherwise the same.

    ## Example

    ```python
    @triton.jit
    def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        source = offs % N
        tl.store(Y + offs, tl.load(X + source))


    def repeat(x, y):
        n = x.numel()
        if n % 128:
            raise ValueError("pad the ring to whole blocks")
        repeat_kernel[(y.numel() // 128,)](x, y, n, BLOCK=128)
    ```

    becomes

    ```python
    @triton.jit
    def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        source = offs % N
        # True as long as N is a multiple of BLOCK.
        source = tl.max_contiguous(tl.multiple_of(source, BLOCK), BLOCK)
        tl.store(Y + offs, tl.load(X + source))


    def repeat(x, y):
        n = x.numel()
        if n % 128:
            raise ValueError("pad the ring to whole blocks")
        repeat_kernel[(y.numel() // 128,)](x, y, n, BLOCK=128)
    ```

    ## Measured

    1.00x to 1.01x: noise.

    One H200, Triton 3.6, wrapped loads with and without the hint (`examples/periodic.py`, 4096 and
    100,000 samples in fp32 and fp16). Compiled for sm_90 by
    Triton 3.7 (`tests/passes/test_contiguity_hints_compiled.py`): `ld.global.b32` becomes
    `ld.global.v4.b32`.
    """

    least: int = 16

    name: ClassVar[str] = "contiguity-hints"
    summary: ClassVar[str] = "say of wrapped offsets how far they are contiguous; check such hints"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})
    default: ClassVar[bool] = True
    gain: ClassVar[Gain | None] = Gain(
        figure("contiguity-hints"),
        f"{WHERE}, where the length is not known to be a multiple of 16",
        "loads of 16 bytes in place of one element each",
    )
    finds_mistakes: ClassVar[bool] = True
    harm: ClassVar[str] = (
        "the compiler believes a hint: it loads whole runs of elements from the address of "
        "the first, others than the offsets say, and beyond the buffer"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        kernel = _Kernel(facts)
        hints = read_hints(facts)
        for hinted in hints:
            note = _Check(kernel, hinted).note()
            if note is not None:
                yield note
        hinted_values = {without_casts(hinted.value) for hinted in hints}
        for wrap in kernel.wraps:
            if wrap.value not in hinted_values:
                yield _Insertion(kernel, wrap, self.least).site()

    def edit(self, facts: KernelFacts, site: Site) -> Sequence[Change]:
        changes: Sequence[Change] = site.plan
        return changes


@dataclass(frozen=True)
class _Wrap:
    """A wrapped or selected value, and the places where the kernel computes it."""

    value: Value
    places: tuple[ast.expr, ...]
    """A `%` or a `tl.where`; for `offsets %= M`, the name that is bound."""


class _Kernel:
    """What both halves of the pass ask of a kernel."""

    def __init__(self, facts: KernelFacts) -> None:
        self.facts = facts
        self.divisibility = Divisibility(facts)
        self.bounds = Bounds(facts)

    def function(self, call: ast.Call) -> str:
        """The name below `triton.language` of what is called; "" for anything else."""
        return function(self.facts.kernel.module.resolve(call.func))

    @cached_property
    def wraps(self) -> list[_Wrap]:
        """Tiles of offsets that are wrapped or selected, in source order."""
        places: dict[Value, list[ast.expr]] = {}
        for node, value in self.facts.values.items():
            if value.op in ("mod", "where") and value.rank and self._computes(node, value):
                places.setdefault(value, []).append(node)
        found = [_Wrap(value, tuple(nodes)) for value, nodes in places.items()]
        return [wrap for wrap in found if _runs_along_lanes(self.facts, wrap.value)]

    def _computes(self, node: ast.expr, value: Value) -> bool:
        match node:
            case ast.BinOp(op=ast.Mod()):
                return value.op == "mod"
            case ast.Call():
                return value.op == "where" and self.function(node) == "where"
            case ast.Name(ctx=ast.Store()):
                return node in self._wrapped_in_place
        return False

    @cached_property
    def _wrapped_in_place(self) -> frozenset[ast.expr]:
        """The names that are bound by `offsets %= M`."""
        inside = self.facts.kernel.nodes
        statements = (node for node in inside if isinstance(node, ast.AugAssign))
        return frozenset(s.target for s in statements if isinstance(s.op, ast.Mod))

    @cached_property
    def _statements(self) -> dict[ast.AST, ast.stmt]:
        """Of every expression, the innermost statement it stands in."""
        found: dict[ast.AST, ast.stmt] = {}
        for statement in self.facts.kernel.nodes:
            if isinstance(statement, ast.stmt):
                found.update((inner, statement) for inner in _own_expressions(statement))
        return found

    def statement(self, node: ast.expr) -> ast.stmt:
        return self._statements[node]

    def is_nonnegative(self, form: Polynomial) -> tuple[bool, frozenset[str], Proof]:
        """(whether a form is at least 0, the sizes that are taken to be positive for it, proof)."""
        least = self.bounds.lower_bound(form)
        if least is None or least.number < 0:
            return False, frozenset(), Proof()
        return True, least.sizes, Proof(given=least.given)


def _own_expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement, without those of the statements inside it."""
    todo: list[ast.AST] = list(ast.iter_child_nodes(statement))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt):
            continue
        if isinstance(node, ast.expr):
            yield node
        todo.extend(ast.iter_child_nodes(node))


def _runs_along_lanes(facts: KernelFacts, value: Value) -> bool:
    """Whether what is wrapped or selected is an index that a reader may think contiguous."""
    sides = value.operands[:1] if value.op == "mod" else value.operands[1:]
    if any(is_float(side.dtype) or side.dtype == "float" for side in (value, *sides)):
        return False
    if value.op == "where":
        # Most selections are of data.
        try:
            return read_offsets(facts, value).kind is Kind.SELECTED
        except (NotConsecutive, TooLarge):
            return False
    return any(
        len(monomial) == 1 and monomial[0][0].tag in ("lane", "load")
        for side in sides
        for monomial in facts.forms.of(side).terms
    )


def _is_loaded_from(facts: KernelFacts, offsets: Value) -> bool:
    """Whether the address of a load is made of these offsets."""
    return any(
        effect.kind is EffectKind.LOAD
        and effect.pointer is not None
        and any(part is offsets for part in effect.pointer.walk())
        for effect in facts.effects
    )


# Are the hints that are there true?


class _Check:
    """The hints about one value."""

    def __init__(self, kernel: _Kernel, hinted: Hinted) -> None:
        self._kernel = kernel
        self._facts = kernel.facts
        self._hinted = hinted

    def note(self) -> Site | None:
        """What to tell the author; None where the hints are true, or cannot be judged."""
        if self._hinted.value.shape is None:
            return None
        try:
            found = self._malformed()
            if found is None and not is_address(self._facts, self._hinted):
                found = self._false() or self._narrow()
        except (TooLarge, CannotTell):
            return None
        if found is None:
            return None
        claim, reason, detail = found
        dropping = self._dropping_store() if reason == "hint-can-be-false" else None
        if dropping is not None:
            detail += (
                f" (such lanes are masked off at the {dropping.name} in line {dropping.line}, and "
                "do no harm there; loads can still read past the end of the buffer)"
            )
        condition = Condition(claim, Status.REFUTED, detail, reason)
        message = detail
        if reason != "hint-can-be-false":
            message = f"{ast.unparse(self._hinted.calls[0])}: {detail}"
        anchor = self._hinted.calls[0]
        return Site(anchor, (condition,), message, analysis=True, pays=dropping is None)

    def _dropping_store(self) -> Effect | None:
        """A store whose mask leaves out the lanes that are wrapped or not selected."""
        try:
            offsets = read_offsets(self._facts, self._hinted.value)
        except NotConsecutive:
            return None
        if offsets.limit is None:
            return None
        lanes = Polynomial.of(Atom("lane", (offsets.extent, 0)))
        inside = Atom("negative", (_along_any_axis(offsets.start + lanes - offsets.limit),))
        for effect in self._facts.effects:
            if effect.writes and effect.mask is not None and not effect.mask.is_none:
                condition = _along_any_axis(self._facts.forms.condition(effect.mask))
                if put_in(condition, {inside: 0}).is_zero:
                    return effect
        return None

    def _malformed(self) -> tuple[str, str, str] | None:
        shape = self._hinted.value.shape
        for values in (self._hinted.contiguity, self._hinted.divisibility):
            for form in values:
                number = form.constant_value if form is not None else None
                if number is not None and (number < 1 or int(number) & (int(number) - 1)):
                    detail = f"{number} is not a power of two, as Triton needs it"
                    return "hint-is-a-power-of-two", "hint-is-not-a-power-of-two", detail
        if shape is None or len(shape) != len(self._hinted.contiguity):
            return None
        for extent, form in zip(shape, self._hinted.contiguity, strict=True):
            lanes = self._facts.forms.of(extent).constant_value
            number = form.constant_value if form is not None else None
            if lanes is not None and number is not None and number > lanes:
                detail = f"{number} lanes are promised of a tile that has {lanes}"
                return "hint-fits-the-tile", "hint-exceeds-the-tile", detail
        return None

    def _false(self) -> tuple[str, str, str] | None:
        text = counterexample(
            self._facts, self._kernel.divisibility, self._kernel.bounds, self._hinted
        )
        detail = f"this hint can be false: {text}; drop it, or assert what makes it true"
        return ("hint-is-true", "hint-can-be-false", detail) if text else None

    def _narrow(self) -> tuple[str, str, str] | None:
        """A hint of a few lanes takes the place of what the compiler knows of plain offsets."""
        try:
            offsets = read_offsets(self._facts, self._hinted.value)
        except NotConsecutive:
            return None
        contiguity = self._hinted.contiguity[-1 - offsets.axis]
        number = contiguity.constant_value if contiguity is not None else None
        lanes = offsets.extent.constant_value
        if offsets.kind is not Kind.PLAIN or number is None or number >= WIDEST_LOAD:
            return None
        if contiguity == offsets.extent or (lanes is not None and lanes <= number):
            return None
        detail = (
            f"all {offsets.extent.readable} lanes are consecutive, as the compiler knows; the hint "
            f"replaces that by {number}, and loads can become narrower"
        )
        return "hint-does-not-narrow", "hint-narrows", detail


def _along_any_axis(form: Polynomial) -> Polynomial:
    """A form in which it does not matter along which axis lanes run."""

    def flat(atom: Atom) -> Atom | None:
        return Atom("lane", (atom.arguments[0], 0)) if atom.tag == "lane" else None

    return form.map(flat)


# Where hints are missing


class _Insertion:
    """One wrapped or selected value without a hint, condition by condition."""

    def __init__(self, kernel: _Kernel, wrap: _Wrap, least: int, *, advises: bool = True) -> None:
        self._kernel = kernel
        self._advises = advises
        self._facts = kernel.facts
        self._divisibility = kernel.divisibility
        self._wrap = wrap
        self._writer = Writer(kernel.facts)
        self._text = " ".join(self._writer.text(wrap.places[0]).split())
        self._checklist = Checklist()
        self._least = least
        self._launches = False
        self._sizes: frozenset[str] = frozenset()
        self._changes: list[Change] = []
        self._value = ""

    def site(self) -> Site:
        checklist = self._checklist
        try:
            self._check()
        except Declined as declined:
            checklist.conditions.append(declined.condition)
        except NotExpressible as error:
            failed = Condition("is-expressible", Status.UNKNOWN, str(error), "not-expressible")
            checklist.conditions.append(failed)
        except TooLarge:
            failed = Condition(
                "is-understood", Status.UNKNOWN, "the offsets are too large to compare", "too-large"
            )
            checklist.conditions.append(failed)
        if checklist.failed is None:
            message = (
                f"promised that each {self._value} lanes of {self._text} are consecutive and start "
                f"at a multiple of {self._value}, for loads of up to 16 bytes. Measured {WHERE}: "
                f"{figure('contiguity-hints')}; where the length is a multiple of 16 and "
                "specialized, Triton sees as much of a `%` by itself"
            )
        else:
            message = f"no hint for {self._text}: {checklist.failed.detail}"
        return Site(
            self._wrap.places[0],
            tuple(checklist.conditions),
            message,
            frozenset({Safety.ASSUMPTION} if checklist.given else ()),
            Bits.REDUCTION_ORDER if adds_up_floats(self._facts.interpretation) else Bits.SAME,
            frozenset(checklist.given),
            self._changes,
            # What was measured are loads.
            pays=_is_loaded_from(self._facts, self._wrap.value),
            advice=f"say that each {self._value} lanes of {self._text} are consecutive and "
            f"start at a multiple of {self._value}",
        )

    def _prove(self, claim: str, detail: str, proof: Proof) -> None:
        because = f" ({proof.because})" if proof.because else ""
        self._checklist.prove(claim, detail + because, proof.given)
        self._launches = self._launches or bool(proof.launches)

    def _check(self) -> None:
        self._check_scalars()
        offsets = self._check_lanes()
        self._check_use()
        below = stays_below(self._facts, self._divisibility, offsets)
        if offsets.kind is Kind.WRAPPED:
            self._check_start(offsets)
        value = self._check_truth(offsets, below)
        if offsets.kind is Kind.WRAPPED and below is None:
            self._check_news(offsets, value)
        self._write(offsets, value, below)
        if self._launches:
            self._checklist.assume(
                "no-other-launches", "files that were not given launch it in no other way"
            )
        if self._sizes:
            names = ", ".join(sorted(self._sizes))
            self._checklist.assume("sizes-are-positive", f"{names} at least 1")

    def _check_scalars(self) -> None:
        caller = self._facts.launches.caller
        if caller is not None:
            detail = f"{caller.name} calls this function, and may pass tiles for its parameters"
            raise unknown("parameters-are-scalars", "parameters-may-be-tiles", detail)
        why = self._facts.launches.unknown
        if why:
            self._checklist.assume(
                "parameters-are-scalars", f"{why}; no call by other jit code is in this file"
            )

    def _check_lanes(self) -> Offsets:
        try:
            offsets = read_offsets(self._facts, self._wrap.value)
        except NotConsecutive as error:
            raise unknown(
                "lanes-are-consecutive", "lanes-are-not-consecutive", str(error)
            ) from error
        start = offsets.start.readable
        self._checklist.prove("lanes-are-consecutive", f"{start} + lane before it is wrapped")
        return offsets

    def _check_use(self) -> None:
        """The offsets must be those of neighbouring elements in memory."""
        claim, reason = "is-contiguous-in-memory", "stride-is-not-one"
        strided = ""
        for stride in strides(self._facts, self._wrap.value):
            proof = self._is_one(stride) if stride is not None else None
            if proof is not None:
                self._prove(claim, "added to a pointer as they are", proof)
                return
            if stride is None:
                strided = (
                    strided or "an address is computed from them, but they are not added to it"
                )
            elif not strided:
                strided = f"they are multiplied by {stride.readable}"
                if self._may_be_given(fact := f"{stride.readable} == 1"):
                    strided += f"; if that is always 1, give --assume '{fact}'"
        if not strided:
            detail = "no load or store takes its address from them"
            raise refuted("is-an-address", "not-an-address", detail)
        raise unknown(claim, reason, strided)

    def _is_one(self, stride: Polynomial) -> Proof | None:
        if stride == ONE:
            return Proof()
        above = self._facts.assumptions.nonnegative(stride - 1)
        below = self._facts.assumptions.nonnegative(ONE - stride)
        if above is not None and below is not None:
            return Proof(given=tuple(dict.fromkeys((above, below))))
        worlds = self._divisibility.worlds
        if worlds and all(substitute(stride, world) == ONE for world in worlds):
            return Proof(launches=tuple(dict.fromkeys(world.launch for world in worlds)))
        return None

    def _check_start(self, offsets: Offsets) -> None:
        claim, reason = "is-not-negative", "may-be-negative"
        fine, sizes, proof = self._kernel.is_nonnegative(offsets.start)
        if not fine:
            detail = (
                f"{offsets.start.readable} may be negative, and `%` then leaves a negative rest: "
                "-2 % 100 is -2"
            )
            raise unknown(claim, reason, detail)
        self._sizes = sizes
        self._prove(claim, f"{offsets.start.readable} is at least 0", proof)

    def _check_truth(self, offsets: Offsets, below: Proof | None) -> Polynomial:
        """The widest hint that is true."""
        claim = "hint-is-true"
        extent, limit = offsets.extent, offsets.limit
        assert limit is not None
        found: tuple[Polynomial, Proof] | None = None
        if below is not None or offsets.kind is Kind.WRAPPED:
            ends = [offsets.start] if below is not None else [offsets.start, limit]
            found = self._widest(extent, ends)
        if found is None:
            raise self._false(offsets)
        value, proof = found
        number = value.constant_value
        if number is not None and value != extent and number < self._least:
            detail = (
                f"groups of {number} lanes are all that is shown, and a hint replaces what the "
                f"compiler finds by itself: where {limit.readable} happens to be a multiple of 16, "
                f"loads of small types would become narrower (option least={number})"
            )
            raise refuted("cannot-narrow", "would-narrow", detail)
        detail = f"{value.readable} divides {offsets.start.readable}"
        if below is None:
            detail += f" and {limit.readable}"
        else:
            detail = "" if offsets.start.is_zero else f"{detail}, and "
            detail += f"every lane is below {limit.readable}"
            proof = proof & below
        self._prove(claim, detail, proof)
        return value

    def _widest(
        self, extent: Polynomial, ends: Sequence[Polynomial]
    ) -> tuple[Polynomial, Proof] | None:
        numbers = [2**power for power in range(WIDEST.bit_length() - 1, 0, -1)]
        for value in (extent, *map(Polynomial.constant, numbers)):
            proof: Proof | None = Proof()
            for form in (extent, *ends):
                shown = self._divisibility.proof(value, form)
                proof = proof & shown if proof is not None and shown is not None else None
            if proof is not None and value != ONE:
                return value, proof
        return None

    def _false(self, offsets: Offsets) -> Declined:
        """Why no hint is written: with numbers for which it would be false, if there are any."""
        claim, reason = "hint-is-true", "hint-can-be-false"
        extent = offsets.extent
        promise = promise_about(self._facts, self._wrap.value, offsets.axis, extent, extent, extent)
        try:
            text = find_counterexample(self._facts, self._divisibility, promise)
        except CannotTell:
            text = ""
        assert offsets.limit is not None
        length, lanes = offsets.limit.readable, offsets.extent.readable
        if not text:
            unshown = f"nothing shows that {lanes} divides {offsets.start.readable} and {length}"
            if offsets.kind is Kind.SELECTED:
                unshown = f"nothing shows that every lane is below {length}"
            return unknown(claim, "not-shown", unshown)
        if offsets.kind is Kind.SELECTED:
            return refuted(claim, reason, text)
        named = (form.sole_atom for form in (offsets.limit, extent))
        if all(atom is not None and atom.tag == "param" for atom in named):
            fact = f"{length} % {lanes} == 0"
            if self._may_be_given(fact):
                text += f"; if {length} is always a multiple of {lanes}, give --assume '{fact}'"
        return refuted(claim, reason, text)

    def _may_be_given(self, fact: str) -> bool:
        """Whether it can be assumed, and the hint could be written then."""
        return self._advises and is_worth_assuming(
            self._facts,
            fact,
            lambda facts: any(
                not _Insertion(kernel, wrap, self._least, advises=False).site().failed
                for kernel in [_Kernel(facts)]
                for wrap in kernel.wraps
                if wrap.places == self._wrap.places
            ),
        )

    def _check_news(self, offsets: Offsets, value: Polynomial) -> None:
        """Whether the compiler does not see as much by itself."""
        claim, reason = "compiler-does-not-know", "compiler-knows"
        assert offsets.limit is not None
        names = {p.name for p in self._facts.kernel.parameters if p.constexpr}
        static = all(
            atom.tag == "global" or (atom.tag == "param" and atom.arguments[0] in names)
            for atom in offsets.limit.atoms
        )
        proof = self._divisibility.proof(value, offsets.limit)
        if static or (proof is not None and proof.is_arithmetic):
            length = offsets.limit.readable
            detail = f"the compiler knows of {length} what it needs, and sees it through the `%`"
            raise refuted(claim, reason, detail)
        self._checklist.prove(claim, "the kernel's own text does not show it")

    # Writing

    def _write(self, offsets: Offsets, value: Polynomial, below: Proof | None) -> None:
        for place in self._wrap.places:
            self._changes.append(self._change(place, offsets, value, below))

    def _change(
        self, place: ast.expr, offsets: Offsets, value: Polynomial, below: Proof | None
    ) -> Change:
        writer = self._writer
        statement = self._kernel.statement(place)
        environment = self._facts.before[statement]
        number = self._spelled(value, environment)
        self._value = number
        given = self._per_axis(number, offsets)
        functions = writer.language("max_contiguous"), writer.language("multiple_of")

        def hinted(text: str) -> str:
            return f"{functions[0]}({functions[1]}({text}, {given}), {given})"

        name = _bound_name(statement, place)
        if name is None:
            text = self._facts.kernel.module.text_of(place)
            return ReplaceExpression(place, hinted(text))
        comment = self._comment(place, offsets, number, below)
        return InsertAfter(statement, f"{comment}\n{name} = {hinted(name)}")

    def _spelled(self, value: Polynomial, environment: Environment) -> str:
        """A hint's value, which must be a number that the compiler knows."""
        if value.constant_value is not None:
            return value.readable
        forms = self._facts.forms

        def wanted(candidate: Value) -> bool:
            return (
                self._facts.binding_times.of(candidate) == "static" and forms.of(candidate) == value
            )

        ends = [
            node
            for call in self._facts.values
            if isinstance(call, ast.Call) and self._kernel.function(call) == "arange"
            for node in (*call.args, *(keyword.value for keyword in call.keywords))
        ]
        found = self._writer.find(wanted, environment, ends)
        if found is None:
            raise NotExpressible(f"{value.readable} has no name here")
        return self._writer.text(found)

    def _per_axis(self, number: str, offsets: Offsets) -> str:
        rank = self._wrap.value.rank
        assert rank is not None
        if rank == 1:
            return number
        values = [number if rank - 1 - place == offsets.axis else "1" for place in range(rank)]
        return f"[{', '.join(values)}]"

    def _comment(self, place: ast.expr, offsets: Offsets, number: str, below: Proof | None) -> str:
        assert offsets.limit is not None
        length = "the length"
        if isinstance(place, ast.BinOp):
            length = " ".join(self._writer.text(place.right).split())
        elif all(atom.tag == "param" for atom in offsets.limit.atoms):
            length = offsets.limit.readable
        if offsets.kind is Kind.SELECTED:
            return f"# True as long as every lane is below {length}, so that none is left out."
        if below is not None:
            return f"# True as long as no lane reaches {length}."
        if number.isdigit() and offsets.extent.constant_value is None:
            lanes = offsets.extent.readable
            return f"# True as long as {length} and {lanes} are multiples of {number}."
        return f"# True as long as {length} is a multiple of {number}."


def _bound_name(statement: ast.stmt, place: ast.expr) -> str | None:
    """The name that a statement binds to just this expression."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is place:
            return name
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is place:
            return name
        case ast.AugAssign(target=ast.Name(id=name) as target) if target is place:
            return name
    return None
