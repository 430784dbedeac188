"""Hypothesis drives the examples, and makes a counterexample small."""

from __future__ import annotations

import time
import unittest
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, product

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import HypothesisException

from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.compare import (
    TOLERANCE,
    Difference,
    Pair,
    exact_parts_differ,
    measure,
    unstable,
)
from tritonopt.verification.coverage.aiming import Aiming
from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.coverage.guards import Guard
from tritonopt.verification.coverage.scouts import Scouts
from tritonopt.verification.inputs.edge_cases import aliased, deliberate, laid_out, usual
from tritonopt.verification.inputs.examples import (
    FAR,
    FAR_LAST,
    FLOAT_VALUES,
    NEGATIVE,
    ORDINARY,
    ZEROS,
    Example,
    Limits,
)
from tritonopt.verification.inputs.hypothesis_internals import no_local_constants, no_traces
from tritonopt.verification.inputs.past_failures import key_of, past_failures
from tritonopt.verification.inputs.strategies import examples, usable_dtypes
from tritonopt.verification.process.coverage_data import Coverage
from tritonopt.verification.process.messages import (
    OUT_OF_MEMORY,
    Outcome,
    Output,
    RunOptions,
    same_bits,
)
from tritonopt.verification.settling.trial import with_leading
from tritonopt.verification.signature.argument_language import Signature, TensorArgument

SHRINK_SECONDS = 20.0
_GROSS = 1000.0
"""So many times too large, an error is not a matter of luck with the examples so far."""
_PLAIN_ELEMENTS = 600
"""What the interpreter can run in no time, and still takes several tiles."""
_SCOUTED_ELEMENTS = 2**16
_SCOUTING_AIMED = 60.0
_SCOUTING = 120.0
"""Seconds of the interpreter that a verification on a GPU may take: for calls that are aimed,
and for all."""
_LAST_VALUES = (ZEROS, NEGATIVE)
"""Classes of values that plain rewrites seldom get wrong: not at any cost."""
_DRAWN_FOR_ONE = 5
"""For so many drawn examples, one more is made on purpose."""
_LEAST_PURPOSES = 12
"""But no fewer than these, however few examples are asked for: they find the most."""
_MOST_PAIRS = 3
"""So many pairs of tensors may be one: with more, most say nothing new."""
_FOR_THE_UNMET = 40
"""So many are drawn, at least, as long as something that has to run has not."""
MOST_SMALLER = 20
"""So many smaller calls are tried of one that shows a difference."""
_MOST_DISCARDED = 4
"""For every example that was asked for, so many may be rejected."""


class _Found(Exception):
    def __init__(self, example: Example, difference: Difference) -> None:
        super().__init__(str(difference))
        self.example = example
        self.difference = difference


