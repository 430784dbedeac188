"""Rewrites of the subjects, wrong ones and right ones: the data of the mutation tests.

Every entry names a subject, what is replaced in its text, and the kind of
mistake. `quick` entries run in every test run and hold every kind; the others
run with `make test-all`, and wherever the table of what finds what is made
(`benchmarks/verification_mutations.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Rewrite:
    subject: str
    kind: str
    """What was done wrong; or what was done, in a right rewrite."""
    name: str
    changes: tuple[tuple[str, str], ...]
    quick: bool = False
    only_on_a_gpu: bool = False
    """Whether the interpreter has no way to see it."""
    verdict: str = "counterexample"


def _wrong(
    subject: str,
    kind: str,
    name: str,
    old: str,
    new: str,
    *more: tuple[str, str],
    quick: bool = False,
    only_on_a_gpu: bool = False,
) -> Rewrite:
    return Rewrite(subject, kind, name, ((old, new), *more), quick, only_on_a_gpu)


def _right(
    subject: str,
    name: str,
    old: str,
    new: str,
    verdict: str = "equivalent",
    *more: tuple[str, str],
    quick: bool = False,
) -> Rewrite:
    return Rewrite(subject, "right", name, ((old, new), *more), quick, verdict=verdict)


_SECOND_SWEEP = """    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
    var = tl.sum(squares, axis=0) / N
"""
_MOMENTS = """    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    var = tl.sum(squares, axis=0) / N - mean * mean
"""
_SHIFTED = """    squares = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    first = tl.arange(0, BLOCK)
    x = tl.load(X + first, mask=first < N, other=0.0).to(tl.float32)
    shift = tl.sum(x, axis=0) / tl.minimum(BLOCK, N)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - shift, 0.0)
        shifted += d
        squares += d * d
    rest = tl.sum(shifted, axis=0) / N
    var = tl.sum(squares, axis=0) / N - rest * rest
"""
_FIRST_SWEEP = """    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
"""
_SCALAR_SUM = """    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32), axis=0)
    mean = total / N
"""
_MAX = "v = v - tl.max(v, axis=0)"
_LOAD_Y = "y = tl.load(y_ptr + offsets, mask=mask)"
_STORE_SUM = "    tl.store(out_ptr"
_TOTAL = "    total = tl.sum(x, axis=1)[:, None]\n"
_HAZARD = """    tl.store(x_ptr + rows * n + cols, x * 2, mask=mask)
    x2 = tl.load(x_ptr + rows * n + cols, mask=mask, other=0.0)
    total = tl.sum(x2, axis=1)[:, None]
"""
_ADD_SUM = "tl.atomic_add(sum_ptr, tl.sum(x, axis=0))"
_HINT = "cols = tl.max_contiguous(tl.multiple_of(offsets % n, BLOCK), BLOCK)"
_ROTARY_STORES = """    tl.store(x + row * 2 * half + 2 * at, even * c - odd * s, mask=mask)
    tl.store(x + row * 2 * half + 2 * at + 1, even * s + odd * c, mask=mask)
"""
_ROTARY_HAZARD = """    tl.store(x + row * 2 * half + 2 * at, even * c - odd * s, mask=mask)
    even = tl.load(x + row * 2 * half + 2 * at, mask=mask, other=0.0)
    tl.store(x + row * 2 * half + 2 * at + 1, even * s + odd * c, mask=mask)
"""
_ONLINE = """        above = tl.maximum(largest, tl.max(v, axis=0))
        total = total * tl.exp(largest - above) + tl.sum(tl.exp(v - above), axis=0)
        largest = above
"""
_LOCKED_SUM = """    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    found = tl.load(sum_ptr + cols, mask=mask, other=0.0)
    tl.store(sum_ptr + cols, found + x, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)
"""

_ONE_ATOMIC_SUM = (
    ("    final_kernel[(1,)](part, out, programs, BLOCK=4)\n", ""),
    ("    part = torch.empty(programs, dtype=torch.float32, device=x.device)\n", ""),
    ("    out = torch.empty(", "    out = torch.zeros("),
    ("](x, part, n", "](x, out, n"),
)

_BY_A_NUMBER = """tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * y, mask=mask)


