"""What is proved of the launches of a kernel that are to change with it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import KernelFacts
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.launches.division import Division, Divisor, words_of
from tritonopt.launches.known_launches import (
    NewParameter,
    check_numbers,
    check_parameter,
    extents_of,
    in_tuner_keys,
    new_constexpr,
    new_number,
)
from tritonopt.launches.launch_grids import Extent, given_by, statement_of
from tritonopt.launches.planned_launch import PlannedLaunch
from tritonopt.source import Change, Kernel
from tritonopt.source.launches import places
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk

_SEEN = "launches-are-seen"


@dataclass(frozen=True)
class LaunchPlan:
    """The launches of one kernel, each of which is seen and may change with it."""

    facts: KernelFacts
    attempt: Attempt

    @classmethod
    def of(
        cls, facts: KernelFacts, attempt: Attempt, *, way: str = "", apart: bool = False
    ) -> LaunchPlan:
        """Raises Declined, and says which other `way` there is for the user.

        `apart` is whether arguments may stand in a dict or tuple before a launch.
        """
        check_statements(facts)
        for launch in facts.launches.launches:
            if launch.apart and not apart:
                detail = f"the launch in {launch.where} passes a dict or tuple that is bound before"
                raise unknown(_SEEN, "arguments-are-not-seen", f"{detail}: write it at the launch")
        why_not = why_not_changed(facts)
        if why_not:
            reason = "unseen-launches" if facts.launches.unknown else "launch-in-another-file"
            raise refuted(_SEEN, reason, "; ".join(filter(None, (why_not, way))))
        attempt.prove(_SEEN, f"the launches that are given, in {places(facts.launches.launches)}")
        return cls(facts, attempt)

    def __iter__(self) -> Iterator[PlannedLaunch]:
        return map(PlannedLaunch, self.facts.launches.launches)

    def constexpr(self, name: str, annotation: str) -> NewParameter:
        """A constexpr that each launch passes. Raises Declined."""
        check_parameter(self.facts)
        annotations = [
            self.facts.kernel.module.text_of(p.annotation)
            for p in self.facts.kernel.parameters
            if p.constexpr and p.annotation is not None
        ]
        return new_constexpr(self.facts, name, (annotations or [annotation])[-1])

    def count(self, axis: int, cdiv: str, fresh: Callable[..., str]) -> Count:
        """How many programs the launches start along an axis. Raises Declined.

        `cdiv` is how the kernel's file spells `tl.cdiv`; `fresh` makes a name for a parameter,
        of those that are wanted.
        """
        extents = extents_of(self.facts, axis)
        check_numbers(extents)
        words = [words_of(extent) for extent in extents]
        code = _in_kernel_terms(self.facts, extents, cdiv) or _passed_as(self.facts, extents, words)
        if code:
            self.attempt.prove("grid-is-known", f"every launch starts {code} programs")
            return Count(code, None, extents)
        self.attempt.prove("grid-is-known", "each launch passes its own number of programs")
        check_parameter(self.facts)
        best = {name for names in words for name in names[:1]}
        word = best.pop() if len(best) == 1 and all(words) else ""
        if len(word) == 1 and self._has_capitals:
            word = word.upper()
        wanted = [word] if word.isidentifier() else []
        name = fresh(*wanted, *_counting_names(self.facts.kernel))
        return Count(name, new_number(self.facts, name), extents)

    @property
    def _has_capitals(self) -> bool:
        """Whether the kernel writes in capitals what the launchers write in small letters."""
        return any(
            isinstance(argument, ast.Name) and argument.id.islower() and argument.id.upper() == name
            for launch in self.facts.launches.launches
            for name, argument in launch.arguments.items()
            if name not in self.facts.pointers
        )

    def new_axis(self) -> NewAxis:
        """One more axis for all grids, and one more parameter for the kernel. Raises Declined."""
        axes = {extent.axes for extent in extents_of(self.facts, 0)}
        if len(axes) != 1 or axes & {0, 3}:
            text = "the launches have grids of several kinds, or of three axes already"
            raise unknown("grid-is-known", "axis-is-taken", text)
        axis = axes.pop()
        extents = [extents_of(self.facts, number) for number in range(axis)]
        for of_axis in extents:
            check_numbers(of_axis)
        check_parameter(self.facts)
        ids = ProgramIds.of(self.facts.kernel, axis)
        in_helper = ids.in_helper or ids.counted_in_helper
        if ids.calls or ids.counts or in_helper or ids.unknown is not None:
            text = f"the kernel may ask for its program along axis {axis}, which is to be a new one"
            raise unknown("grid-is-known", "axis-is-taken", text)
        detail = f"each launch has a grid of {axis}, and may have one more"
        self.attempt.prove("grid-is-known", detail)
        self.attempt.assume_no_other_launches()
        return NewAxis(axis, tuple(zip(*extents, strict=True)))

    def divide(self, by: NewParameter, count: Count, divisors: Sequence[Divisor]) -> list[Change]:
        """The changes of the kernel's parameters and of each launch. Raises as they do."""
        changes: list[Change] = [by.added]
        if count.parameter is not None:
            changes.insert(0, count.parameter.added)
        if len({d.template for d in divisors}) > 1 or any(d.reads for d in divisors):
            changes += in_tuner_keys(self.facts, by.name)
        return [*changes, *Division(by, count.parameter, divisors).changes()]


