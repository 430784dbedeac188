"""The `compile` backend: both versions as machine code, for GPUs that need not be here.

Nothing is run. The launchers are called with drawn arguments, each launch is
compiled instead of made, and the binaries are compared. Where all of them are
the same bytes, and the launches are the same launches, the two versions are
the same program for these signatures: whatever the values are. Where they
differ nothing is known of the results, and the numbers stand side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain

from tritonopt import source
from tritonopt.source.trees import names_in
from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.versions import refusing
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.client import Died, Refusal, VersionWorker
from tritonopt.verification.process.compiled_programs import Comparison, Launch, Program
from tritonopt.verification.signature.launchers import changed_definitions
from tritonopt.verification.verdict import Answer, Verdict

_MOST_ELEMENTS = 2**20
_MOST_LOWERED = 12
"""So many calls of a verification are looked at for what no GPU takes."""
_SHORTEST_TILE = 16
MOST_EXAMPLES = 40
"""More than that find hardly another signature."""


@dataclass
class Compilation:
    """One launcher's launches, compiled from both versions."""

    original: VersionWorker
    rewritten: VersionWorker
    old: source.Module
    new: source.Module

    launches: set[Launch] = field(default_factory=set)
    programs: dict[tuple[str, str, str], Program] = field(default_factory=dict)
    others: dict[tuple[str, str, str], Program] = field(default_factory=dict)
    differing: str = ""
    """What differs besides machine code; the first such thing."""
    rejection: str = ""

    def verdict(
        self, examples: list[Example], backend: str, progress: Callable[[int], None]
    ) -> Verdict:
        accepted = discarded = 0
        for example in examples:
            progress(accepted)
            if self._example(example):
                accepted += 1
            else:
                discarded += 1
        compared = self._compared()
        result = Verdict(
            Answer.UNSUPPORTED.value, backend, accepted, discarded, notes=(), compiled=compared
        )
        if not accepted:
            reason = f"the original's launcher failed on every example: {self.rejection}"
        elif not compared:
            reason = "the launcher never launched a kernel"
        else:
            reason = self._why_no_proof(compared)
        kinds = {(c.original.kernel, c.original.signature) for c in compared}
        if reason:
            return _with(result, Answer.UNSUPPORTED, reason)
        # A target counts where each signature was compiled for it.
        skipped = sorted({c.original.target for c in compared if not c.identical})
        targets = sorted({c.original.target for c in compared} - set(skipped))
        notes = [
            f"no kernel ran: the machine code for {len(kinds)} launch signatures is the same, "
            f"byte for byte, on {', '.join(targets)}. This proves that the rewrite changed "
            "nothing for these signatures and targets only"
        ]
        if skipped:
            notes.append(f"not all can be compiled for {', '.join(skipped)}, in either version")
        if missing := len({(x.kernel, x.signature) for x in self.launches} - kinds):
            notes.append(f"{missing} further signatures were not compiled")
        return _with(result, Answer.IDENTICAL, "", tuple(notes))

    def _compared(self) -> tuple[Comparison, ...]:
        """Every pair of programs; with their numbers where they differ, which take a while."""
        pairs = {key: Comparison(p, self.others.get(key)) for key, p in self.programs.items()}
        wanted = tuple(key for key, pair in pairs.items() if not pair.identical)
        numbers = []
        for worker in (self.original, self.rewritten):
            try:
                worker.ask("statistics", wanted)
                numbers.append(worker.answer())
            except (Died, Refusal):
                # Numbers are for the reader; the verdict does not rest on them.
                numbers.append([{}] * len(wanted))
        for key, ours, theirs in zip(wanted, *numbers, strict=True):
            other = pairs[key].rewritten
            pairs[key] = Comparison(
                replace(pairs[key].original, statistics=ours),
                None if other is None else replace(other, statistics=theirs),
            )
        return tuple(pairs.values())

    def _example(self, example: Example) -> bool:
        """Compile what one example launches; whether the original could be called."""
        try:
            self.original.ask("compile", example)
            self.rewritten.ask("compile", example)
            launches, programs = self.original.answer()
        except (Died, Refusal) as error:
            self.rejection = str(error)
            self._drain()
            return False
        self.launches |= set(launches)
        self.programs.update(((p.kernel, p.signature, p.target), p) for p in programs)
        try:
            other_launches, other_programs = self.rewritten.answer()
        except (Died, Refusal) as error:
            self.differing = (
                self.differing or f"only the rewritten version's launcher fails: {error}"
            )
            return True
        self.others.update(((p.kernel, p.signature, p.target), p) for p in other_programs)
        if launches != other_launches:
            self.differing = self.differing or _launches_differ(launches, other_launches)
        return True

    def _drain(self) -> None:
        """The rewritten version was asked as well; its answer must not be taken for the next."""
        try:
            self.rewritten.answer()
        except (Died, Refusal) as error:
            self.rejection += f" (and the rewritten version's: {error})"

    def _why_no_proof(self, compared: tuple[Comparison, ...]) -> str:
        changed = changed_definitions(self.old, self.new)
        kernels = {k.name for k in self.old.kernels} | {k.name for k in self.new.kernels}
        if self.differing:
            return self.differing
        if changed is None or not changed <= kernels:
            return "code outside of the kernels differs, and was not compared"
        if unseen := sorted(changed - self._compiled_definitions()):
            return f"{', '.join(unseen)} was changed and was not launched"
        wrong = [c for c in compared if not c.identical]
        failed = [c for c in wrong if c.original.failure and c.rewritten and c.rewritten.failure]
        wrong = [c for c in wrong if c not in failed]
        if not wrong:
            targets = {c.original.target for c in compared}
            if targets - {c.original.target for c in failed}:
                return ""
            return f"not all can be compiled for any target: {failed[0].original.failure}"
        differing = sorted({c.original.kernel for c in wrong})
        return (
            f"the machine code of {', '.join(differing)} differs in {len(wrong)} of "
            f"{len(compared)} comparisons. No results were compared: verify in the "
            "interpreter or on a GPU"
        )

    def _compiled_definitions(self) -> set[str]:
        """The kernels that were compiled, and the helpers that they call, in either version."""
        found: set[str] = set()
        for module in (self.old, self.new):
            wanted = {launch.kernel for launch in self.launches}
            while wanted:
                name = wanted.pop()
                found.add(name)
                kernel = module.kernel(name)
                if kernel is not None:
                    called = names_in(kernel.node)
                    wanted |= {k.name for k in module.kernels if k.name in called} - found
        return found


