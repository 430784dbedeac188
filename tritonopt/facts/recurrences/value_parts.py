"""What a value is made of, through the loops that it comes from."""

from __future__ import annotations

from collections.abc import Iterator

from tritonopt.facts.effects import Loop
from tritonopt.facts.kernel_facts import KernelFacts
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value


def all_parts(facts: KernelFacts, value: Value) -> Iterator[Value]:
    """All that a value is made of, by way of the loops inside as well."""
    seen: set[Value] = set()
    todo = [value]
    while todo:
        for part in todo.pop().walk():
            if part in seen:
                continue
            seen.add(part)
            yield part
            if part.op in (Op.CARRIED, Op.RESULT):
                inner, name = facts.loops[part.carrier.loop], part.carrier.name
                todo += [ends[name] for ends in (inner.initial, inner.following) if name in ends]
                todo += bounds_of(inner)
            elif part.op is Op.ITERATION:
                todo += bounds_of(facts.loops[part.number])


def bounds_of(loop: Loop) -> list[Value]:
    """What decides how often a loop turns."""
    return [v for v in (loop.start, loop.stop, loop.step, loop.condition) if v is not None]


def is_computed_in(loop: Loop, opaque: Value) -> bool:
    """Whether what is not understood is computed in the loop, and not before it."""
    assert isinstance(opaque.attribute, tuple)
    return loop.identity in opaque.attribute[2]
