"""`optimize`: what a user calls."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from types import MethodType
from typing import Any, TypeVar, overload

from triton.runtime import Autotuner, Heuristics, JITFunction

from tritonopt import facts
from tritonopt.rewriting import registry
from tritonopt.rewriting.focus import Focus
from tritonopt.rewriting.line_map import relined
from tritonopt.rewriting.model import Remark, RemarkKind, Safety
from tritonopt.rewriting.options import spelled
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.rewriting.protocol import Pass
from tritonopt.runtime.live import ORIGINAL, Live, chain_of, read_live
from tritonopt.runtime.live_tuning import Choice, LaunchOf, Tuner, Version, Versions
from tritonopt.runtime.live_verification import is_inside_verification, why_not_verified
from tritonopt.runtime.making import chain_like, function_from, kernel_like
from tritonopt.runtime.surroundings import (
    Surroundings,
    changed_names,
    new_names,
    surroundings_of,
    unbound,
)
from tritonopt.source import SourceError

K = TypeVar("K")

TUNER = "_tritonopt_tuner"
"""The attribute of a kernel of which several versions are launched, which holds the choices."""
UNSEEN = "a live kernel can be launched from anywhere"
_NAME = "optimize"
_LEFT_ALONE = "left-alone"
_NOTHING = "nothing-found"


@dataclass(frozen=True)
class Optimization:
    """What became of a kernel: `.tritonopt` of the function that `optimize` returns."""

    source: str
    """The definition that is compiled, without decorators."""
    diff: str
    """From the original's definition to it, as a unified diff; "" where they are the same."""
    remarks: tuple[Remark, ...]
    """What the passes said. Lines and columns are those of the original's file."""
    passes: tuple[str, ...]
    """The passes that changed something, in the order in which they did first."""
    choices: Mapping[str, Choice] = field(default_factory=dict)
    """Of a kernel that is tuned, what is launched for every class of launches seen by now."""


@overload
def optimize(
    fn: None = None,
    passes: str | Iterable[Pass | str] | None = None,
    safety: Iterable[Safety | str] = ...,
    assume: Iterable[facts.Assumption | str] = ...,
    verify: bool = False,
    tune: bool | Iterable[LaunchOf] = False,
    tune_seconds: float = ...,
) -> Callable[[K], K]: ...


@overload
def optimize(
    fn: K,
    passes: str | Iterable[Pass | str] | None = None,
    safety: Iterable[Safety | str] = ...,
    assume: Iterable[facts.Assumption | str] = ...,
    verify: bool = False,
    tune: bool | Iterable[LaunchOf] = False,
    tune_seconds: float = ...,
) -> K: ...


