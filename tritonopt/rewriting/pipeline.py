"""Running passes over the kernels of one file until nothing changes.

After every edit the text is read again and the facts are taken again: a pass
never sees facts of a text that is gone. A kernel in which something of ours
fails is left as it was, and the rest of the file is done without it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tritonopt import facts, source
from tritonopt.rewriting import registry
from tritonopt.rewriting.model import Bits, Remark, RemarkKind, Safety, Site
from tritonopt.rewriting.origins import Origins
from tritonopt.rewriting.silence import Silence

if TYPE_CHECKING:
    from tritonopt.rewriting.passes import Pass

DEFAULT_SAFETY = frozenset({Safety.ROUNDING, Safety.CONTRACT})

# Far more than a kernel has sites. Passes that undo each other, or that find their
# own work again, run into these.
EDITS_PER_KERNEL = 100
SWEEPS = 10

_Key = tuple[str, int]
"""A kernel through all edits: its qualified name, and which of that name it is."""


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
    passes: str | Iterable[Pass | str] = "default",
    *,
    path: str = "<string>",
    safety: Iterable[Safety | str] = DEFAULT_SAFETY,
    assume: Iterable[facts.Assumption | str] = (),
    same_bits: bool = False,
    only: str | None = None,
    unseen_launches: str = "",
) -> RewriteResult:
    """Rewrite the kernels of a file.

    `passes` is what may follow `--passes`, or passes themselves. `safety` is
    what may be applied beyond `exact`; with `same_bits`, only what leaves the
    results of compiled code the same bit for bit. Remarks point into the text
    that was given, not into the result. `only` is the qualified name of the one
    kernel to rewrite. `unseen_launches` says why the text does not show all
    launches, which makes those that it shows no evidence; "" where the text is
    to be believed.

    Raises SourceError for a text that does not parse, PassSelectionError and
    AssumptionError for arguments that mean nothing.
    """
    chosen = registry.resolve(passes)
    allowed = frozenset(Safety(level) for level in safety)
    given = tuple(
        facts.parse_assumption(fact) if isinstance(fact, str) else fact for fact in assume
    )
    if given:
        # Giving the fact is the permission to rest on it.
        allowed |= {Safety.ASSUMPTION}
    if not source.has_kernels(text):
        return RewriteResult(text, original=text)
    module = source.read(text, path)
    defects: dict[_Key, _Defect] = {}
    silence = Silence(module)
    while True:
        run = _Run(
            module,
            chosen,
            allowed,
            given,
            defects,
            silence,
            same_bits=same_bits,
            only=only,
            unseen_launches=unseen_launches,
        )
        try:
            run.to_fixed_point()
        except _Defect as defect:
            # Its edits may have touched the launches too, so we begin again without it.
            defects[defect.kernel] = defect
            continue
        ran = {asked.name for asked in chosen}
        everything = ran >= set(registry.names())
        useless = () if defects else tuple(silence.unused(ran, everything=everything))
        return RewriteResult(
            run.module.text,
            (*run.remarks(), *useless),
            original=text,
            kernels=tuple(
                frozenset(parameter.name for parameter in kernel.parameters)
                for kernel in module.kernels
            ),
            facts_used=frozenset(run.facts_used),
        )


class _Defect(Exception):
    """Something of ours failed on a kernel."""

    def __init__(self, kernel: _Key, culprit: str, failure: str, home: str) -> None:
        super().__init__(failure)
        self.kernel = kernel
        self.culprit = culprit
        self.failure = failure
        self.home = home

    def remark(self, kernel: str, line: int, column: int) -> Remark:
        return _internal_error(self.culprit, self.failure, self.home, kernel, (line, column))


class _Run:
    """One attempt at a file, without the kernels in which something failed before."""

    def __init__(
        self,
        module: source.Module,
        passes: Sequence[Pass],
        allowed: frozenset[Safety],
        given: tuple[facts.Assumption, ...],
        defects: dict[_Key, _Defect],
        silence: Silence,
        *,
        same_bits: bool,
        only: str | None,
        unseen_launches: str,
    ) -> None:
        self.module = module
        self.facts_used: set[str] = set()
        self._passes = passes
        self._allowed = allowed
        self._given = given
        self._defects = defects
        self._silence = silence
        self._same_bits = same_bits
        self._only = only
        self._unseen_launches = unseen_launches
        self._origins = Origins(module.text)
        self._passed: list[tuple[tuple[int, ...], Remark]] = []
        self._missed: list[tuple[tuple[int, ...], Remark]] = []

    def remarks(self) -> tuple[Remark, ...]:
        """By the kernel's place, then by pass."""
        found = sorted(self._passed + self._missed, key=lambda pair: pair[0])
        return tuple(remark for _, remark in found)

    def to_fixed_point(self) -> None:
        if not self._passes:
            return
        last: _Key | None = None
        for _ in range(SWEEPS):
            self._missed.clear()
            edited = None
            index = 0
            while index < len(self.module.kernels):
                if self._only in (None, self.module.kernels[index].qualname):
                    edited = self._kernel(index) or edited
                index += 1
            if edited is None:
                return
            last = edited
        assert last is not None
        raise _Defect(last, self._culprits(), f"no fixed point after {SWEEPS} sweeps", "tritonopt")

    def _kernel(self, index: int) -> _Key | None:
        """Bring one kernel to its fixed point; the kernel, if it was edited."""
        edits = 0
        while True:
            kernel = self.module.kernels[index]
            key = self._key(kernel)
            if key in self._defects:
                line, column = self._place(kernel.node)
                remark = self._defects[key].remark(kernel.qualname, line, column)
                self._missed.append(((line, -1, line, column), remark))
                return None
            if not self._step(kernel, key):
                return key if edits else None
            edits += 1
            if edits > EDITS_PER_KERNEL:
                failure = f"no fixed point after {EDITS_PER_KERNEL} edits"
                raise _Defect(key, self._culprits(), failure, "tritonopt")

    def _step(self, kernel: source.Kernel, key: _Key) -> bool:
        """Make the first edit that may be made; without one, keep what was missed."""
        missed: list[tuple[tuple[int, ...], Remark]] = []
        used: set[str] = set()
        culprit: Pass | None = None
        try:
            known = facts.of(kernel, self._given, self._unseen_launches)
            for order, culprit in enumerate(self._passes):
                for site in culprit.sites(known):
                    used |= site.facts_used
                    sort_key, remark = self._judge(kernel, culprit, order, site)
                    if self._silence.covers(culprit.name, remark.line):
                        continue
                    if remark.kind is not RemarkKind.PASSED:
                        missed.append((sort_key, remark))
                        continue
                    edited = source.applied(self.module, culprit.edit(known, site))
                    if edited.text == self.module.text:
                        raise RuntimeError("the edit changed nothing")
                    self.module = edited
                    self._origins.follow(edited.text)
                    self._passed.append((sort_key, remark))
                    self.facts_used |= site.facts_used
                    return True
        except facts.AssumptionError:
            # Refuted by this kernel: the user's to mend.
            raise
        except Exception as error:
            name = culprit.name if culprit else "facts"
            home = _home(culprit) if culprit else "tritonopt"
            raise _Defect(key, name, describe(error), home) from error
        self._missed.extend(missed)
        self.facts_used |= used
        return False

    def _judge(
        self, kernel: source.Kernel, chosen: Pass, order: int, site: Site
    ) -> tuple[tuple[int, ...], Remark]:
        """What is to be said of a site, and where the remark belongs."""
        line, column = self._place(site.anchor)
        remark = judge(kernel, chosen, site, (line, column), self._allowed)
        if self._same_bits and remark.kind is RemarkKind.PASSED and site.bits is not Bits.SAME:
            message = (
                f"may change the bits of results ({site.bits.value}); would have {site.message}"
            )
            remark = replace(remark, kind=RemarkKind.MISSED, message=message, reason="bits")
        start, _ = self._place(kernel.node)
        return (start, order, line, column), remark

    def _place(self, node: ast.AST) -> tuple[int, int]:
        """The line of a node in the original text, and its column in characters."""
        line, column = self.module.lines.place(node)
        return self._origins.original(line), column

    def _key(self, kernel: source.Kernel) -> _Key:
        namesakes = [k for k in self.module.kernels if k.qualname == kernel.qualname]
        return kernel.qualname, next(i for i, k in enumerate(namesakes) if k is kernel)

    def _culprits(self) -> str:
        """The passes that made edits: one of them, or two together, never came to an end."""
        return ", ".join(sorted({remark.pass_name for _, remark in self._passed}))


