"""Running passes over the kernels of one file until nothing changes.

It goes in rounds. In each, every kernel that is not done is looked at once, on one text; the edits
of kernels that do not concern each other are made together, and the text is read again once. A
pass never sees facts of a text that is gone: what was found of a kernel holds as long as nothing
in its neighborhood changes. Mistakes, and all that only looks, are of the text as it was given.

Kernels that an edit creates are looked at like the others, as a second run would.

A kernel in which something of ours fails was not changed, and the rest of the file is done
without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tritonopt import facts, source
from tritonopt.facts.algebra.polynomial import TooMuchWork
from tritonopt.facts.launch_bindings import Recorded
from tritonopt.rewriting import registry
from tritonopt.rewriting.applied_suppressions import AppliedSuppressions
from tritonopt.rewriting.focus import Focus
from tritonopt.rewriting.line_map import AS_REWRITTEN, Copy, LineMap
from tritonopt.rewriting.model import Bits, Remark, RemarkKind, Safety, Site
from tritonopt.rewriting.neighborhoods import Neighborhood, Neighborhoods, Units
from tritonopt.rewriting.recorded_launches import still_shown
from tritonopt.rewriting.remarks import (
    classify,
    describe,
    gave_up_remark,
    home,
    internal_error,
    of_replaced,
    refused_remark,
    within_reason,
)
from tritonopt.source.editing import apart
from tritonopt.source.files import BYTE_ORDER_MARK

if TYPE_CHECKING:
    from tritonopt.rewriting.protocol import Pass

DEFAULT_SAFETY = frozenset({Safety.ROUNDING, Safety.CONTRACT})

# Far more than a kernel has sites. Passes that undo each other, or that find their
# own work again, run into these.
EDITS_PER_KERNEL = 100
MAX_ROUNDS = 10

_Key = tuple[str, int]
"""A kernel through all edits: its qualified name, and which of that name it is."""

_Said = tuple[tuple[int, ...], Remark]
"""A remark, and where it belongs."""


@dataclass(frozen=True)
class RewriteResult:
    """The new text, and what the passes said on the way to it."""

    text: str
    remarks: tuple[Remark, ...] = ()
    original: str = field(default="", repr=False)
    kernels: tuple[frozenset[str], ...] = ()
    """The parameter names of every kernel."""
    facts_used: frozenset[str] = frozenset()
    """Texts of the given facts that some site rests on."""

    @property
    def changed(self) -> bool:
        return self.text != self.original

    @property
    def failed(self) -> bool:
        """Whether something of ours failed, so that a kernel was left as it was."""
        return any(remark.failure for remark in self.remarks)


def rewrite_source(
    text: str,
    passes: str | Iterable[Pass | str] | None = None,
    *,
    path: str = "<string>",
    safety: Iterable[Safety | str] = DEFAULT_SAFETY,
    assume: Iterable[facts.Assumption | str] = (),
    same_bits: bool = False,
    only: Focus | None = None,
    unseen_launches: str = "",
    program: source.Program | None = None,
    refused: Callable[[str], str] | None = None,
    whole: source.Module | None = None,
    recorded: Mapping[str, Recorded] | None = None,
) -> RewriteResult:
    """Rewrite the kernels of a file.

    `passes` is what may follow `--passes`, or passes themselves: they act wherever it is legal.
    Without any, mistakes with a safe fix are fixed, then every profitable rewrite made. `safety` is
    what may be applied beyond `exact`; with `same_bits`, only what leaves the
    results of compiled code the same bit for bit. Remarks point into the text
    that was given, not into the result; a byte order mark at its beginning stays, and is no
    column. `only` says which kernels, or which of its lines, are meant; all else stays as it is.
    `unseen_launches` says why the text does not show all launches, which makes those that it shows
    no evidence; "" where the text is to be believed. `program` are the files that were given with
    this one, at `path`: it may import from them, and they may launch its kernels. `refused`
    says of the text after an edit why that edit is not to be made, "" where it is.

    `whole` is the file of which the text is an excerpt. `recorded` are launches that a run made, by
    kernel: evidence for what is profitable, and with the level `assumption` for what is legal.

    Raises SourceError for a text that does not parse, PassSelectionError and
    AssumptionError for arguments that mean nothing.
    """
    allowed = frozenset(Safety(level) for level in safety)
    given = tuple(
        facts.parse_assumption(fact) if isinstance(fact, str) else fact for fact in assume
    )
    chosen = registry.resolve(passes)
    asked = _Request(
        chosen, allowed, given, same_bits, only, unseen_launches, refused, recorded or {}
    )
    if not source.has_kernels(text):
        return RewriteResult(text, original=text)
    module = source.read(text, path, program, whole)
    done = _in_excerpts(module, asked) or _as_a_whole(module, asked)
    return replace(
        done,
        text=text[: text.startswith(BYTE_ORDER_MARK)] + done.text,
        original=text,
        kernels=tuple(frozenset(p.name for p in kernel.parameters) for kernel in module.kernels),
    )


@dataclass(frozen=True)
class _Request:
    """What is asked of a file; as the arguments of `rewrite_source`."""

    passes: Sequence[Pass]
    allowed: frozenset[Safety]
    given: tuple[facts.Assumption, ...]
    same_bits: bool
    only: Focus | None
    unseen_launches: str
    refused: Callable[[str], str] | None
    recorded: Mapping[str, Recorded]


@dataclass(frozen=True)
class _Heard:
    """What is kept of a run."""

    said: list[_Said]
    facts_used: frozenset[str]
    has_defects: bool

    @classmethod
    def of(cls, run: _Run) -> _Heard:
        return cls(list(run.said()), frozenset(run.facts_used), run.has_defects)


def _done(
    module: source.Module,
    asked: _Request,
    suppressions: AppliedSuppressions,
    text: str,
    heard: Sequence[_Heard],
) -> RewriteResult:
    """All that was said, by the kernel's place, then by pass; and what there is to say of the file
    beside its sites."""
    said = sorted((one for run in heard for one in run.said), key=lambda one: one[0])
    remarks = [remark for _, remark in said]
    if asked.only is None:
        remarks += of_replaced(module)
        if not any(run.has_defects for run in heard):
            ran = {chosen.name for chosen in asked.passes}
            remarks += suppressions.unused(ran, everything=ran >= set(registry.names()))
    used = frozenset[str]().union(*(run.facts_used for run in heard))
    return RewriteResult(text, tuple(remarks), facts_used=used)


def _names_of(module: source.Module) -> set[str]:
    """What a file defines and binds."""
    return {*module.names.module.bindings, *(node.name for node, _ in module.names.functions)}


def _as_a_whole(module: source.Module, asked: _Request) -> RewriteResult:
    suppressions = AppliedSuppressions(module)
    run = _brought_to_an_end(module, asked, suppressions)
    return _done(module, asked, suppressions, run.module.text, [_Heard.of(run)])


def _in_excerpts(module: source.Module, asked: _Request) -> RewriteResult | None:
    """The same, excerpt by excerpt, which costs as much as these are long; None where it cannot be.

    Only what was said of each is kept.
    """
    if (
        asked.given
        or asked.unseen_launches
        or asked.refused is not None
        or any(p.runs_file and p.is_named for p in asked.passes)
    ):
        return None
    suppressions = AppliedSuppressions(module)
    heard: list[_Heard] = []
    replaced: list[tuple[tuple[int, int], str]] = []
    new_names: Counter[str] = Counter()
    for excerpt in apart.excerpts(module):
        if asked.only is not None and not any(map(asked.only.concerns, excerpt.module.kernels)):
            continue
        try:
            run = _brought_to_an_end(excerpt.module, asked, suppressions, excerpt)
        except apart.Crossed:
            return None
        heard.append(_Heard.of(run))
        if run.module is not excerpt.module:
            texts = [run.module.text[start:end] for start, end in run.shown]
            replaced += zip(excerpt.own, texts, strict=True)
            new_names.update(_names_of(run.module) - _names_of(excerpt.module))
    if not heard or any(number > 1 for number in new_names.values()):
        return None
    return _done(module, asked, suppressions, apart.put_together(module.text, replaced), heard)


def _brought_to_an_end(
    module: source.Module,
    asked: _Request,
    suppressions: AppliedSuppressions,
    excerpt: apart.Excerpt | None = None,
) -> _Run:
    """The first attempt that comes through, without the kernels in which something failed."""
    defects: dict[_Key, _Defect] = {}
    while True:
        run = _Run(module, asked, defects, suppressions, excerpt)
        try:
            run.to_fixed_point()
        except _Defect as defect:
            # Its edits may have touched the launches too, so we begin again without it.
            defects[defect.kernel] = defect
            continue
        return run


class _Defect(Exception):
    """Something of ours failed on a kernel."""

    def __init__(self, kernel: _Key, culprit: str, failure: str, home: str) -> None:
        super().__init__(failure)
        self.kernel = kernel
        self.culprit = culprit
        self.failure = failure
        self.home = home

    def remark(self, kernel: str, line: int, column: int) -> Remark:
        return internal_error(self.culprit, self.failure, self.home, kernel, (line, column))


@dataclass
class _State:
    """How far a kernel is."""

    origin: source.Kernel
    """As it was given; of a kernel that an edit created, the one that was edited."""
    place: tuple[int, int]
    """Where that one stands in the text as it was given."""
    passed: list[_Said] = field(default_factory=list)
    noted: list[_Said] = field(default_factory=list)
    """What there was to see in the text as it was given."""
    missed: list[_Said] = field(default_factory=list)
    missed_as_given: list[_Said] = field(default_factory=list)
    """What was missed in the text as it was given."""
    refused: dict[tuple[str, int], _Said] = field(default_factory=dict)
    """By pass and line: also what is no site any more after other edits."""
    given_up: dict[str, _Said] = field(default_factory=dict)
    """By pass, what it did not come to an end with."""

    def is_new(self, kernel: source.Kernel) -> bool:
        """Whether an edit created the kernel whose state this is."""
        return kernel.qualname != self.origin.qualname


@dataclass(frozen=True)
class _Edit:
    """What a pass does at one site, not made yet."""

    key: _Key
    chosen: Pass
    site: Site
    said: _Said
    parts: Sequence[source.Rewritten]
    units: Units
    """The parts of the module that it changes."""


class _Run:
    """One attempt at a file, without the kernels in which something failed before."""

    def __init__(
        self,
        module: source.Module,
        asked: _Request,
        defects: dict[_Key, _Defect],
        suppressions: AppliedSuppressions,
        excerpt: apart.Excerpt | None = None,
    ) -> None:
        self.module = module
        self.shown = excerpt.shown if excerpt is not None else ()
        """Where the parts of the file are now that no other excerpt shows."""
        self.facts_used: set[str] = set()
        self._asked = asked
        self._defects = defects
        self.suppressions = suppressions
        self._line_map = LineMap(module.text)
        self._is_original = True
        self._edits: Counter[source.Kernel] = Counter()
        """How many were made, to a kernel as it was given and to all that come from it."""
        self._states = {
            key: _State(kernel, module.lines.place(kernel.node))
            for key, kernel in _keyed(module)
            if asked.only is None or asked.only.concerns(kernel)
        }

    @property
    def has_defects(self) -> bool:
        return bool(self._defects)

    def said(self) -> Iterator[_Said]:
        """All remarks."""
        for key, state in self._states.items():
            line, column = state.place
            if key in self._defects:
                remark = self._defects[key].remark(key[0], line, column)
                yield (line, -1, line, column), remark
            else:
                others = (*state.refused.values(), *state.given_up.values())
                yield from (*state.passed, *state.noted, *state.missed, *others)

    def to_fixed_point(self) -> None:
        todo = set(self._states) if self._asked.passes else set()
        for _ in range(MAX_ROUNDS):
            if not todo:
                return
            todo = self._to_fixed_points(todo)
        if todo:
            first = next(key for key in self._states if key in todo)
            failure = f"no fixed point after {MAX_ROUNDS} rounds"
            raise _Defect(first, self._culprits(), failure, "tritonopt")

    def _to_fixed_points(self, waiting: set[_Key]) -> set[_Key]:
        """Bring kernels to their fixed point; those that must be looked at again, and why not now:

        what their facts rest on changed after they were done, on account of a later one.
        """
        stale: set[_Key] = set()
        while waiting:
            neighborhoods = Neighborhoods(self.module)
            near = {
                key: neighborhoods.of(kernel)
                for key, kernel in _keyed(self.module)
                if key in self._states
            }
            waiting &= near.keys()  # an edit of another one may have taken a kernel away
            edits, done = self._round(waiting, neighborhoods, near)
            waiting -= done
            known = set(self._states)
            changed = self._make(edits)
            waiting |= self._states.keys() - known
            stale |= {
                key
                for key, around in near.items()
                if key not in waiting and not changed.isdisjoint(around.all)
            }
            self._is_original = False
        return stale - self._defects.keys()

    def _round(
        self,
        waiting: Collection[_Key],
        neighborhoods: Neighborhoods,
        near: Mapping[_Key, Neighborhood],
    ) -> tuple[list[_Edit], set[_Key]]:
        """Edits that can be made together, and the kernels that need no more of them.

        A kernel waits while an edit of one before it may change what its facts rest on; and its
        edit waits where it would change what the facts of one before it rest on.
        """
        edits: list[_Edit] = []
        done: set[_Key] = set()
        changing: set[int] = set()
        resting: set[int] = set()
        for key, kernel in _keyed(self.module):
            if key not in waiting:
                continue
            around = near[key]
            waits = not changing.isdisjoint(around.all)
            edit = None
            if key not in self._defects and (self._is_original or not waits):
                edit = self._step(kernel, key, neighborhoods, waits=waits)
            if edit is None and (key in self._defects or not waits):
                done.add(key)
                continue
            if edit is not None and (changing | resting).isdisjoint(edit.units):
                edits.append(edit)
                changing |= edit.units
            changing |= around.own
            resting |= around.all
        return edits, done

    def _step(
        self, kernel: source.Kernel, key: _Key, neighborhoods: Neighborhoods, *, waits: bool
    ) -> _Edit | None:
        """The first edit that may be made; without one, keep what was missed.

        A kernel that waits is only looked at for what there is to see in the text as given.
        """
        state = self._states[key]
        culprit: Pass | None = None
        first: tuple[Pass, Site, _Said] | None = None
        missed: list[_Said] = []
        used: set[str] = set()
        try:
            # Facts were given of the parameters of the kernels that there were.
            given = () if state.is_new(kernel) else self._asked.given
            known = facts.of(
                kernel, given, self._asked.unseen_launches, self._recorded(kernel, state)
            )
            for order, culprit in enumerate(self._asked.passes):
                if not self._is_original and (first or culprit.only_tells):
                    continue
                if not culprit.is_named and self._is_skipped(culprit, known):
                    continue
                for site, said in self._wanted(kernel, known, order, state):
                    used |= site.facts_used
                    kind = said[1].kind
                    if kind is RemarkKind.ANALYSIS:
                        is_told = site.is_reported and not site.is_note
                        if self._is_original and (is_told or culprit.is_named):
                            state.noted.append(said)
                    elif kind is RemarkKind.MISSED:
                        missed.append(said)
                    elif first is None:
                        first = culprit, site, said
                        if not self._is_original:
                            break
            if self._is_original:
                state.missed_as_given = missed
            if waits:
                return None
            if first is not None:
                culprit, site, said = first
                parts = source.rewritten(self.module, site.changes)
                if all(self.module.text[p.start : p.end] == p.text for p in parts):
                    raise RuntimeError("the edit changed nothing")
                units = neighborhoods.changed_by(parts)
                return _Edit(key, culprit, site, said, parts, units)
        except facts.AssumptionError:
            # Refuted by this kernel: the user's to mend.
            raise
        except Exception as error:
            self._fail(key, culprit, error)
            return None
        state.missed = _in_words_of_given_text(missed, state.missed_as_given)
        self.facts_used |= used
        return None

    def _recorded(self, kernel: source.Kernel, state: _State) -> Recorded | None:
        found = self._asked.recorded.get(state.origin.qualname)
        if found is None or state.is_new(kernel):
            return None
        return still_shown(found, state.origin, kernel)

    def _is_skipped(self, chosen: Pass, known: facts.KernelFacts) -> bool:
        """Whether a pass that was not named has nothing to do; no suppression is meant for it."""
        return self.suppressions.is_empty and not chosen.may_act(known)

    def _sites(
        self, kernel: source.Kernel, known: facts.KernelFacts, order: int, state: _State
    ) -> Iterator[tuple[Site, _Said]]:
        """What a pass finds, and what is to be said of it, as far as anybody wants to know."""
        chosen = self._asked.passes[order]
        place = (state.place[0], order)
        if chosen.name in state.given_up:
            return
        try:
            for site in within_reason(chosen, known):
                said = self._judge(kernel, chosen, place, site)
                if state.is_new(kernel):
                    message = f"in {kernel.qualname}, which is new: {said[1].message}"
                    said = said[0], replace(said[1], message=message)
                line = said[1].line
                only = self._asked.only
                elsewhere = only is not None and not only.covers(state.origin, line)
                if not elsewhere and not self.suppressions.covers(chosen.name, line):
                    yield site, said
        except TooMuchWork:
            remark = gave_up_remark(kernel, chosen, state.place)
            state.given_up[chosen.name] = ((*place, *state.place), remark)

    def _wanted(
        self, kernel: source.Kernel, known: facts.KernelFacts, order: int, state: _State
    ) -> Iterator[tuple[Site, _Said]]:
        """What a pass finds, without the edits that whoever asks refuses."""
        refused = self._asked.refused
        for site, said in self._sites(kernel, known, order, state):
            if refused is not None and said[1].kind is RemarkKind.PASSED:
                why = refused(source.apply(self.module, site.changes))
                if why:
                    place, remark = said[0], refused_remark(said[1], site, why)
                    state.refused.setdefault((remark.pass_name, remark.line), (place, remark))
                    continue
            yield site, said

    def _fail(self, key: _Key, culprit: Pass | None, error: Exception) -> None:
        name = culprit.name if culprit else "facts"
        package = home(culprit) if culprit else "tritonopt"
        defect = _Defect(key, name, describe(error), package)
        if self._states[key].passed:
            # Its edits may have touched the launches too, so we begin again without it.
            raise defect from error
        self._defects[key] = defect

    def _make(self, edits: Sequence[_Edit]) -> Units:
        """Make edits that do not concern each other; the parts of the module that changed."""
        if not edits:
            return frozenset()
        parts = sorted((part for edit in edits for part in edit.parts), key=lambda p: p.start)
        try:
            module = source.replaced(self.module, parts)
        except source.EditConflict as error:
            if len(edits) > 1:
                # To see whose it is. The others are found again in the next round.
                return self._make(edits[:1])
            self._fail(edits[0].key, edits[0].chosen, error)
            return frozenset()
        self._line_map.follow(parts, list(self._adopt(module, edits)))
        self.shown = apart.moved(self.shown, parts)
        self.module = module
        for edit in edits:
            state = self._states[edit.key]
            state.passed.append(edit.said)
            self.facts_used |= edit.site.facts_used
            self._edits[state.origin] += 1
            if self._edits[state.origin] > EDITS_PER_KERNEL:
                failure = f"no fixed point after {EDITS_PER_KERNEL} edits"
                first = next(k for k, s in self._states.items() if s.origin is state.origin)
                raise _Defect(first, self._culprits(), failure, "tritonopt")
        return frozenset().union(*(edit.units for edit in edits))

    def _adopt(self, module: source.Module, edits: Sequence[_Edit]) -> Iterator[Copy]:
        """Take in the kernels that edits create: each comes from the kernel that was edited."""
        known = dict(_keyed(self.module))
        for key, kernel in _keyed(module):
            if key not in known:
                made = _made_at(module.lines.span(kernel.node)[0], edits)
                parent = self._states[made.key]
                self._states[key] = _State(parent.origin, parent.place)
                yield Copy(known[made.key].lines, kernel.lines)

    def _judge(
        self, kernel: source.Kernel, chosen: Pass, place: tuple[int, int], site: Site
    ) -> _Said:
        """What is to be said of a site, and where the remark belongs."""
        present = self.module.lines.place(site.anchor)
        given = [fact.text for fact in self._asked.given]
        remark = self._line_map.told(
            classify(kernel, chosen, site, present, self._asked.allowed, given)
        )
        if (
            self._asked.same_bits
            and remark.kind is RemarkKind.PASSED
            and site.bits is not Bits.SAME
        ):
            message = (
                f"may change the bits of results ({site.bits.value}); would have {remark.message}"
            )
            remark = replace(remark, kind=RemarkKind.MISSED, message=message, reason="bits")
        return (*place, remark.line, remark.column), remark

    def _culprits(self) -> str:
        """The passes that made edits: one of them, or two together, never came to an end."""
        made = (said for state in self._states.values() for said in state.passed)
        return ", ".join(sorted({remark.pass_name for _, remark in made}))


def _in_words_of_given_text(missed: Sequence[_Said], as_given: Sequence[_Said]) -> list[_Said]:
    """What was missed; where a reason is a line that a pass wrote, and the same pass missed
    something in the text as it was given, what it said of that one."""
    told: list[_Said] = []
    for said in missed:
        own = [given for given in as_given if given[1].pass_name == said[1].pass_name]
        if own and AS_REWRITTEN in said[1].message:
            line = said[1].line
            said = min(own, key=lambda given: abs(given[1].line - line))
        if said not in told:
            told.append(said)
    return told


def _made_at(place: int, edits: Sequence[_Edit]) -> _Edit:
    """The edit whose text is at an offset of the text that they make together."""
    parts = [(part, edit) for edit in edits for part in edit.parts]
    shift = 0
    for part, edit in sorted(parts, key=lambda found: found[0].start):
        shift += len(part.text) - (part.end - part.start)
        if place < part.end + shift:
            return edit
    return edits[-1]


@lru_cache(maxsize=2)
def _keyed(module: source.Module) -> list[tuple[_Key, source.Kernel]]:
    """The kernels of a module in their order, by what they are called through all edits."""
    seen: dict[str, int] = {}
    found = []
    for kernel in module.kernels:
        number = seen.get(kernel.qualname, 0)
        seen[kernel.qualname] = number + 1
        found.append(((kernel.qualname, number), kernel))
    return found
