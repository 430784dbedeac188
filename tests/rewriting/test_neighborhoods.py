"""What concerns a kernel: what its facts may rest on, and what its edits may change."""

from __future__ import annotations

import pytest

from tritonopt import source
from tritonopt.rewriting.neighborhoods import Neighborhoods

TEXT = """\
import triton
import triton.language as tl

SIZE = 128
UNUSED = 1


@triton.jit
def helper(x):
    return x * SIZE


@triton.jit
def one(X, Y):
    tl.store(Y, helper(tl.load(X)))


@triton.jit
def two(X, Y):
    tl.store(Y, helper(tl.load(X)))


def grid(n):
    return (n,)


def launch_one(x, y):
    one[grid(4)](x, y)


if SIZE > 1:

    def launch_two(x, y):
        two[grid(4)](x, y)

    def again(x, y):
        launch_two(x, y)


def by_name():
    return getattr(thing, "two")
"""


def around(text: str, name: str) -> tuple[set[str], set[str]]:
    """The first lines of the parts that a kernel's edits may change, and that it rests on."""
    module = source.read(text)
    found = Neighborhoods(module)
    kernel = module.kernel(name)
    assert kernel is not None
    near = found.of(kernel)
    lines = text.splitlines()
    words = {found.unit(n): line.strip() for n, line in reversed(list(enumerate(lines, 1))) if line}

    def named(units: frozenset[int]) -> set[str]:
        spans = {u: [n for n in range(1, len(lines) + 1) if found.unit(n) == u] for u in units}
        heads = (
            next((x for n in spans[u] if (x := lines[n - 1].strip()).startswith("def ")), words[u])
            for u in units
        )
        return {head.removeprefix("def ").partition("(")[0] for head in heads}

    return named(near.own), named(near.all)


def test_what_mentions_a_kernel_and_what_that_rests_on() -> None:
    own, everything = around(TEXT, "one")
    assert own == {"one", "launch_one"}
    assert everything - {"import triton.language as tl"} == {
        *("one", "launch_one", "helper", "grid", "SIZE = 128")
    }


def test_parts_below_an_if_are_apart_and_a_text_may_be_a_name() -> None:
    own, everything = around(TEXT, "two")
    assert own == {"two", "launch_two", "by_name"}
    assert "again" not in everything and "one" not in everything


def test_a_helper_changes_what_calls_it() -> None:
    own, everything = around(TEXT, "helper")
    assert own == {"helper", "one", "two"}
    assert {"one", "two"} <= everything


@pytest.mark.parametrize(
    ("more", "near"),
    [
        ("TABLE = {'a': one, 'b': two}\n", False),  # nothing is learned of one from the other
        ("alias = two\n\n\ndef also(x):\n    one[(1,)](x, x)\n    alias[(1,)](x, x)\n", True),
        ("def both(x):\n    one[(1,)](x, x)\n    two[(1,)](x, x)\n", True),
        ("class Op:\n    def run(self, x):\n        ops.two[(1,)](x, x)\n        one\n", True),
    ],
)
def test_whether_kernels_concern_each_other(more: str, near: bool) -> None:
    _, everything = around(TEXT + "\n\n" + more, "one")
    assert ("two" in everything) == near
