"""The search for a counterexample, phase by phase."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice

from hypothesis import Phase

from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.compare import (
    Difference,
    Pair,
    unstable,
)
from tritonopt.verification.comparison.drawing import (
    Drawing,
    FirstDifference,
    deadline,
    in_layouts,
    smaller,
)
from tritonopt.verification.comparison.far_calls import (
    calls_beyond_numbers,
    large_grid_calls,
    large_offset_calls,
)
from tritonopt.verification.comparison.tally import Counterexample, now
from tritonopt.verification.coverage.aiming import Aiming
from tritonopt.verification.coverage.requirements import Requirements, Scouts
from tritonopt.verification.coverage.sized_calls import TriedSizes, with_values
from tritonopt.verification.coverage.text_differences import Numbers
from tritonopt.verification.inputs.examples import (
    CONSTANT,
    EXPANDED_COLUMN,
    FLOAT_VALUES,
    NEGATIVE,
    ORDINARY,
    ROW_GAP,
    SWAPPED,
    TINY,
    TRANSPOSED,
    ZEROS,
    Example,
    TensorRecipe,
    aliased,
    edge_cases,
    laid_out,
    sized,
    usual,
)
from tritonopt.verification.inputs.hypothesis_internals import key_of, past_failures
from tritonopt.verification.inputs.strategies import Calls, examples
from tritonopt.verification.process.messages import (
    Coverage,
    Output,
    same_bits,
)
from tritonopt.verification.settling.wider_forms import with_leading
from tritonopt.verification.signature.argument_language import Signature

_DRAWN_FOR_ONE = 5
"""For so many drawn examples, one more is made on purpose."""
_LEAST_ON_PURPOSE = 12
"""But no fewer than these, however few examples are asked for: they find the most."""
_FOR_THE_UNMET = 40
"""So many are drawn, at least, as long as something that has to run has not."""
_LONG = 45.0
"""But after so many seconds no more than were asked for: what has not run is then said."""
_RANDOM = 0.5
"""The share of what a budget leaves in which calls are drawn: judging them takes the rest."""


class Search:
    """One search; what it has learned stays in the checker."""

    def __init__(
        self,
        checker: Checker,
        calls: Calls,
        requirements: Requirements,
        *,
        max_examples: int,
        seed: int,
        subject: str,
        numbers: Numbers,
        given: bool = False,
        progress: Callable[[int, str], None],
    ) -> None:
        def report(phase: str) -> None:
            progress(checker.tally.accepted, phase)

        def seen(aimed: Example) -> tuple[Coverage, Coverage] | None:
            return checker.observed.seen.get(replace(aimed, backward=calls.backward))

        self.checker = checker
        self.calls = calls
        self.requirements = requirements
        self.max_examples = max_examples
        self.first = FirstDifference()
        self.layouts: list[str] = []
        """With which inputs a candidate is wrong that is judged on contiguous ones."""
        self.scouting = Scouting(checker, requirements, report)
        wanted = requirements.to_reach, requirements.demands
        self.aimings = [
            Aiming(aimed, calls.limits, seen, *wanted, numbers, given) for aimed in _ranked(calls)
        ]
        self.aimed = AimedCalls(
            checker, self.aimings, self.scouting, self.first, report, calls.backward
        )
        most = max(max_examples // _DRAWN_FOR_ONE, _LEAST_ON_PURPOSE)
        self.edge_cases = EdgeCaseCalls(checker, calls, most, report)
        key = key_of(subject, calls.signature, calls.backward)
        self.drawing = Drawing(
            checker, examples(calls), max_examples, seed, key, self.first, report
        )
        self.gaps = Gaps(checker, calls, report, numbers.changed)
        self.drawn: list[Example] = []

    @property
    def every_tried(self) -> list[TriedSizes]:
        """What was tried of sizes, and under which changes."""
        return [tried for aiming in self.aimings for tried in aiming.every_tried]

    def run(self) -> Counterexample | None:
        """The smallest counterexample that was found, if any.

        What is drawn is made small the best. Within a budget it comes last, for a yes needs all
        calls but these: such phases run even when it is late, to count what they do not make.
        """
        calls, tally = self.calls, self.checker.tally
        tally.first_call = now()
        gaps: list[Callable[[], Counterexample | None]] = [
            self.gaps.configurations,
            self.gaps.values,
            lambda: self._far(large_offset_calls(self.checker, calls.signature)),
            lambda: self._far(large_grid_calls(self.checker, calls.signature, calls.limits)),
            lambda: calls_beyond_numbers(
                self.checker, self.aimings[0].signature, self.requirements.unmet
            ),
        ]
        gaps.insert(0 if math.isinf(tally.ends_at) else len(gaps), self._drawn)
        if calls.seen:
            return self._first_of(self._seen, self._excess)
        return self._first_of(
            self._known_failures,
            self.aimed.run,
            self.edge_cases.run,
            self._other_layouts,
            *gaps,
            self.scouting.the_rest,
            # Errors are judged over all examples, so their turn comes after the last.
            self._excess,
        )

    def _seen(self) -> Counterexample | None:
        """Calls that a command made; each is judged by all of them."""
        for example in self.calls.seen:
            self.checker.try_out(example)
            self.aimed.made.append(example)
            if (difference := self.checker.certain(example)) is not None:
                return example, difference
        return None

    def _drawn(self) -> Counterexample | None:
        tally = self.checker.tally
        tally.draws_until = now() + _RANDOM * (tally.ends_at - now())
        return self._draw()

    def _draw(self, *phases: Phase) -> Counterexample | None:
        known = set(self.checker.examinations)
        found = self.drawing.run(self.checker.certain, self._to_draw(), *phases)
        self.drawn += [e for e in self.checker.examinations if e not in known]
        return found

    @property
    def counts_in_bytes(self) -> bool:
        return self.aimings[0].numbers.bytes

    def long_sums(self) -> Counterexample | None:
        """What shows only where much is added up, looked for where residues differ or what
        differs names a type of 8 bits."""
        for aimed in self.aimings[0].long_sums():
            if self.checker.tally.skips("with long sums"):
                continue
            example = replace(aimed, backward=self.calls.backward)
            self.checker.try_out(example)
            difference = self.checker.difference(example)
            if difference is not None:
                return example, difference
        return None

    def _first_of(self, *phases: Callable[[], Counterexample | None]) -> Counterexample | None:
        """What the first phase shows that shows anything; none runs once nothing can be learned."""
        for phase in phases:
            found = None if self.checker.stopped else phase()
            if found is not None:
                return found
        return None

    def _other_layouts(self) -> None:
        """A branch for them has to run; what is wrong in one is only told."""
        if self.checker.versions.has_reference and self.calls.signature.contiguous:
            self.layouts += in_layouts(self.checker, self.calls)

    def _far(self, found: Counterexample | None) -> Counterexample | None:
        """Of a kernel for a reference without one it is only said how far it goes."""
        if found is None or not self.checker.versions.has_reference:
            return found
        self.checker.tally.note(f"not counted: {str(found[1]).splitlines()[0]}")
        return None

    def _known_failures(self) -> Counterexample | None:
        """Examples that once showed a difference."""
        if past_failures() is None:
            return None
        return self._draw(Phase.reuse, Phase.shrink)

    def _excess(self) -> Counterexample | None:
        """An error that is too large, judged by all examples."""
        checker = self.checker
        for example in (*self.aimed.made, *self.edge_cases.made):
            difference = checker.excess(example)
            if difference is not None:
                return example, difference
        suspect = next((e for e in self.drawn if checker.excess(e)), None)
        if suspect is None:
            return None
        # The same seed draws the same examples, which are known by now, and makes one small.
        found = self.drawing.run(checker.difference, self._to_draw())
        if found is None and (difference := checker.excess(suspect)) is not None:
            found = suspect, difference
        return found

    def _to_draw(self) -> int:
        """What is left of the examples that were asked for; enough where something has not run."""
        made = len(self.aimed.made) + len(self.edge_cases.made)
        left = max(self.max_examples - made, (self.max_examples + 1) // 2)
        more = self.requirements.to_reach() and self.checker.versions.waited < _LONG
        return max(left, _FOR_THE_UNMET) if more else left


def _ranked(calls: Calls) -> list[Signature]:
    """The signature with a dimension whose size can be chosen for any number of leading ones.

    One is enough, mostly; none, or two, count where the launcher asks how many there are.
    """
    names: tuple[list[str], ...] = (["leading"], [], ["leading", "second"])
    return list(dict.fromkeys(with_leading(calls.signature, some) for some in names))


# Calls that are made to run what differs.


@dataclass
class AimedCalls:
    """They come first, for they show the most."""

    checker: Checker
    aimings: Sequence[Aiming]
    """The later ones are for what the first leave over."""
    scouting: Scouting
    first: FirstDifference
    report: Callable[[str], None]
    backward: bool
    made: list[Example] = field(default_factory=list)

    def run(self) -> Counterexample | None:
        for aiming in self.aimings:
            later = aiming is not self.aimings[0]
            if later and (self.checker.tally.is_late() or not aiming.unmet()):
                break
            for aimed in aiming.examples(briefly=later):
                if self.checker.tally.skips("for what differs"):
                    continue
                unmet = len(aiming.unmet())
                difference = self._at(aiming, aimed, "examples")
                self.made.append(self._whole(aimed))
                if difference is not None:
                    return self._smaller(aiming, aimed, difference)
                if len(aiming.unmet()) < unmet:
                    alone = self._whole(_without_optional(aiming.signature, aimed))
                    self.checker.try_out(alone)
                    if (difference := self.checker.certain(alone)) is not None:
                        return alone, difference
        return None

    def _smaller(self, aiming: Aiming, aimed: Example, difference: Difference) -> Counterexample:
        self.first.seen(self.checker.versions.waited)
        least, difference = smaller(
            aiming.sized_calls,
            aimed,
            difference,
            lambda e: self._at(aiming, e, "shrinking"),
            until=deadline(ends=self.checker.tally.ends),
        )
        return self._whole(least), difference

    def _whole(self, aimed: Example) -> Example:
        return replace(aimed, backward=self.backward)

    def _at(self, aiming: Aiming, aimed: Example, phase: str) -> Difference | None:
        """What a call shows that was aimed; what it ran is then known."""
        example = self._whole(aimed)
        before = self.checker.tally.hangs
        self.checker.try_out(example)
        if self.checker.tally.hangs > before:
            aiming.sized_calls.hung(aimed)
        found = self.checker.examinations[example]
        aiming.sized_calls.took(aimed, found.work, in_vain=not found.accepted)
        self.scouting.aimed(example)
        self.report(phase)
        return self.checker.certain(example)


def _without_optional(signature: Signature, aimed: Example) -> Example:
    """The same call without the tensors that may be None.

    What a call ran for the first time may have no effect in it: an `out` that a launcher takes for
    two results holds the second of them alone.
    """
    absent = {t.name: None for t in signature.tensors if None in t.instead}
    return with_values(aimed, absent)


# Learning what examples ran, where compiled kernels do not tell: the scouts are asked.

_SCOUTED_ELEMENTS = 2**16
_SCOUTING_AIMED = 60.0
_SCOUTING = 120.0
"""Seconds of the interpreter that a verification on a GPU may take: for calls that are aimed,
and for all."""


@dataclass(frozen=True)
class Scouting:
    """Which examples the scouts are asked of, and for how long."""

    checker: Checker
    requirements: Requirements
    report: Callable[[str], None]

    def aimed(self, example: Example) -> None:
        """An example that was aimed at what has to run."""
        self._ask(example, _SCOUTING_AIMED)

    def the_rest(self) -> Counterexample | None:
        """Ask of other examples too what they ran, until all is seen that has to run.

        Those that were drawn show what no aim is taken at, a flag that is zero or a single row:
        the smallest first, and the largest that the interpreter runs in no time.
        """
        if self.requirements.scouts is None:
            return None
        known = sorted(self.checker.taken(_SCOUTED_ELEMENTS), key=lambda e: e.main_size)
        turns = chain.from_iterable(zip(known, reversed(known), strict=True))
        for example in dict.fromkeys(turns):
            if not self.requirements.unmet():
                break
            self._ask(example, _SCOUTING)
            self.report("examples")
        return None

    def _ask(self, example: Example, seconds: float) -> None:
        """Learn what an example ran; at most so much in all."""
        scouts: Scouts | None = self.requirements.scouts
        observed = self.checker.observed
        if scouts is None or scouts.seconds > seconds or example in observed.seen:
            return
        found = self.checker.examinations[example]
        if found.accepted and found.written:
            coverage = scouts.run(example)
            if coverage is not None:
                (ours, own), (theirs, other) = zip(coverage, found.coverage, strict=True)
                observed.saw(example, (ours.as_launched(own), theirs.as_launched(other)))


# Calls that no draw is left to make: edge cases, gradients, large ones, what draws missed.

_REFUSED = "does not take it"
_OUTSIDE = "reads or writes outside of its memory"
_FEW_SIZES = (7, 70, 3, 4)
_MOST_PAIRS = 3
"""So many pairs of tensors may be one: with more, most say nothing new."""


@dataclass
class EdgeCaseCalls:
    """They are made before all that are drawn."""

    checker: Checker
    calls: Calls
    most: int
    report: Callable[[str], None]
    made: list[Example] = field(default_factory=list)

    def run(self) -> Counterexample | None:
        for example in chain(self._of_other_forms(), islice(self._examples(), self.most)):
            if example not in self.checker.examinations:
                if self.checker.tally.skips("edge cases"):
                    continue
                self.checker.try_out(example)
                self.made.append(example)
                self.report("examples")
            difference = self.checker.certain(example)
            if difference is not None:
                return example, difference
        return None

    def _examples(self) -> Iterator[Example]:
        calls = self.calls
        given = calls.signature, calls.limits
        largest = self.checker.rich(PLAIN_ELEMENTS)
        if largest is not None:
            types = calls.widest_types(largest)
            # The largest has several tiles: what one program writes another one may read.
            yield from self._aliased(replace(largest.plain(ORDINARY, types), backward=False))
            yield from (largest.plain(values, types) for values in LAST_VALUES)
            yield from self._turned(replace(largest.plain(ORDINARY, types), backward=False))
        yield from self._at_other_defaults()
        if largest is not None:
            yield from self._again(replace(largest.plain(ORDINARY, types), backward=False))
        if calls.backward:
            yield from self._gradients()
        if calls.expanded_gradients:
            yield replace(usual(*given), backward=True, gradient_expanded=True)
        if calls.first_calls:
            yield replace(usual(*given), backward=calls.backward, first_call=True)
        with_flags = laid_out(*given, flags=True)
        for example in chain(with_flags, edge_cases(*given), laid_out(*given)):
            yield replace(example, backward=calls.backward)

    def _of_other_forms(self) -> Iterator[Example]:
        """What is taken beside what is drawn: one row in place of several, none at all."""
        limits, backward = self.calls.limits, self.calls.backward
        for form in self.calls.signature.forms:
            yield replace(usual(form, limits), backward=backward)
            several = dict(zip(form.size_names, _FEW_SIZES, strict=False))
            yield replace(sized(form, limits, several), backward=backward)

    def _again(self, example: Example) -> Iterator[Example]:
        """The same tensors once more, with other values, where the original minds only these.

        What is kept from one call to the next, by address or shape, is then what they held before.
        """
        second = replace(example, second_call=True)
        if self._indifferent(example, second):
            yield second

    def _at_other_defaults(self) -> Iterator[Example]:
        """Without the arguments whose default is another one now; an `eps` shows where values are
        tiny."""
        plain = usual(self.calls.signature, self.calls.limits)
        arguments = tuple((n, r) for n, r in plain.arguments if n not in self.calls.other_defaults)
        if arguments != plain.arguments:
            left = replace(plain, arguments=arguments, backward=self.calls.backward)
            yield left
            yield left.plain(TINY, self.calls.widest_types(left))

    def _gradients(self) -> Iterator[Example]:
        """Gradients of some tensors only, asked for twice, and not at all."""
        plain = replace(usual(self.calls.signature, self.calls.limits), backward=True)
        yield replace(plain, backward=False, no_grad=True)
        yield replace(plain, second_backward=True)
        yield replace(plain, gradient_nan=True)
        floats = [name for name, recipe in plain.tensors.items() if recipe.is_float]
        if len(floats) > 1:
            yield from (replace(plain, wanted=(name,)) for name in floats[:_MOST_PAIRS])

    def _aliased(self, example: Example) -> Iterator[Example]:
        """Calls with one tensor for two, where the original is indifferent to it."""
        for apart, together in islice(aliased(example), _MOST_PAIRS):
            if self._indifferent(apart, together):
                yield together

    def _turned(self, example: Example) -> Iterator[Example]:
        """All tensors transposed in memory, dense as they are, where the original is indifferent;
        or their rows in another order.

        A launcher that goes through memory from one end to the other takes them, and what it
        allocates like one of them has its strides.
        """
        if self.calls.signature.contiguous:
            return
        signature = self.calls.signature
        absent = {t.name: None for t in signature.tensors if None in t.instead}
        fewer = with_values(example, absent) if absent else example
        for plain, layout, least in (
            (example, TRANSPOSED, 2),
            (example, SWAPPED, 3),
            # What is left out may have been what kept a launcher from a shortcut.
            *(((fewer, ROW_GAP, 2), (fewer, SWAPPED, 3)) if fewer != example else ()),
        ):
            turned = plain.with_tensors(partial(_laid, layout=layout, least=least))
            if turned != plain and self._minds_no_layout(plain, turned, layout):
                yield turned
        floats = [n for n, recipe in example.tensors.items() if recipe.is_float and recipe.shape]
        for name in floats[:_MOST_PAIRS]:
            plain, one = (partial(_constant, of=name, layout=x) for x in ("", EXPANDED_COLUMN))
            expanded = example.with_tensors(one)
            about = f"{name} {EXPANDED_COLUMN}"
            if self._minds_no_layout(example.with_tensors(plain), expanded, about):
                yield expanded

    def _minds_no_layout(self, plain: Example, laid: Example, layout: str) -> bool:
        """Whether the original gives the same for another layout of the same values.

        Where it does not, and does not refuse the call either, that is said.
        """
        if self.checker.versions.has_reference:
            return True  # torch takes every layout, and may add up in another order then
        trouble = self._other_answer(plain, laid)
        if trouble and trouble != _REFUSED:
            sizes = ", ".join(f"{n}: {list(r.shape)}" for n, r in laid.tensors.items())
            self.checker.tally.note(
                f"not compared: with tensors that are not contiguous ({layout}; {sizes}) the "
                f"original {trouble}"
            )
        return not trouble

    def _indifferent(self, apart: Example, together: Example) -> bool:
        """Whether the original gives the same for both calls, which differ in their memory only."""
        return not self._other_answer(apart, together)

    def _other_answer(self, apart: Example, together: Example) -> str:
        """What the original does otherwise in the second call; nothing where it does the same."""
        versions = self.checker.versions
        if self.checker.tally.is_late():
            return ""  # the call is counted as one that was not made
        both = [versions.original.run(e, *versions.options(e)) for e in (apart, together)]
        if any(o.trouble or o.races for o in both[0]):
            return _REFUSED
        for outcome in both[1]:
            if outcome.failure is not None and not outcome.out_of_bounds_loads:
                outside = "outside of every tensor" in outcome.failure.message
                return _OUTSIDE if outside else _REFUSED
            if outcome.out_of_bounds_loads or outcome.out_of_bounds_stores:
                return _OUTSIDE
            if outcome.trouble or outcome.races:
                return _REFUSED
        usual, shared = (Pair(*outcomes) for outcomes in both)
        if unstable(usual) is not None or unstable(shared) is not None:
            return _REFUSED
        same = all(_is_among(o, usual.first.outputs) for o in shared.first.outputs)
        return "" if same else "returns other values than for their contiguous copies"


def _laid(_: str, recipe: TensorRecipe, layout: str, least: int) -> TensorRecipe:
    return replace(recipe, layout=layout) if len(recipe.shape) >= least else recipe


def _constant(name: str, recipe: TensorRecipe, *, of: str, layout: str) -> TensorRecipe:
    """A tensor with one value in each row: in memory, or expanded from one column."""
    if name != of:
        return recipe
    return replace(recipe, values=CONSTANT, layout=layout or recipe.layout)


def _is_among(output: Output, others: Iterable[Output]) -> bool:
    """Whether one of the others is the same, of whichever of two tensors that are now one."""
    return any(
        (o.dtype, o.shape) == (output.dtype, output.shape) and bool(same_bits(o, output).all())
        for o in others
        if o.label == output.label or (_is_argument(o) and _is_argument(output))
    )


def _is_argument(output: Output) -> bool:
    return output.label.startswith("argument ")


# What the draws happened to miss: configurations of an autotuner, and classes of values.

PLAIN_ELEMENTS = 600
"""What the interpreter can run in no time, and still takes several tiles."""
_SHORTEST, _LONGEST = 8, 2048
"""How long tiles are of which a configuration's own are looked at."""
_FEW = 5
_MANY_ELEMENTS = 2**17
_MOST_TILES = 16
_LITTLE_WORK = 2_000
_ALL_WORK = 60_000
"""Statements of kernels that calls for the tiles of configurations may execute together."""
LAST_VALUES = (ZEROS, NEGATIVE)
"""Classes of values that plain rewrites seldom get wrong: not at any cost."""


