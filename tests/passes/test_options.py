"""Options of passes that are whole numbers, but not every one."""

from __future__ import annotations

import pytest

from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.registry import select


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("one-tile{raise_block=-4}", "raise_block cannot be -4; write a power of two from 16"),
        ("one-tile{raise_block=1000}", "raise_block cannot be 1000"),
        ("one-tile{raise_block=2097152}", "raise_block cannot be 2097152"),
        ("row-batch{elements=2}", "elements cannot be 2; write a power of two, 4 or more"),
        ("row-batch{elements=1000}", "elements cannot be 1000"),
        ("split-reduce{turns=0}", "`turns` cannot be 0; write 1 or more"),
        ("split-reduce{programs=many}", "programs cannot be many; write a number"),
        ("row-batch{programs=1}", "row-batch has no option 'programs'; it has elements"),
        ("row-batch{apart=false}", "row-batch has no option 'apart'; it has elements"),
        ("pipeline-loads{num_stages=0}", "num_stages and unroll cannot both be 0"),
        ("pipeline-loads{num_stages=1}", "num_stages cannot be '1'; legal: 0, 2, 3, 4, 5"),
    ],
)
def test_refused(written: str, words: str) -> None:
    with pytest.raises(PassSelectionError, match=words):
        select(written)


@pytest.mark.parametrize("written", ["one-tile{raise_block=0}", "one-tile{raise_block=1048576}"])
def test_taken(written: str) -> None:
    assert select(written)
