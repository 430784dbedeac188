"""What a helper is never given: offsets below 0, as far as all of its calls show."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from tritonopt import facts as kernel_facts
from tritonopt.checks.condition import Declined
from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.operations import Op
from tritonopt.source import Kernel
from tritonopt.transforms.block_pointers.helper_calls import (
    check_only_called,
    given_by,
    helper_calls,
)


def never_negative(facts: KernelFacts, extents: Collection[str]) -> frozenset[str]:
    """The parameters for which no call passes a number below 0; none of what is no helper.

    `extents` are parameters that are the extents of tiles, and so at least 1.
    """
    helper = facts.kernel
    try:
        check_only_called(helper, helper.module)
        calls = helper_calls(helper)
        for _, call in calls:
            given_by(helper, call)
    except Declined:
        return frozenset()
    if not calls or any(caller is helper for caller, _ in calls):
        return frozenset()
    callers = {caller: kernel_facts.of(caller) for caller, _ in calls}
    found = [
        set(_of_call(helper, callers[caller], call, {*extents, *facts.extents}))
        for caller, call in calls
    ]
    return frozenset(set.intersection(*found))


def _of_call(
    helper: Kernel, facts: KernelFacts, call: ast.Call, extents: Collection[str]
) -> Iterator[str]:
    given = given_by(helper, call)
    values = {name: facts.values[node] for name, node in given.items() if node in facts.values}
    tiles = [value for name, value in values.items() if name in extents]
    bounds, known = Bounds(facts, tiles), {value.name for value in tiles}
    for name, value in values.items():
        if value.shape != () or value.op in (Op.TUPLE, Op.DTYPE, Op.OPAQUE):
            continue
        least = bounds.lower_bound(facts.forms.of(value))
        if least is not None and least.number >= 0 and not least.given and least.sizes <= known:
            yield name
