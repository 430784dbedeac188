"""Settling the arguments of a launcher by calling the original with what is plausible.

The interpreter knows every address that a kernel may touch, so a wrong size shows as a
read outside of a tensor, a wrong type as an error. What the original takes on several
sizes without either is what the verification draws from; it is named in the verdict.
"""

from __future__ import annotations

import ast
import heapq
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tritonopt import source
from tritonopt.source.single_numbers import divisors_of
from tritonopt.verification.inputs.examples import (
    LEADING,
    PATTERNS,
    Example,
    Pattern,
    mixed,
    of_one_index,
    plain_example,
    powers,
    rising,
    sized_example,
    sizes_of,
)
from tritonopt.verification.process.client import Died, Refusal, VersionWorker
from tritonopt.verification.process.messages import Attempt, RunOptions, same_bits
from tritonopt.verification.settling.candidates import (
    Choice,
    tables_of,
)
from tritonopt.verification.settling.repairs import Repair, repairs
from tritonopt.verification.settling.wider_forms import (
    OtherValues,
    Ties,
    deepened,
    numbered_once,
    raised,
    told_apart,
    with_complex,
    with_groups,
    with_leading,
    with_longer,
    with_rows,
    with_tensors,
)
from tritonopt.verification.signature.argument_language import (
    FLOATS,
    Argument,
    ChoiceArgument,
    Dimension,
    Signature,
    SizeArgument,
    TensorArgument,
    tensors_of,
)
from tritonopt.verification.signature.inference import InferredSignature
from tritonopt.verification.signature.launcher_walk import DEFAULT_DTYPES

_MOST_TRIES = 1500
_SECONDS = 20.0
"""Of processor time, for the search and again for the variations of what it found."""
_MOST_DEATHS = 2
_MOST_REPAIRS = 8
"""So many lessons of failures one after the other."""
_FIRST = (-Attempt.GOOD - 1, 0)
"""Nearer than all that follows from a failure."""
_MOST_FACTS = 4
"""So many conditions on sizes are learned one after the other."""
_MORE_TRIES = 60
"""For arguments that the original takes on all sizes, once some are taken on a few."""


class NothingWorks(Exception):
    """Nothing that was tried was taken; the message says how far the best one came."""


@dataclass(order=True, frozen=True)
class _State:
    """One combination of candidates; ordered by how soon its turn comes."""

    nearness: tuple[int, int]
    cost: int
    frame: int
    picks: tuple[int, ...]
    repairs: tuple[Repair, ...] = field(default=(), compare=False)
    """What failures on the way here have taught, in their order."""


