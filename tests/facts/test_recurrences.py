"""What the listing says of the names that loops carry: above each kernel stands what is expected.

With TRITONOPT_UPDATE_CASES=1 the expectations are written anew: read the difference.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tritonopt import source
from tritonopt.checks.condition import Unmet
from tritonopt.facts import KernelFacts, Loop, of
from tritonopt.facts.describe import render
from tritonopt.facts.reductions import running_maximum

KERNELS = Path(__file__).with_name("recurrence_kernels.py")
UPDATE = os.environ.get("TRITONOPT_UPDATE_CASES") == "1"


def said(facts: KernelFacts) -> Iterator[str]:
    """The lines on loops and what they carry, without the numbers of lines."""
    for line in render(facts).splitlines():
        if line.split()[0] in ("loop", "carries"):
            yield re.sub(r" in line \d+|line \d+, ", "", line.removeprefix("  "))


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


def test_the_listing_says_what_stands_above_each_kernel() -> None:
    if UPDATE:
        KERNELS.write_text(written(), encoding="utf-8")
    assert written() == KERNELS.read_text(encoding="utf-8")


MAXIMA = """
extremes_of_tiles: from -inf, lane by lane
maximum_of_maxima: from -inf, along (0,)
maximum_inside_the_reduction: from -inf, along (0,)
maximum_that_keeps_nan: nan-is-propagated
sum_of_exponentials: from -inf, along (0,)
guarded_exponentials: from -inf, lane by lane
exponentials_of_the_old_maximum: from -inf, along (0,)
"""


def maximum(facts: KernelFacts, loop: Loop, name: str) -> str:
    try:
        found = running_maximum(facts, loop, name)
    except Unmet as why:
        return why.condition.reason
    assert found.update in loop.node.body
    axes = f"along {found.axes}" if found.axes else "lane by lane"
    return f"from {found.start:g}, {axes}"


def test_running_maxima_and_the_axes_along_which_they_are_reduced() -> None:
    lines = [
        f"{kernel.name}: {text}"
        for kernel in source.read(KERNELS.read_text(encoding="utf-8")).kernels
        for facts in [of(kernel)]
        for loop in facts.loops
        for name in sorted(loop.carried)
        if (text := maximum(facts, loop, name)) != "not-an-exponential"
    ]
    assert lines == MAXIMA.split("\n")[1:-1]
