"""Calls too large for usual ones: offsets beyond 2**31, grids beyond what CUDA launches, and sizes
beyond a number that one version alone asks for.

Where a 32-bit index goes wrong, both versions are compared with themselves on the same values
close together: the float64 oracle would need the whole memory again. Of large grids nothing runs,
and of sizes beyond a number a few programs of each launch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations, product

import numpy as np

from tritonopt.source.parsing import parsed
from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.comparison.compare import (
    TOLERANCE,
    Difference,
    Pair,
    exact_parts_differ,
    measure,
    not_judged,
    shared,
    unstable,
)
from tritonopt.verification.comparison.tally import Counterexample
from tritonopt.verification.comparison.versions import MOST_WORK
from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.host_values import largest_number
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
    TOO_LONG,
    Both,
    Outcome,
    RunOptions,
    same_bits,
)
from tritonopt.verification.signature.argument_language import Signature, TensorArgument

_TOO_MANY = 2**16
"""So many programs along the second axis of a grid, or the third, are one too many."""
_LARGEST_TILE = 256
_MOST_ELEMENTS = 2**25

_OUTSIDE = "outside of every tensor"
"""What the interpreter says of an address that no tensor has."""


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


# Sizes beyond a number: the same few programs of both versions are compared.

_PROGRAMS = 24
_TILE = 128
_MOST_BEYOND = 16
"""So many calls are made for such numbers."""
_SMALL, _LARGEST_NUMBER = 64, 2**24


def calls_beyond_numbers(
    checker: Checker, signature: Signature, unmet: Callable[[], list[Demand]]
) -> Counterexample | None:
    """What calls show beyond numbers that no call came to, and do not show just below these.

    Where the launches are the same, and what the same programs have written: a program may have
    other work in the rewritten version. What ran counts as covered if both wrote the same elements,
    no call beyond the number showed another value, and no size was 1: along an axis of length 1
    much has no effect (a softmax over it is 1 whatever it is scaled with).
    """
    left = _MOST_BEYOND
    for demand in unmet() if checker.versions.interpreted else ():
        number, alike = _number_of(demand), True
        for sizes in _sizes_beyond(signature, number) if number is not None else ():
            if demand not in unmet() or not left:
                break
            if checker.tally.skips("beyond a number"):
                continue
            left -= 1
            above, below = (sized_example(signature, each) for each in sizes)
            found, coverage = _of_some_programs(checker, above)
            if found is not None and _of_some_programs(checker, below)[0] is None:
                return above, found
            alike &= found is None
            if alike and coverage is not None and min(sizes[0].values()) > 1:
                checker.observed.covers(coverage)
                checker.observed.fills(above, coverage)
    return None


def _number_of(demand: Demand) -> int | None:
    """The number that has to be exceeded, where it is asked for one."""
    number = demand.number
    if demand.kind in ("true", "false"):
        text = demand.text.removeprefix("if ")
        number = largest_number(parsed(text)) if text != demand.text else None
    return number if number is not None and _SMALL < number <= _LARGEST_NUMBER else None


def _sizes_beyond(
    signature: Signature, number: int
) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
    """Sizes above a number, and as near below it: of one size, and of the product of two."""
    names = signature.size_names
    small, few = dict.fromkeys(names, 2), dict.fromkeys(names, 1)
    for name in names:
        yield {**small, name: number + 2}, {**small, name: number - 2}
    tiles = number // _TILE
    for name in names:
        yield {**few, name: number + 2}, {**few, name: number - 2}
    for one, other in permutations(names, 2):
        of_both = {**small, other: _TILE}
        yield {**of_both, one: tiles + 2}, {**of_both, one: max(tiles - 2, 1)}


def _of_some_programs(checker: Checker, example: Example) -> tuple[Difference | None, Both | None]:
    """Where both versions have written, and something else; and what ran, where that is known."""
    if sum(recipe.elements for recipe in example.tensors.values()) > _MOST_ELEMENTS:
        return None, None
    options = RunOptions(programs=_PROGRAMS, most_work=MOST_WORK)
    both = options, replace(options, poison=1)
    ours = Pair(*checker.versions.original.run(example, *both))
    if ours.first.trouble or ours.second.trouble or unstable(ours):
        return None, None
    theirs = Pair(*checker.versions.rewritten.run(example, *both))
    coverage = ours.first.coverage, theirs.first.coverage
    trouble = theirs.first.failure or theirs.second.failure
    if trouble is not None and not trouble.refused and trouble.kind != TOO_LONG:
        return Difference(f"only the rewritten version fails: {trouble}"), None
    if trouble is not None or coverage[0].grids != coverage[1].grids:
        return None, None
    compared, alike = 0, True
    for output, other in shared(ours.first, theirs.first):
        left, left_by_other = ours.unwritten(output), theirs.unwritten(other)
        alike &= bool((left == left_by_other).all())
        written = ~left & ~left_by_other
        written &= (output.bits != 0) & (other.bits != 0)
        compared += int(written.sum())
        wrong = written & ~same_bits(output, other)
        if output.is_float:
            one, two = output.reals(), other.reals()
            largest = np.max(np.abs(one), where=written & np.isfinite(one), initial=0.0)
            with np.errstate(invalid="ignore"):
                wrong &= ~(np.abs(one - two) <= TOLERANCE[output.dtype] * largest)
        if wrong.any():
            at = int(wrong.argmax())
            values = output.value(at), other.value(at)
            text = f"of {_PROGRAMS} programs of each launch, some write other values"
            place = output.label, output.position(at)
            return Difference(text, *place, *values, is_of_values=True), None
    return None, coverage if compared and alike else None


def _compare(checker: Checker, near: Example, far: Example) -> Counterexample | None:
    original, rewritten = checker.versions.original, checker.versions.rewritten
    not_compared = "offsets beyond 2**31 were not compared: "
    ours, usual = (original.run(e, RunOptions())[0] for e in (far, near))
    if ours.trouble or not _alike(ours, usual):
        reason = ours.trouble or "its result changes"
        if not ours.trouble or _OUTSIDE in reason:
            reason = f"its int32 offsets overflow ({reason}); the pass int64-offsets fixes that"
        checker.tally.note(f"{not_compared}there the ORIGINAL fails: {reason}")
        return None
    theirs, usual = (rewritten.run(e, RunOptions())[0] for e in (far, near))
    if theirs.failure is not None and theirs.failure.kind == OUT_OF_MEMORY:
        checker.tally.note(f"{not_compared}two copies do not fit into memory")
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