@dataclass
class Trial:
    """The calls of one launcher, counted; every signature is tried once."""

    worker: VersionWorker
    reading: InferredSignature
    backward: bool
    like: Sequence[tuple[str, Signature]] = ()
    """What other launchers of the file take, by their names."""
    tries: int = 0
    deaths: int = 0
    seconds: float = 0.0
    """What the calls took."""
    began: float = field(default_factory=lambda: time.thread_time())
    seen: dict[Example, Attempt] = field(default_factory=dict)
    best: tuple[Attempt, Signature] | None = None
    floats: set[str] = field(default_factory=set)
    """Tensors that kernels ran on as floats, if only to end outside of their memory."""
    tables: list[list[Choice]] = field(default_factory=list)
    expanded: set[tuple[int, Signature]] = field(default_factory=set)
    """Signatures from which the search went on."""

    def find_signature(self) -> Signature:
        """A signature that the original takes; raises NothingWorks where none was found."""
        found = self._search()
        if found is None:
            raise NothingWorks(self._how_far())
        self.tries, self.seconds, self.began = 0, 0.0, time.thread_time()
        found = told_apart(found, self._taken, self._stable)
        found = with_rows(found, self._taken, self._stable)
        found = raised(found, self.reading.evidence, self._taken, self._stable)
        found = deepened(found, self.reading.evidence, self._taken, self._stable)
        found = numbered_once(found, self._taken_whole, self._races)
        found = with_longer(found, self._taken_whole)
        found = with_groups(found, self.reading.launcher.function, self._taken_whole, self._stable)
        others = OtherValues(self.reading, self._good, self._with, self._spent)
        found = others.beside(self._with_other_ranks(self._with_leading(found)))
        takes = self._taken_whole, self._good, self._stable, self._spent
        file = source.read(self.worker.spec.text, self.worker.spec.path)
        ties = Ties(*takes, self.like, partial(_is_good_at, self), divisors_of([file.tree]))
        found = ties.undone(found, _typed_by_code(self.reading))
        return self._with_complex(self._without_bad_types(_bounded(self, found)))

    # The search

    def _search(self) -> Signature | None:
        """Best first: from what is nearest to running, one thing is changed at a time.

        That is what the failure itself suggests, or one parameter.
        """
        waiting = self._beginnings()
        visited = {(s.frame, s.picks, s.repairs) for s in waiting}
        found: Signature | None = None
        most, last = 0, 0
        while waiting and not self._spent() and not 0 < last < self.tries:
            state = heapq.heappop(waiting)
            signature = self._signature(state, state.repairs)
            attempt: Attempt | None = None
            if signature is not None and not self._evades(signature):
                attempt = self._attempt_any(signature)
                if attempt.level >= Attempt.OUTSIDE:
                    self.floats |= _of_floats(signature)
                good = attempt.level == Attempt.GOOD and _has_sizes(signature)
                taken = self._taken(signature) if good else 0
                if taken == len(PATTERNS):
                    return self._without_needless(state, signature)
                if taken > most:
                    # It rejects some sizes; perhaps for two that ought to be the same.
                    found, most = self._without_needless(state, signature), taken
                    last = last or self.tries + _MORE_TRIES
                if self.best is None or _nearness(attempt) < _nearness(self.best[0]):
                    self.best = attempt, signature
            for follower in self._followers(state, signature, attempt):
                key = (follower.frame, follower.picks, follower.repairs)
                if key not in visited:
                    visited.add(key)
                    heapq.heappush(waiting, follower)
        if found is None and self.best is not None and self.best[0].level == Attempt.RACING:
            found = self.best[1]
        return None if found is None or self._evades(found) else found

    def _beginnings(self) -> list[_State]:
        """What to try first: of each table the likeliest of all arguments.

        What others take, what the code says, what is written about it, then all the rest.
        """
        self.tables, first = tables_of(self.reading, self.like)
        found = [
            _State(_FIRST if at in first else (0, 0), at, at, (0,) * len(table))
            for at, table in enumerate(self.tables)
        ]
        heapq.heapify(found)
        return found

    def _followers(
        self, state: _State, signature: Signature | None, attempt: Attempt | None
    ) -> Iterator[_State]:
        """What to try after a state, with what it costs: first what its failure suggests."""
        nearness = state.nearness if attempt is None else _nearness(attempt)
        blamed: tuple[str, ...] = ()
        if signature is not None and attempt is not None:
            if (state.frame, signature) in self.expanded:
                return
            self.expanded.add((state.frame, signature))
            pattern = self._telling(signature)
            shown = self._attempt(signature, pattern)
            blamed = shown.blame.names
            sizes = {**sizes_of(signature, pattern), "...": LEADING}
            for at, repair in enumerate(repairs(signature, sizes, shown)):
                more = (*state.repairs, repair)
                if len(more) <= _MOST_REPAIRS:
                    # What is learned one after the other counts as near as where it began.
                    near = min(nearness, state.nearness) if state.repairs else nearness
                    yield replace(state, nearness=near, cost=state.cost + at, repairs=more)
        for at, choice in enumerate(self.tables[state.frame]):
            beside = bool(blamed) and choice.name not in blamed
            for pick in range(state.picks[at] + 1, len(choice.candidates)):
                picks = (*state.picks[:at], pick, *state.picks[at + 1 :])
                cost = state.cost + pick - state.picks[at] + beside
                kept = tuple(r for r in state.repairs if r.about != choice.name)
                yield replace(state, nearness=nearness, cost=cost, picks=picks, repairs=kept)

    def _telling(self, signature: Signature) -> Pattern:
        """The sizes whose failure tells the most: odd ones, if these are not taken."""
        if self._attempt(signature, rising).level == Attempt.GOOD:
            for pattern in PATTERNS:
                known = self.seen.get(plain_example(signature, pattern, self.backward))
                if known is not None and known.level != Attempt.GOOD:
                    return pattern
        return rising

    def _signature(self, state: _State, learned: Iterable[Repair]) -> Signature | None:
        """What a state passes; None if that names a size that no tensor has."""
        signature = self._picked(self.tables[state.frame], state.picks)
        for repair in learned:
            signature = signature and repair(signature)
        return signature if signature is not None and _is_closed(signature) else None

    def _without_needless(self, state: _State, signature: Signature) -> Signature:
        """Without what a failure suggested and the original does not need: sizes stay apart."""
        kept = list(state.repairs)
        for repair in state.repairs:
            rest = [r for r in kept if r is not repair]
            other = self._signature(state, rest)
            if other is None or self._evades(other) or not _has_sizes(other):
                continue
            if self._taken(other) >= self._taken(signature):
                kept, signature = rest, other
        return signature

    def _evades(self, signature: Signature) -> bool:
        """Whether a tensor is of whole numbers here although floats ran.

        A wrong type is an error; what leads outside of the memory is a wrong size, or a
        defect of the original, which must show.
        """
        whole = {t.name for t in signature.tensors} - _of_floats(signature)
        return bool((whole & self.floats) - _typed_by_code(self.reading))

    def _attempt_any(self, signature: Signature) -> Attempt:
        """With odd sizes, which show the most; and, if these are refused, with round ones."""
        found = self._attempt(signature, rising)
        if found.level in (Attempt.FAILED, Attempt.FAILED_AFTER_LAUNCH):
            other = self._attempt(signature, powers)
            if other.level > found.level:
                return other
        return found

    def _taken(self, signature: Signature) -> int:
        """How many patterns of sizes are taken; none if one leads outside of the memory."""
        levels = [self._attempt(signature, pattern).level for pattern in PATTERNS]
        return 0 if Attempt.OUTSIDE in levels else levels.count(Attempt.GOOD)

    def _taken_whole(self, signature: Signature) -> bool:
        """Whether all patterns of sizes are taken."""
        levels = (self._attempt(signature, pattern).level for pattern in PATTERNS)
        return not self._spent() and all(level == Attempt.GOOD for level in levels)

    def _races(self, signature: Signature, name: str) -> bool:
        """Whether programs overwrite each other, and do where a tensor holds one number alone.

        In some plain call, that is: a few equal numbers among many are no reason to have none.
        """
        one, others = of_one_index(signature, name, self.backward)
        racing = (self._attempted(example).level == Attempt.RACING for example in others)
        return self._attempted(one).level == Attempt.RACING and any(racing)

    def _attempt(self, signature: Signature, pattern: Pattern) -> Attempt:
        return self._attempted(plain_example(signature, pattern, self.backward))

    def _attempted(self, example: Example) -> Attempt:
        if example not in self.seen:
            self.tries += 1
            try:
                self.seen[example] = self.worker.attempt(example)
            except Died as death:
                self.deaths += 1
                self.seen[example] = Attempt(Attempt.FAILED, 0, str(death))
            self.seconds += self.seen[example].seconds
        return self.seen[example]

    def _spent(self) -> bool:
        # To think of what may be tried next can take longer than to try it.
        seconds = max(self.seconds, time.thread_time() - self.began)
        return self.tries >= _MOST_TRIES or self.deaths > _MOST_DEATHS or seconds > _SECONDS

    def _how_far(self) -> str:
        if self.best is None:
            return "nothing was tried"
        attempt, signature = self.best
        return f"{self.tries} calls were tried; the nearest was ({signature}): {attempt.trouble}"

    # More than the plainest call

    def _stable(self, signature: Signature) -> bool:
        """Whether a call gives the same whatever memory held before."""
        example = plain_example(signature, rising, self.backward)
        try:
            both = self.worker.run(example, RunOptions(), RunOptions(poison=1))
        except (Died, Refusal):
            return False
        first, second = (outcome.outputs for outcome in both)
        same = len(first) == len(second) and not any(outcome.trouble for outcome in both)
        return same and all(same_bits(*pair).all() for pair in zip(first, second, strict=True))

    def _with_leading(self, signature: Signature) -> Signature:
        """One leading dimension in place of `...` where the original does not take two."""
        names = {size for shape in signature.shapes for size in shape}
        free = [n for n in "mblkcdpqrs" if n not in names]
        two, one = (with_leading(signature, free[:count]) for count in (2, 1))
        if "..." not in names or self._attempt_any(two).level == Attempt.GOOD:
            return signature
        return one if self._attempt_any(one).level == Attempt.GOOD else signature

    def _with_other_ranks(self, signature: Signature) -> Signature:
        """Any leading dimensions, where a test asks how many there are and one more is taken.

        Or one less, where what is taken already has a dimension that others need not have.
        """
        whole = max((t.shape for t in signature.tensors), key=len, default=())
        if not whole or "..." in whole or not _asks_for_ranks(self.reading.launcher.function):
            return signature
        free = next(n for n in "mblkcdpqrs" if n not in signature.size_names)
        # One less may be several too: nothing is as long as the first dimension of these.
        for rest, leadings in ((whole, [[free]]), (whole[1:], [[], [free]])):

            def opened(
                tensor: TensorArgument, shape: tuple[Dimension, ...] = rest
            ) -> TensorArgument:
                return replace(tensor, shape=("...", *shape)) if tensor.shape == whole else tensor

            wider = with_tensors(signature, opened)
            taken = (self._good(with_leading(wider, leading)) for leading in leadings)
            if rest and _is_closed(wider) and all(taken):
                return wider
        return signature

    def _good(self, signature: Signature) -> bool:
        good = _is_bounded(signature) and self._attempt_any(signature).level == Attempt.GOOD
        return good and self._taken(signature) > 0

    def _without_bad_types(self, signature: Signature) -> Signature:
        """Types that the original does not take are left out, all tensors alike."""
        for dtype in sorted({d for t in signature.tensors for d in t.dtypes[1:]}):
            narrowed = _only(signature, dtype)
            if not self._spent() and self._attempt_any(narrowed).level != Attempt.GOOD:
                signature = _without(signature, dtype)
        return signature

    def _with_complex(self, signature: Signature) -> Signature:
        """Complex numbers, where the file speaks of them and the original takes them."""
        if "complex" not in self.worker.spec.text:
            return signature
        alone = with_complex(signature, beside=False)
        taken = alone != signature and self._attempt_any(alone).level == Attempt.GOOD
        return with_complex(signature, beside=True) if taken else signature

    # Combinations

    def _picked(self, table: Sequence[Choice], picks: Sequence[int]) -> Signature | None:
        """The signature of a combination; None if it names a size that no tensor has."""
        arguments = [c.candidates[p] for c, p in zip(table, picks, strict=True)]
        signature = Signature(self._in_order([a for a in arguments if a is not None]))
        return signature if _is_closed(signature) else None

    def _with(self, signature: Signature, argument: Argument) -> Signature:
        """The signature with one argument more, or another one in its place."""
        rest = [a for a in signature.arguments if a.name != argument.name]
        return replace(signature, arguments=self._in_order([*rest, argument]))

    def _in_order(self, arguments: Sequence[Argument]) -> tuple[Argument, ...]:
        """As the parameters stand; without a gap where they are passed by position."""
        launcher = self.reading.launcher
        given = {a.name: a for a in arguments}
        found: list[Argument] = []
        for name in (p.arg for p in launcher.parameters):
            if name in given:
                found.append(given.pop(name))
            elif launcher.by_position and given.keys() - launcher.options.keys():
                found.append(ChoiceArgument(name, (None,)))
        return tuple(found)


