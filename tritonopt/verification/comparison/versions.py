"""Both versions run one example, twice each: plainly, and with all that must not matter changed."""

from __future__ import annotations

import contextlib
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tritonopt.verification.comparison.compare import Pair, unstable
from tritonopt.verification.inputs.examples import Example, Limits, small_example
from tritonopt.verification.process.client import Died, Refusal, VersionWorker
from tritonopt.verification.process.compiled_programs import Program
from tritonopt.verification.process.messages import (
    OUT_OF_MEMORY,
    REVERSED,
    TOO_LONG,
    Outcome,
    RunOptions,
)
from tritonopt.verification.signature.argument_language import Signature

if TYPE_CHECKING:
    from tritonopt.verification.inputs.strategies import Calls

_LEAST_SECONDS = 20.0
_WITHOUT_A_KERNEL = 60.0
"""At least so many where the original has no kernel: it says nothing of how long one takes."""
_NO_SUCH_TILE, _LARGEST_TILE = "exceeds triton maximum tensor numel", 2**20
"""What Triton says of a tile that is larger; smaller calls need none."""
_TIMES_AS_LONG = 10
"""The rewritten version has that many times the original's time on the interpreter, but no less
than these seconds; where it does not answer, twice the original's once more, and no less."""
MOST_WORK = 100_000
"""Statements of kernels that a run may execute, some ten seconds; a call that takes the original
longer is left out."""


@dataclass
class Versions:
    """The workers of both versions, and how they are asked."""

    original: VersionWorker
    rewritten: VersionWorker
    identical: bool
    """Whether bits have to be the same."""
    interpreted: bool
    lanes_poisoned: bool = True
    """Whether masked-off lanes of a load without `other` are something else in the second run."""
    most_work: int = MOST_WORK
    waited: float = 0.0
    """Seconds in which the workers had something to do, and this process nothing."""

    @property
    def has_reference(self) -> bool:
        """Whether the original has no kernel."""
        return self.original.spec.reference

    @property
    def least_seconds(self) -> float:
        """What the rewritten version gets, however fast the original was."""
        return _WITHOUT_A_KERNEL if self.has_reference else _LEAST_SECONDS

    def options(self, example: Example) -> tuple[RunOptions, RunOptions]:
        """The plain run; and the one in which everything that must not matter is different."""
        fusion = not self.identical
        if not self.interpreted:
            return RunOptions(fusion=fusion), RunOptions(poison=1, fusion=fusion)
        lanes = self.lanes_poisoned
        different = RunOptions(poison=1, lanes=lanes, order=_order(example), fusion=fusion)
        return RunOptions(fusion=fusion), different

    def one_change_each(self, example: Example) -> dict[str, RunOptions]:
        """What differs in the second run, each by itself; `again` is the plain run once more."""
        fusion = not self.identical
        changes = {
            "again": RunOptions(fusion=fusion),
            "poison": RunOptions(poison=1, fusion=fusion),
        }
        if self.interpreted:
            changes["lanes"] = RunOptions(lanes=True, fusion=fusion)
            changes["order"] = RunOptions(order=_order(example), fusion=fusion)
        return changes

    def run(self, example: Example) -> tuple[Pair, Pair]:
        """Two runs of either version."""
        both: tuple[RunOptions, ...] = self.options(example)
        limited = both
        if not example.was_seen:
            limited = tuple(replace(o, most_work=self.most_work) for o in both)
        with self.waiting():
            # Both work at the same time: each has its own process.
            begin = time.monotonic()
            self.original.send_or_die(example, limited)
            self.rewritten.send_or_die(example, limited)
            ours = Pair(*self.original.receive(2))
            theirs = Pair(*self._received(time.monotonic() - begin, ours))
            seconds = ours.first.seconds + ours.second.seconds
            if ours.first.failure is ours.second.failure is None:
                if _fails(theirs, OUT_OF_MEMORY):
                    theirs = Pair(*self.rewritten.run(example, *both))
                elif _fails(theirs, TOO_LONG):
                    # It may take longer than the original does, and is no more left out for that.
                    most = max(self.least_seconds, _TIMES_AS_LONG * seconds)
                    theirs = Pair(*self.rewritten.run_within(most, example, both))
                    return ours, theirs
        if ours.first.failure is None and _fails(theirs, "Hang"):
            # A busy machine is no difference: alone, it may well answer.
            most = max(self.least_seconds, 2 * seconds)
            theirs = Pair(*self.rewritten.run_within(most, example, both))
        return ours, theirs

    def not_held_against(self, example: Example, message: str = "") -> str:
        """Why nothing follows from a failure of the rewritten version alone: on empty tensors (of a
        reference also not from another result), or where it takes rows longer than any tile.

        The interpreter compiles no kernel of which no program runs; a GPU does.
        """
        largest = max((recipe.elements for recipe in example.tensors.values()), default=0)
        if _NO_SUCH_TILE in message and largest > _LARGEST_TILE and self.has_reference:
            return "not compared: a tile of the rewritten version would be larger than Triton has"
        if all(0 not in recipe.shape for recipe in example.tensors.values()):
            return ""
        if self.has_reference:
            return "not counted: on empty tensors the rewritten version fails or differs"
        if not self.interpreted:
            return ""
        try:
            with self.waiting(), refusing(self.original) as of_original:
                found = of_original(example)
        except (Died, Refusal):
            return ""
        if not found:
            return ""
        return f"left out: no GPU accepts {found[0].kernel} on empty tensors"

    def rounded_otherwise(self, example: Example, seed: int) -> tuple[Outcome, Outcome]:
        """A run of either version in which all that is rounded comes out otherwise."""
        options = (RunOptions(roundings=seed),)
        with self.waiting():
            self.original.send_or_die(example, options)
            self.rewritten.send_or_die(example, options)
            (ours,), (theirs,) = self.original.receive(1), self.rewritten.receive(1)
        return ours, theirs

    def _received(self, seconds: float, ours: Pair) -> tuple[Outcome, ...]:
        """What the rewritten version answers; with an original that was fast, it is soon."""
        if not self.interpreted or ours.first.failure is not None:
            return self.rewritten.receive(2)
        return self.rewritten.receive(2, max(self.least_seconds, _TIMES_AS_LONG * seconds))

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """The time within is the workers'."""
        begin = time.monotonic()
        yield
        self.waited += time.monotonic() - begin