class Search:
    def __init__(
        self,
        checker: Checker,
        signature: Signature,
        limits: Limits,
        *,
        backward: bool,
        configurations: int = 1,
        first_calls: bool = False,
        expanded_gradients: bool = False,
        max_examples: int,
        seed: int,
        subject: str,
        demands: Sequence[Demand] = (),
        singled_out: Sequence[int] = (),
        limits_named: Sequence[int] = (),
        guards: Sequence[tuple[Guard, Guard]] = (),
        scouts: Scouts | None = None,
        progress: Callable[[int, str], None],
    ) -> None:
        self.checker = checker
        self.signature = signature
        self.limits = limits
        self.configurations = configurations
        self.strategy = examples(
            signature,
            limits,
            backward=backward,
            configurations=configurations,
            first_calls=first_calls,
            expanded_gradients=expanded_gradients,
        )
        self.backward = backward
        self.first_calls = first_calls
        self.expanded_gradients = expanded_gradients
        self.max_examples = max_examples
        self.seed = seed
        self.progress = progress
        self.key = key_of(subject, signature, backward)
        self.demands = demands
        self.guards = guards
        self.scouts = scouts
        """Who says what runs, where compiled kernels do not."""
        # Of any number of leading dimensions one is enough, whose size can be chosen.
        aimed = with_leading(signature, ["leading"])
        self.aiming = Aiming(aimed, limits, self._seen, self.unmet, singled_out, limits_named)
        self.deadline: float | None = None
        self.remembered: dict[Example, Difference] = {}
        self.on_purpose: list[Example] = []
        self.found_at: float | None = None
        """When the first difference was found, by the monotonic clock."""
        self.waited_before: float = 0.0
        """What the checker had waited until then."""

    def run(self) -> tuple[Example, Difference] | None:
        """The smallest counterexample that was found, if any."""
        found = None
        if past_failures() is not None:
            found = self._pass(self._certain, Phase.reuse, Phase.shrink)
        if found is None and not self.checker.stopped:
            found = self._aimed()
        if found is None and not self.checker.stopped:
            found = self._called_on_purpose()
        if found is None and not self.checker.stopped:
            found = self._pass(self._certain)
        drawn = list(self.checker.examinations)
        if found is None:
            found = self._missed_configurations()
        if found is None and self.scouts is not None:
            self._scout_the_rest()
        if found is None:
            found = self._missed_values()
        if found is None and not self.checker.stopped:
            found = self._far_offsets()
        if found is None and not self.checker.stopped:
            # Errors are judged over all examples, so their turn comes after the
            # last. The same seed draws the same examples, which are known by now.
            for example in self.on_purpose:
                difference = self.checker.excess(example)
                if difference is not None:
                    return example, difference
            suspects = [e for e in drawn if self.checker.excess(e)]
            if suspects:
                found = self._pass(self._numeric)
                if found is None:
                    difference = self.checker.excess(suspects[0])
                    found = (suspects[0], difference) if difference is not None else None
        return found

    def _aimed(self) -> tuple[Example, Difference] | None:
        """Calls that are made to run what differs; they come first, for they show the most."""
        for aimed in self.aiming.examples():
            difference = self._at(aimed, "examples")
            self.on_purpose.append(self._whole(aimed))
            if difference is not None:
                return self._smaller(aimed, difference)
        return None

    def _whole(self, aimed: Example) -> Example:
        return replace(aimed, backward=self.backward)

    def _at(self, aimed: Example, phase: str) -> Difference | None:
        """What a call shows that was aimed; what it ran is then known."""
        example = self._whole(aimed)
        self.checker.try_out(example)
        self._scout(example, _SCOUTING_AIMED)
        self.progress(self.checker.accepted, phase)
        return self._certain(example)

    def _scout(self, example: Example, seconds: float) -> None:
        """Learn what an example ran, where compiled kernels do not tell; at most so much in all."""
        found = self.checker.examinations[example]
        if self.scouts is None or self.scouts.seconds > seconds or example in self.checker.seen:
            return
        if found.accepted and found.written:
            coverage = self.scouts.run(example)
            if coverage is not None:
                self.checker.saw(example, coverage)

    def _scout_the_rest(self) -> None:
        """Ask of other examples too what they ran, until all is seen that has to run.

        Those that were drawn show what no aim is taken at, a flag that is zero or a single row:
        the smallest first, and the largest that the interpreter runs in no time.
        """
        known = sorted(self._accepted(_SCOUTED_ELEMENTS), key=_size_of)
        turns = chain.from_iterable(zip(known, reversed(known), strict=True))
        for example in dict.fromkeys(turns):
            if not self.unmet():
                break
            self._scout(example, _SCOUTING)
            self.progress(self.checker.accepted, "examples")

    def _smaller(self, aimed: Example, difference: Difference) -> tuple[Example, Difference]:
        """The difference at the smallest sizes, one after the other, for which it is seen."""
        self.found_at, self.waited_before = time.monotonic(), self.checker.waited
        tries = MOST_SMALLER
        for name in self.aiming.sizes_of(aimed):
            least, size = 1, self.aiming.sizes_of(aimed)[name]
            while least < size and tries:
                middle, tries = (least + size) // 2, tries - 1
                smaller = self.aiming.with_size(aimed, name, middle)
                found = self._at(smaller, "shrinking")
                if found is None:
                    least = middle + 1
                else:
                    aimed, difference, size = smaller, found, middle
        return self._whole(aimed), difference

    def unmet(self) -> list[Demand]:
        """What has to run for a yes, and has not."""
        return [d for d in self._never_met() if not d.impossible]

    def impossible(self) -> list[Demand]:
        """What would have to run, if the text did not show that it cannot."""
        return [d for d in self._never_met() if d.impossible]

    def _never_met(self) -> list[Demand]:
        sides = dict(zip(("original", "rewritten"), self.checker.covered, strict=True))
        asked = self.demands
        if self.blind:
            # How many programs there were, the interpreter alone tells.
            asked = [d for d in asked if d.kind != "programs"]
        return [d for d in asked if not d.met_by(sides[d.title])]

    @property
    def blind(self) -> bool:
        """Whether nothing is known of what ran inside of kernels."""
        return self.scouts is not None and not self.scouts.reached

    def excused(self) -> list[Demand]:
        """Loops of which no call could be found that cuts their last turn short."""
        if self.blind:
            return []
        ragged = [d for d in self.unmet() if d.kind == "ragged"]
        return [d for d in ragged if self.aiming.cannot_be_ragged(d)]

    def never_left(self) -> list[Demand]:
        """What runs only where a guard holds that both versions have, and held in neither."""
        if self.blind:
            return []
        ours, theirs = self.checker.covered
        dead = [(a, b) for a, b in self.guards if not (a.left(ours) or b.left(theirs))]
        return [
            d
            for d in self.unmet()
            if any((a if d.title == "original" else b).asked_by(d) for a, b in dead)
        ]

    def _seen(self, aimed: Example) -> tuple[Coverage, Coverage] | None:
        return self.checker.seen.get(self._whole(aimed))

    def _missed_configurations(self) -> tuple[Example, Difference] | None:
        """Every configuration that no accepted example took, on the smallest that teaches."""
        accepted = [e for e, x in self.checker.examinations.items() if x.accepted]
        drawn = {e.configuration for e in accepted}
        plain = min((e for e in accepted if e.main_size > 1), key=_size_of, default=None)
        if plain is None:
            return None
        for number in (n for n in range(self.configurations) if n not in drawn):
            if self.checker.stopped:
                return None
            example = replace(plain, configuration=number, first_call=False)
            self.checker.examine(example)
            self.progress(self.checker.accepted, "configurations")
            difference = self._certain(example)
            if difference is not None:
                return example, difference
        return None

    def _missed_values(self) -> tuple[Example, Difference] | None:
        """A plain example of every class of values that no draw gave to the widest type.

        A few draws may well miss the one class, in the one type, on which a variance cancels.
        Only gross errors count here: on one example the original may be exact by luck.
        """
        room = _PLAIN_ELEMENTS if self.checker.interpreted else self.limits.elements
        accepted = self._accepted(room)
        largest = max(accepted, key=_size_of, default=None)
        if largest is None:
            return None
        dtypes = self._widest_types(largest)
        mains = [e.tensors[e.main_tensor or ""] for e in accepted]
        main = largest.main_tensor or ""
        drawn = {m.values for m in mains if m.dtype == dtypes[main] and m.elements > 16}
        for values in (v for v in FLOAT_VALUES if v not in drawn and v not in _LAST_VALUES):
            if self.checker.stopped:
                return None
            plain = largest.plain(values, dtypes)
            self.checker.examine(plain)
            self.progress(self.checker.accepted, "examples")
            difference = self._certain(plain)
            if difference is not None:
                return plain, difference
        return None

    def _accepted(self, room: int) -> list[Example]:
        """The examples that the original took, up to that size."""
        return [
            e
            for e, x in self.checker.examinations.items()
            if x.accepted and e.main_tensor is not None and e.main_size <= room
        ]

    def _widest_types(self, example: Example) -> dict[str, str]:
        return {
            name: usable_dtypes(self.signature.tensor(name), self.limits)[0]
            for name in example.tensors
        }

    def _called_on_purpose(self) -> tuple[Example, Difference] | None:
        """Calls that no draw is left to make, before all that are drawn."""
        for example in islice(
            self._purposes(), max(self.max_examples // _DRAWN_FOR_ONE, _LEAST_PURPOSES)
        ):
            if example not in self.checker.examinations:
                self.checker.try_out(example)
                self.on_purpose.append(example)
                self.progress(self.checker.accepted, "examples")
            difference = self._certain(example)
            if difference is not None:
                return example, difference
        return None

    def _purposes(self) -> Iterator[Example]:
        given = self.signature, self.limits
        largest = max(self._accepted(_PLAIN_ELEMENTS), key=_size_of, default=None)
        if largest is not None:
            types = self._widest_types(largest)
            # The largest has several tiles: what one program writes another one may read.
            yield from self._aliased(replace(largest.plain(ORDINARY, types), backward=False))
            yield from (largest.plain(values, types) for values in _LAST_VALUES)
        if self.backward:
            yield from self._gradients()
        if self.expanded_gradients:
            yield replace(usual(*given), backward=True, gradient_expanded=True)
        if self.first_calls:
            yield replace(usual(*given), backward=self.backward, first_call=True)
        for example in chain(deliberate(*given), laid_out(*given)):
            yield replace(example, backward=self.backward)

    def _gradients(self) -> Iterator[Example]:
        """Gradients of some tensors only, asked for twice, and not at all."""
        plain = replace(usual(self.signature, self.limits), backward=True)
        yield replace(plain, backward=False, no_grad=True)
        yield replace(plain, second_backward=True)
        floats = [name for name, recipe in plain.tensors.items() if recipe.is_float]
        if len(floats) > 1:
            yield from (replace(plain, wanted=(name,)) for name in floats[:_MOST_PAIRS])

    def _aliased(self, example: Example) -> Iterator[Example]:
        """Calls with one tensor for two, where the original is indifferent to it."""
        for apart, together in islice(aliased(example), _MOST_PAIRS):
            if self._indifferent(apart, together):
                yield together

    def _indifferent(self, apart: Example, together: Example) -> bool:
        """Whether the original gives the same for two tensors with the same values as for one."""
        original = self.checker.original
        both = [original.run(e, *self.checker.options(e)) for e in (apart, together)]
        if any(_trouble(o) or o.clashes for outcomes in both for o in outcomes):
            return False
        usual, shared = (Pair(*outcomes) for outcomes in both)
        if unstable(usual) is not None or unstable(shared) is not None:
            return False
        return all(_is_among(o, usual.first.outputs) for o in shared.first.outputs)

    def _certain(self, example: Example) -> Difference | None:
        """What no further example can excuse; a gross error is not waited for either."""
        examination = self.checker.examinations[example]
        return examination.difference or self.checker.excess(example, _GROSS)

    def _numeric(self, example: Example) -> Difference | None:
        return self.checker.examinations[example].difference or self.checker.excess(example)

    def _pass(
        self, judge: Callable[[Example], Difference | None], *phases: Phase
    ) -> tuple[Example, Difference] | None:
        self.deadline = None
        self.remembered.clear()

        # The settings stand above the seed, which would switch the database off.
        @settings(
            max_examples=self._to_draw(),
            database=past_failures(),
            deadline=None,
            derandomize=False,
            phases=phases or (Phase.reuse, Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
            report_multiple_bugs=False,
            print_blob=False,
        )
        @hypothesis.seed(self.seed)
        @given(self.strategy)
        def property_(example: Example) -> None:
            self._step(example, judge)

        # Else all verifications would share what they found: to hypothesis it is one function.
        vars(property_)["_hypothesis_internal_database_key"] = self.key
        try:
            with no_traces(), no_local_constants():
                property_()
        except _Found as found:
            return found.example, found.difference
        except unittest.SkipTest:
            # Hypothesis has nothing to begin with: no failure is known.
            return None
        except HypothesisException:
            # Nothing could be drawn that the original accepts, or the search
            # could not repeat itself: the first failure, if any, is the answer.
            if self.remembered:
                return next(iter(self.remembered.items()))
        return None

    def _to_draw(self) -> int:
        """What is left of the examples that were asked for; enough where something has not run."""
        left = max(self.max_examples - len(self.on_purpose), (self.max_examples + 1) // 2)
        return max(left, _FOR_THE_UNMET) if self.unmet() else left

    def _far_offsets(self) -> tuple[Example, Difference] | None:
        """Calls with offsets beyond 2**31, where a 32-bit index goes wrong.

        Both versions are compared with themselves on the same values close together: the
        float64 oracle would need the whole memory again.
        """
        fitting = [
            e
            for e, x in self.checker.examinations.items()
            if x.accepted and e.contiguous and not e.backward and e.main_size > 1
        ]
        tried = False
        for layout, axis, movable in ((FAR, 0, _rows_anywhere), (FAR_LAST, -1, _spread_out)):
            # Of two rows the stride itself needs 64 bits, and with it every index is 64 bits long.
            for least, near in product((3, 2), sorted(fitting, key=_size_of)):
                names = {
                    name
                    for name, recipe in near.tensors.items()
                    if movable(self.signature.tensor(name)) and recipe.shape[axis] >= least
                }
                if names:
                    tried = True
                    found = self._compare_far(near, near.far(names, layout))
                    if found is not None:
                        return found
                    break
        if not tried:
            self.checker.note("offsets beyond 2**31 were not tried: no strided tensor with rows")
        return None

    def _compare_far(self, near: Example, far: Example) -> tuple[Example, Difference] | None:
        checker = self.checker
        ours, usual = (checker.original.run(e, RunOptions())[0] for e in (far, near))
        if _trouble(ours) or not _alike(ours, usual):
            reason = _trouble(ours) or "its result changes"
            checker.note(f"offsets beyond 2**31 were not compared: the original's own, {reason}")
            return None
        theirs, usual = (checker.rewritten.run(e, RunOptions())[0] for e in (far, near))
        if theirs.failure is not None and theirs.failure.kind == OUT_OF_MEMORY:
            checker.note("offsets beyond 2**31 were not compared: they do not fit the memory twice")
            return None
        trouble = _trouble(theirs)
        if trouble:
            return far, Difference(
                f"with offsets beyond 2**31 the rewritten version fails: {trouble}"
            )
        if not _alike(theirs, usual):
            text = "with offsets beyond 2**31 only the rewritten version gives another result"
            return far, Difference(text)
        return None

    def _step(self, example: Example, judge: Callable[[Example], Difference | None]) -> None:
        difference = self.remembered.get(example)
        if difference is None:
            difference = self._judged(example, judge)
        if difference is not None:
            # One place for all: hypothesis tells failures apart by where they are raised.
            raise _Found(example, difference)

    def _judged(
        self, example: Example, judge: Callable[[Example], Difference | None]
    ) -> Difference | None:
        checker = self.checker
        if checker.stopped or (self.deadline is not None and time.monotonic() > self.deadline):
            return None
        examination = checker.examine(example)
        self.progress(checker.accepted, "shrinking" if self.remembered else "examples")
        if not examination.accepted:
            if checker.discarded > _MOST_DISCARDED * self.max_examples + 50 and not (
                checker.accepted or checker.stopped
            ):
                checker.stopped = (
                    f"none of {checker.discarded} examples could be compared; "
                    f"the last: {checker.last_rejection}"
                )
            hypothesis.reject()
        difference = judge(example)
        if difference is not None:
            self.remembered[example] = difference
            if self.found_at is None:
                self.found_at, self.waited_before = time.monotonic(), checker.waited
            if self.deadline is None:
                # A hang takes as long every time.
                room = SHRINK_SECONDS if checker.ends else 0.0
                self.deadline = time.monotonic() + room
        return difference


def _trouble(outcome: Outcome) -> str:
    if outcome.failure is not None:
        return str(outcome.failure)
    return next(iter((*outcome.damage, *outcome.strays)), "")


def _alike(one: Outcome, other: Outcome) -> bool:
    """Whether two runs of one version on the same values agree up to rounding."""
    if exact_parts_differ(Pair(one, one), Pair(other, other)) is not None:
        return False
    difference, measures = measure(Pair(one, one), Pair(other, other), None, None)
    return difference is None and all(m.error <= TOLERANCE[m.dtype] for m in measures)


def _is_among(output: Output, others: Iterable[Output]) -> bool:
    """Whether one of the others is the same, of whichever of two tensors that are now one."""
    return any(
        (o.dtype, o.shape) == (output.dtype, output.shape) and bool(same_bits(o, output).all())
        for o in others
        if o.label == output.label or (_is_argument(o) and _is_argument(output))
    )


def _is_argument(output: Output) -> bool:
    return output.label.startswith("argument ")


def _rows_anywhere(form: TensorArgument) -> bool:
    return form.strided and len(form.shape) >= 2


def _spread_out(form: TensorArgument) -> bool:
    """Whether neighbours of a row may lie anywhere."""
    return form.strided and len(form.shape) >= 1 and not form.rows_only


def _size_of(example: Example) -> int:
    return example.main_size


def drawn(
    signature: Signature, limits: Limits, *, backward: bool, count: int, seed: int
) -> list[Example]:
    """So many different examples, without a look at what becomes of them."""
    found: dict[Example, None] = {}

    @hypothesis.seed(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(examples(signature, limits, backward=backward))
    def collect(example: Example) -> None:
        found[example] = None

    with no_traces(), no_local_constants():
        collect()
    return list(found)