def judge(
    kernel: source.Kernel,
    chosen: Pass,
    site: Site,
    place: tuple[int, int],
    allowed: frozenset[Safety],
) -> Remark:
    """What is to be said of a site at a line and column, with these levels allowed."""
    kind, message, reason = RemarkKind.PASSED, site.message, ""
    forbidden = sorted(level.value for level in site.safety - allowed)
    if site.analysis:
        kind, reason = RemarkKind.ANALYSIS, site.failed[0].reason if site.failed else ""
    elif site.failed:
        kind, reason = RemarkKind.MISSED, site.failed[0].reason
    elif forbidden:
        kind, reason = RemarkKind.MISSED, "safety"
        message = f"needs {', '.join(forbidden)}, which was not allowed; would have {message}"
    elif not (site.pays or site.saves or chosen.is_named):
        kind, reason = RemarkKind.MISSED, site.unpaid
        message = f"is allowed, and done where {chosen.name} is named; would have {message}"
    return Remark(
        chosen.name,
        kind,
        kernel.qualname,
        *place,
        message,
        site.safety,
        site.bits,
        site.conditions,
        reason,
    )


def defect_remark(kernel: source.Kernel, chosen: Pass, error: Exception) -> Remark:
    """What is to be said of a kernel on which a pass failed."""
    place = kernel.module.lines.place(kernel.node)
    return _internal_error(chosen.name, describe(error), _home(chosen), kernel.qualname, place)


def _home(chosen: Pass) -> str:
    """The package that brings a pass."""
    return type(chosen).__module__.partition(".")[0]


def _internal_error(
    culprit: str, failure: str, home: str, kernel: str, place: tuple[int, int]
) -> Remark:
    return Remark(
        culprit,
        RemarkKind.MISSED,
        kernel,
        *place,
        f"the kernel is left as it was, because {culprit} failed on it: {failure}. "
        f"This is a defect of ours, not of the kernel; please report it to the maintainers "
        f"of {home}, with the kernel and this remark",
        reason="internal-error",
        failure=failure,
    )


def describe(error: Exception) -> str:
    """One line for a report: what was raised, and where."""
    import traceback  # rarely needed

    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return text
    frame = frames[-1]
    where = "/".join(Path(frame.filename).parts[-2:])
    return f"{text} ({where}:{frame.lineno} in {frame.name})"
