"""Forms that take more than the plainest call that works: dimensions before, complex numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from tritonopt.verification.signature.argument_language import (
    COMPLEX,
    FLOATS,
    Argument,
    SequenceArgument,
    Signature,
    TensorArgument,
)
from tritonopt.verification.signature.evidence import Evidence


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
