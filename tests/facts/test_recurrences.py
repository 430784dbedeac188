"""What is read of the names that loops carry: one kernel each, with what is expected above it.

With TRITONOPT_UPDATE_CASES=1 the expectations are written anew: read the difference.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tritonopt import source
from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined
from tritonopt.facts import KernelFacts, Loop, of
from tritonopt.facts.describe import _step
from tritonopt.transforms.splitting.partnered import is_chosen_extreme
from tritonopt.transforms.splitting.split_sums import _Legality

KERNELS = Path(__file__).with_name("recurrence_kernels.py")
UPDATE = os.environ.get("TRITONOPT_UPDATE_CASES") == "1"


def said(facts: KernelFacts) -> Iterator[str]:
    for loop in facts.loops:
        for name, carried in sorted(loop.carried.items()):
            if loop.following[name] is not carried:
                yield f"loop {loop.identity}, {name}: {kind(facts, loop, name)}"
                yield f"  {_step(facts, loop, name)}"


def kind(facts: KernelFacts, loop: Loop, name: str) -> str:
    reading = _Legality(facts, loop, Attempt())
    partner = reading._partners[name]
    if partner is not None:
        function = f"{partner.exponential} " if partner.exponential else ""
        guarded = " (guarded)" if partner.guarded else ""
        what = f"sum of {function}below" if function else "first index of"
        return f"{what} the {partner.combining.noun} {partner.name}{guarded}"
    chosen = is_chosen_extreme(loop, name, reading._is_free)
    if chosen is not None:
        return f"{chosen.noun}, chosen"
    try:
        found = reading._combining(name).noun
    except Declined as why:
        detail = re.sub(r" in line \d+", "", why.condition.detail)
        return f"{why.condition.reason} ({detail})"
    return f"{found}, moves" if name in reading._moved else found


def written() -> str:
    """The file with what is said now in place of what stands in it."""
    text = re.sub(r"(?m)^# .*\n", "", KERNELS.read_text(encoding="utf-8"))
    for kernel in source.read(text).kernels:
        head = f"@triton.jit\ndef {kernel.name}("
        lines = [part for line in said(of(kernel)) for part in _wrapped(line)]
        text = text.replace(head, "".join(f"# {line}\n" for line in lines) + head)
    return text


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, 98, subsequent_indent="    ", break_long_words=False)


def test_kernels_say_what_stands_above_them() -> None:
    if UPDATE:
        KERNELS.write_text(written(), encoding="utf-8")
    assert written() == KERNELS.read_text(encoding="utf-8")
