"""Variants of a file: what passes make of the kernels of one launcher, alone and one after another.

Two variants with one text are one. None of them is known to be the same function, or faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from tritonopt.measurement.tuned import Applied
from tritonopt.rewriting import groups, options, registry
from tritonopt.rewriting.focus import Focus
from tritonopt.rewriting.model import Remark, RemarkKind
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.rewriting.protocol import Pass
from tritonopt.tuning.variation.launch_parameters import edits

_SETS = ("rows", "rows,one-tile{longer_rows=branch,raise_block=32768}", "default")
"""What is tried before each pass alone: with rows of any length in two forms as well, for which
calls are measured and need no bound in the launcher."""
_TOGETHER = (
    "grid-stride{programs=sm*2},pipeline-loads{num_stages=3}",
    "merge-kernels,grid-stride{programs=sm*2}",
    "merge-kernels,grid-stride{programs=sm*2},pipeline-loads{num_stages=3}",
)
"""What gains only together: atomics of each row lose, and there is no loop before there is one."""


@dataclass(frozen=True)
class Variant:
    """One text in place of the file's."""

    steps: tuple[str, ...]
    """What was done, one after the other: passes as they are selected, launch parameters."""
    text: str = field(repr=False)
    passes: tuple[str, ...] = ()
    """Those of the steps that are passes."""
    remarks: tuple[Applied, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        return " + ".join(self.steps)

    @property
    def effort(self) -> tuple[int, int]:
        """How much there is to read in it: of two that are as fast the one with less is written."""
        return len(self.steps), len(self.text)


@dataclass
class Variation:
    """The variants of one file, each given out once."""

    path: str
    text: str
    kernels: frozenset[str]
    """Names of those that the launcher runs: nothing else changes."""
    selection: str = ""
    """The passes that may be tried; "" for all."""
    parameters: bool = True
    seen: set[str] = field(default_factory=set)
    """Texts that were given out."""

    def __post_init__(self) -> None:
        self.seen.add(self.text)

    @property
    def original(self) -> Variant:
        return Variant((), self.text)

    def first(self) -> Iterator[Variant]:
        """What one pass, or a set of them, makes of the original."""
        for chosen in self._selections():
            made = self._rewritten(self.original, chosen)
            if chosen in _TOGETHER:
                made = (variant for variant in made if _names(chosen) <= _done(variant))
            yield from self.unseen(made)

    def pairs(self, one: Variant, other: Variant) -> Iterator[Variant]:
        """The passes of the other one after those of the one; none twice, with other options.

        Of a set and a pass of it, the set, with the options of the pass.
        """
        match one.passes, other.passes:
            case (whole,), (part,) if _names(part) < _names(whole):
                if both := _with_options(whole, part):
                    yield from self.unseen(self._rewritten(self.original, both))
                return
        found, ran = one, _names(",".join(one.passes))
        for chosen in other.passes:
            if not _names(chosen) & ran:
                found = next(self._rewritten(found, chosen), found)
        if found is not one:
            yield from self.unseen([found])

    def tuned(self, variant: Variant) -> Iterator[Variant]:
        """The variant with other launch parameters, one changed at a time."""
        if not self.parameters:
            return
        for edit in edits(variant.text, self.path, self.kernels):
            # What was changed once would be the variant of another one.
            if not any(step.startswith(f"{edit.parameter} ") for step in variant.steps):
                step = replace(variant, steps=(*variant.steps, edit.what), text=edit.text)
                yield from self.unseen([step])

    def unseen(self, variants: Iterable[Variant]) -> Iterator[Variant]:
        for variant in variants:
            if variant.text not in self.seen:
                self.seen.add(variant.text)
                yield variant

    def _rewritten(self, variant: Variant, chosen: str) -> Iterator[Variant]:
        """What a selection of passes makes of a variant, if it does anything."""
        result = rewrite_source(
            variant.text, chosen, path=self.path, only=Focus(kernels=self.kernels)
        )
        if not result.changed:
            return
        yield Variant(
            (*variant.steps, chosen),
            result.text,
            (*variant.passes, chosen),
            (*variant.remarks, *map(_applied, result.remarks)),
        )

    def _selections(self) -> Iterator[str]:
        if not self.selection:
            yield from _SETS
            members = (options.parse(group.passes) for group in groups.GROUPS.values())
            for member in (item for items in members for item in items):
                yield options.spelled(options.build(registry.load(member.name), member.options))
            yield from _TOGETHER
            # One variant of each pass before the second of any: a budget may be over soon. First of
            # those that were measured to gain.
            tried = [one for one in map(registry.load, registry.names()) if one.is_tried]
            for gains in (True, False):
                of_these = [one for one in tried if (one.gain is not None) == gains]
                for turn in zip_longest(*map(_spelled, of_these)):
                    yield from filter(None, turn)
            return
        yield self.selection
        for chosen in registry.select(self.selection):
            yield options.spelled(chosen)
            if options.spelled(chosen) == chosen.name:
                yield from _spelled(type(chosen))
            else:
                yield from _with_more(chosen)


def _names(selection: str) -> set[str]:
    """The passes that a selection stands for."""
    return {chosen.name for chosen in registry.select(selection)}


def _done(variant: Variant) -> set[str]:
    """The passes that changed something."""
    return {done.pass_name for done in variant.remarks if done.kind == RemarkKind.PASSED.value}


def _with_options(whole: str, part: str) -> str:
    """A selection with the options that a part of it has; "" where it has others already."""
    items = options.parse(whole)
    named = [item for item in items if item.name in _names(part)]
    if not named:
        return f"{whole},{part}"
    if len(named) > 1 or named[0].options or _names(named[0].name) != _names(part):
        return ""
    return ",".join(part if item is named[0] else str(item) for item in items)


def _spelled(chosen: type[Pass]) -> Iterator[str]:
    """A pass with each combination of its options, and with other numbers for those it has."""
    if chosen.finds_mistakes:
        return
    for variant in chosen.variants():
        yield options.spelled(variant)
    for option in options.of(chosen).values():
        if option.type is int and option.default > 1:
            more = (option.default * 4,) if option.default >= 256 else ()
            for number in (option.default * 2, option.default // 2, *more):
                yield f"{chosen.name}{{{option.name}={number}}}"


def _with_more(chosen: Pass) -> Iterator[str]:
    """A pass with the options that it was given, and others of its variants."""
    listed = options.of(type(chosen)).items()
    given = {name for name, option in listed if getattr(chosen, name) != option.default}
    for variant in chosen.variants():
        if all(getattr(variant, name) == getattr(chosen, name) for name in given):
            yield options.spelled(variant)


def _applied(remark: Remark) -> Applied:
    return Applied(
        remark.pass_name,
        remark.kind.value,
        remark.kernel,
        remark.line,
        remark.message,
        tuple((c.claim, c.status.value, c.detail) for c in remark.conditions),
        remark.reason,
    )