@dataclass(frozen=True)
class Gaps:
    """Examples are made for them from those that were accepted."""

    checker: Checker
    calls: Calls
    report: Callable[[str], None]
    numbers: Sequence[int] = ()
    """Numbers in what differs."""

    def configurations(self) -> Counterexample | None:
        """Every configuration that no accepted example took, on the smallest that teaches."""
        accepted = [e for e, x in self.checker.examinations.items() if x.accepted]
        drawn = {e.configuration for e in accepted}
        several = (e for e in accepted if e.main_size > 1)
        plain = min(several, key=lambda e: e.main_size, default=None)
        if plain is None:
            return None
        for number in (n for n in range(self.calls.configurations) if n not in drawn):
            example = replace(plain, configuration=number, first_call=False)
            found = self._shown(example, "of configurations")
            if found is not None:
                return found
        return self._tiles_of_configurations()

    def _tiles_of_configurations(self) -> Counterexample | None:
        """Of each configuration that is another to the interpreter, tiles of its own lengths.

        Two and a rest; two, and one and a half, which is a multiple of what is half as long; and as
        one more than a number in what differs.
        """
        usual, left = self.checker.rich(PLAIN_ELEMENTS), _ALL_WORK
        if usual is None or self.calls.configurations < 2:
            return None  # tiles of the only one are what sizes were aimed at
        blocks: dict[frozenset[int], int] = {}
        for number in range(self.calls.configurations):
            example = replace(usual, configuration=number, first_call=False)
            found = self._shown(example, "of configurations")
            if found is not None:
                return found
            constants = frozenset(chain.from_iterable(c.constants for c in self._ran(example)))
            blocks.setdefault(frozenset(c for c in constants if 2 <= c <= _LONGEST), number)
        more = [(n + 1, 0, 1) for n in self.numbers if n <= _MOST_TILES]
        for times, half, rest in ((2, 0, 3), (2, 0, 0), (1, 1, 0), *more):
            for tiles, number in blocks.items():
                block = max(tiles, default=0)
                size = times * block + half * block // 2 + rest
                for example in self._tiled(number, size, min(tiles)) if block >= _SHORTEST else ():
                    found = self._shown(example, "of configurations")
                    left -= sum(coverage.work for coverage in self._ran(example))
                    if found is not None or left < 0:
                        return found
        return None

    def _ran(self, example: Example) -> tuple[Coverage, ...]:
        return self.checker.observed.seen.get(example, ())

    def _tiled(self, number: int, size: int, least: int) -> Iterator[Example]:
        """The last size alone, while the others are small; then all of them, if that is cheap."""
        names = self.calls.signature.size_names
        if not names:
            return
        several = [{**dict.fromkeys(names, n), names[-1]: size} for n in (2 * least + 3, _FEW)]
        last = next(filter(_is_small, (self._of(number, sizes) for sizes in several)), None)
        if last is None:
            return
        yield last
        every = self._of(number, dict.fromkeys(names, size))
        few = sum(coverage.work for coverage in self._ran(last)) < _LITTLE_WORK
        if every != last and few and _is_small(every):
            yield every

    def _of(self, number: int, sizes: Mapping[str, int]) -> Example:
        call = sized(self.calls.signature, self.calls.limits, sizes)
        return replace(call, backward=self.calls.backward, configuration=number)

    def values(self) -> Counterexample | None:
        """A plain example of every class of values that no draw gave to the widest type.

        A few draws may well miss the one class, in the one type, on which a variance cancels.
        Only gross errors count here: on one example the original may be exact by luck.
        """
        room = PLAIN_ELEMENTS if self.checker.versions.interpreted else self.calls.limits.elements
        largest = self.checker.rich(room)
        if largest is None:
            return None
        accepted = self.checker.taken(max(room, largest.main_size))
        dtypes = self.calls.widest_types(largest)
        mains = [e.tensors[e.main_tensor or ""] for e in accepted]
        main = largest.main_tensor or ""
        drawn = {m.values for m in mains if m.dtype == dtypes[main] and m.elements > 16}
        for values in (v for v in FLOAT_VALUES if v not in drawn and v not in LAST_VALUES):
            found = self._shown(largest.plain(values, dtypes), "of other values")
            if found is not None:
                return found
        return None

    def _shown(self, example: Example, kind: str) -> Counterexample | None:
        known = example in self.checker.examinations
        if self.checker.stopped or (not known and self.checker.tally.skips(kind)):
            return None
        self.checker.examine(example)
        self.report("examples")
        difference = self.checker.certain(example)
        return None if difference is None else (example, difference)


def _is_small(example: Example) -> bool:
    return sum(recipe.elements for recipe in example.tensors.values()) <= _MANY_ELEMENTS
