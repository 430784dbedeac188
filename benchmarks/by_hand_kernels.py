"""The kernels of `by_hand.py`, with what a rewrite would change as constexpr switches."""

from __future__ import annotations

import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


# --- attention


@triton.jit
def _seen(qk, cols, rows, S, CAUSAL: tl.constexpr):
    keep = cols[None, :] < S
    if CAUSAL:
        keep = keep & (cols[None, :] <= rows[:, None])
    return tl.where(keep, qk, float("-inf"))


@triton.jit
def _key_tile(
    q, acc, total, m, K, V, start, edge, rows, S, scale,
    D: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
    EXP2: tl.constexpr, LATE: tl.constexpr, ON_Q: tl.constexpr, FMA: tl.constexpr,
    BRANCH: tl.constexpr,
):  # fmt: skip
    cols = start + tl.arange(0, BN)
    dims = tl.arange(0, D)
    if MASKED:
        k = tl.load(K + cols[None, :] * D + dims[:, None], mask=cols[None, :] < S, other=0.0)
        v = tl.load(V + cols[:, None] * D + dims[None, :], mask=cols[:, None] < S, other=0.0)
    else:
        k = tl.load(K + cols[None, :] * D + dims[:, None])
        v = tl.load(V + cols[:, None] * D + dims[None, :])
    qk = tl.dot(q, k)
    if not ON_Q and not FMA:
        qk = qk * scale
    if MASKED and BRANCH:
        if start + BN > edge:
            qk = _seen(qk, cols, rows, S, CAUSAL)
    elif MASKED:
        qk = _seen(qk, cols, rows, S, CAUSAL)
    if FMA:
        m_new = tl.maximum(m, tl.max(qk, 1) * scale)
        qk = qk * scale - m_new[:, None]
    else:
        m_new = tl.maximum(m, tl.max(qk, 1))
        qk = qk - m_new[:, None]
    if EXP2 == "apart":
        p = tl.exp2(qk * LOG2_E)
        alpha = tl.exp2((m - m_new) * LOG2_E)
    elif EXP2:
        p = tl.exp2(qk)
        alpha = tl.exp2(m - m_new)
    else:
        p = tl.exp(qk)
        alpha = tl.exp(m - m_new)
    grown = total * alpha + tl.sum(p, 1)
    if LATE:
        acc = acc * alpha[:, None]
    else:
        p = p / grown[:, None]
        acc = acc * (total * alpha / grown)[:, None]
    acc += tl.dot(p.to(v.dtype), v)
    return acc, grown, m_new


@triton.jit
def attention(
    Q, K, V, Out, S, scale,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
    SPLIT: tl.constexpr = False, EXP2: tl.constexpr = False, LATE: tl.constexpr = True,
    ON_Q: tl.constexpr = False, FMA: tl.constexpr = False, BRANCH: tl.constexpr = False,
):  # fmt: skip
    tile = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * S * D
    K += head
    V += head
    rows = tile * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    at = rows[:, None] * D + dims[None, :]
    q = tl.load(Q + head + at, mask=rows[:, None] < S, other=0.0)
    if EXP2 and EXP2 != "apart":
        scale = scale * LOG2_E
    if ON_Q:
        q = (q * scale).to(q.dtype)
    m = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    end = S
    edge = S  # columns before it are seen by every row of the tile
    if CAUSAL:
        end = tl.minimum(S, (tile + 1) * BM)
        edge = tl.minimum(S, tile * BM + 1)
    begin = 0
    if SPLIT:
        begin = edge // BN * BN
        for start in range(0, begin, BN):
            acc, total, m = _key_tile(
                q, acc, total, m, K, V, start, edge, rows, S, scale,
                D, BN, CAUSAL, False, EXP2, LATE, ON_Q, FMA, BRANCH,
            )  # fmt: skip
    for start in range(begin, end, BN):
        acc, total, m = _key_tile(
            q, acc, total, m, K, V, start, edge, rows, S, scale,
            D, BN, CAUSAL, True, EXP2, LATE, ON_Q, FMA, BRANCH,
        )  # fmt: skip
    if LATE:
        acc = acc / total[:, None]
    tl.store(Out + head + at, acc.to(Out.dtype.element_ty), mask=rows[:, None] < S)


