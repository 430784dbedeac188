"""licm and loop-unswitch over random kernels of loops and branches: what they write does the same,
and reads nothing that was not read; a second run changes nothing; and it compiles where the
original did.

Seeds are numbered, so that a failure is one that the author of a change can see too;
TRITONOPT_EXAMPLES sets how many batches of them there are.
"""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path

import pytest

from tests.layers import number
from tests.passes.cases import difference, said
from tests.passes.compiling import compiled
from tests.passes.loop_kernels import Kernels, run
from tritonopt.rewriting.pipeline import rewrite_source

EXAMPLES = int(os.environ.get("TRITONOPT_EXAMPLES", number(4, 12)))
BATCH = 3
PASSES = "licm,loop-unswitch"
DISJOINT = ["disjoint(X, W)", "disjoint(X, Y)", "disjoint(W, Y)"]
ARGUMENTS = list(itertools.product((0, 1, 5), (0, 2, 3), (0, 1, 2), (0, 1)))


@pytest.mark.parametrize("batch", range(EXAMPLES))
def test_what_is_rewritten(batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        before = Kernels(random.Random(seed)).kernel()
        # What moves above a loop that stores, and what must stay in it: half of the seeds each.
        given = DISJOINT if seed % 2 else DISJOINT[:1]
        result = rewrite_source(before, PASSES, assume=given)
        assert not result.failed, f"seed {seed}: {said(result)}\n{before}"
        if not result.changed:
            continue
        after = result.text
        again = rewrite_source(after, PASSES, assume=given).text
        assert again == after, f"seed {seed}: {difference(after, again)}"
        check_runs(before, after, f"seed {seed}")
        number = random.Random(seed).choice(["i32", "i64"])
        check_compiles(before, after, number, seed % 2 == 0, tmp_path)


def check_runs(before: str, after: str, what: str) -> None:
    """The same is written in the same order, and nothing is read that was not read."""
    for arguments, pid, given in itertools.product(ARGUMENTS, (0, 1), (0, 1)):
        old, new = (run(text, arguments, pid, given) for text in (before, after))
        if isinstance(old, str):
            continue  # the original fails, so it is not to be compared
        where = f"{what}, {arguments}, D={given}, program {pid}\n{difference(before, after)}"
        assert not isinstance(new, str), f"{new}: {where}"
        assert repr(new.written) == repr(old.written), where  # a NaN is one too
        assert new.read <= old.read, f"reads {new.read - old.read}: {where}"


def check_compiles(before: str, after: str, number: str, flag: bool, folder: Path) -> None:
    """What is rewritten compiles, or the original did not."""
    old, new = folder / "before.py", folder / "after.py"
    old.write_text(before)
    new.write_text(after)
    try:
        compiled(new, number=number, flag=flag)
    except Exception:  # whatever a compiler raises
        try:
            compiled(old, number=number, flag=flag)
        except Exception:
            return
        raise
