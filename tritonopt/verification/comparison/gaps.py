"""What the draws happened to miss: configurations of an autotuner, and classes of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.tally import Counterexample
from tritonopt.verification.inputs.edge_cases import sized
from tritonopt.verification.inputs.examples import FLOAT_VALUES, NEGATIVE, ZEROS, Example
from tritonopt.verification.inputs.strategies import Calls
from tritonopt.verification.process.coverage_data import Coverage

PLAIN_ELEMENTS = 600
"""What the interpreter can run in no time, and still takes several tiles."""
_SHORTEST, _LONGEST = 8, 2048
"""How long tiles are of which a configuration's own are looked at."""
_MOST_ELEMENTS = 2**17
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
            found = self._shown(example, "configurations")
            if found is not None:
                return found
        return self._tiles_of_configurations()

    def _tiles_of_configurations(self) -> Counterexample | None:
        """Of each configuration that is another to the interpreter, tiles of its own lengths.

        Two and a rest; two, and one and a half, which is a multiple of what is half as long; and as
        one more than a number in what differs.
        """
        usual, left = self.checker.rich(PLAIN_ELEMENTS), _ALL_WORK
        blocks: dict[frozenset[int], int] = {}
        for number in range(self.calls.configurations if usual is not None else 0):
            assert usual is not None
            example = replace(usual, configuration=number, first_call=False)
            found = self._shown(example, "configurations")
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
                    found = self._shown(example, "configurations")
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
        last = self._of(number, {**dict.fromkeys(names, 2 * least + 3), names[-1]: size})
        yield last
        every = self._of(number, dict.fromkeys(names, size))
        elements = sum(recipe.elements for recipe in every.tensors.values())
        few = sum(coverage.work for coverage in self._ran(last)) < _LITTLE_WORK
        if every != last and few and elements <= _MOST_ELEMENTS:
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
            found = self._shown(largest.plain(values, dtypes), "examples")
            if found is not None:
                return found
        return None

    def _shown(self, example: Example, phase: str) -> Counterexample | None:
        if self.checker.stopped:
            return None
        self.checker.examine(example)
        self.report(phase)
        difference = self.checker.certain(example)
        return None if difference is None else (example, difference)