def _bounded(trial: Trial, signature: Signature) -> Signature:
    """With what the original asks of sizes that none of the patterns have: a power of two."""
    for _ in range(_MOST_FACTS):
        attempt = trial._attempt(signature, mixed)
        if trial._spent() or attempt.level not in (Attempt.FAILED, Attempt.FAILED_AFTER_LAUNCH):
            break
        sizes = {**sizes_of(signature, mixed), "...": LEADING}
        learned = (repair(signature) for repair in repairs(signature, sizes, attempt))
        asked = (s for s in learned if s.arguments == signature.arguments)
        better = next((s for s in asked if trial._taken_whole(s)), None)
        if better is None:
            break
        signature = better
    return signature


def _nearness(attempt: Attempt) -> tuple[int, int]:
    return -attempt.level, -attempt.lines


def _asks_for_ranks(launcher: ast.FunctionDef) -> bool:
    """Whether a test asks for a number of dimensions: `x.dim() == 3`, `x.ndim not in (2, 3)`."""
    exact = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
    compared = (n for n in ast.walk(launcher) if isinstance(n, ast.Compare))
    tests = (n for n in compared if isinstance(n.ops[0], exact))
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("dim", "ndim")
        for test in tests
        for node in ast.walk(test)
    )


def _is_closed(signature: Signature) -> bool:
    """Whether every size that is named is one of a tensor's, or of what is made."""
    sizes = {d for tensor in signature.tensors for d in tensor.shape}
    for argument in signature.arguments:
        wanted: tuple[object, ...] = tuple(t.high for t in tensors_of(argument))
        if isinstance(argument, SizeArgument) and sizes and not argument.as_tuple:
            wanted = argument.sizes
        if not all(size in sizes for size in wanted if isinstance(size, str)):
            return False
    return True


