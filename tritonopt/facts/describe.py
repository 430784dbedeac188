"""The facts of a kernel as text, for whoever writes the next pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tritonopt.checks.condition import Unmet
from tritonopt.facts import value_listing
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.effects import Effect, EffectKind, Loop
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.reading import recurrences
from tritonopt.facts.reductions import accumulation
from tritonopt.facts.values import Value

_MARGIN = "  "


def render(facts: KernelFacts, longest: int = value_listing.LONGEST) -> str:
    """What `lines` says, as one text."""
    return "".join(f"{head}{text}".rstrip() + "\n" for head, text in lines(facts, longest))


def lines(facts: KernelFacts, longest: int = value_listing.LONGEST) -> Iterator[tuple[str, str]]:
    """Parameters, then loops and memory accesses with their index forms in source order, then the
    named values: of each line its margin or its columns, and the text behind them.

    Of a named value no more than `longest` characters are shown, unless that is 0.
    """
    for line in _lines(facts):
        text = line.lstrip()
        yield line[: len(line) - len(text)], text
    values = list(value_listing.value_lines(facts, longest))
    if values:
        yield _MARGIN, "values:"
        yield from ((2 * _MARGIN + head, text) for head, text in values)


def _lines(facts: KernelFacts) -> Iterator[str]:
    kernel = facts.kernel
    yield f"kernel {kernel.qualname} (line {kernel.node.lineno})"
    elements = value_listing.element_types(facts)
    for parameter in kernel.parameters:
        kind = _kind(facts, parameter.name, parameter.constexpr)
        held = elements.get(parameter.name)
        if held is not None and held.seen:
            kind += f" to {held.where if held.by_launch else value_listing.type_text(held)}"
        yield f"  {parameter.name}: {kind}"
    evidence = facts.launches
    yield f"  launches: {len(evidence.launches)}" + (
        f"; no evidence: {evidence.unknown}" if evidence.unknown else ""
    )
    for node, what in facts.pinned_roundings:
        yield f"  pinned: {what} in line {node.lineno}"
    things: list[tuple[int, Loop | Effect]] = [(loop.first, loop) for loop in facts.loops]
    things += [(effect.order, effect) for effect in facts.effects]
    for _, thing in sorted(things, key=lambda pair: pair[0]):
        if isinstance(thing, Loop):
            yield from _loop(facts, thing)
        else:
            yield _effect(facts, thing)


def _kind(facts: KernelFacts, name: str, constexpr: bool) -> str:
    kind = (
        "pointer"
        if name in facts.pointers
        else "integer"
        if name in facts.integers.parameters
        else "scalar"
    )
    return f"constexpr {kind}" if constexpr else kind


def _loop(facts: KernelFacts, loop: Loop) -> Iterator[str]:
    indent = "  " * len(loop.nest)
    count = facts.forms.trip_count(loop)
    times = "an unknown number of times" if count is None else f"{count.readable} times"
    helper = " (in a helper)" if loop.inlined else ""
    yield f"{indent}loop iteration{loop.identity} (line {loop.line}, {loop.kind}){helper}: {times}"
    for name, found in recurrences(facts, loop).items():
        start = facts.forms.of(loop.initial[name]).readable
        added = _added(facts, loop, name)
        parts = [f"{name}{_shape(facts, loop.carried[name])}: starts as {start}", *added]
        if isinstance(found, Unmet):
            parts.append(f"no recurrence: {found}")
        elif not added or found.kind is not Kind.ADD:
            brought = [facts.forms.of(operand).readable for operand in found.operands]
            parts.append(f"{found}{' of ' if brought else ''}{' and '.join(brought)}")
        yield f"{indent}  carries {', '.join(parts)}"


def _added(facts: KernelFacts, loop: Loop, name: str) -> Iterable[str]:
    try:
        sums = accumulation(facts, facts.forms, loop, name)
    except TooLarge:
        return ()
    if sums is None:
        return ()
    along = f", summed along axes {sums.axes}" if sums.axes else ""
    return (f"adds {sums.term.readable}{along}",)


def _shape(facts: KernelFacts, value: Value) -> str:
    if value.shape is None:
        return " [?]"
    return f" {value_listing.shape_text(facts, value)}" if value.shape else ""


def _effect(facts: KernelFacts, effect: Effect) -> str:
    indent = "  " * (len(effect.loops) + 1)
    head = f"{indent}{effect.name} (line {effect.line})"
    if effect.pointer is None:
        return f"{head}: {effect.kind.value}"
    base, offset = facts.forms.address(effect.pointer)
    bases = facts.bases(effect)
    where = base or ("|".join(sorted(bases)) if bases else "unknown memory")
    text = f"{head}: {where}[{offset.readable}]"
    if effect.mask is not None and not effect.mask.is_none:
        text += f" where {facts.forms.condition(effect.mask).readable}"
    if effect.kind is EffectKind.LOAD and effect.volatile:
        text += " volatile"
    return text
