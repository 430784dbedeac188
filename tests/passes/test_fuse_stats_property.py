"""fuse-stats over row kernels in random spellings: it sees them all, declines every flaw, and
what it writes gives the same answer.

TRITONOPT_EXAMPLES sets how many kernels are verified (4, and 12 by `make test-all`; a long run
takes thousands), `pytest --hypothesis-seed=N` where they start.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from tests.layers import number
from tests.passes.cases import BACKEND, difference, said
from tests.passes.row_kernels import Spelling, render, spellings
from tritonopt.rewriting.pipeline import rewrite_source

EXAMPLES = int(os.environ.get("TRITONOPT_EXAMPLES", number(4, 12)))
EXAMPLES_OF_EACH = 3

# Rewriting alone is cheap, so many more kernels are looked at than are run. A fixed seed in CI:
# a failure there is one that the author of a change can see too.
LOOK = settings(
    max_examples=10 * EXAMPLES,
    deadline=None,
    derandomize="TRITONOPT_EXAMPLES" not in os.environ,
    # `verify` draws inputs with hypothesis too: a search within the search, on purpose.
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.nested_given],
)
RUN = settings(
    LOOK,
    max_examples=EXAMPLES,
    # A kernel is some lines long and its spelling printed: shrinking would cost minutes.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


@LOOK
@given(spellings())
def test_every_spelling_is_seen(spelling: Spelling) -> None:
    text = render(spelling)
    result = rewrite_source(text, "fuse-stats")
    assert result.changed, f"left alone:\n{said(result)}\n\n{text}"
    again = rewrite_source(result.text, "fuse-stats")
    assert again.text == result.text, "a second run changed it again:\n" + difference(
        result.text, again.text
    )


@LOOK
@given(spellings(flawed=True))
def test_every_flaw_is_declined(spelling: Spelling) -> None:
    text = render(spelling)
    event(spelling.flaw)
    result = rewrite_source(text, "fuse-stats")
    assert not result.failed, said(result)
    assert result.text == text, f"rewritten in spite of `{spelling.flaw}`:\n" + difference(
        text, result.text
    )


@RUN
@given(spellings() | spellings(flawed=True), st.integers(0, 2**16))
def test_what_is_rewritten_gives_the_same_answer(spelling: Spelling, seed: int) -> None:
    text = render(spelling)
    result = rewrite_source(text, "fuse-stats")
    event("rewritten" if result.changed else "left alone")
    if not result.changed:
        return
    from tritonopt.verification import verify

    with tempfile.TemporaryDirectory() as folder:
        original, rewritten = Path(folder, "original.py"), Path(folder, "rewritten.py")
        original.write_text(text, encoding="utf-8")
        rewritten.write_text(result.text, encoding="utf-8")
        verdict = verify(
            original, rewritten, backend=BACKEND, max_examples=EXAMPLES_OF_EACH, seed=seed
        )
    assert verdict.verdict in ("identical", "equivalent"), (
        f"{verdict.verdict}: {verdict.counterexample or verdict.reason}\n"
        f"{difference(text, result.text)}\n{text}"
    )
