"""Which statements stand before a loop over tiles: by the rule as it is said, and in few steps."""

from __future__ import annotations

import ast
import random
from collections.abc import Collection, Iterator

import pytest

from tritonopt.passes.grid_stride.tile_body import _keeping_their_names, _Uses

NAMES = [*"abcde"]


def uses(code: str) -> dict[ast.stmt, _Uses]:
    return {s: _Uses.of(s, frozenset([*NAMES, "f"])) for s in ast.parse(code).body}


def keeps(statement: ast.stmt, chosen: Collection[ast.stmt], known: dict[ast.stmt, _Uses]) -> bool:
    """Whether each name in the statement means the same when all that is chosen runs first."""
    body = list(known)
    for name in known[statement].mentioned:
        binding = [s for s in body if name in known[s].bound]
        if any(s not in chosen for s in binding):
            return False
        if name in known[statement].bound:
            before = body[: body.index(binding[-1])]
            if any(s not in chosen and name in known[s].mentioned for s in before):
                return False
    return True


@pytest.mark.parametrize("seed", range(200))
def test_the_most_that_keep_their_names(seed: int) -> None:
    draw = random.Random(seed)
    lines = [
        f"{draw.choice(NAMES)} {draw.choice(['=', '+='])} {draw.choice(NAMES)} + 1"
        for _ in range(draw.randrange(1, 9))
    ]
    known = uses("\n".join(lines))
    chosen = {s for s in known if draw.random() < 0.8}
    found = _keeping_their_names(set(chosen), known)
    while fit := {s for s in chosen if not keeps(s, chosen, known)}:
        chosen -= fit
    assert set(found) == chosen


class Counted(frozenset[str]):
    """Names that are counted as they are gone through."""

    seen = 0

    def __iter__(self) -> Iterator[str]:
        for name in super().__iter__():
            Counted.seen += 1
            yield name


def test_a_chain_is_followed_once() -> None:
    work = []
    for count in (100, 200):
        names = [f"t{i}" for i in range(count)]
        pairs = zip(names, names[1:], strict=False)
        body = ast.parse("\n".join(f"{b} = {a}" for a, b in pairs)).body
        plain = {s: _Uses.of(s, frozenset(names)) for s in body}
        known = {s: _Uses(Counted(u.mentioned), Counted(u.bound)) for s, u in plain.items()}
        Counted.seen = 0
        # The first one stays, and all that rest on it one after the other.
        assert not _keeping_their_names({*body[1:]}, known)
        work.append(Counted.seen)
    assert work[1] <= 2.1 * work[0]