def refused_by_gpus(checker: Checker) -> tuple[Example, str] | str:
    """A call of which a GPU takes the original's launches and not the rewritten version's.

    Nothing runs, and no GPU is needed. Otherwise what has to be said of it.
    """
    versions = checker.versions
    try:
        with (
            refusing(versions.rewritten) as of_rewritten,
            refusing(versions.original) as of_original,
        ):
            for example in _launching_differently(checker):
                found = of_rewritten(example)
                if found and (failed := of_original(example)):
                    return f"neither version compiles for {failed[0].target}: {failed[0].failure}"
                if found:
                    text = f"the rewritten version does not compile for {found[0].target}: "
                    return example, f"{text}{found[0].kernel}: {found[0].failure}"
    except (Died, Refusal) as error:
        return f"it is unknown whether a GPU accepts the launches: {error}"
    return ""


def _launching_differently(checker: Checker) -> list[Example]:
    """Calls that launch other kernels, with other constants or types; the largest of each kind.

    Of kinds that differ in the length of their one tile the longest and the shortest: what no GPU
    takes is too much for it, or too little. To compile one takes as long as tens of calls.
    """
    found: dict[object, dict[int, Example]] = {}
    for example in sorted(checker.taken(_MOST_ELEMENTS), key=lambda e: -e.main_size):
        launched = checker.examinations[example].coverage[1]
        names = frozenset(name for name, _ in launched.grids)
        types = tuple(recipe.dtype for recipe in example.tensors.values())
        tiles = {n for n in launched.constants if n >= _SHORTEST_TILE and n & (n - 1) == 0}
        tile = tiles.pop() if len(tiles) == 1 else 0
        kind = names, launched.constants - {tile}, tile > 0, types, example.configuration
        if names and not example.is_far:
            found.setdefault(kind, {}).setdefault(tile, example)
    ends = ((tiles[max(tiles)], tiles[min(tiles)]) for tiles in found.values())
    return [*dict.fromkeys(chain.from_iterable(ends))][:_MOST_LOWERED]


def _launches_differ(launches: tuple[Launch, ...], others: tuple[Launch, ...]) -> str:
    if len(launches) != len(others):
        return f"the original makes {len(launches)} launches, the rewritten version {len(others)}"
    one, other = next((a, b) for a, b in zip(launches, others, strict=True) if a != b)
    for what in ("kernel", "grid", "signature", "arguments"):
        left, right = getattr(one, what), getattr(other, what)
        if left != right:
            return f"the {what} of a launch of {one.kernel} differs: {left} and {right}"
    raise AssertionError("two equal launches")


def _with(result: Verdict, answer: Answer, reason: str, notes: tuple[str, ...] = ()) -> Verdict:
    return replace(result, verdict=answer.value, reason=reason or None, notes=notes)
