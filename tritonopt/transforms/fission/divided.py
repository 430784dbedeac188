"""Whether a kernel may be divided in two, and all that changes then."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import unknown
from tritonopt.facts import KernelFacts
from tritonopt.launches.plan import LaunchPlan
from tritonopt.source import Change, InsertAfter, Replace
from tritonopt.transforms.fission.needed_statements import needed_statements
from tritonopt.transforms.fission.two_launches import TwoLaunches
from tritonopt.transforms.fission.write_groups import CLAIM, WriteGroups
from tritonopt.transforms.new_kernel import PartText, named_in_launchers
from tritonopt.transforms.writing import NotExpressible


def prove_division(groups: WriteGroups, attempt: Attempt) -> tuple[Change, ...]:
    """Raises Declined where a kernel stays one."""
    facts = groups.facts
    kernel = facts.kernel
    LaunchPlan.of(facts, attempt)
    if len(kernel.decorators) > 1 or isinstance(kernel.node.decorator_list[0], ast.Call):
        text = f"what stands above {kernel.name} may be about parameters of one part alone"
        raise unknown("parts-are-independent", "unknown-decorator", text)
    groups.check_effects()
    attempt.prove("effects-are-known", "the kernel loads, computes and writes, to its end")
    parts = [
        needed_statements(facts, {effect.node for effect in writes})
        for writes in (groups.first, groups.second)
    ]
    groups.check_memory(parts)
    attempt.prove(CLAIM, "neither part accesses what the other one writes")
    found = _changes(facts, parts)
    attempt.assume_no_other_launches()
    attempt.prove("is-expressible", "the two kernels and their launches can be written")
    return found


def _changes(facts: KernelFacts, parts: Sequence[frozenset[ast.stmt]]) -> tuple[Change, ...]:
    kernel = facts.kernel
    if kernel.node not in kernel.module.tree.body:
        raise NotExpressible(f"{kernel.name} is no function of the file's own block")
    needed = named_in_launchers(facts)
    if kernel.signature_use is not None:
        needed |= {p.name for p in kernel.parameters}
    first = PartText(facts, parts[0], needed)
    second = PartText(facts, parts[1], needed, is_new=True)
    changes: list[Change] = [
        Replace(kernel.node, first.code),
        InsertAfter(kernel.node, f"\n\n{second.code}\n"),
    ]
    for launch in facts.launches.launches:
        changes += TwoLaunches(launch).changes(first, second)
    return tuple(changes)