@contextlib.contextmanager
def refusing(version: VersionWorker) -> Iterator[Callable[[Example], tuple[Program, ...]]]:
    """What a call launches that no GPU takes; raises Died and Refusal. Nothing runs."""
    spec = replace(version.spec, backend="compile", widened="")
    worker = VersionWorker(spec, version.worker.timeout)

    def refused(example: Example) -> tuple[Program, ...]:
        worker.ask("refused", example)
        found: tuple[Program, ...] = worker.answer()
        return found

    try:
        yield refused
    finally:
        worker.close()


def _fails(pair: Pair, kind: str) -> bool:
    """Whether one of two runs failed like that."""
    failures = (pair.first.failure, pair.second.failure)
    return any(failure is not None and failure.kind == kind for failure in failures)


def _order(example: Example) -> int:
    """The order of programs in an example's second run: reversed, or shuffled in its own way.

    A function of the example alone, so that whoever runs it again meets the same order.
    """
    seed = zlib.crc32(str(example).encode())
    return REVERSED if seed % 2 else seed


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
        self.notes.append(f"autotuned: each of {count} configurations was tested separately")
        if first.failure is None and unstable(Pair(usual, first)) is None:
            return replace(calls, configurations=count, first_calls=True)
        if first.failure is not None and first.failure.kind == TOO_LONG:
            self.notes.append(
                "a first call, in which the autotuner measures, takes too long in the "
                "interpreter and was not compared"
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
                "the original's backward assumes contiguous gradients: expanded ones, as "
                "`y.sum().backward()` gives them, were not generated"
            )
            return False
        return True
