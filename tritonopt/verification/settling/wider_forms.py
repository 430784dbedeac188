"""What more a launcher takes than the plainest call that works: dimensions, types, values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tritonopt.verification.settling.candidates import either_form, free_numbers, variations
from tritonopt.verification.signature.argument_language import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    Argument,
    ChoiceArgument,
    Dimension,
    SequenceArgument,
    Signature,
    TensorArgument,
)
from tritonopt.verification.signature.evidence import Evidence
from tritonopt.verification.signature.inference import InferredSignature

_DEEP = 3
"""A tensor with so many dimensions has some behind the first ones already."""


def raised(
    signature: Signature,
    evidence: Mapping[str, Evidence],
    taken: Callable[[Signature], int],
    stable: Callable[[Signature], bool],
) -> Signature:
    """With any leading dimensions where the code counts dimensions from the last one alone.

    All tensors of one shape alike, or these alone: if the original takes as many sizes (`taken`) as
    without, and its result does not depend on what memory held before (`stable`).
    """
    asked = ((t, evidence.get(t.name)) for t in signature.tensors)
    last = {
        t.name: t.shape
        for t, e in asked
        if e is not None and e.least_rank and not (e.from_start or e.rank or e.annotated)
    }
    for shape in dict.fromkeys(s for s in last.values() if "..." not in s):
        alike = {t.name for t in signature.tensors if t.shape == shape}
        for names in (alike, {n for n, s in last.items() if s == shape}):
            wider = _leading_before(signature, names)
            if taken(wider) >= taken(signature) > 0 and stable(wider):
                signature = wider
                break
    return signature


def deepened(
    signature: Signature,
    evidence: Mapping[str, Evidence],
    taken: Callable[[Signature], int],
    stable: Callable[[Signature], bool],
) -> Signature:
    """With one dimension more behind the others, where the code views what is there as one.

    A launcher that takes pictures takes what has no pixels as well, but then nothing is long.
    """
    for tensor in signature.tensors:
        said = evidence.get(tensor.name)
        if said is None or not said.merged or said.rank is not None or said.annotated is not None:
            continue
        if not 0 < len(tensor.shape) < _DEEP or "..." in tensor.shape:
            continue
        free = next(n for n in "nkldpqrs" if n not in signature.size_names)
        deeper = replace(tensor, shape=(*tensor.shape, free))
        arguments = (deeper if a is tensor else a for a in signature.arguments)
        wider = replace(signature, arguments=tuple(arguments))
        if taken(wider) >= taken(signature) > 0 and stable(wider):
            signature = wider
    return signature


def with_rows(
    signature: Signature,
    taken: Callable[[Signature], int],
    stable: Callable[[Signature], bool],
) -> Signature:
    """With several rows where one was found: a vector, and beside it a tensor of one element.

    How many rows there are is then the size of what had one element for the vector.
    """
    single = {t.name for t in signature.tensors if t.shape == (1,)}
    vectors = [t for t in signature.tensors if len(t.shape) == 1 and _is_name(t.shape[0])]
    free = next((n for n in "mnblkcdpqrs" if n not in signature.size_names), None)
    if not single or free is None or any(len(shape) > 1 for shape in signature.shapes):
        return signature
    for vector in vectors:
        for high in (vector.shape[0], None):

            def changed(
                tensor: TensorArgument,
                vector: TensorArgument = vector,
                high: Dimension | None = high,
            ) -> TensorArgument:
                if tensor.name in single:
                    bound = tensor.high if high is None or tensor.high is None else high
                    return replace(tensor, shape=(free,), high=bound)
                return replace(tensor, shape=(free, *tensor.shape)) if tensor is vector else tensor

            wider = with_tensors(signature, changed)
            if taken(wider) >= taken(signature) > 0 and stable(wider):
                return wider
    return signature


def numbered_once(
    signature: Signature,
    whole: Callable[[Signature], bool],
    racing: Callable[[Signature, str], bool],
) -> Signature:
    """With each number once in what programs store by, where two of the same are a race.

    If the original takes that on `whole` the sizes there are. `racing` says of a signature whether
    programs overwrite each other where the tensor of that name holds one number everywhere.
    """
    for tensor in signature.tensors:
        if tensor.dtypes[0] in INTEGERS and not tensor.kind and racing(signature, tensor.name):
            for form in each_once(tensor):
                distinct = _with_form(signature, form)
                if whole(distinct):
                    signature = distinct
                    break
    return signature


def _with_form(signature: Signature, form: TensorArgument) -> Signature:
    return with_tensors(signature, lambda tensor: form if tensor.name == form.name else tensor)


def each_once(tensor: TensorArgument) -> Iterator[TensorArgument]:
    """The tensor with every number once in it; of several dimensions the first one may be meant."""
    if tensor.dtypes[0] in INTEGERS and not tensor.kind and tensor.shape:
        numbered = replace(tensor, low=0, high=None, kind="permutation")
        yield numbered
        if len(tensor.shape) > 1 and tensor.shape[0] != "...":
            yield replace(numbered, shape=tensor.shape[:1])


def _is_name(dimension: Dimension) -> bool:
    return isinstance(dimension, str) and dimension.isidentifier()


def _leading_before(signature: Signature, names: Collection[str]) -> Signature:
    """With any dimensions before those that these tensors have."""
    return with_tensors(
        signature, lambda t: replace(t, shape=("...", *t.shape)) if t.name in names else t
    )


def with_complex(signature: Signature, *, beside: bool) -> Signature:
    """With complex numbers in all tensors of floats, alone or `beside` their other types."""

    def changed(tensor: TensorArgument) -> TensorArgument:
        if tensor.dtypes[0] not in FLOATS:
            return tensor
        return replace(tensor, dtypes=(*(tensor.dtypes if beside else ()), COMPLEX))

    return with_tensors(signature, changed)


def with_tensors(
    signature: Signature, changed: Callable[[TensorArgument], TensorArgument]
) -> Signature:
    """With other forms for the tensors, those in lists included."""

    def of(argument: Argument) -> Argument:
        if isinstance(argument, SequenceArgument):
            return argument.with_parts(changed)
        return changed(argument) if isinstance(argument, TensorArgument) else argument

    return replace(signature, arguments=tuple(map(of, signature.arguments)))


def with_leading(signature: Signature, names: Sequence[str]) -> Signature:
    """With these dimensions in place of `...`."""

    def changed(tensor: TensorArgument) -> TensorArgument:
        shape = (s for d in tensor.shape for s in (names if d == "..." else (d,)))
        return replace(tensor, shape=tuple(shape))

    return with_tensors(signature, changed)


# Other values than those that a search came upon: numbers, tensors, what is left out.

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
