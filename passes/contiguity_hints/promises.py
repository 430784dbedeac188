"""How wide a hint is true of wrapped offsets, and what that rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.facts import Polynomial
from tritonopt.facts.algebra.atoms import Global, Param
from tritonopt.facts.algebra.divisibility import Proof, substitute
from tritonopt.facts.algebra.polynomial import ONE
from tritonopt.facts.memory.counterexamples import CannotTell, find_counterexample, promise_about
from tritonopt.facts.memory.hints import strides
from tritonopt.facts.memory.offsets import (
    Kind,
    NotConsecutive,
    Offsets,
    read_offsets,
    stays_below,
)
from tritonopt.passes.contiguity_hints.wrapped_offsets import Wrap, WrappedOffsets

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
                self._prove(claim, "added to a pointer as they are", proof)
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
                f"{offsets.start.readable} may be negative, and `%` then leaves a negative rest: "
                "-2 % 100 is -2"
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
                f"groups of {number} lanes are all that is shown, and a hint replaces what the "
                f"compiler finds by itself: where {limit.readable} happens to be a multiple of 16, "
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
            unshown = f"nothing shows that {lanes} divides {offsets.start.readable} and {length}"
            if offsets.kind is Kind.SELECTED:
                unshown = f"nothing shows that every lane is below {length}"
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
            detail = f"the compiler knows of {length} what it needs, and sees it through the `%`"
            raise refuted(claim, reason, detail)
        self._attempt.prove(claim, "the kernel's own text does not show it")
