"""Parameters of which the compiler is not told what would widen loads and stores."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.memory.widths import (
    Loss,
    Told,
    has_places,
    lengths_of,
    lost_widths,
    most_lanes,
    widest_accesses,
)
from tritonopt.passes.specialization.whole_numbers import WholeNumbers
from tritonopt.rewriting.model import Site
from tritonopt.source.kernels import Parameter

_LOST = {
    "": frozenset[Told](),
    "do_not_specialize": frozenset({Told.ALIGNED, Told.ONE}),
    "do_not_specialize_on_alignment": frozenset({Told.ALIGNED}),
}
"""What the compiler is not told of a parameter, by the list that has it."""


def narrowed(
    facts: KernelFacts,
    annotated: Collection[str],
    listed: Mapping[str, str],
    *,
    is_named: bool,
) -> Iterator[Site]:
    """One finding for all parameters of a kernel that are kept from the compiler in one way."""
    untold = {p.name: _untold(p, listed.get(p.name, ""), annotated) for p in _integers(facts)}
    for (which, told), group in _groups(facts, untold, listed).items():
        figures = _in_figures(facts, list(group), told) if is_named else ""
        if figures is None:
            continue
        node = next(a for a in facts.kernel.arguments if a.arg in group)
        message = _message(which, list(group.values()), figures)
        site = Site.of_mistake(node, "hint-is-useful", "compiler-is-not-told", message)
        yield replace(site, is_reported=not which)


def _in_figures(facts: KernelFacts, names: list[str], told: Told) -> str | None:
    """What it costs, by what the compiler makes of it; None where that is nothing."""
    from tritonopt.facts.machine_code.launched_settings import told_in_figures

    return told_in_figures(facts, names, one=told is Told.ONE)


def _groups(
    facts: KernelFacts, untold: Mapping[str, frozenset[Told]], listed: Mapping[str, str]
) -> dict[tuple[str, Told], dict[str, Loss]]:
    """What is lost of each parameter, by the list that has it, and by what is not told."""
    lengths = lengths_of(facts)
    whole: WholeNumbers | None = None
    groups: dict[tuple[str, Told], dict[str, Loss]] = {}
    for effect in widest_accesses(facts):
        if most_lanes(facts, effect) == 1:
            continue  # an access of one element for each thread is as wide as it gets
        if effect.kind is EffectKind.STORE and not has_places(facts, effect):
            continue  # a single tile in all
        try:
            found = list(lost_widths(facts, effect))
        except TooLarge:
            continue
        if any(loss.is_start and listed.get(loss.name) for loss in found):
            continue  # a position, which is another one at each call
        for loss in found:
            said = any(loss.name in group for group in groups.values())
            if said or loss.told not in untold.get(loss.name, ()):
                continue
            if loss.told is Told.ONE and loss.name in lengths:
                continue  # no stride: nobody launches it for a length of 1
            whole = whole or WholeNumbers(facts)
            is_of_batch = loss.is_place and (whole.has(effect) or whole.alone)
            is_of_batch |= loss.name in lengths and whole.has(effect)
            if is_of_batch and listed.get(loss.name):
                continue  # a batch has another size at each call
            groups.setdefault((listed.get(loss.name, ""), loss.told), {})[loss.name] = loss
    return groups


def _message(which: str, group: Sequence[Loss], figures: str) -> str:
    """What is lost, and what to do; `which` list has the parameters, or they are annotated."""
    cost = f". {figures[:1].upper()}{figures[1:]}" if figures else ""
    why = f"listed in {which}" if which else "annotated int"
    first = group[0]
    if len(group) == 1:
        mend = "remove it from the list" if which else "remove the annotation"
        return (
            f"{first.name} is {why}, so the compiler does not know {first.what} in line "
            f"{first.effect.line}: {mend}{cost}"
        )
    *names, last = (loss.name for loss in group)
    numbers = sorted({loss.effect.line for loss in group})
    lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
    what = (
        "which of them is 1, and so which lanes are adjacent"
        if first.told is Told.ONE
        else "whether they are multiples of 16, and so whether loads and stores are aligned"
    )
    mend = "remove them from the list" if which else "remove the annotations"
    return (
        f"{', '.join(names)} and {last} are {why}, so the compiler does not know {what} "
        f"({lines}): {mend}{cost}"
    )


def _integers(facts: KernelFacts) -> list[Parameter]:
    parameters = facts.kernel.parameters
    return [p for p in parameters if not p.constexpr and p.name not in facts.pointers]


def _untold(parameter: Parameter, which: str, annotated: Collection[str]) -> frozenset[Told]:
    """What the compiler is not told of a parameter; `which` list has it."""
    return _LOST[which] | ({Told.ONE} if parameter.name in annotated else set())