# --- quantization


@triton.jit
def _quantized(y, INT8: tl.constexpr):
    if INT8:
        y = tl.where(y >= 0, y + 0.5, y - 0.5)
    return y


@triton.jit
def quantize_groups(
    X, Y, SCALES, GROUPS,
    G: tl.constexpr, ROWS: tl.constexpr, LIMIT: tl.constexpr, INT8: tl.constexpr,
    TWICE: tl.constexpr = False,
):  # fmt: skip
    """A group, or ROWS of them, a program; TWICE loads again after the scale is stored."""
    if ROWS == 1:
        group = tl.program_id(0)
        at = group * G + tl.arange(0, G)
        x = tl.load(X + at).to(tl.float32)
        scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-10) / LIMIT
        if TWICE:
            tl.store(SCALES + group, scale)
            x = tl.load(X + at).to(tl.float32)
        y = _quantized(x / scale, INT8)
        tl.store(Y + at, y.to(Y.dtype.element_ty))
        if not TWICE:
            tl.store(SCALES + group, scale)
    else:
        groups = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
        at = groups * G + tl.arange(0, G)[None, :]
        x = tl.load(X + at, mask=groups < GROUPS, other=0.0).to(tl.float32)
        scale = tl.maximum(tl.max(tl.abs(x), axis=1, keep_dims=True), 1e-10) / LIMIT
        if TWICE:
            tl.store(SCALES + groups, scale, mask=groups < GROUPS)
            x = tl.load(X + at, mask=groups < GROUPS, other=0.0).to(tl.float32)
        y = _quantized(x / scale, INT8)
        tl.store(Y + at, y.to(Y.dtype.element_ty), mask=groups < GROUPS)
        if not TWICE:
            tl.store(SCALES + groups, scale, mask=groups < GROUPS)


@triton.jit
def quantize_tokens(
    X, Y, SCALES, N,
    BLOCK: tl.constexpr, LIMIT: tl.constexpr, INT8: tl.constexpr, LOOPS: tl.constexpr,
    TWICE: tl.constexpr = False,
):  # fmt: skip
    """A token a program: in one tile, or in a loop for the maximum and one that quantizes."""
    row = tl.program_id(0)
    X += row * N
    Y += row * N
    cols = tl.arange(0, BLOCK)
    if LOOPS:
        largest = tl.zeros([BLOCK], tl.float32)
        for start in range(0, N, BLOCK):
            at = start + cols
            x = tl.load(X + at, mask=at < N, other=0.0).to(tl.float32)
            largest = tl.maximum(largest, tl.abs(x))
        scale = tl.maximum(tl.max(largest, axis=0), 1e-10) / LIMIT
        for start in range(0, N, BLOCK):
            at = start + cols
            x = tl.load(X + at, mask=at < N, other=0.0).to(tl.float32)
            tl.store(Y + at, _quantized(x / scale, INT8).to(Y.dtype.element_ty), mask=at < N)
        tl.store(SCALES + row, scale)
    else:
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-10) / LIMIT
        tl.store(SCALES + row, scale)
        if TWICE:
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, _quantized(x / scale, INT8).to(Y.dtype.element_ty), mask=cols < N)


# --- masks that are always true


@triton.jit
def _product_tile(a, b, acc, left, depth, WHOLE: tl.constexpr):
    if WHOLE:
        x = tl.load(a)
        y = tl.load(b)
    else:
        x = tl.load(a, mask=depth[None, :] < left, other=0.0)
        y = tl.load(b, mask=depth[:, None] < left, other=0.0)
    return tl.dot(x, y, acc)


