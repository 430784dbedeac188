"""What a reference is called with by its own `get_inputs`, and what else it takes.

The sizes that are given are a beginning. Every other size is one that both the reference and the
candidate take: what the one refuses is no input, and what the other refuses before it launches
anything is left out with a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from tritonopt.verification.errors import VerificationError
from tritonopt.verification.inputs.examples import PATTERNS, Example, rising
from tritonopt.verification.process.client import Died, Refusal, VersionWorker
from tritonopt.verification.process.messages import Attempt, Outcome, RunOptions, VersionSpec
from tritonopt.verification.settling.trial import NothingWorks, Trial, _bounded
from tritonopt.verification.settling.wider_forms import Ties, with_tensors
from tritonopt.verification.signature.argument_language import (
    FLOATS,
    INTEGERS,
    Argument,
    ChoiceArgument,
    Dimension,
    SequenceArgument,
    Signature,
    TensorArgument,
)
from tritonopt.verification.signature.inference import InferredSignature
from tritonopt.verification.signature.launchers import Launcher

_NAMES = "mnkbchwdpqrsuvz"
_MOST_NAMES = 6
_NO_SUCH_RANGE = "range must be a power of 2"
"""What Triton says of `tl.arange(0, n)` when it compiles a kernel: it refuses the size."""
_EQUAL = (
    "sizes that get_inputs gives as equal were not drawn apart: the candidate would read or write "
    "outside of its memory"
)


class Remembering(VersionWorker):
    """A reference whose answers are kept: every candidate gets many of the same calls."""

    def __init__(self, spec: VersionSpec, timeout: float, remembered: dict[object, Any]) -> None:
        super().__init__(spec, timeout)
        self.known = remembered.setdefault(spec, {})
        self.asked: tuple[Example, tuple[RunOptions, ...]] | None = None

    def send_or_die(self, example: Example, options: tuple[RunOptions, ...]) -> None:
        self.asked = example, options
        if self.asked not in self.known:
            super().send_or_die(example, options)

    def receive(self, count: int, seconds: float | None = None) -> tuple[Outcome, ...]:
        asked = self.asked
        if asked in self.known:
            found: tuple[Outcome, ...] = self.known[asked]
            return found
        found = super().receive(count, seconds)
        if all(outcome.failure is None for outcome in found):
            self.known[asked] = found
        return found

    def attempt(self, example: Example) -> Attempt:
        if example not in self.known:
            self.known[example] = super().attempt(example)
        found: Attempt = self.known[example]
        return found


class Both(VersionWorker):
    """A reference and a candidate, asked like one original: what either refuses is refused.

    A candidate that fails once it has launched something is no reason to leave a call out.
    """

    def __init__(
        self, reference: VersionWorker, candidate: VersionWorker, *, within: bool = False
    ) -> None:
        """With `within`, a call in which the candidate leaves its memory is refused as well."""
        self.reference, self.candidate = reference, candidate
        self.spec = candidate.spec
        self.refused = (Attempt.FAILED, Attempt.OUTSIDE) if within else (Attempt.FAILED,)

    def attempt(self, example: Example) -> Attempt:
        ours = self.reference.attempt(example)
        if ours.level != Attempt.GOOD:
            return ours
        theirs = self.candidate.attempt(example)
        if theirs.level in self.refused:
            return theirs
        if theirs.level == Attempt.FAILED_AFTER_LAUNCH and _NO_SUCH_RANGE in theirs.trouble:
            return replace(theirs, level=Attempt.FAILED)  # no program has run
        return replace(ours, lines=theirs.lines, configurations=theirs.configurations)

    def run(self, example: Example, *options: RunOptions) -> tuple[Outcome, ...]:
        return self.reference.run(example, *options)

    def ask(self, request: str, *arguments: object) -> None:
        self.reference.ask(request, *arguments)

    def answer(self) -> Any:
        return self.reference.answer()


def usual(signature: Signature, *, layouts: bool = False) -> Signature:
    """In one type of floats, and without inf and NaN, of which hardly a kernel is meant to make
    what torch does; contiguous, as benchmarks pass them, or in every layout, for torch takes all.
    """

    def changed(form: TensorArgument) -> TensorArgument:
        bounded = form.kind or not set(form.dtypes) & {*FLOATS}
        kind = form.kind if bounded else "finite"
        return replace(form, kind=kind, strided=layouts, rows_only=False)

    # What torch takes beside, a row in place of several, it broadcasts.
    found = replace(with_tensors(signature, changed), one_type=True, forms=())
    return replace(found, contiguous=not layouts)


@dataclass(frozen=True)
class GivenInputs:
    """The inputs of one call, in words, with a name for every size."""

    arguments: tuple[Argument, ...]
    """Every dimension of their own has a name of its own."""
    sizes: Mapping[str, int]
    notes: tuple[str, ...] = ()

    @staticmethod
    def of(names: Sequence[str], inputs: Sequence[Any], path: str) -> GivenInputs:
        """`inputs` as `worker.reference` describes them. Raises VerificationError."""
        if len(inputs) > len(names):
            raise VerificationError(
                f"{path}: get_inputs gives {len(inputs)} values, and {len(names)} are taken"
            )
        free = iter([n for n in _NAMES if n not in names] + [f"n{i}" for i in range(99)])
        sizes: dict[str, int] = {}

        def tensor(name: str, form: Mapping[str, Any]) -> TensorArgument:
            shape: list[Dimension] = []
            for size in form["shape"]:
                shape.append(next(free) if size else 0)
                if size:
                    sizes[str(shape[-1])] = size
            found = TensorArgument(name, (form["dtype"],), tuple(shape), strided=False)
            if form["dtype"] in INTEGERS and form["high"] is not None:
                return replace(found, low=form["low"], high=form["high"])
            return found

        def argument(name: str, value: Any) -> Argument:
            if isinstance(value, dict):
                return tensor(name, value)
            if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
                return SequenceArgument.of(name, [tensor(name, v) for v in value])
            return ChoiceArgument(name, (value,))

        found = tuple(argument(n, v) for n, v in zip(names, inputs, strict=False))
        return GivenInputs(found, sizes)

    def drawn(
        self, reference: VersionWorker, candidate: VersionWorker, launcher: Launcher
    ) -> Signature:
        """What the two take, with a note that says it. Raises VerificationError."""
        try:
            found = self._settled(reference, candidate, launcher)
        except (NothingWorks, Died, Refusal) as failure:
            raise VerificationError(str(failure)) from None
        return replace(found, notes=(*self.notes, f"called with: {found}", *found.notes))

    def _settled(
        self, reference: VersionWorker, candidate: VersionWorker, launcher: Launcher
    ) -> Signature:
        """What is drawn: the given sizes, and as many others as are taken.

        Sizes that are given as equal stay so where a candidate needs that to keep to its memory:
        torch does not refuse all that nobody means.
        """
        reading = InferredSignature(launcher, self.arguments, {}, {}, frozenset())
        trial = Trial(Both(reference, candidate, within=True), reading, False)
        free, *tied = self._forms()
        apart = not tied or str(free) == str(tied[0]) or trial._taken_whole(free)
        forms: Iterable[Signature] = [replace(form, notes=(_EQUAL,)) for form in tied]
        plain = Trial(Both(reference, candidate), reading, False)
        if apart or any(trial._attempt(tied[0], p).level == Attempt.OUTSIDE for p in PATTERNS):
            trial, forms = plain, self._forms()
        for signature in forms:
            if trial._taken_whole(signature):
                break
        else:
            trial = plain
            signature = Signature(self._named(dict(self.sizes)))
            example = trial._attempt(signature, rising)
            if example.level != Attempt.GOOD:
                raise NothingWorks(f"the inputs of get_inputs are not taken: {example.trouble}")
        ones = _ones(signature)

        def taken(form: Signature) -> bool:
            # Beside one row torch takes any number of them: a kernel for either is another one.
            return _ones(form) == ones and trial._taken_whole(form)

        ties = Ties(taken, trial._good, trial._stable, trial._spent)
        return _bounded(trial, ties.undone(signature, {a.name for a in self.arguments}))

    def _forms(self) -> Iterator[Signature]:
        """Every size free; then equal ones tied together; then some of them as they are given."""
        yield Signature(self.arguments)
        first = {size: name for name, size in reversed(list(self.sizes.items()))}
        tied: dict[str, Dimension] = {n: first[s] for n, s in self.sizes.items()}
        names = list(dict.fromkeys(first[s] for s in self.sizes.values()))
        for count in range(len(names)):
            for kept in combinations(names[:_MOST_NAMES], count):
                fixed = {n: self.sizes[n] for n in kept}
                yield Signature(self._named({n: fixed.get(str(t), t) for n, t in tied.items()}))

    def _named(self, names: Mapping[str, Dimension]) -> tuple[Argument, ...]:
        def changed(form: TensorArgument) -> TensorArgument:
            return replace(form, shape=tuple(names.get(str(d), d) for d in form.shape))

        def of(argument: Argument) -> Argument:
            if isinstance(argument, SequenceArgument):
                return argument.with_parts(changed)
            return changed(argument) if isinstance(argument, TensorArgument) else argument

        return tuple(map(of, self.arguments))


def _ones(signature: Signature) -> list[tuple[str, int]]:
    """Where a size is 1 in every call."""
    return [(t.name, at) for t in signature.tensors for at, d in enumerate(t.shape) if d == 1]