def _is_bounded(signature: Signature) -> bool:
    """Whether what bounds tensors is drawn: a size of one, or a number of its own."""
    bounds = {t.high for t in signature.tensors if isinstance(t.high, str)}
    return bounds <= {*signature.size_names}


def _has_sizes(signature: Signature) -> bool:
    """Whether anything has a size that is drawn: what is taken of one size only shows nothing."""
    return any(isinstance(size, str) for shape in signature.shapes for size in shape)


def _typed_by_code(reading: InferredSignature) -> set[str]:
    known = (a for a in reading.known if isinstance(a, TensorArgument))
    return {a.name for a in known if a.dtypes != DEFAULT_DTYPES}


def _of_floats(signature: Signature) -> set[str]:
    return {t.name for t in signature.tensors if t.dtypes[0] in FLOATS}


def _only(signature: Signature, dtype: str) -> Signature:
    return _with_dtypes(signature, lambda dtypes: (dtype,) if dtype in dtypes else dtypes)


def _without(signature: Signature, dtype: str) -> Signature:
    def rest(dtypes: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(d for d in dtypes if d != dtype) or dtypes

    return _with_dtypes(signature, rest)


def _with_dtypes(
    signature: Signature, change: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> Signature:
    return with_tensors(signature, lambda t: replace(t, dtypes=change(t.dtypes)))


def _is_good_at(trial: Trial, signature: Signature, sizes: Mapping[str, int]) -> bool:
    """Whether it is taken with some sizes as large as that."""
    wanted = {**sizes_of(signature, rising), **sizes}
    example = replace(sized_example(signature, wanted), backward=trial.backward)
    return trial._attempted(example).level == Attempt.GOOD
