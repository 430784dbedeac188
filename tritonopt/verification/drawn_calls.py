"""Which calls are drawn: what the backend has room for, and what the original bears."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tritonopt import source
from tritonopt.verification.comparison.compare import Pair, unstable
from tritonopt.verification.comparison.versions import MOST_WORK
from tritonopt.verification.coverage.text_sizes import block_sizes, whole_numbers
from tritonopt.verification.inputs.examples import (
    FLOAT_VALUES,
    ROW_GAP,
    TRANSPOSED,
    Example,
    Limits,
)
from tritonopt.verification.inputs.plain_examples import small_example
from tritonopt.verification.process.client import Died, Refusal, VersionWorker
from tritonopt.verification.process.messages import TOO_LONG, RunOptions
from tritonopt.verification.signature.argument_language import DTYPES, Signature

if TYPE_CHECKING:
    from tritonopt.verification.inputs.strategies import Calls


def limits_on(backend: str, modules: Sequence[source.Module]) -> Limits:
    """How large calls are on a backend, and what sizes the files mention."""
    numbers = {number for module in modules for number in whole_numbers(module)}
    types = frozenset(DTYPES)
    blocks, counts = block_sizes(numbers), tuple(sorted(numbers))
    if backend == "interpreter":
        few = tuple(sorted(b for b in blocks if b <= 2**12))
        return Limits(_interpreted_elements(few), 8, types, few, counts)
    # Nothing is run by `compile`: sizes matter only as far as the compiler is told of them.
    elements, rows = (2**14, 8) if backend == "compile" else (2**22, 2**12)
    return Limits(elements, rows, types, tuple(sorted(blocks)), counts)


def _interpreted_elements(blocks: tuple[int, ...]) -> int:
    """How large a tensor may be on the interpreter, where every operation takes 0.1 ms.

    Enough for two tiles of the largest block, and not too many tiles of the smallest.
    """
    if not blocks:
        return 2**10
    return min(2**13, max(2**9, 12 * blocks[0], 2 * blocks[-1] + 64))


def left_out_types(signature: Signature, limits: Limits, notes: list[str]) -> str:
    """Note which types the backend leaves out; why nothing can be drawn, where none is left."""
    for tensor in signature.tensors:
        usable = tuple(d for d in tensor.dtypes if d in limits.dtypes)
        if not usable:
            return (
                f"`{tensor}`: this backend has none of these types; verify on a GPU "
                "(--backend cuda) or give another type"
            )
        if usable != tensor.dtypes:
            left = ", ".join(d for d in tensor.dtypes if d not in usable)
            notes.append(f"{left} was left out: this backend does not have it")
    return ""


_FEW = 50
"""Fewer draws than that may leave out whole kinds of what is drawn."""


def untried(
    signature: Signature, limits: Limits, examples: Iterable[Example], asked: int
) -> list[str]:
    """Where few calls were asked for, what none of those has that were compared, in one note."""
    if asked >= _FEW:
        return []
    every = [recipe for example in examples for recipe in example.tensors.items()]
    wanted: list[str] = []
    for tensor in signature.tensors:
        types = {recipe.dtype for name, recipe in every if name == tensor.name}
        wanted += [
            f"{d} for {tensor.name}" for d in tensor.dtypes if d in limits.dtypes and d not in types
        ]
    layouts = {recipe.layout for _, recipe in every}
    if any(tensor.strided and len(tensor.shape) > 1 for tensor in signature.tensors):
        wanted += [layout for layout in (ROW_GAP, TRANSPOSED) if layout not in layouts]
    values = {recipe.values for _, recipe in every if recipe.is_float}
    wanted += [v for v in FLOAT_VALUES if values and v not in values]
    missing = f"; not tried at all: {', '.join(wanted)}" if wanted else ""
    return [
        f"{asked} calls were requested in addition to the deliberate ones: rare combinations of "
        f"sizes, types, layouts and values were not tried{missing}"
    ]


@dataclass(frozen=True)
class Drawable:
    """Asks both versions, before anything is drawn, which kinds of calls can be compared."""

    original: VersionWorker
    rewritten: VersionWorker
    signature: Signature
    backward: bool
    notes: list[str]
    """What is found is said here."""

    def calls(self, limits: Limits, *, tuned: bool) -> Calls:
        """`tuned`: whether an autotuner may stand in either file."""
        from tritonopt.verification.inputs.strategies import Calls

        calls = Calls(self.signature, limits, self.backward)
        if tuned:
            calls = self._with_configurations(calls)
        if self.backward:
            calls = replace(calls, expanded_gradients=self._copes_with_expanded())
        return calls

    def _with_configurations(self, calls: Calls) -> Calls:
        """How many configurations there are, and whether first calls can be compared."""
        example = small_example(self.signature, backward=self.backward)
        try:
            workers = self.original, self.rewritten
            count = max(w.attempt(example).configurations for w in workers)
            if count == 1:
                return calls
            usual, first = (
                self.original.run(e, RunOptions(most_work=MOST_WORK))[0]
                for e in (example, replace(example, first_call=True))
            )
        except (Died, Refusal):
            return calls
        self.notes.append(f"autotuned: each of {count} configurations was a case of its own")
        if first.failure is None and unstable(Pair(usual, first)) is None:
            return replace(calls, configurations=count, first_calls=True)
        if first.failure is not None and first.failure.kind == TOO_LONG:
            self.notes.append(
                "a first call, in which the autotuner measures, takes the interpreter too long: "
                "none was compared"
            )
            return replace(calls, configurations=count)
        self.notes.append(
            "the original's first call, in which the autotuner measures, has another result than "
            "later ones (restore_value or reset_to_zero is missing): first calls were not compared"
        )
        return replace(calls, configurations=count)

    def _copes_with_expanded(self) -> bool:
        """Whether the original's backward takes the gradient that `y.sum()` gives."""
        example = small_example(self.signature, backward=True)
        example = replace(example, gradient_expanded=True)
        both = self.original.run(example, RunOptions(), RunOptions(poison=1))
        if any(outcome.trouble for outcome in both) or unstable(Pair(*both)) is not None:
            self.notes.append(
                "the original's backward takes incoming gradients to be contiguous: expanded "
                "ones, as `y.sum().backward()` gives them, were not drawn"
            )
            return False
        return True