def optimize(
    fn: Any = None,
    passes: str | Iterable[Pass | str] | None = None,
    safety: Iterable[Safety | str] = ("rounding", "contract"),
    assume: Iterable[facts.Assumption | str] = (),
    verify: bool = False,
    tune: bool | Iterable[LaunchOf] = False,
    tune_seconds: float = 120.0,
) -> Any:
    """A kernel that computes what `fn` does, made from rewritten source.

    `fn` is a function under `@triton.jit`, interpreted or not, or anything that holds one in
    `.fn`: an autotuner, heuristics, the wrapper of another library. The same kind of thing comes
    back, and `fn` stays what it was. It is launched, warmed up and called by other jit functions
    as `fn` is, with the same arguments, and it sees the same globals. Also a decorator, above
    `@triton.jit`: `@tritonopt.optimize`, or `@tritonopt.optimize(passes="licm")`.

    `passes`, `safety` and `assume` are those of `tritonopt.rewrite_source`; without `passes`
    the default ones run. Nobody sees all launches of a live function, so launches are evidence
    against a rewrite and never for one, and none is changed: a site that needs more than another
    definition of the kernel is missed, and the others are rewritten. What the rewrite takes from
    helpers and constants is what they are now. If one of them is another when the kernel is first
    compiled, RuntimeError is raised; later, Triton does as it always does.

    With `verify`, a rewrite is used only if `tritonopt verify` finds both versions of the file
    to do the same; that takes seconds to minutes. Where it does not, each pass that acted is tried
    on top of those before it that were verified. What is left out, or all, is told by a remark of
    `optimize` with the reason: importing a module must not fail because a rewrite did.

    With `tune`, the result launches the version that was fastest: for the first launch of a class
    (equal constants, sizes and numbers between the same powers of two) the versions that the
    passes make, without `passes` all of them, are verified against the original and timed beside
    it. The launch waits for that, `tune_seconds` or somewhat more. The choice is kept for other
    processes, in the cache directory. A version that was not verified, or was not faster in a
    second measurement, is never launched. A list of launches, each a grid and the arguments by
    their names, is tuned at once. Without a GPU the original is launched, with one warning; while
    a CUDA graph is captured or torch.compile traces, what is chosen by then.

    The result has `.tritonopt`, an `Optimization`. Where no rewrite is made it is a new function
    of the same source, with remarks that say why. The rewritten definition stands in a file below
    `$TRITONOPT_CACHE_DIR` (else the user's cache directory, `~/.cache/tritonopt` on Linux), for
    tracebacks, debuggers and profilers.

    Raises TypeError for what is no kernel, for a wrapper of which no second one can be made and
    for arguments of the wrong kind, SourceUnavailable where its text cannot be read,
    PassSelectionError, AssumptionError and ValueError for arguments that mean nothing.
    """
    chosen = registry.resolve(None if passes is None else _several("passes", passes, Pass))
    allowed = frozenset(map(_level, _several("safety", safety, Safety)))
    told = _several("assume", assume, facts.Assumption)
    given = tuple(facts.parse_assumption(f) if isinstance(f, str) else f for f in told)
    work = _Optimizer(chosen, allowed, given, verify)
    if tune is not False:
        launches = () if tune is True else tuple(tune)
        work = _Tuned(chosen, allowed, given, verify, launches, tune_seconds, passes is None)
    return work.apply if fn is None else work.apply(fn)


def _several(name: str, given: Any, kind: type) -> tuple[Any, ...]:
    """One thing or many, each of a kind or a string. Raises TypeError for anything else."""
    # A string is a sequence of strings too, and never of the ones that were meant.
    alone = isinstance(given, (str, kind)) or not isinstance(given, Iterable)
    items = (given,) if alone else tuple(given)
    for item in items:
        if not isinstance(item, (str, kind)):
            raise TypeError(f"{name} takes strings and {kind.__name__}s; {item!r} is neither")
    return items


def _level(name: str) -> Safety:
    try:
        return Safety(name)
    except ValueError:
        known = ", ".join(repr(level.value) for level in Safety)
        raise ValueError(f"there is no safety {name!r}, only {known}") from None


def _is_ours(decorator: Any) -> bool:
    """Whether it is `optimize`, or was made from it and given a name."""
    while isinstance(decorator, partial):
        decorator = decorator.func
    if isinstance(decorator, MethodType):
        return isinstance(decorator.__self__, _Optimizer)
    return decorator is optimize


