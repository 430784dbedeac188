"""How wide a hint is true of wrapped offsets, and what that rests on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts import AssumptionError, KernelFacts, Polynomial, Value, parse_assumption
from tritonopt.facts import of as facts_of
from tritonopt.facts.algebra.atoms import Global, Param
from tritonopt.facts.algebra.divisibility import Proof, substitute
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.memory.offsets import (
    Kind,
    NotConsecutive,
    Offsets,
    read_offsets,
    stays_below,
)
from tritonopt.passes.contiguity_hints.counterexamples import (
    CannotTell,
    find_counterexample,
    promise_about,
)
from tritonopt.passes.contiguity_hints.hints import strides
from tritonopt.passes.contiguity_hints.wrapped_offsets import Wrap, WrappedOffsets
from tritonopt.source import Change, InsertAfter, ReplaceExpression

WIDEST = 1024
"""The largest number that is tried as a hint."""


@dataclass(frozen=True)
class Promise:
    """Each so many lanes of wrapped offsets are consecutive and start at a multiple of as many."""

    wrap: Wrap
    offsets: Offsets
    width: Polynomial
    is_never_wrapped: bool
    """Every lane stays below what the offsets would be wrapped at."""
    by_launch: bool
    """The launches show a part of it."""
    sizes: frozenset[str]
    """What is taken to be positive for it."""

    def assume(self, attempt: Attempt) -> None:
        """Say what is taken for granted."""
        if self.by_launch:
            attempt.assume_no_other_launches()
        if self.sizes:
            names = ", ".join(sorted(self.sizes))
            attempt.assume("sizes-are-positive", f"{names} at least 1")


def prove_promise(
    kernel: WrappedOffsets,
    wrap: Wrap,
    least: int,
    attempt: Attempt,
    helps: Callable[[str], bool],
) -> Promise:
    """The widest promise that is true, of at least so many lanes where it could narrow a load.

    `helps` says of a fact whether the promise could be made if it were given. Raises Declined, and
    TooLarge.
    """
    return _Legality(kernel, wrap, least, attempt, helps).check()


class _Legality:
    """One wrapped or selected value without a hint, condition by condition."""

    def __init__(
        self,
        kernel: WrappedOffsets,
        wrap: Wrap,
        least: int,
        attempt: Attempt,
        helps: Callable[[str], bool],
    ) -> None:
        self._kernel = kernel
        self._facts = kernel.facts
        self._divisibility = kernel.divisibility
        self._wrap = wrap
        self._least = least
        self._attempt = attempt
        self._helps = helps

    def check(self) -> Promise:
        self._check_scalars()
        offsets = self._check_lanes()
        proofs = [self._check_use()]
        below = stays_below(self._facts, self._divisibility, offsets)
        sizes: frozenset[str] = frozenset()
        if offsets.kind is Kind.WRAPPED:
            sizes, not_negative = self._check_start(offsets)
            proofs.append(not_negative)
        width, true = self._check_truth(offsets, below)
        proofs.append(true)
        if offsets.kind is Kind.WRAPPED and below is None:
            self._check_news(offsets, width)
        by_launch = any(proof.launches for proof in proofs)
        return Promise(self._wrap, offsets, width, below is not None, by_launch, sizes)

    def _prove(self, claim: str, detail: str, proof: Proof) -> None:
        because = f" ({proof.because})" if proof.because else ""
        self._attempt.prove(claim, detail + because, proof.given)

    def _check_scalars(self) -> None:
        caller = self._facts.launches.caller
        if caller is not None:
            detail = f"{caller.name} calls this function, and may pass tiles for its parameters"
            raise unknown("launches-are-seen", "called-from-a-kernel", detail)
        why = self._facts.launches.unknown
        if why:
            self._attempt.assume(
                "launches-are-seen", f"{why}; no call by other jit code is in this file"
            )

    def _check_lanes(self) -> Offsets:
        try:
            offsets = read_offsets(self._facts, self._wrap.value)
        except NotConsecutive as error:
            raise unknown("hint-is-true", "not-shown", str(error)) from error
        start = offsets.start.readable
        self._attempt.prove("hint-is-true", f"{start} + lane before it is wrapped")
        return offsets

    def _check_use(self) -> Proof:
        """The offsets must be those of neighboring elements in memory."""
        claim, reason = "hint-is-true", "not-shown"
        strided = ""
        for stride in strides(self._facts, self._wrap.value):
            proof = self._is_one(stride) if stride is not None else None
            if proof is not None:
                self._prove(claim, "added to a pointer unscaled", proof)
                return proof
            if stride is None:
                strided = (
                    strided or "an address is computed from them, but they are not added to it"
                )
            elif not strided:
                strided = f"they are multiplied by {stride.readable}"
                if self._helps(fact := f"{stride.readable} == 1"):
                    strided += f"; if that is always 1, give --assume '{fact}'"
        if not strided:
            detail = "no load or store takes its address from them"
            raise refuted("hint-is-true", "not-shown", detail)
        raise unknown(claim, reason, strided)

    def _is_one(self, stride: Polynomial) -> Proof | None:
        if stride == ONE:
            return Proof()
        above = self._facts.assumptions.nonnegative(stride - 1)
        below = self._facts.assumptions.nonnegative(ONE - stride)
        if above is not None and below is not None:
            return Proof(given=tuple(dict.fromkeys((above, below))))
        bindings = self._divisibility.bindings
        if bindings and all(substitute(stride, binding) == ONE for binding in bindings):
            return Proof(launches=tuple(dict.fromkeys(binding.launch for binding in bindings)))
        return None

    def _check_start(self, offsets: Offsets) -> tuple[frozenset[str], Proof]:
        """The sizes that are taken to be positive for it, and why it holds."""
        claim, reason = "hint-is-true", "not-shown"
        fine, sizes, proof = self._kernel.is_nonnegative(offsets.start)
        if not fine:
            detail = (
                f"{offsets.start.readable} may be negative, and the result of `%` is then "
                "negative: -2 % 100 is -2"
            )
            raise unknown(claim, reason, detail)
        self._prove(claim, f"{offsets.start.readable} is at least 0", proof)
        return sizes, proof

    def _check_truth(self, offsets: Offsets, below: Proof | None) -> tuple[Polynomial, Proof]:
        """The widest hint that is true, and why it is."""
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
                f"only groups of {number} lanes are proved, and a hint replaces what the "
                f"compiler finds itself: where {limit.readable} happens to be a multiple of 16, "
                f"loads of small types would become narrower (option least={number})"
            )
            raise refuted("hint-is-useful", "hint-narrows", detail)
        detail = f"{value.readable} divides {offsets.start.readable}"
        if below is None:
            detail += f" and {limit.readable}"
        else:
            detail = "" if offsets.start.is_zero else f"{detail}, and "
            detail += f"every lane is below {limit.readable}"
            proof = proof & below
        self._prove(claim, detail, proof)
        return value, proof

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
            unshown = f"it is not proved that {lanes} divides {offsets.start.readable} and {length}"
            if offsets.kind is Kind.SELECTED:
                unshown = f"it is not proved that every lane is below {length}"
            return unknown(claim, "not-shown", unshown)
        if offsets.kind is Kind.SELECTED:
            return refuted(claim, reason, text)
        named = (form.sole_atom for form in (offsets.limit, extent))
        if all(isinstance(atom, Param) for atom in named):
            fact = f"{length} % {lanes} == 0"
            if self._helps(fact):
                text += f"; if {length} is always a multiple of {lanes}, give --assume '{fact}'"
        return refuted(claim, reason, text)

    def _check_news(self, offsets: Offsets, value: Polynomial) -> None:
        """Whether the compiler does not see as much by itself."""
        claim, reason = "hint-is-useful", "compiler-knows"
        assert offsets.limit is not None
        names = {p.name for p in self._facts.kernel.parameters if p.constexpr}
        static = all(
            isinstance(atom, Global) or (isinstance(atom, Param) and atom.name in names)
            for atom in offsets.limit.atoms
        )
        proof = self._divisibility.proof(value, offsets.limit)
        if static or (proof is not None and proof.is_arithmetic):
            length = offsets.limit.readable
            detail = f"the compiler knows {length}, and needs no hint after the `%`"
            raise refuted(claim, reason, detail)
        self._attempt.prove(claim, "the kernel's own text does not show it")


# Writes the hints that are true of wrapped offsets, behind each place that computes them


@dataclass(frozen=True)
class Hint:
    """Code that makes a promise."""

    width: str
    changes: tuple[Change, ...]


def hint_for(
    kernel: WrappedOffsets, wrap: Wrap, least: int, attempt: Attempt, *, advises: bool = True
) -> Hint | None:
    """The hint for wrapped offsets; None where the attempt ends with what forbids it.

    With `advises` it is tried which facts, if the user gave them, would permit it.
    """

    def could_be_written(facts: KernelFacts) -> bool:
        given = WrappedOffsets(facts)
        same = (other for other in given.wraps if other.places == wrap.places)
        return any(hint_for(given, w, least, Attempt(), advises=False) for w in same)

    def helps(fact: str) -> bool:
        return advises and _is_worth_assuming(kernel.facts, fact, could_be_written)

    hint: Hint | None = None
    with attempt:
        promise = prove_promise(kernel, wrap, least, attempt, helps)
        code = _Code(kernel, promise)
        written = [code.at(place) for place in wrap.places]
        promise.assume(attempt)
        hint = Hint(written[-1][0], tuple(change for _, change in written))
    return hint


class _Code:
    """The words for a promise."""

    def __init__(self, kernel: WrappedOffsets, promise: Promise) -> None:
        self._kernel = kernel
        self._facts = kernel.facts
        self._promise = promise
        self._writer = Writer(kernel.facts)

    def at(self, place: ast.expr) -> tuple[str, Change]:
        """The width as the kernel spells it there, and the change."""
        statement = self._kernel.statement(place)
        number = self._spelled(self._promise.width, self._facts.before[statement])
        given = self._per_axis(number)
        language = self._writer.language
        functions = language("max_contiguous"), language("multiple_of")

        def hinted(text: str) -> str:
            return f"{functions[0]}({functions[1]}({text}, {given}), {given})"

        name = _bound_name(statement, place)
        if name is None:
            text = self._facts.kernel.module.text_of(place)
            return number, ReplaceExpression(place, hinted(text))
        comment = self._comment(place, number)
        return number, InsertAfter(statement, f"{comment}\n{name} = {hinted(name)}")

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

    def _per_axis(self, number: str) -> str:
        rank, axis = self._promise.wrap.value.rank, self._promise.offsets.axis
        assert rank is not None
        if rank == 1:
            return number
        values = [number if rank - 1 - place == axis else "1" for place in range(rank)]
        return f"[{', '.join(values)}]"

    def _comment(self, place: ast.expr, number: str) -> str:
        """What the promise rests on, for nobody checks it at run time."""
        offsets = self._promise.offsets
        assert offsets.limit is not None
        length = "the length"
        if isinstance(place, ast.BinOp):
            length = " ".join(self._writer.text(place.right).split())
        elif all(isinstance(atom, Param) for atom in offsets.limit.atoms):
            length = offsets.limit.readable
        if offsets.kind is Kind.SELECTED:
            return f"# True if every lane is below {length}, so that no lane is masked off."
        if self._promise.is_never_wrapped:
            return f"# True if no lane reaches {length}."
        if number.isdigit() and offsets.extent.constant_value is None:
            lanes = offsets.extent.readable
            return f"# True if {length} and {lanes} are multiples of {number}."
        return f"# True if {length} is a multiple of {number}."


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


def _is_worth_assuming(known: KernelFacts, fact: str, helps: Callable[[KernelFacts], bool]) -> bool:
    """Whether `--assume FACT` is accepted of this kernel, speaks of its parameters, and helps.

    `helps` is asked about the same kernel with the fact given.
    """
    try:
        assumption = parse_assumption(fact)
        names = {parameter.name for parameter in known.kernel.parameters}
        if not assumption.names or not assumption.names <= names:
            return False
        return helps(facts_of(known.kernel, (*known.assumptions.given, assumption)))
    except AssumptionError:
        return False