@triton.jit
def matmul(
    A, B, C, M, N, K, sam, sak, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, MODE: tl.constexpr,
):  # fmt: skip
    """MODE: "masked" (each tile of K), "even" (none), "peeled" (the last tile apart)."""
    width = 8 * tl.cdiv(N, BN)
    first = tl.program_id(0) // width * 8
    height = tl.minimum(tl.cdiv(M, BM) - first, 8)
    rows = (first + tl.program_id(0) % width % height) * BM + tl.arange(0, BM)
    cols = tl.program_id(0) % width // height * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a = A + (rows % M)[:, None] * sam + depth[None, :] * sak
    b = B + depth[:, None] * sbk + (cols % N)[None, :] * sbn
    acc = tl.zeros([BM, BN], tl.float32)
    whole = tl.cdiv(K, BK)
    if MODE == "peeled":
        whole = K // BK
    for k in range(whole):
        acc = _product_tile(a, b, acc, K - k * BK, depth, MODE != "masked")
        a += BK * sak
        b += BK * sbk
    if MODE == "peeled" and whole * BK < K:
        acc = _product_tile(a, b, acc, K - whole * BK, depth, False)
    at = C + rows[:, None] * scm + cols[None, :] * scn
    tl.store(at, acc.to(C.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))


@triton.jit
def _row_tile(X, at, N, WHOLE: tl.constexpr):
    x = tl.load(X + at) if WHOLE else tl.load(X + at, mask=at < N, other=float("-inf"))
    return x.to(tl.float32)


