"""Calls too large for usual ones: offsets beyond 2**31, and grids beyond what CUDA launches.

Where a 32-bit index goes wrong, both versions are compared with themselves on the same values
close together: the float64 oracle would need the whole memory again. Of large grids nothing runs.
"""

from __future__ import annotations

from itertools import product

from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.compare import (
    TOLERANCE,
    Difference,
    Pair,
    exact_parts_differ,
    measure,
    not_judged,
)
from tritonopt.verification.comparison.tally import Counterexample
from tritonopt.verification.inputs.examples import (
    LARGE_OFFSETS,
    LARGE_OFFSETS_IN_A_ROW,
    Example,
    Limits,
    sized_example,
)
from tritonopt.verification.process.messages import (
    GRID_REFUSED,
    OUT_OF_MEMORY,
    Outcome,
    RunOptions,
)
from tritonopt.verification.signature.argument_language import Signature, TensorArgument

_TOO_MANY = 2**16
"""So many programs along the second axis of a grid, or the third, are one too many."""
_LARGEST_TILE = 256
_MOST_ELEMENTS = 2**25


def large_offset_calls(checker: Checker, signature: Signature) -> Counterexample | None:
    """What such calls show, made from the smallest examples that have rows to put far apart."""
    fitting = [
        e
        for e, x in checker.examinations.items()
        if x.accepted and e.contiguous and not e.backward and e.main_size > 1
    ]
    fitting.sort(key=lambda e: e.main_size)
    tried = False
    for layout, axis, movable in (
        (LARGE_OFFSETS, 0, _rows_anywhere),
        (LARGE_OFFSETS_IN_A_ROW, -1, _spread_out),
    ):
        # Of two rows the stride itself needs 64 bits, and with it every index is 64 bits long.
        for least, near in product((3, 2), fitting):
            names = {
                name
                for name, recipe in near.tensors.items()
                if movable(signature.tensor(name)) and recipe.shape[axis] >= least
            }
            if names:
                tried = True
                if checker.tally.skips("with rows far apart"):
                    break
                found = _compare(checker, near, near.at_large_offsets(names, layout))
                if found is not None:
                    return found
                break
    if not tried and not checker.tally.is_over:
        checker.tally.note("offsets beyond 2**31 were not tried: no strided tensor with rows")
    return None


def large_grid_calls(
    checker: Checker, signature: Signature, limits: Limits
) -> Counterexample | None:
    """One size after the other so large that the rewritten version's grid may be refused.

    Only where its grids are others than the original's, and not of one axis.
    """
    both = checker.observed.seen.values()
    if all(not any(g[1:] != (1, 1) for _, g in t.grids) or o.grids == t.grids for o, t in both):
        return None
    original, rewritten = checker.versions.original, checker.versions.rewritten
    tiles = sorted({1, *(b for b in limits.blocks if b <= _LARGEST_TILE)})
    for name, tile in product(signature.size_names, tiles):
        sizes = {**dict.fromkeys(signature.size_names, 1), name: _TOO_MANY * tile}
        example = sized_example(signature, sizes)
        if sum(r.elements for r in example.tensors.values()) > _MOST_ELEMENTS:
            continue
        if checker.tally.skips("with many programs"):
            continue
        (ours,) = original.run(example, RunOptions(launching=False))
        if ours.failure is not None and ours.failure.kind == GRID_REFUSED:
            checker.tally.note("the original's grid is too large for a GPU where a size is")
            continue
        (theirs,) = rewritten.run(example, RunOptions(launching=False))
        if theirs.failure is not None and theirs.failure.kind == GRID_REFUSED:
            text = f"only the rewritten version cannot be launched: {theirs.failure.message}"
            return example, Difference(text)
    return None


def _compare(checker: Checker, near: Example, far: Example) -> Counterexample | None:
    original, rewritten = checker.versions.original, checker.versions.rewritten
    not_compared = "offsets beyond 2**31 were not compared: "
    ours, usual = (original.run(e, RunOptions())[0] for e in (far, near))
    if ours.trouble or not _alike(ours, usual):
        reason = ours.trouble or "its result changes"
        checker.tally.note(f"{not_compared}the original's own, {reason}")
        return None
    theirs, usual = (rewritten.run(e, RunOptions())[0] for e in (far, near))
    if theirs.failure is not None and theirs.failure.kind == OUT_OF_MEMORY:
        checker.tally.note(f"{not_compared}they do not fit the memory twice")
        return None
    if theirs.trouble:
        text = f"with offsets beyond 2**31 the rewritten version fails: {theirs.trouble}"
        return far, Difference(text)
    if not _alike(theirs, usual):
        text = "with offsets beyond 2**31 only the rewritten version gives another result"
        return far, Difference(text)
    return None


def _alike(one: Outcome, other: Outcome) -> bool:
    """Whether two runs of one version on the same values agree up to rounding."""
    pairs = Pair(one, one), Pair(other, other)
    if exact_parts_differ(*pairs) is not None or not_judged(*pairs):
        return False
    difference, measures = measure(*pairs, None, None)
    return difference is None and all(m.error <= TOLERANCE[m.dtype] for m in measures)


def _rows_anywhere(form: TensorArgument) -> bool:
    return form.strided and len(form.shape) >= 2


def _spread_out(form: TensorArgument) -> bool:
    """Whether neighbors of a row may lie anywhere."""
    return form.strided and len(form.shape) >= 1 and not form.rows_only
