"""Whether the hints that an author has written are true, and worth having."""

from __future__ import annotations

import ast

from tritonopt.facts import Atom, Effect, Polynomial
from tritonopt.facts.algebra.atoms import Lane, Negative
from tritonopt.facts.algebra.polynomial import TooLarge, put_in
from tritonopt.facts.memory.counterexamples import CannotTell
from tritonopt.facts.memory.hints import Hinted, counterexample, is_address
from tritonopt.facts.memory.offsets import Kind, NotConsecutive, read_offsets
from tritonopt.passes.contiguity_hints.wrapped_offsets import WrappedOffsets
from tritonopt.rewriting.model import Condition, Site, Status

WIDEST_LOAD = 16
"""Elements of one load at the most: 16 bytes."""


def mistake_in(kernel: WrappedOffsets, hinted: Hinted) -> Site | None:
    """What to tell the author of hints; None where they are true, or cannot be judged."""
    return _Check(kernel, hinted).note()


class _Check:
    """The hints about one value."""

    def __init__(self, kernel: WrappedOffsets, hinted: Hinted) -> None:
        self._kernel = kernel
        self._facts = kernel.facts
        self._hinted = hinted

    def note(self) -> Site | None:
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
        return Site(anchor, (condition,), message, analysis=True, is_reported=dropping is None)

    def _dropping_store(self) -> Effect | None:
        """A store whose mask leaves out the lanes that are wrapped or not selected."""
        try:
            offsets = read_offsets(self._facts, self._hinted.value)
        except NotConsecutive:
            return None
        if offsets.limit is None:
            return None
        lanes = Polynomial.of(Lane(offsets.extent, 0))
        inside = Negative(_along_any_axis(offsets.start + lanes - offsets.limit))
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
                    return "hint-is-useful", "hint-is-malformed", detail
        if shape is None or len(shape) != len(self._hinted.contiguity):
            return None
        for extent, form in zip(shape, self._hinted.contiguity, strict=True):
            lanes = self._facts.forms.of(extent).constant_value
            number = form.constant_value if form is not None else None
            if lanes is not None and number is not None and number > lanes:
                detail = f"{number} lanes are promised of a tile that has {lanes}"
                return "hint-is-useful", "hint-is-malformed", detail
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
        return "hint-is-useful", "hint-narrows", detail


def _along_any_axis(form: Polynomial) -> Polynomial:
    """A form in which it does not matter along which axis lanes run."""

    def flat(atom: Atom) -> Atom | None:
        return Lane(atom.extent, 0) if isinstance(atom, Lane) else None

    return form.map(flat)