@triton.jit
def softmax(X, Y, N, BLOCK: tl.constexpr, MODE: tl.constexpr):
    """Online, then a second loop; MODE as for `matmul`."""
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    cols = tl.arange(0, BLOCK)
    m = tl.full([BLOCK], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    whole = 0
    if MODE == "even":
        whole = N
    if MODE == "peeled":
        whole = N // BLOCK * BLOCK
    if MODE != "masked":
        for start in range(0, whole, BLOCK):
            x = _row_tile(X, start + cols, N, True)
            new = tl.maximum(m, x)
            total = total * tl.exp(m - new) + tl.exp(x - new)
            m = new
    if MODE != "even":
        for start in range(whole, N, BLOCK):
            x = _row_tile(X, start + cols, N, False)
            new = tl.maximum(m, x)
            total = total * tl.exp(m - new) + tl.exp(x - new)
            m = new
    top = tl.max(m, axis=0)
    total = tl.sum(total * tl.exp(m - top), axis=0)
    if MODE != "masked":
        for start in range(0, whole, BLOCK):
            y = tl.exp(_row_tile(X, start + cols, N, True) - top) / total
            tl.store(Y + start + cols, y.to(Y.dtype.element_ty))
    if MODE != "even":
        for start in range(whole, N, BLOCK):
            at = start + cols
            y = tl.exp(_row_tile(X, at, N, False) - top) / total
            tl.store(Y + at, y.to(Y.dtype.element_ty), mask=at < N)


# --- norms backward


@triton.jit
def norm_backward(
    DX, DY, X, W, Mean, Rstd, DW, DB, Locks, M, N,
    BLOCK: tl.constexpr, RMS: tl.constexpr, SUMS: tl.constexpr, ROWS: tl.constexpr = 1,
    CHUNKS: tl.constexpr = False, STAGES: tl.constexpr = 1, GROUPS: tl.constexpr = 1,
):  # fmt: skip
    """SUMS: "row" (atomics of each row), "locks", "parts" (a program's sums) or "atomics"."""
    cols = tl.arange(0, BLOCK)
    inside = cols < N
    w = tl.load(W + cols, mask=inside, other=0.0).to(tl.float32)[None, :]
    dw = tl.zeros([ROWS, BLOCK], tl.float32)
    db = tl.zeros([ROWS, BLOCK], tl.float32)
    first = tl.program_id(0) * ROWS
    step = tl.num_programs(0) * ROWS
    end = M
    if CHUNKS:
        each = tl.cdiv(M, tl.num_programs(0))
        first = tl.program_id(0) * each
        end = tl.minimum(M, first + each)
        step = ROWS
    for start in tl.range(first, end, step, num_stages=STAGES):
        rows = start + tl.arange(0, ROWS)[:, None]
        mask = (rows < end) & inside[None, :]
        at = rows * N + cols[None, :]
        x = tl.load(X + at, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + at, mask=mask, other=0.0).to(tl.float32)
        rstd = tl.load(Rstd + rows, mask=rows < end, other=0.0)
        if not RMS:
            x = tl.where(mask, x - tl.load(Mean + rows, mask=rows < end, other=0.0), 0.0)
        x_hat = x * rstd
        wdy = w * dy
        c1 = tl.sum(x_hat * wdy, axis=1, keep_dims=True) / N
        dx = wdy - x_hat * c1
        if not RMS:
            dx -= tl.sum(wdy, axis=1, keep_dims=True) / N
        tl.store(DX + at, (dx * rstd).to(DX.dtype.element_ty), mask=mask)
        dw += dy * x_hat
        db += dy
    to_w = tl.sum(dw, axis=0)
    to_b = tl.sum(db, axis=0)
    if SUMS == "locks":
        group = tl.program_id(0) % GROUPS
        while tl.atomic_cas(Locks + group, 0, 1) == 1:
            pass
        begun = tl.load(Locks + GROUPS + group)
        if begun == 0:
            tl.atomic_xchg(Locks + GROUPS + group, 1)
        else:
            to_w += tl.load(DW + group * N + cols, mask=inside)
            if not RMS:
                to_b += tl.load(DB + group * N + cols, mask=inside)
        tl.store(DW + group * N + cols, to_w, mask=inside)
        if not RMS:
            tl.store(DB + group * N + cols, to_b, mask=inside)
        tl.debug_barrier()
        tl.atomic_xchg(Locks + group, 0)
    elif SUMS == "parts":
        at = tl.program_id(0) * N + cols
        tl.store(DW + at, to_w, mask=inside)
        if not RMS:
            tl.store(DB + at, to_b, mask=inside)
    else:
        tl.atomic_add(DW + cols, to_w, mask=inside)
        if not RMS:
            tl.atomic_add(DB + cols, to_b, mask=inside)


@triton.jit
def sum_parts(
    DW, DB, To_W, To_B, M, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr, RMS: tl.constexpr
):
    cols = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    dw = tl.zeros([ROWS, COLUMNS], tl.float32)
    db = tl.zeros([ROWS, COLUMNS], tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        at = rows[:, None] * N + cols[None, :]
        dw += tl.load(DW + at, mask=mask, other=0.0)
        if not RMS:
            db += tl.load(DB + at, mask=mask, other=0.0)
    tl.store(To_W + cols, tl.sum(dw, axis=0), mask=cols < N)
    if not RMS:
        tl.store(To_B + cols, tl.sum(db, axis=0), mask=cols < N)


@triton.jit
def norm_backward_columns(
    DX, DY, X, W, Mean, Rstd, DW, DB, M, N,
    BLOCK: tl.constexpr, RMS: tl.constexpr, REVERSED: tl.constexpr,
):  # fmt: skip
    """A row in column tiles, twice: its sums, then dx and the atomics of the tiles."""
    row = tl.program_id(0)
    X += row * N
    DY += row * N
    DX += row * N
    rstd = tl.load(Rstd + row)
    mean = 0.0
    if not RMS:
        mean = tl.load(Mean + row)
    sum1 = tl.zeros([BLOCK], tl.float32)
    sum2 = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        dy = tl.load(DY + cols, mask=cols < N, other=0.0).to(tl.float32)
        wdy = tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32) * dy
        sum1 += wdy * (x - mean) * rstd
        sum2 += wdy
    c1 = tl.sum(sum1, axis=0) / N
    c2 = tl.sum(sum2, axis=0) / N
    for tile in range(0, N, BLOCK):
        start = tile
        if REVERSED:
            start = tl.cdiv(N, BLOCK) * BLOCK - BLOCK - tile
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        dy = tl.load(DY + cols, mask=cols < N, other=0.0).to(tl.float32)
        wdy = tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32) * dy
        x_hat = (x - mean) * rstd
        dx = wdy - x_hat * c1
        if not RMS:
            dx -= c2
            tl.atomic_add(DB + cols, dy, mask=cols < N)
        tl.store(DX + cols, (dx * rstd).to(DX.dtype.element_ty), mask=cols < N)
        tl.atomic_add(DW + cols, dy * x_hat, mask=cols < N)