@dataclass(frozen=True)
class Count:
    """How many programs the launches of a kernel start along one axis."""

    code: str
    """As the kernel has it: in its parameters, or the new one."""
    parameter: NewParameter | None
    """The new one that each launch passes it to; None where the kernel knows it."""
    extents: tuple[Extent, ...]


@dataclass(frozen=True)
class NewAxis:
    """An axis that all grids may have after their last one."""

    number: int
    extents: tuple[tuple[Extent, ...], ...]
    """By launch, how many programs it starts along each of the others."""


def _counting_names(kernel: Kernel) -> tuple[str, ...]:
    """What a kernel of its habits would call the number of its rows."""
    names = {p.name for p in kernel.parameters}
    if "n_cols" in names:
        return "n_rows", "num_rows"
    return ("N_ROWS", "num_rows") if "N_COLS" in names else ("num_rows", "NUM_ROWS")


def _passed_as(
    facts: KernelFacts, extents: Sequence[Extent], words: Sequence[Sequence[str]]
) -> str:
    """The parameter that every launch passes the number of programs, by its name; "" if none is."""
    inside = (node for node in walk(facts.kernel.node) if isinstance(node, ast.Name))
    stored = {node.id for node in inside if isinstance(node.ctx, ast.Store)}
    for parameter in facts.kernel.parameters:
        passed = [given_by(extent.launch).get(parameter.name) for extent in extents]
        pairs = zip(passed, words, strict=True)
        same = all(isinstance(node, ast.Name) and node.id in names for node, names in pairs)
        if extents and same and parameter.name not in stored:
            return parameter.name
    return ""


def _in_kernel_terms(facts: KernelFacts, extents: Sequence[Extent], cdiv: str) -> str:
    """The number of programs as the kernel may compute it; "" where each launch is to pass it."""
    texts = {extent.in_kernel_terms(cdiv) for extent in extents}
    text = texts.pop() if len(texts) == 1 else None
    if text is None:
        return ""
    tree = parsed(text, mode="eval")
    # A quotient that rounds up adds to the length first, which may not fit 32 bits.
    divides = any(isinstance(node, ast.Call) for node in walk(tree))
    names = {node.id for node in walk(tree) if isinstance(node, ast.Name)}
    inside = (node for node in walk(facts.kernel.node) if isinstance(node, ast.Name))
    bound = {node.id for node in inside if isinstance(node.ctx, ast.Store)}
    return "" if divides or names & (bound | facts.pointers) else text


def can_choose(facts: KernelFacts) -> bool:
    """Whether each launch could start a copy of the kernel too.

    The kernel is a function of the file's own block, which each launch calls by its name.
    """
    at_the_top = facts.kernel.node in facts.kernel.module.tree.body
    launches = map(PlannedLaunch, facts.launches.launches)
    return at_the_top and all(at.called is not None for at in launches)


def check_statements(facts: KernelFacts) -> None:
    """Raises Declined where somebody may launch again what a launch returns."""
    for launch in facts.launches.launches:
        if statement_of(launch) is None:
            detail = f"the launch in {launch.where} is no statement of its own"
            why = "what it returns can be launched again"
            raise unknown(_SEEN, "unseen-launches", f"{detail}: {why}")


def why_not_changed(facts: KernelFacts) -> str:
    """Why the launches cannot all change with the kernel; "" where they can."""
    elsewhere = [launch.where for launch in facts.launches.launches if launch.is_elsewhere]
    if facts.launches.unknown or not elsewhere:
        return facts.launches.unknown
    return (
        f"the launch in {elsewhere[0]} would have to change with the kernel, and each file "
        f"is changed by itself: move the function that launches into the kernel's file"
    )