@dataclass(frozen=True)
class _Optimizer:
    passes: list[Pass]
    safety: frozenset[Safety]
    assume: tuple[facts.Assumption, ...]
    verify: bool

    def apply(self, fn: Any) -> Any:
        chain = chain_of(fn)
        original = chain[-1]
        live = read_live(original)
        if is_inside_verification():
            # The versions of the file are compared as they are written.
            made = _Made(_unchanged(live, "is not changed while its file is verified"))
        elif not _is_plain(original):
            made = _Made(_unchanged(live, "is of a dialect of Triton that passes do not know"))
        elif not self.passes:
            made = _Made(_unchanged(live, "is not changed: `passes` is empty"))
        else:
            made = self._rewritten(live, chain[:-1])
        return _made_kernel(live, chain, made)

    def _rewritten(self, live: Live, wrappers: list[Any]) -> _Made:
        """What the passes make together; of what is not verified, what each adds that is."""
        whole = self._attempt(live, wrappers)
        if not (self.verify and whole.found.diff):
            return whole
        why = why_not_verified(live, whole.found.source)
        if why is None:
            return whole
        acted = [chosen for chosen in self.passes if chosen.name in whole.found.passes]
        made, left = _Made(_unchanged(live, why)), {}
        kept: list[Pass] = []
        for chosen in acted if len(acted) > 1 else ():
            more = replace(self, passes=[*kept, chosen])._attempt(live, wrappers)
            if more.found.source != made.found.source:
                not_verified = why_not_verified(live, more.found.source)
                if not_verified is None:
                    made, kept = more, [*kept, chosen]
                else:
                    left[chosen.name] = f"left out {chosen.name}, which {not_verified}"
        names = {chosen.name for chosen in kept}
        said = [_undone(r) for r in whole.found.remarks if r.pass_name not in names]
        told = [_remark(live, text, _LEFT_ALONE) for text in left.values()] if kept else []
        remarks = (*said, *made.found.remarks, *told)
        return replace(made, found=replace(made.found, remarks=remarks))

    def _attempt(self, live: Live, wrappers: list[Any]) -> _Made:
        page = surroundings_of(live, _is_ours)

        def refused(text: str) -> str:
            return self._why_not(live, page, text, wrappers)

        try:
            result = rewrite_source(
                page.text,
                self.passes,
                path=live.path,
                safety=self.safety,
                assume=self.assume,
                only=Focus(frozenset({live.node.name})),
                unseen_launches=UNSEEN,
                refused=refused,
            )
        except SourceError as error:
            return _Made(_unchanged(live, f"cannot be read: {error.message}"))
        shift = page.before - (live.line - 1)
        remarks = [
            replace(
                relined(remark, lambda line: line - shift),
                kernel=live.function.__qualname__,
                line=remark.line - shift,
                column=remark.column + live.indentation,
            )
            for remark in result.remarks
        ]
        remarks += [
            _remark(live, f"no rewrite rests on the fact {fact.text!r}", "unused-fact")
            for fact in self.assume
            if fact.text not in result.facts_used
        ]
        if not result.remarks:
            names = ", ".join(chosen.name for chosen in self.passes)
            remarks.append(_remark(live, f"{names} found no site here", _NOTHING))
        definition = page.definition_in(result.text)
        assert definition is not None  # an edit that changes more is refused
        passed = [r.pass_name for r in remarks if r.kind is RemarkKind.PASSED]
        found = Optimization(
            definition, _diff(live, definition), tuple(remarks), tuple(dict.fromkeys(passed))
        )
        return _Made(found, page.evidence)

    def _why_not(self, live: Live, page: Surroundings, text: str, wrappers: list[Any]) -> str:
        """Why a rewritten page is of no use to a live kernel; "" if it is."""
        definition = page.definition_in(text)
        if definition is None:
            return (
                "the rewrite needs a change outside of the kernel, which a live kernel cannot have"
            )
        new = function_from(live, definition)
        missing = unbound(new_names(live, new))
        if missing:
            return f"the rewrite needs {', '.join(missing)}, which its module does not have"
        foreign = [w for w in wrappers if type(w) not in (Autotuner, Heuristics)]
        known = not foreign and page.understood_decorators
        if not known and signature(new) != signature(live.function):
            around = type(foreign[0]).__name__ if foreign else "its decorator"
            return f"the rewrite adds a parameter; what {around} does with one is not known"
        return ""


