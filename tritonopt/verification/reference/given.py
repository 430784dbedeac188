"""What a reference is called with by its own `get_inputs`, and what else it takes.

The sizes that are given are a beginning. Every other size is one that both the reference and the
candidate take: what the one refuses is no input, and what the other refuses before it launches
anything is left out with a word.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    defaults: Mapping[str, object] = field(default_factory=dict)
    """What else the reference takes, with its defaults."""

    @staticmethod
    def of(
        names: Sequence[str], inputs: Sequence[Any], path: str, defaults: Mapping[str, object]
    ) -> GivenInputs:
        """`inputs` as `worker.reference` describes them, for the first names. Raises
        VerificationError."""
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
        rest = {n: d for n, d in defaults.items() if n not in names[: len(inputs)]}
        return GivenInputs(found, sizes, defaults=rest)

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
        found = ties.undone(signature, {a.name for a in self.arguments})
        values = {a.name: a.values[0] for a in self.arguments if isinstance(a, ChoiceArgument)}
        return _varied(trial, _bounded(trial, found), values, self.defaults)

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


def with_defaults(
    signature: Signature, launcher: Launcher, reference: VersionWorker, candidate: VersionWorker
) -> Signature:
    """What is drawn, with other values for what it leaves out and has a default."""
    left: dict[str, object] = {}
    for name, default in launcher.defaults.items():
        if signature.get(name) is None:
            left[name] = None
            with contextlib.suppress(ValueError):
                left[name] = ast.literal_eval(default)
    reading = InferredSignature(launcher, signature.arguments, {}, {}, frozenset())
    trial = Trial(Both(reference, candidate), reading, False)
    return _varied(trial, signature, {}, left) if left else signature


def _varied(
    trial: Trial,
    signature: Signature,
    given: Mapping[str, object],
    defaults: Mapping[str, object],
) -> Signature:
    """With other numbers and flags than those that are given, or are defaults, where both take
    these; what keeps its default is named."""
    kept = []
    for name, value in {**given, **defaults}.items():
        others = [v for v in _others(value) if trial._good(_with(signature, name, (v,)))]
        if others:
            signature = _with(signature, name, (value, *others))
        elif name not in given:
            kept.append(name)
    if kept:
        note = f"passed in no call, so that only defaults were tried: {', '.join(kept)}"
        signature = replace(signature, notes=(*signature.notes, note))
    return signature


def _others(value: object) -> tuple[object, ...]:
    """Another value for a flag, or for a fraction, so far off that it shows."""
    if isinstance(value, bool):
        return (not value,)
    return (0.5 if value != 0.5 else 0.25,) if isinstance(value, float) else ()


def _with(signature: Signature, name: str, values: tuple[object, ...]) -> Signature:
    """The signature with these values for an argument, which may be a new one."""
    rest = tuple(a for a in signature.arguments if a.name != name)
    chosen = ChoiceArgument(name, values)
    if len(rest) == len(signature.arguments):
        return replace(signature, arguments=(*rest, chosen))
    arguments = (chosen if a.name == name else a for a in signature.arguments)
    return replace(signature, arguments=tuple(arguments))


def _ones(signature: Signature) -> list[tuple[str, int]]:
    """Where a size is 1 in every call."""
    return [(t.name, at) for t in signature.tensors for at, d in enumerate(t.shape) if d == 1]
