"""Where a heuristic may choose a parameter of a kernel."""

from __future__ import annotations

import pytest

from tests.facts.support import facts_of
from tritonopt.checks.condition import Declined
from tritonopt.emit.heuristic_functions import check_heuristic, heuristic
from tritonopt.emit.writing import Writer
from tritonopt.source import apply

KERNEL = "def kernel(X, n, B: tl.constexpr):\n    tl.store(X, n)\n"
RUN = "def run(x, n):\n    kernel[(1,)](x, n, B=4)\n"
LIBENTRY = "from flag_gems.utils import libentry\n\n@libentry()\n"
CALLER = "@triton.jit\ndef other(X, n):\n    kernel(X, n, 4)\n"


def check(above: str, below: str = RUN, asked: str = "n", kernel: str = KERNEL) -> None:
    facts = facts_of(f"{above}\n{kernel}\n\n{below}", "kernel")
    check_heuristic(facts, [p for p in facts.kernel.parameters if p.name == asked])


@pytest.mark.parametrize(
    "above",
    [
        "@triton.jit",
        "@triton.autotune([triton.Config({'B': 4})], key=['n'])\n@triton.jit",
        f"{LIBENTRY}@triton.jit",
        f"{LIBENTRY}@triton.jit(do_not_specialize=['X'])",
    ],
)
def test_it_may(above: str) -> None:
    check(above)


@pytest.mark.parametrize(
    ("above", "below", "asked", "reason"),
    [
        ("@other\n@triton.jit", RUN, "n", "unknown-decorator"),
        # It keeps what was compiled for one address, or for one number.
        (f"{LIBENTRY}@triton.jit", RUN, "X", "unknown-decorator"),
        (f"{LIBENTRY}@triton.jit(do_not_specialize=['n'])", RUN, "n", "unknown-decorator"),
        (f"{LIBENTRY}@triton.jit(do_not_specialize=NAMES)", RUN, "n", "unknown-decorator"),
        (f"{LIBENTRY}@triton.jit(do_not_specialize=[NAME])", RUN, "n", "unknown-decorator"),
        (f"{LIBENTRY}@triton.jit(**OPTIONS)", RUN, "n", "unknown-decorator"),
        ("@triton.jit", f"{CALLER}\n{RUN}", "n", "called-from-a-kernel"),
        ("@triton.jit", f"{RUN}\nkeep(kernel)\n", "n", "unseen-launches"),
    ],
)
def test_it_may_not(above: str, below: str, asked: str, reason: str) -> None:
    with pytest.raises(Declined) as declined:
        check(above, below, asked)
    assert declined.value.condition.reason == reason


def test_any_number_of_arguments_may_not() -> None:
    with pytest.raises(Declined) as declined:
        check("@triton.jit", kernel=KERNEL.replace("n, B", "n, *rest, B"))
    assert declined.value.condition.reason == "parameter-cannot-be-added"


@pytest.mark.parametrize(
    ("function", "written"),
    [
        ("lambda args: 4", '@triton.heuristics({"EVEN": lambda args: 4})\n'),
        (
            "lambda args: " + " + ".join(["args['n']"] * 8),
            '@triton.heuristics(\n    {"EVEN": lambda args: '
            + " + ".join(["args['n']"] * 8)
            + "}\n)\n",
        ),
    ],
)
def test_it_is_written_above_the_compiler(function: str, written: str) -> None:
    facts = facts_of(f"@triton.jit\n{KERNEL}", "kernel")
    module = facts.kernel.module
    text = apply(module, list(heuristic(Writer(facts), "EVEN", function)))
    assert f"{written}@triton.jit\n" in text