@dataclass(frozen=True)
class _Tuned(_Optimizer):
    """Makes several versions of a kernel, of which the fastest is launched."""

    launches: tuple[LaunchOf, ...]
    seconds: float
    every: bool
    """Whether nobody said which passes."""

    def apply(self, fn: Any) -> Any:
        chain = chain_of(fn)
        original = chain[-1]
        if hasattr(original, TUNER):
            raise TypeError("this kernel is tuned already: give passes and tune in one call")
        live = read_live(original)
        why = "runs as it is, unless .choices has another version for a launch"
        result = _made_kernel(live, chain, _Made(_unchanged(live, why)))
        if is_inside_verification():
            return result
        tuner = Tuner(live, result, result.run, lambda: self._versions(live, chain), self.seconds)
        found = replace(vars(result)["tritonopt"], choices=tuner.choices)
        innermost = chain_of(result)[-1]
        innermost.tritonopt = vars(result)["tritonopt"] = found
        setattr(innermost, TUNER, tuner)
        vars(result)["run"] = tuner.run
        if not isinstance(original, JITFunction):
            tuner.give_up("Triton interprets it, and times are taken on a GPU")
            return result
        for launch in self.launches:
            tuner.tune(launch)
        return result

    def _versions(self, live: Live, chain: list[Any]) -> Versions:
        """What the passes make of the kernel, together and each alone; every text once."""
        found: dict[str, Version] = {}
        plain = _is_plain(chain[-1])
        for name, passes in self._selections() if plain else ():
            made = replace(self, passes=passes)._rewritten(live, chain[:-1])
            text, diff = made.found.source, made.found.diff
            if diff and text not in found:
                found[text] = Version(name, text, diff, partial(_made_kernel, live, chain, made))
        return Versions(surroundings_of(live, _is_ours).text, tuple(found.values()))

    def _selections(self) -> Iterator[tuple[str, list[Pass]]]:
        if self.every:
            for name in ("default", "rows"):
                yield name, registry.select(name)
            for name, kind in registry.catalog().items():
                if not kind.finds_mistakes:
                    yield name, registry.select(name)
            return
        yield ",".join(map(spelled, self.passes)), self.passes
        for each in self.passes:
            yield spelled(each), [each]


def _made_kernel(live: Live, chain: list[Any], made: _Made) -> Any:
    """The kernel in wrappers like those of the original."""
    original = chain[-1]
    function = function_from(live, made.found.source)
    check = None
    if made.found.diff:
        check = _check(live, {**made.evidence, **new_names(live, function)})
    kernel = kernel_like(original, function, check)
    result = chain_like(chain, kernel)
    kernel.tritonopt = vars(result)["tritonopt"] = made.found
    setattr(kernel, ORIGINAL, original)
    return result


@dataclass(frozen=True)
class _Made:
    """What a kernel becomes, and what its names were taken to be for it."""

    found: Optimization
    evidence: Mapping[str, tuple[str, Any]] = field(default_factory=dict)


def _check(live: Live, evidence: Mapping[str, tuple[str, Any]]) -> Callable[[], None]:
    def check() -> None:
        changed = changed_names(live, evidence)
        if changed:
            raise RuntimeError(
                f"{live.function.__qualname__} was optimized for what {', '.join(changed)} "
                "stood for at that time, which is something else now: optimize it again"
            )

    return check


def _is_plain(kernel: Any) -> bool:
    """Whether it is Triton proper: Gluon's functions are kinds of JITFunction too."""
    is_gluon = getattr(kernel, "is_gluon", None)
    return is_gluon is None or not is_gluon()


def _unchanged(live: Live, why: str) -> Optimization:
    return Optimization(live.definition, "", (_remark(live, why, _LEFT_ALONE),), ())


def _undone(remark: Remark) -> Remark:
    """The remark of a rewrite that could be made and is not used."""
    if remark.kind is not RemarkKind.PASSED:
        return remark
    return replace(remark, kind=RemarkKind.MISSED, reason=_LEFT_ALONE)


def _remark(live: Live, message: str, reason: str) -> Remark:
    name = live.function.__qualname__
    return Remark(
        _NAME, RemarkKind.MISSED, name, live.line, live.indentation + 1, message, reason=reason
    )


def _diff(live: Live, definition: str) -> str:
    """Of the two definitions; its lines count from the `def`."""
    old, new = (text.splitlines(keepends=True) for text in (live.definition, definition))
    name = os.path.basename(live.path)
    return "".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))
