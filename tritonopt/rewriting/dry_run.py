"""What passes say of a file as it stands: every site, none of them edited.

Where the pipeline edits until nothing is left, this asks each pass once. So each site is one
that the text has, and its edit is one to that text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from tritonopt import facts, source
from tritonopt.facts.algebra.polynomial import TooMuchWork
from tritonopt.facts.launch_bindings import Recorded
from tritonopt.rewriting.applied_suppressions import AppliedSuppressions
from tritonopt.rewriting.focus import Focus
from tritonopt.rewriting.model import Remark, Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.rewriting.recorded_launches import still_shown
from tritonopt.rewriting.remarks import classify, defect_remark, gave_up_remark, within_reason


@dataclass(frozen=True)
class Found:
    """A site, and what is to be said of it."""

    place: tuple[int, ...]
    """By which findings are ordered."""
    remark: Remark
    chosen: Pass
    site: Site = field(repr=False)
    known: facts.KernelFacts = field(repr=False)

    @property
    def is_legal(self) -> bool:
        """Whether the pass rewrites the site where it is named."""
        return bool(self.site.changes) and self.remark.reason != "safety"

    @property
    def kernel_name(self) -> str:
        """How the command line names the kernel; "" where another one has the name too."""
        kernel = self.known.kernel
        alone = [k.name for k in kernel.module.kernels].count(kernel.name) == 1
        return kernel.name if alone else ""

    def is_beside(self, other: Found) -> bool:
        """Whether it is of the same pass and kernel."""
        return self.chosen.name == other.chosen.name and self.remark.kernel == other.remark.kernel

    def rewritten(self) -> str:
        """The text of the file with the edit of this site and no other."""
        return source.apply(self.known.kernel.module, self.site.changes)


@dataclass(frozen=True)
class Survey:
    """By the kernel's place, then by pass."""

    module: source.Module
    found: tuple[Found, ...] = ()
    defects: tuple[Remark, ...] = ()
    """Passes that failed on a kernel; what they had to say of it is missing."""
    suppressions: AppliedSuppressions | None = None
    facts_used: frozenset[str] = frozenset()
    given_up: tuple[Remark, ...] = ()
    """Kernels that are too much for a pass."""


def _asked(
    module: source.Module, passes: Sequence[Pass], only: Focus | None
) -> Iterator[tuple[source.Kernel, int, Pass]]:
    """Every kernel that is meant, with every pass and its place among them."""
    for kernel in module.kernels:
        if only is None or only.concerns(kernel):
            yield from ((kernel, order, chosen) for order, chosen in enumerate(passes))


def dry_run(
    module: source.Module,
    passes: Sequence[Pass],
    allowed: frozenset[Safety],
    given: Sequence[facts.Assumption] = (),
    *,
    worthwhile: bool = False,
    only: Focus | None = None,
    suppressions: AppliedSuppressions | None = None,
    recorded: Mapping[str, Recorded] | None = None,
) -> Survey:
    """Ask every pass for its sites in every kernel.

    With `worthwhile`, a pass may be left out where it finds no mistakes and has nothing profitable,
    unless a suppression may be meant for it. `only` says which kernels or lines are meant.
    `suppressions` are those of the file where the module is an excerpt. `recorded` are launches
    that a run made, by kernel.

    Raises AssumptionError where the launches refute a given fact.
    """
    facts_of = cache(partial(_facts_of, given, recorded or {}))
    suppressions = suppressions or AppliedSuppressions(module)
    worthwhile = worthwhile and suppressions.is_empty
    found: list[Found] = []
    defects: list[Remark] = []
    given_up: list[Remark] = []
    used: set[str] = set()
    for kernel, order, chosen in _asked(module, passes, only):
        try:
            known = facts_of(kernel)
            if worthwhile and not chosen.may_act(known):
                continue
            sites = list(within_reason(chosen, known))
        except TooMuchWork:
            given_up.append(gave_up_remark(kernel, chosen, module.lines.place(kernel.node)))
            continue
        except Exception as error:
            if isinstance(error, facts.AssumptionError):
                raise
            defects.append(defect_remark(kernel, chosen, error))
            continue
        used = used.union(*(site.facts_used for site in sites))
        for each in _told(sites, known, (order, chosen), allowed, given):
            line = each.remark.line
            if only is not None and not only.covers(kernel, line):
                continue
            if not suppressions.covers(chosen.name, line):
                found.append(each)
    in_order = tuple(sorted(found, key=lambda item: item.place))
    return Survey(
        module,
        in_order,
        tuple(defects),
        suppressions,
        frozenset(used),
        tuple(given_up),
    )


def _facts_of(
    given: Sequence[facts.Assumption], recorded: Mapping[str, Recorded], kernel: source.Kernel
) -> facts.KernelFacts:
    seen = still_shown(recorded.get(kernel.qualname), kernel, kernel)
    return facts.of(kernel, given, recorded=seen)


def _told(
    sites: Sequence[Site],
    known: facts.KernelFacts,
    asked: tuple[int, Pass],
    allowed: frozenset[Safety],
    given: Sequence[facts.Assumption],
) -> Iterator[Found]:
    """What is to be said of the sites that a pass found."""
    kernel, (order, chosen) = known.kernel, asked
    texts = [fact.text for fact in given]
    for site in sites:
        line, column = kernel.module.lines.place(site.anchor)
        remark = classify(kernel, chosen, site, (line, column), allowed, texts, fixes=False)
        yield Found((kernel.node.lineno, order, line, column), remark, chosen, site, known)
