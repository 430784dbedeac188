"""What accesses have in common: above each kernel stands what is expected of its writes.

With TRITONOPT_UPDATE_CASES=1 the expectations are written anew: read the difference.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tests.facts.support import facts_of
from tritonopt import source
from tritonopt.checks.attempt import Attempt
from tritonopt.facts import Effect, KernelFacts, Loop, of
from tritonopt.facts.memory.dependence import LANES, Accesses, Dependence, dependence

KERNELS = Path(__file__).with_name("dependence_kernels.py")
UPDATE = os.environ.get("TRITONOPT_UPDATE_CASES") == "1"


def said(facts: KernelFacts) -> Iterator[str]:
    """Of each write and each access from it on, and each load: what they have in common."""
    for write in (effect for effect in facts.effects if effect.writes):
        across: Loop | str = write.loops[-1] if write.loops else LANES
        for other in facts.effects:
            if other.order >= write.order or not other.writes:
                found = dependence(facts, write, other, across)  # type: ignore[arg-type]
                where = f"iteration{across.identity}" if isinstance(across, Loop) else across
                pair = "itself" if other is write else _named(facts, other)
                yield f"{_named(facts, write)} and {pair}, across {where}: {_told(found)}"


def _named(facts: KernelFacts, effect: Effect) -> str:
    return f"{effect.name} {'|'.join(sorted(facts.bases(effect) or '?'))}"


def _told(found: Dependence) -> str:
    parts = [
        found.kind.name.lower(),
        *(re.sub(r" in line \d+| line \d+", "", why) for why in found.why),
    ]
    parts += [f"{claim} is assumed: {detail}" for claim, detail in found.assumed]
    return "; ".join(parts) + ("; by the launches" if found.by_launch else "")


def written() -> str:
    """The file with what is said now in place of what stands in it."""
    text = re.sub(r"(?m)^# .*\n", "", KERNELS.read_text(encoding="utf-8"))
    for kernel in source.read(text).kernels:
        head = f"@triton.jit\ndef {kernel.name}("
        lines = [part for line in said(of(kernel)) for part in _wrapped(line)]
        text = text.replace(head, "".join(f"# {line}\n" for line in lines) + head)
    return text


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, 98, subsequent_indent=" " * 8, break_long_words=False)


def test_what_is_said_stands_above_each_kernel() -> None:
    if UPDATE:
        KERNELS.write_text(written(), encoding="utf-8")
    assert written() == KERNELS.read_text(encoding="utf-8")


KERNEL = """
@triton.jit
def kernel(x_ptr, y_ptr, z_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes)
    y = tl.load(y_ptr + lanes)
    tl.store(z_ptr + lanes, x + y)

def launch(x, given):
    made = torch.empty_like(x)
    kernel[(1,)](x, given, made, BLOCK=16)
"""


def test_launches_count_beside_facts_that_are_used_twice() -> None:
    facts = facts_of(KERNEL, assume=["disjoint(x_ptr, y_ptr)"])
    x, y, z = facts.effects
    accesses, attempt = Accesses(facts), Attempt()
    assert accesses.are_disjoint(x, y)
    assert accesses.are_disjoint(y, x)
    assert accesses.are_disjoint(x, z)
    accesses.prove(attempt, "data-is-unchanged", "nothing")
    claim, launches = attempt.conditions
    assert (claim.claim, launches.claim) == ("data-is-unchanged", "no-other-launches")
    assert "given: " in claim.detail and "; " in claim.detail


def test_what_may_be_one_buffer_is_not_disjoint() -> None:
    facts = facts_of(KERNEL.replace("torch.empty_like(x)", "x.view(-1)"))
    x, y, z = facts.effects
    accesses, attempt = Accesses(facts), Attempt()
    assert not accesses.are_disjoint(x, z)
    assert not accesses.are_disjoint(x, y)
    accesses.prove(attempt, "data-is-unchanged", "nothing")
    assert [(c.claim, c.detail) for c in attempt.conditions] == [("data-is-unchanged", "nothing")]
