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
from tritonopt.facts import KernelFacts, of, render

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