@triton.jit
def norm_row_sums(DY, X, W, Mean, Rstd, C1, C2, N, BLOCK: tl.constexpr, RMS: tl.constexpr):
    """What dx needs of a whole row."""
    row = tl.program_id(0)
    rstd = tl.load(Rstd + row)
    mean = 0.0
    if not RMS:
        mean = tl.load(Mean + row)
    sum1 = tl.zeros([BLOCK], tl.float32)
    sum2 = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        dy = tl.load(DY + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        wdy = tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32) * dy
        sum1 += wdy * (x - mean) * rstd
        sum2 += wdy
    tl.store(C1 + row, tl.sum(sum1, axis=0) / N)
    tl.store(C2 + row, tl.sum(sum2, axis=0) / N)


@triton.jit
def norm_column_tiles(
    DX, DY, X, W, Mean, Rstd, C1, C2, DW, DB, M, N,
    BLOCK: tl.constexpr, ROWS: tl.constexpr, RMS: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """A column tile of many rows a program, with its sums over rows in registers."""
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[None, :]
    w = tl.load(W + cols, mask=cols < N, other=0.0).to(tl.float32)
    dw = tl.zeros([ROWS, BLOCK], tl.float32)
    db = tl.zeros([ROWS, BLOCK], tl.float32)
    first = tl.program_id(1) * ROWS
    for start in tl.range(first, M, tl.num_programs(1) * ROWS, num_stages=STAGES):
        rows = start + tl.arange(0, ROWS)[:, None]
        mask = (rows < M) & (cols < N)
        x = tl.load(X + rows * N + cols, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(DY + rows * N + cols, mask=mask, other=0.0).to(tl.float32)
        rstd = tl.load(Rstd + rows, mask=rows < M, other=0.0)
        if not RMS:
            x = tl.where(mask, x - tl.load(Mean + rows, mask=rows < M, other=0.0), 0.0)
        x_hat = x * rstd
        dx = w * dy - x_hat * tl.load(C1 + rows, mask=rows < M, other=0.0)
        if not RMS:
            dx -= tl.load(C2 + rows, mask=rows < M, other=0.0)
        tl.store(DX + rows * N + cols, (dx * rstd).to(DX.dtype.element_ty), mask=mask)
        dw += dy * x_hat
        db += dy
    at = tl.program_id(1) * N + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK) < N
    tl.store(DW + at, tl.sum(dw, axis=0), mask=inside)
    if not RMS:
        tl.store(DB + at, tl.sum(db, axis=0), mask=inside)


# --- rows: short, long, and with tails


@triton.jit
def short_rows(X, Y, M, N, OP: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """OP: "sum", "softmax" or "layer norm"."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < M) & (cols < N)
    at = rows * N + cols
    low = float("-inf") if OP == "softmax" else 0.0
    x = tl.load(X + at, mask=mask, other=low).to(tl.float32)
    if OP == "sum":
        tl.store(Y + rows, tl.sum(x, axis=1, keep_dims=True), mask=rows < M)
    elif OP == "softmax":
        e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
        y = e / tl.sum(e, axis=1, keep_dims=True)
        tl.store(Y + at, y.to(Y.dtype.element_ty), mask=mask)
    else:
        d = tl.where(mask, x - tl.sum(x, axis=1, keep_dims=True) / N, 0.0)
        y = d * tl.rsqrt(tl.sum(d * d, axis=1, keep_dims=True) / N + 1e-5)
        tl.store(Y + at, y.to(Y.dtype.element_ty), mask=mask)


@triton.jit
def _read(X, at, N, other, MASKED: tl.constexpr, KEPT: tl.constexpr):
    if MASKED:
        x = tl.load(X + at, mask=(at >= 0) & (at < N), other=other, eviction_policy=KEPT)
    else:
        x = tl.load(X + at, eviction_policy=KEPT)
    return x.to(tl.float32)


@triton.jit
def _write(Y, at, N, y, MASKED: tl.constexpr, KEPT: tl.constexpr):
    y = y.to(Y.dtype.element_ty)
    if MASKED:
        tl.store(Y + at, y, mask=(at >= 0) & (at < N), eviction_policy=KEPT)
    else:
        tl.store(Y + at, y, eviction_policy=KEPT)


@triton.jit
def _seen_before(X, m, total, at, N, MASKED: tl.constexpr, KEPT: tl.constexpr):
    x = _read(X, at, N, float("-inf"), MASKED, KEPT)
    new = tl.maximum(m, x)
    total = total * tl.exp(m - new) + tl.exp(x - new)
    return new, total


@triton.jit
def long_softmax(
    X, Y, M, N, BLOCK: tl.constexpr,
    FIRST: tl.constexpr = "", LAST: tl.constexpr = "", REVERSED: tl.constexpr = False,
    STAGES: tl.constexpr = 1, ALIGNED: tl.constexpr = 0, EIGHTS: tl.constexpr = False,
):  # fmt: skip
    """Online, then a second loop, which may go backwards. FIRST and LAST: eviction policies.

    ALIGNED: tiles begin at its multiples; the first and the last have masks. EIGHTS: N is
    a multiple of 8, and the compiler is told.
    """
    if EIGHTS:
        N = N // 8 * 8
    lanes = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        begin = row * N
        base = begin
        if ALIGNED:
            base = begin // ALIGNED * ALIGNED
        before = base - begin
        x_row = X + base
        y_row = Y + base
        m = tl.full([BLOCK], -1e30, tl.float32)
        total = tl.zeros([BLOCK], tl.float32)
        if ALIGNED:
            whole = N // BLOCK * BLOCK
            m, total = _seen_before(x_row - before, m, total, lanes + before, N, True, FIRST)
            for start in tl.range(BLOCK, whole, BLOCK, num_stages=STAGES):
                m, total = _seen_before(x_row, m, total, start + lanes, N, False, FIRST)
            for start in range(tl.maximum(whole, BLOCK), N - before, BLOCK):
                at = start + lanes + before
                m, total = _seen_before(x_row - before, m, total, at, N, True, FIRST)
        else:
            for start in tl.range(0, N, BLOCK, num_stages=STAGES):
                m, total = _seen_before(x_row, m, total, start + lanes, N, True, FIRST)
        top = tl.max(m, axis=0)
        total = tl.sum(total * tl.exp(m - top), axis=0)
        if ALIGNED:
            whole = N // BLOCK * BLOCK
            at = lanes + before
            y = tl.exp(_read(x_row - before, at, N, 0.0, True, LAST) - top) / total
            _write(y_row - before, at, N, y, True, LAST)
            for start in tl.range(BLOCK, whole, BLOCK, num_stages=STAGES):
                at = start + lanes
                y = tl.exp(_read(x_row, at, N, 0.0, False, LAST) - top) / total
                _write(y_row, at, N, y, False, LAST)
            for start in range(tl.maximum(whole, BLOCK), N - before, BLOCK):
                at = start + lanes + before
                y = tl.exp(_read(x_row - before, at, N, 0.0, True, LAST) - top) / total
                _write(y_row - before, at, N, y, True, LAST)
        else:
            for tile in tl.range(0, N, BLOCK, num_stages=STAGES):
                start = tile
                if REVERSED:
                    start = tl.cdiv(N, BLOCK) * BLOCK - BLOCK - tile
                at = start + lanes
                y = tl.exp(_read(x_row, at, N, 0.0, True, LAST) - top) / total
                _write(y_row, at, N, y, True, LAST)


@triton.jit
def whole_softmax(
    X, Y, M, N, BLOCK: tl.constexpr, KEPT: tl.constexpr = "", EIGHTS: tl.constexpr = False
):
    if EIGHTS:
        N = N // 8 * 8
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = _read(X + row * N, at, N, float("-inf"), True, KEPT)
    e = tl.exp(x - tl.max(x, axis=0))
    _write(Y + row * N, at, N, e / tl.sum(e, axis=0), True, KEPT)


@triton.jit
def long_variance(
    X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr,
    REVERSED: tl.constexpr = False, FUSED: tl.constexpr = False, ONE: tl.constexpr = False,
):  # fmt: skip
    """In two sweeps, the second perhaps backwards; in one; or with a tile that holds the row."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    lanes = tl.arange(0, BLOCK)[None, :]
    X += rows * N
    total = tl.zeros([ROWS, BLOCK], tl.float32)
    squares = tl.zeros([ROWS, BLOCK], tl.float32)
    if ONE:
        x = tl.load(X + lanes, mask=(rows < M) & (lanes < N), other=0.0).to(tl.float32)
        mean = tl.sum(x, axis=1, keep_dims=True) / N
        d = tl.where(lanes < N, x - mean, 0.0)
        squares = d * d
    elif FUSED:
        center = tl.load(X, mask=rows < M, other=0.0).to(tl.float32)
        for start in range(0, N, BLOCK):
            mask = (rows < M) & (start + lanes < N)
            x = tl.load(X + start + lanes, mask=mask, other=0.0).to(tl.float32)
            d = tl.where(mask, x - center, 0.0)
            total += d
            squares += d * d
        mean = tl.sum(total, axis=1, keep_dims=True) / N
        squares -= mean * total
    else:
        for start in range(0, N, BLOCK):
            mask = (rows < M) & (start + lanes < N)
            total += tl.load(X + start + lanes, mask=mask, other=0.0).to(tl.float32)
        mean = tl.sum(total, axis=1, keep_dims=True) / N
        for tile in range(0, N, BLOCK):
            start = tile
            if REVERSED:
                start = tl.cdiv(N, BLOCK) * BLOCK - BLOCK - tile
            mask = (rows < M) & (start + lanes < N)
            x = tl.load(X + start + lanes, mask=mask, other=0.0).to(tl.float32)
            d = tl.where(mask, x - mean, 0.0)
            squares += d * d
    tl.store(Y + rows, tl.sum(squares, axis=1, keep_dims=True) / N, mask=rows < M)


# --- the largest few


@triton.jit
def largest_few(
    X, V, Places, M, N, BLOCK: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr, MODE: tl.constexpr
):
    """MODE: "repeated" (maximum and its index, K times), "values" (tl.topk) or "packed".

    Packed: a sortable number of the value above, and the inverted index below, so that equal
    values come in order of their index.
    """
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    places = tl.arange(0, K)
    inside = (rows < M)[:, None]
    mask = inside & (cols < N)[None, :]
    x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=float("-inf"))
    x = x.to(tl.float32)
    at = rows[:, None] * K + places[None, :]
    if MODE == "repeated":
        for k in range(K):
            top, index = tl.max(x, axis=1, return_indices=True)
            tl.store(V + rows * K + k, top, mask=rows < M)
            tl.store(Places + rows * K + k, index, mask=rows < M)
            x = tl.where(cols[None, :] == index[:, None], float("-inf"), x)
    elif MODE == "values":
        tl.store(V + at, tl.topk(x, K), mask=inside)
    else:
        bits = x.to(tl.int32, bitcast=True)
        key = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(tl.int64)
        packed = (key << 32) | (0x7FFFFFFF - cols).to(tl.int64)[None, :]
        best = tl.topk(packed, K)
        key = (best >> 32).to(tl.int32)
        bits = tl.where(key < 0, key ^ 0x7FFFFFFF, key)
        tl.store(V + at, bits.to(tl.float32, bitcast=True), mask=inside)
        index = 0x7FFFFFFF - (best & 0x7FFFFFFF)
        tl.store(Places + at, index.to(tl.int32), mask=inside)