def scaled"""

WRONG = (
    # layer_norm
    _wrong("layer_norm", "mask dropped", "padding lanes count in the variance",
           "d = tl.where(cols < N, x - mean, 0.0)", "d = x - mean", quick=True),
    _wrong("layer_norm", "cancellation", "moments for deviations", _SECOND_SWEEP, _MOMENTS,
           quick=True),
    _wrong("layer_norm", "last tile missed", "whole tiles only", _SECOND_SWEEP,
           _SECOND_SWEEP.replace("range(0, N, BLOCK)", "range(0, N - BLOCK + 1, BLOCK)"),
           quick=True),
    _wrong("layer_norm", "accumulator not reset", "only the last tile is used",
           "total += tl.load", "total = tl.load"),
    _wrong("layer_norm", "accumulator not reset", "the first sum goes on",
           "squares = tl.zeros([BLOCK], dtype=tl.float32)", "squares = total"),
    _wrong("layer_norm", "rounding too early", "float16 squares", "squares += d * d",
           "squares += (d * d).to(tl.float16).to(tl.float32)"),
    _wrong("layer_norm", "wrong constant", "N - 1 for N", "tl.sum(squares, axis=0) / N",
           "tl.sum(squares, axis=0) / (N - 1)"),
    _wrong("layer_norm", "output not written", "the mean is not stored",
           "tl.store(Mean + row, mean)", "pass", quick=True),
    _wrong("layer_norm", "stale stride", "the stride of another tensor", "X += row * stride",
           "X += row * N", quick=True),
    _wrong("layer_norm", "wrong constant", "another eps", "tl.sqrt(var + eps)",
           "tl.sqrt(var + 2e-5)", quick=True),
    # softmax
    _wrong("softmax", "output not written", "nothing is stored",
           "tl.store(out + row * n + cols, e / tl.sum(e, axis=0), mask=mask)", "pass"),
    _wrong("softmax", "other changed", "other is 0, not -inf", 'other=-float("inf")',
           "other=0.0", quick=True),
    _wrong("softmax", "cancellation", "the maximum is not subtracted", _MAX, "v = v - 0.0"),
    _wrong("softmax", "NaN swallowed", "NaN becomes 0", _MAX,
           f"v = tl.where(v == v, v, 0.0)\n    {_MAX}", quick=True),
    _wrong("softmax", "off by one", "the last column is not stored", "axis=0), mask=mask)",
           "axis=0), mask=cols < n - 1)"),
    _wrong("softmax", "rounding too early", "float16 exponentials", "e = tl.exp(v)",
           "e = tl.exp(v).to(tl.float16).to(tl.float32)", quick=True),
    # add
    _wrong("add", "store outside", "one lane past the end", "0.0), mask=mask)",
           "0.0), mask=offsets < n + 1)", quick=True),
    _wrong("add", "store outside", "the mask of the store is dropped", "0.0), mask=mask)", "0.0))"),
    _wrong("add", "load outside", "the mask of the load is dropped", _LOAD_Y,
           "y = tl.load(y_ptr + offsets)", quick=True),
    _wrong("add", "load outside", "a load far outside", _LOAD_Y,
           "y = tl.load(y_ptr + offsets.to(tl.int64) * 1000000007, mask=mask)"),
    _wrong("add", "NaN swallowed", "NaN where it was dropped", "tl.maximum(x + y, 0.0)",
           "tl.where(x + y < 0.0, 0.0, x + y)"),
    _wrong("add", "last tile missed", "one program too few", "triton.cdiv(n, meta",
           "max(1, n // meta"),
    _wrong("add", "input changed", "x is written", _STORE_SUM,
           f"    tl.store(x_ptr + offsets, x + 1, mask=mask)\n{_STORE_SUM}", quick=True),
    _wrong("add", "another form", "another type comes back", "return out", "return out.double()",
           quick=True),
    _wrong("add", "fails", "it raises", "n = out.numel()",
           "n = out.numel()\n    assert n < 100", quick=True),
    _wrong("add", "wrong operation", "a difference", "x + y, 0.0", "x - y, 0.0", quick=True),
    # in_place
    _wrong("in_place", "in-place hazard", "summed after the store", _TOTAL, _HAZARD, quick=True),
    _wrong("in_place", "in-place hazard", "programs write each other's rows",
           "rows = tl.program_id(0) * 4", "rows = tl.program_id(0) * 3"),
    _wrong("in_place", "wrong axis", "sums of columns", _TOTAL,
           "    total = tl.sum(x, axis=0)[None, :]\n",
           ("tl.store(s_ptr + rows, total", "tl.store(s_ptr + rows, tl.sum(x, axis=1)[:, None]")),
    # column_sum
    _wrong("column_sum", "wrong axis", "everything in one sum", "tl.sum(total, axis=0)",
           "tl.sum(tl.sum(total, axis=1))", quick=True),
    _wrong("column_sum", "wrong operation", "a count that is off", "(x > 0)", "(x >= 0)"),
    _wrong("column_sum", "other changed", "a lane without other decides",
           "mask=mask, other=0.0)", "mask=mask)", only_on_a_gpu=False),
    _wrong("column_sum", "last tile missed", "the last rows are missed", "range(0, m, ROWS)",
           "range(0, m - ROWS + 1, ROWS)"),
    # autograd
    _wrong("autograd", "wrong constant", "the gradient is half", "2 * x * dy", "x * dy"),
    _wrong("autograd", "wrong operation", "the gradient of another function", "2 * x * dy",
           "2 * tl.abs(x) * dy"),
    # total
    _wrong("total", "contribution dropped", "one program adds nothing", _ADD_SUM,
           "tl.atomic_add(sum_ptr, tl.sum(x, axis=0), mask=tl.program_id(0) != 2)", quick=True),
    _wrong("total", "race added", "load, add, store", _ADD_SUM,
           "tl.store(sum_ptr, tl.load(sum_ptr) + tl.sum(x, axis=0))", quick=True),
    _wrong("total", "race added", "the last program wins", _ADD_SUM,
           "tl.store(sum_ptr, tl.sum(x, axis=0))"),
    _wrong("total", "off by one", "the count is off by one for each program",
           "tl.sum((x > 0).to(tl.int32), axis=0)", "tl.sum((x > 0).to(tl.int32), axis=0) + 1"),
    _wrong("total", "wrong operation", "the largest for the sum", _ADD_SUM,
           "tl.atomic_max(sum_ptr, tl.sum(x, axis=0))"),
    _wrong("total", "rounding too early", "float16 partial sums", _ADD_SUM,
           "tl.atomic_add(sum_ptr, tl.sum(x.to(tl.float16), axis=0).to(tl.float32))"),
    # locked
    _wrong("locked", "race added", "the lock is dropped", _LOCKED_SUM,
           "    found = tl.load(sum_ptr + cols, mask=mask, other=0.0)\n"
           "    tl.store(sum_ptr + cols, found + x, mask=mask)\n"),
    _wrong("locked", "contribution dropped", "the first row is not added", "found + x, mask=mask",
           "found + x, mask=mask & (row > 0)"),
    # buckets
    _wrong("buckets", "int32 overflow", "hashed in 32 bits", "key.to(tl.int64) * 1000000007",
           "(key * 1000000007).to(tl.int64)", quick=True),
    _wrong("buckets", "mask dropped", "lanes past the end are counted",
           "tl.atomic_add(count_ptr + hashed, 1, mask=mask)",
           "tl.atomic_add(count_ptr + hashed, 1)"),
    _wrong("buckets", "store outside", "one bucket too many", "tl.atomic_add(count_ptr + hashed",
           "tl.atomic_add(count_ptr + hashed + 1"),
    # matmul
    _wrong("matmul", "mask dropped", "the last tile of K is whole",
           "mask=ks[None, :] < K - k * BK, other=0.0", "mask=ks[None, :] < K, other=0.0",
           ("mask=ks[:, None] < K - k * BK, other=0.0", "mask=ks[:, None] < K, other=0.0")),
    _wrong("matmul", "last tile missed", "K in whole tiles only", "tl.cdiv(K, BK)", "K // BK"),
    _wrong("matmul", "stale stride", "B moves as A does", "b_ptrs += BK * N", "b_ptrs += BK * K"),
    _wrong("matmul", "wrong index", "rows and columns of tiles exchanged",
           "pid_n = (pid % per_group) // size", "pid_n = (pid % per_group) // GROUP"),
    _wrong("matmul", "accumulator not reset", "nothing is accumulated",
           "acc = tl.dot(left, right, acc)", "acc = tl.dot(left, right)"),
    _wrong("matmul", "store outside", "only rows are masked", "& (cols[None, :] < N)",
           "& (cols[None, :] >= 0)"),
    # gather
    _wrong("gather", "mask dropped", "an index below 0 is used", "(at >= 0) & (at < rows)",
           "at < rows"),
    _wrong("gather", "off by one", "the row past the end is used", "at < rows)", "at <= rows)",
           quick=True),
    _wrong("gather", "wrong index", "rows in order", "at[:, None] * n", "picks[:, None] * n"),
    # running
    _wrong("running", "accumulator not reset", "the carry is lost", "carry += tl.sum(v, axis=0)",
           "carry = tl.sum(v, axis=0)"),
    _wrong("running", "off by one", "the carry counts twice", "carry + tl.cumsum(v, axis=0)",
           "carry + tl.cumsum(v, axis=0) - v"),
    _wrong("running", "wrong operation", "the last of equal ones", "top > largest",
           "top >= largest"),
    _wrong("running", "wrong index", "the place in the tile", "at = start + tl.argmax",
           "at = tl.argmax", quick=True),
    # dropout
    _wrong("dropout", "other random numbers", "the same numbers in every program",
           "tl.rand(seed, offsets)", "tl.rand(seed, tl.arange(0, BLOCK))", quick=True),
    _wrong("dropout", "other random numbers", "another seed", "tl.rand(seed, offsets)",
           "tl.rand(seed + 1, offsets)"),
    _wrong("dropout", "wrong constant", "what stays is not scaled", "v / (1 - p)", "v"),
    # rms_norm
    _wrong("rms_norm", "stale stride", "rows of the output for rows of the input",
           "x += row * stride", "x += row * n"),
    _wrong("rms_norm", "last tile missed", "the last columns are not written",
           "    for start in range(0, n, BLOCK):\n        cols = start + tl.arange(0, BLOCK)\n"
           "        v = tl.load(x + cols, mask=cols < n, other=0.0).to(tl.float32)\n"
           "        tl.store",
           "    for start in range(0, n - 1, BLOCK):\n        cols = start + tl.arange(0, BLOCK)\n"
           "        v = tl.load(x + cols, mask=cols < n, other=0.0).to(tl.float32)\n"
           "        tl.store"),
    _wrong("rms_norm", "rounding too early", "squares in the type of the input",
           "squares += v * v", "squares += (v.to(tl.float16) * v.to(tl.float16)).to(tl.float32)"),
    _wrong("rms_norm", "wrong constant", "eps outside of the root",
           "tl.sum(squares, axis=0) / n + eps)", "tl.sum(squares, axis=0) / n) + eps"),
    # cross_entropy
    _wrong("cross_entropy", "accumulator not reset", "the sum is not scaled again",
           "total * tl.exp(largest - above)", "total", quick=True),
    _wrong("cross_entropy", "cancellation", "no maximum at all", _ONLINE,
           "        total += tl.sum(tl.exp(v), axis=0)\n        largest = 0.0\n"),
    _wrong("cross_entropy", "other changed", "padding counts as 0",
           'mask=cols < n, other=-float("inf")', "mask=cols < n, other=0.0"),
    _wrong("cross_entropy", "mask dropped", "ignored rows have a loss",
           "tl.where(label >= 0, found, 0.0)", "found"),
    # ignored_rows
    _wrong("ignored_rows", "contribution dropped", "ignored rows count",
           "max(int((labels != ignored).sum()), 1)", "max(m, 1)"),
    _wrong("ignored_rows", "another form", "rows of -inf only",
           '    largest = tl.where(largest == -float("inf"), 0.0, largest)\n', "", quick=True),
    _wrong("ignored_rows", "stale stride", "without bias the length for the stride",
           "x.stride(0), n, ignored", "n if bias is None else x.stride(0), n, ignored"),
    # groups
    _wrong("groups", "last tile missed", "groups that fill no tile",
           "triton.cdiv(groups, 4)", "max(1, groups // 4)"),
    # wrapped
    _wrong("wrapped", "false hint", "contiguous although it wraps", "cols = offsets % n", _HINT,
           quick=True),
    _wrong("wrapped", "false hint", "one column for four", "cols = offsets % n",
           "cols = tl.max_constancy(offsets % n, 4)"),
    _wrong("wrapped", "wrong index", "the quotient for the rest", "cols = offsets % n",
           "cols = (offsets // n) % n"),
    # rotary
    _wrong("rotary", "in-place hazard", "the even ones are read again", _ROTARY_STORES,
           _ROTARY_HAZARD),
    _wrong("rotary", "wrong operation", "rotated the other way", "even * c - odd * s",
           "even * c + odd * s"),
    _wrong("rotary", "wrong index", "halves for pairs", "2 * at + 1", "at + half"),
    # transpose
    _wrong("transpose", "stale stride", "contiguous rows", "rows[:, None] * sm",
           "rows[:, None] * n"),
    _wrong("transpose", "off by one", "a column too few", "cols[None, :] < n",
           "cols[None, :] < n - 1"),
    _wrong("transpose", "last tile missed", "grid in whole tiles", "triton.cdiv(n, 32)",
           "max(1, n // 32)"),
    # two_step
    _wrong("two_step", "last tile missed", "one tile for each program",
           "range(pid, tiles, tl.num_programs(0))", "range(pid, tl.num_programs(0), tiles)"),
    _wrong("two_step", "memory that nothing wrote", "too many partial sums are read",
           "mask=at < count, other=0.0", "mask=at < BLOCK, other=0.0", quick=True),
    _wrong("two_step", "race added", "programs share a partial sum",
           "tl.store(part + pid, tl.sum(acc, axis=0))",
           "tl.store(part + pid // 2, tl.sum(acc, axis=0))"),
    # limits
    _wrong("limits", "wrong operation", "by a number alone it is added", _BY_A_NUMBER,
           _BY_A_NUMBER.replace("* y", "+ y")),
    _wrong("limits", "wrong operation", "the other limit wins where they cross",
           "tl.minimum(tl.maximum(x, low), high)", "tl.maximum(tl.minimum(x, high), low)"),
    _wrong("limits", "wrong constant", "above one limit alone", "mask=mask), low), mask=mask)",
           "mask=mask), low + 0.001), mask=mask)"),
    _wrong("limits", "wrong constant", "the sum of all, which one of rows hands over to",
           "tl.store(out_ptr + tl.program_id(0), tl.sum(sums, axis=0))",
           "tl.store(out_ptr + tl.program_id(0), 1.01 * tl.sum(sums, axis=0))"),
    _wrong("limits", "wrong constant", "called like a parameter", "x > threshold, x, 0.0",
           "x > threshold, 1.01 * x, 0.0"),
)  # fmt: skip

RIGHT = (
    _right("layer_norm", "a scalar accumulator", _FIRST_SWEEP, _SCALAR_SUM),
    _right("layer_norm", "the shifted variance", _SECOND_SWEEP, _SHIFTED),
    _right("layer_norm", "a smaller block", "BLOCK=32", "BLOCK=16"),
    _right("layer_norm", "one over N", "tl.sum(total, axis=0) / N",
           "tl.sum(total, axis=0) * (1 / N)"),
    _right("softmax", "exp2 for exp", "tl.exp(v)", "tl.exp2(v * 1.4426950408889634)", quick=True),
    _right("softmax", "a reciprocal", "e / tl.sum(e, axis=0)", "e * (1.0 / tl.sum(e, axis=0))"),
    _right("softmax", "masked sums", "tl.sum(e, axis=0)", "tl.sum(tl.where(mask, e, 0.0), axis=0)",
           "identical"),
    _right("add", "a larger block", "BLOCK=64", "BLOCK=256", "identical"),
    _right("add", "where for maximum", "tl.maximum(x + y, 0.0)",
           "tl.where(x + y > 0.0, x + y, 0.0)", "identical"),
    _right("add", "other is written", _LOAD_Y, "y = tl.load(y_ptr + offsets, mask, 0.0)",
           "identical"),
    _right("add", "zeros for memory that is written all over", "torch.empty_like(x)",
           "torch.zeros_like(x)", "identical"),
    _right("column_sum", "reduced in the loop", "count += tl.sum((x > 0).to(tl.int32), axis=0)",
           "count += tl.sum((x > 0) + 0, axis=0)", "identical"),
    _right("column_sum", "more rows in a program", "ROWS=4", "ROWS=8"),
    _right("autograd", "the gradient in another order", "2 * x * dy", "dy * (x + x)", "identical"),
    _right("in_place", "a reciprocal", "x / (1.0 + total * total)",
           "x * (1.0 / (1.0 + total * total))"),
    _right("in_place", "more rows in a program", "tl.program_id(0) * 4 + tl.arange(0, 4)",
           "tl.program_id(0) * 8 + tl.arange(0, 8)", "identical",
           ("triton.cdiv(m, 4)", "triton.cdiv(m, 8)")),
    _right("total", "smaller blocks, more additions", "n, BLOCK=32", "n, BLOCK=16", "equivalent",
           ("triton.cdiv(n, 32)", "triton.cdiv(n, 16)"), quick=True),
    _right("total", "each lane adds for itself", _ADD_SUM,
           "tl.atomic_add(sum_ptr + offsets * 0, x, mask=mask)"),
    _right("locked", "atomic additions for the lock", _LOCKED_SUM,
           "    tl.atomic_add(sum_ptr + cols, x, mask=mask)\n", "identical", quick=True),
    _right("buckets", "a remainder for the bits", "* 1000000007) & (BUCKETS - 1)\n",
           "* 1000000007 + BUCKETS * (2**40)) & (BUCKETS - 1)\n", "identical"),
    _right("matmul", "larger tiles of K", "BK=16)", "BK=32)"),
    _right("matmul", "added afterwards", "acc = tl.dot(left, right, acc)",
           "acc += tl.dot(left, right)", "identical"),
    _right("matmul", "tiles in the plain order", "GROUP=2", "GROUP=1", "identical"),
    _right("gather", "selected afterwards", "inside[:, None]\n",
           "inside[:, None] & (picks[:, None] < picked)\n", "identical"),
    _right("gather", "more rows in a program", "triton.cdiv(m, 8)", "triton.cdiv(m, 16)",
           "identical", ("PICKS=8", "PICKS=16")),
    _right("running", "the carry from the running sum", "carry += tl.sum(v, axis=0)",
           "carry += tl.max(tl.where(tl.arange(0, BLOCK) == BLOCK - 1, tl.cumsum(v, axis=0), "
           '-float("inf")), axis=0)'),
    _right("dropout", "a larger block", "BLOCK=64)", "BLOCK=128)", "identical",
           ("triton.cdiv(n, 64)", "triton.cdiv(n, 128)")),
    _right("rms_norm", "rsqrt", "1 / tl.sqrt(", "tl.rsqrt(", "identical"),
    _right("rms_norm", "the scale comes last", "v * scale * tl.load(w + cols, mask=cols < n)",
           "v * tl.load(w + cols, mask=cols < n) * scale"),
    _right("cross_entropy", "larger tiles", "n, BLOCK=32", "n, BLOCK=128"),
    _right("wrapped", "a hint that is true",
           "offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
           "offsets = tl.multiple_of(tl.program_id(0) * BLOCK, BLOCK) + tl.arange(0, BLOCK)\n"
           "    offsets = tl.max_contiguous(tl.multiple_of(offsets, BLOCK), BLOCK)", "identical",
           quick=True),
    _right("wrapped", "the rest from the quotient", "offsets % n", "offsets - offsets // n * n",
           "identical"),
    _right("rotary", "stored the other way round", _ROTARY_STORES,
           "".join(reversed(_ROTARY_STORES.splitlines(keepends=True))), "identical"),
    _right("transpose", "other tiles", "BM=16, BN=32", "BM=32, BN=32", "identical",
           ("triton.cdiv(m, 16)", "triton.cdiv(m, 32)")),
    _right("two_step", "fewer programs", "min(tiles, 4)", "min(tiles, 2)"),
    _right("two_step", "partial sums the other way round", "tl.store(part + pid,",
           "tl.store(part + tl.num_programs(0) - 1 - pid,", "equivalent", quick=True),
    _right("two_step", "one atomic sum and no partial ones", "    tl.store(part + pid, ",
           "    tl.atomic_add(part, ", "equivalent", *_ONE_ATOMIC_SUM),
    _right("two_step", "slots in the order of arrival", "    tl.store(part + pid, ",
           "    slot = tl.atomic_add(ticket, 1)\n    tl.store(part + slot, ", "equivalent",
           ("part, n, tiles, BLOCK: tl", "part, ticket, n, tiles, BLOCK: tl"),
           ("(x, part, n", "(x, part, torch.zeros(1, dtype=torch.int32, device=x.device), n")),
    _right("two_step", "the sum of the partial ones by torch",
           "    final_kernel[(1,)](part, out, programs, BLOCK=4)\n    return out",
           "    return part.sum().reshape(1)"),
)  # fmt: skip


def names(rewrites: Iterable[Rewrite]) -> list[str]:
    return [f"{r.subject}: {r.name}" for r in rewrites]


def marked(rewrites: Iterable[Rewrite]) -> list[object]:
    """The quick ones in every run, the others with `make test-all`."""
    import pytest

    return [
        pytest.param(
            rewrite, marks=() if rewrite.quick else pytest.mark.thorough, id=names([rewrite])[0]
        )
        for rewrite in rewrites
    ]
