"""Other values than those that a search came upon: numbers, tensors, what is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tritonopt.verification.settling.candidates import either_form, free_numbers, variations
from tritonopt.verification.settling.wider_forms import with_leading
from tritonopt.verification.signature.argument_language import (
    FLOATS,
    Argument,
    ChoiceArgument,
    Signature,
    TensorArgument,
)
from tritonopt.verification.signature.inference import InferredSignature

_MOST_SHAPES = 3


@dataclass(frozen=True)
class OtherValues:
    """What else a launcher takes, one parameter after the other."""

    reading: InferredSignature
    good: Callable[[Signature], bool]
    """Whether the original takes it."""
    put: Callable[[Signature, Argument], Signature]
    """The signature with one argument more, or another one in its place."""
    spent: Callable[[], bool]
    """Whether enough was tried."""

    def beside(self, signature: Signature) -> Signature:
        """The signature with all of them."""
        return self.in_either_form(self.varied(self.with_numbers(signature)))

    def with_numbers(self, signature: Signature) -> Signature:
        """With numbers that are no sizes, where they are taken as well."""
        for numbers in free_numbers(self.reading, signature):
            # One after the other: what two are together may matter.
            if all(self._takes(signature, numbers.name, value) for value in numbers.values):
                signature = self.put(signature, numbers)
        return signature

    def varied(self, signature: Signature) -> Signature:
        """With values for what has defaults, as far as the original takes them."""
        for name, forms in variations(self.reading, signature):
            values: list[object] = []
            for form in forms:
                if self.spent():
                    return signature
                if isinstance(form, TensorArgument):
                    if any(value is not None for value in values):
                        break
                    if self._takes_both(signature, form):
                        signature = self.put(signature, form)
                        break
                elif isinstance(form, ChoiceArgument):
                    for value in [v for v in form.values if v not in values]:
                        if self._takes(signature, name, value):
                            values.append(value)
                        elif (
                            wider := self._fitting(signature, name, (*values, value))
                        ) is not None:
                            signature = wider
                            values.append(value)
            if len(values) > 1:
                signature = self.put(signature, ChoiceArgument(name, tuple(values)))
        return signature

    def in_either_form(self, signature: Signature) -> Signature:
        """With numbers beside tensors, and tensors beside numbers, where both are taken."""
        for name, forms in either_form(self.reading, signature):
            for form in forms:
                if self.spent():
                    return signature
                wider = form
                if isinstance(signature.get(name), TensorArgument):
                    taken = (n for n in form.numbers if self._takes(signature, name, n))
                    wider = replace(form, numbers=tuple(taken))
                elif not self.good(self.put(signature, replace(form, numbers=()))):
                    continue
                signature = self.put(signature, wider)
                break
        return signature

    def _fitting(
        self, signature: Signature, name: str, values: Sequence[object]
    ) -> Signature | None:
        """With more or fewer dimensions for some tensor of floats, where that goes with all values.

        Of a mean the gradient is one number, and of what is not reduced one for each row. What says
        which dimension is meant asks for no others.
        """
        ranked = self.reading.ranked
        floats = [t for t in signature.tensors if t.dtypes[0] in FLOATS and t.name not in ranked]
        plain = len(values) > 1 and not name.lower().startswith(("dim", "axis"))
        for tensor in floats if plain else ():
            others = {s: None for s in signature.shapes if s and len(s) != len(tensor.shape)}
            for shape in list(others)[:_MOST_SHAPES]:
                if self.spent():
                    return None
                wider = self.put(signature, replace(tensor, shape=shape))
                if all(self._takes(wider, name, value) for value in reversed(values)):
                    return wider
        return None

    def _takes_both(self, signature: Signature, form: TensorArgument) -> bool:
        """A tensor, and None: that of the two which the signature does not have so far."""
        if isinstance(signature.get(form.name), TensorArgument):
            return self._takes(signature, form.name, None)
        return self.good(self.put(signature, replace(form, optional=False)))

    def _takes(self, signature: Signature, name: str, value: object) -> bool:
        """A value, with any leading dimensions or with one that has the sizes of all others."""
        wanted = self.put(signature, ChoiceArgument(name, (value,)))
        names = {size for shape in wanted.shapes for size in shape}
        one = [n for n in "mblkcdpqrs" if n not in names][:1]
        if self.good(wanted) or ("..." in names and self.good(with_leading(wanted, one))):
            return True
        # Of several that may be left out one is asked for.
        filled = _with_others_given(signature)
        return value is None and filled != signature and self._takes(filled, name, None)


def _with_others_given(signature: Signature) -> Signature:
    """With another value in the place of each None that comes first."""

    def given(argument: Argument) -> Argument:
        values = argument.values if isinstance(argument, ChoiceArgument) else ()
        several = len(values) > 1 and values[0] is None
        return ChoiceArgument(argument.name, (*values[1:], None)) if several else argument

    return replace(signature, arguments=tuple(map(given, signature.arguments)))
