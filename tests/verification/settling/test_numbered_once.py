"""Programs that store where a tensor says overwrite each other where it says the same twice."""

from __future__ import annotations

from collections.abc import Callable

from tritonopt.verification import Verdict

CACHE = """import torch
import triton
import triton.language as tl

@triton.jit
def kept(key, cache, slots, n, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    slot = tl.load(slots + token)
    if slot < 0:
        return
    cols = tl.arange(0, BLOCK)
    row = tl.load(key + token * n + cols, mask=cols < n)
    tl.store(cache + slot * n + cols, row, mask=cols < n)

def keep(key, cache, slots):
    n = key.size(1)
    kept[(slots.size(0),)](key, cache, slots, n, BLOCK=triton.next_power_of_2(n))
"""


def test_rows_are_kept_each_in_a_slot_of_its_own(of_texts: Callable[..., Verdict]) -> None:
    renamed = CACHE.replace("row", "line")
    verdict = of_texts(CACHE, renamed)
    assert verdict.verdict == "identical", verdict.reason
    assert any("in permutation" in note for note in verdict.notes), verdict.notes
    wrong = renamed.replace("key + token * n", "key + slot * n")
    assert of_texts(CACHE, wrong).verdict == "counterexample"


def test_what_is_left_out_has_no_slot(of_texts: Callable[..., Verdict]) -> None:
    beside = CACHE.replace("        return", "        slot = 0")
    assert of_texts(CACHE, beside).verdict == "counterexample"
