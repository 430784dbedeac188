"""Residues of a launch that was seen: both versions, each on a copy of its memory.

`follow` runs inside of the user's command, in Triton's interpreter; `answer` makes one answer of
what it reports.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tritonopt.verification.verdict import Algebra, AlgebraAnswer

LAUNCHES, DRAWS = 4, 2
"""Of every kernel so many launches are followed, each in so many draws."""


def follow(
    launch: Callable[[], None],
    tensors: Sequence[Any],
    outputs: Iterable[tuple[Any, Any]],
    seed: int,
) -> Any:
    """The outcome of a launch with residues.

    `tensors` are what it is given; `outputs` what is compared of it, each with its memory.
    """
    import numpy as np

    from tritonopt.verification.algebra.carrying import carrying
    from tritonopt.verification.algebra.following import Run
    from tritonopt.verification.algebra.tensors import Tensors
    from tritonopt.verification.process.messages import Followed, Outcome

    run = Run(seed)
    residues = Tensors(run)
    residues.came(tensors)
    residues.launch(list(tensors))
    with carrying(run):
        launch()
    found = []
    for output, memory in outputs:
        if output.is_float:
            modulo_p = residues.of(memory).residues[1].astype(np.uint32)
            output = replace(output, residues=modulo_p)
        found.append(output)
    computed, by = run.decisions.told()
    followed = Followed(
        sum(residues.degree), tuple(run.memory.lost), frozenset(run.limits), computed, by
    )
    return Outcome(outputs=tuple(found), followed=followed)


def compared(ours: Any, theirs: Any) -> dict[str, object]:
    """What two such outcomes say, as one line of a report."""
    from tritonopt.verification.algebra.decisions import decided_otherwise, limits_differ
    from tritonopt.verification.comparison.compare import residues_differ

    titles = (("original", ours.followed), ("rewritten version", theirs.followed))
    lost = [f"in the {title}: {why}" for title, one in titles for why in one.lost]
    if lost:
        return {"lost": lost[0]}
    difference, count = residues_differ(ours, theirs)
    if difference is not None:
        return {"different": str(difference)}
    if not count:
        return {}
    why = limits_differ(ours.followed.limits, theirs.followed.limits)
    why = why or decided_otherwise(ours.followed, theirs.followed)
    return {"lost": why} if why else {"degree": ours.followed.degree + theirs.followed.degree}


def answer(draws: Mapping[str, Sequence[Mapping[str, Any]]], kernels: Iterable[str]) -> Algebra:
    """Of all draws of every kernel whose launches were seen."""
    for name, each in draws.items():
        for draw in each:
            if "different" in draw:
                text = f"a launch of {name}: {draw['different']}"
                return Algebra(AlgebraAnswer.DIFFERENT.value, text=text)
    reason = next(_reasons(draws, kernels), "")
    if reason:
        return Algebra(AlgebraAnswer.NOT_APPLICABLE.value, text=reason)
    from tritonopt.verification.algebra.field import by_chance

    counts = [[d["degree"] for d in each if "degree" in d] for each in draws.values()]
    bound = sum(math.prod(map(by_chance, each)) for each in counts)
    return Algebra(AlgebraAnswer.SAME.value, min(map(len, counts)), bound)


def _reasons(
    draws: Mapping[str, Sequence[Mapping[str, Any]]], kernels: Iterable[str]
) -> Iterator[str]:
    for name in kernels:
        each = draws.get(name, ())
        yield from (f"{name}: {draw['lost']}" for draw in each if "lost" in draw)
        if not each:
            yield (
                f"{name}: residues are followed by Triton's interpreter: run the command with "
                "TRITON_INTERPRET=1"
            )
        elif not any("degree" in draw for draw in each):
            yield f"{name}: no launch leaves ordinary numbers"
