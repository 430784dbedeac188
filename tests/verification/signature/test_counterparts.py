"""Files that cannot be compared, and changes that no verified launcher reaches."""

from __future__ import annotations

import pytest

from tritonopt import source
from tritonopt.verification import VerificationError
from tritonopt.verification.api import _with_rest
from tritonopt.verification.signature.kernel_launcher import results_of
from tritonopt.verification.signature.launchers import Launchers, check_counterpart, left_out
from tritonopt.verification.verdict import Answer, Verdict

TEXT = """
import torch
import triton
import triton.language as tl


@triton.jit
def twice_kernel(x, y, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(y + cols, tl.load(x + cols, mask=cols < n) * 2, mask=cols < n)


@triton.jit
def thrice_kernel(x, y, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(y + cols, tl.load(x + cols, mask=cols < n) * 3, mask=cols < n)


def twice(x, y, scale=1.0):
    twice_kernel[(1,)](x, y, x.numel(), BLOCK=64)


class Thrice(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        thrice_kernel[(1,)](x, y, x.numel(), BLOCK=64)
        return y


def demonstration():
    twice(torch.ones(4), torch.empty(4))
"""


def rest(old: str, new: str) -> list[str]:
    changed = TEXT.replace(old, new)
    assert changed != TEXT
    launchers = Launchers(source.read(TEXT))
    return left_out(launchers, source.read(changed), ["twice"])


def test_changes_that_nothing_verified_reaches() -> None:
    assert rest("* 2", "* 2.0") == []
    assert rest("* 3", "* 4") == ["thrice_kernel"]
    assert rest("x.numel(), BLOCK=64)\n        return", "3, BLOCK=64)\n        return") == [
        "Thrice"
    ]
    assert rest("torch.ones(4)", "torch.ones(5)") == []
    assert rest("twice_kernel", "doubling") == []
    assert rest("thrice_kernel", "tripling") == ["Thrice", "thrice_kernel"]


def test_no_yes_covers_what_was_not_run() -> None:
    yes = Verdict(Answer.IDENTICAL.value, "interpreter", 5)
    found = _with_rest(yes, ["thrice_kernel"], chosen=False)
    assert found.verdict == "unsupported"
    assert found.reason is not None and "`thrice_kernel`" in found.reason
    assert "--kernel" in found.reason and "the calls that ran are identical" in found.notes
    found = _with_rest(yes, ["thrice_kernel"], chosen=True)
    assert found.verdict == "identical" and "`thrice_kernel`" in found.notes[0]
    assert _with_rest(yes, [], chosen=False) is yes


CALLS = {
    "there is no `twice`, which the original has. Did you mean `twices`?": (
        "def twice(", "def twices(",
    ),
    "takes (x, y, offset, scale), and the original's takes (x, y, scale)": (
        "x, y, scale", "x, y, offset, scale",
    ),
    "takes (y, x, scale)": ("twice(x, y,", "twice(y, x,"),
    "takes (x, y)": ("x, y, scale=1.0", "x, y"),
    "takes (x, y, scale, offset)": ("x, y, scale=1.0", "x, y, scale, offset"),
}  # fmt: skip


@pytest.mark.parametrize("message", CALLS)
def test_a_launcher_that_cannot_be_called_alike(message: str) -> None:
    new = source.read(TEXT.replace(*CALLS[message]), "new.py")
    with pytest.raises(VerificationError) as raised:
        check_counterpart(Launchers(source.read(TEXT)).named("twice"), new)
    assert str(raised.value).startswith("new.py:") and message in str(raised.value)


def test_launchers_that_can() -> None:
    launcher = Launchers(source.read(TEXT)).named("twice")
    for old, new in (
        ("scale=1.0", "scale=1.0, offset=0.0"),
        ("def twice(", "from elsewhere import twice\n\n\ndef other("),
        ("def twice(x, y, scale=1.0)", "def twice(*given, **named)"),
    ):
        check_counterpart(launcher, source.read(TEXT.replace(old, new)))


def test_results_are_what_a_kernel_stores_to_and_never_reads() -> None:
    assert results_of(source.read(TEXT), source.read(TEXT)) == (
        ("twice_kernel", "y"), ("thrice_kernel", "y"),
    )  # fmt: skip
    reads = TEXT.replace("* 3, mask=cols < n)", "* 3 + tl.load(y), mask=cols < n)")
    adds = TEXT.replace("tl.store(y", "tl.atomic_add(y")
    unclear = TEXT.replace("* 2", "* unknown(y)")
    for other in (reads, unclear):
        assert len(results_of(source.read(TEXT), source.read(other))) == 1
        assert len(results_of(source.read(other), source.read(TEXT))) == 1
    assert results_of(source.read(adds), source.read(TEXT)) == ()
    silent = TEXT.replace("    tl.store(y", "    keep(").replace("keep(", "tl.store(x")
    assert ("twice_kernel", "y") in results_of(source.read(TEXT), source.read(silent))
