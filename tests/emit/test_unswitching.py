"""Branches out of loops, where a case file would say too little: what must be asked every time."""

from __future__ import annotations

from tritonopt.rewriting.pipeline import rewrite_source

HELPER = """\
import triton
import triton.language as tl


@triton.jit
def asked(Count, flag):
    tl.atomic_add(Count, 1)
    return flag


@triton.jit
def kernel(X, Out, Count, n, flag, mode):
    total = 0.0
    for i in range(n):
        x = tl.load(X + i)
        if flag > 0:
            total += x
"""


def unswitched(rest: str) -> tuple[str, str]:
    """Both copies of the loop, with this behind its `if flag > 0`."""
    text = rewrite_source(f"{HELPER}{rest}    tl.store(Out, total)\n", "loop-unswitch").text
    head, copies = text.split("    if flag > 0:\n")
    assert "for" not in head
    one, other = copies.split("\n    else:\n")
    return one, other


def test_what_is_asked_again_stays_where_asking_counts() -> None:
    one, other = unswitched("        if asked(Count, flag) > 0:\n            total += 1.0\n")
    assert one.count("asked(Count, flag)") == other.count("asked(Count, flag)") == 1


def test_an_elif_stays_where_asking_counts() -> None:
    one, other = unswitched("        elif asked(Count, mode) > 0:\n            total += 1.0\n")
    assert "asked" not in one
    assert other.startswith("        for i in range(n):\n")
    assert "            if asked(Count, mode) > 0:\n" in other
