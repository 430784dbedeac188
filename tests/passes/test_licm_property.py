"""licm over random kernels of loops and branches: what it writes does the same, and reads nothing
that was not read; and it compiles where the original did.

Seeds are numbered, so that a failure is one that the author of a change can see too;
TRITONOPT_EXAMPLES sets how many batches of them there are.
"""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path

import pytest

from tests.passes.compiling import compiled
from tests.passes.loop_kernels import Kernels, run
from tests.passes.test_cases import difference, said
from tritonopt.rewriting.pipeline import rewrite_source

EXAMPLES = int(os.environ.get("TRITONOPT_EXAMPLES", "12"))
BATCH = 2
COMPILED = 2
PASSES = "licm{max_statements=60}"
DISJOINT = ["disjoint(X, W)", "disjoint(X, Y)", "disjoint(W, Y)"]
ARGUMENTS = list(itertools.product((0, 1, 5), (0, 2, 3), (0, 1, 2), (0, 1)))


@pytest.mark.parametrize("batch", range(EXAMPLES))
def test_what_is_rewritten_compiles(
    batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    for seed in range(batch * COMPILED, (batch + 1) * COMPILED):
        before, after = tmp_path / f"before_{seed}.py", tmp_path / f"after_{seed}.py"
        before.write_text(Kernels(random.Random(seed)).kernel())
        number = random.Random(seed).choice(["i32", "i64"])
        try:
            compiled(before, number=number)
        except Exception:  # whatever a compiler raises: nothing is asked of this one
            continue
        result = rewrite_source(before.read_text(), PASSES, assume=DISJOINT)
        after.write_text(result.text)
        compiled(after, number=number)


@pytest.mark.parametrize("batch", range(EXAMPLES))
def test_what_is_rewritten_does_the_same(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        text = Kernels(random.Random(seed)).kernel()
        result = rewrite_source(text, PASSES, assume=["disjoint(X, W)"])
        assert not result.failed, f"seed {seed}: {said(result)}\n{text}"
        if not result.changed:
            continue
        again = rewrite_source(result.text, PASSES, assume=["disjoint(X, W)"])
        assert again.text == result.text, f"seed {seed}: {difference(result.text, again.text)}"
        for arguments, pid in itertools.product(ARGUMENTS, (0, 1)):
            before, after = run(text, arguments, pid), run(result.text, arguments, pid)
            what = f"seed {seed}, {arguments}, program {pid}\n{difference(text, result.text)}"
            if isinstance(before, str):
                continue  # the original fails, so it is not to be compared
            assert not isinstance(after, str), f"{after}: {what}"
            assert repr(after.written) == repr(before.written), what  # a NaN is one too
            assert after.read <= before.read, f"reads {after.read - before.read}: {what}"
