"""How many rows there are takes a long line; how long a tile is, is a number."""

import torch
import triton
import triton.language as tl


@triton.jit
def largest_kernel(X, Largest, N, num_rows, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    offsets = rows * BLOCK + tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + offsets, mask=row_mask & (offsets < N), other=-float("inf"))
    tl.store(Largest + rows, tl.max(x, axis=1, keep_dims=True), mask=row_mask)


def largest_of_parts(x):
    number_of_elements = x.numel()
    largest = torch.empty(triton.cdiv(number_of_elements, 64), device=x.device)
    grid = lambda meta: (triton.cdiv(triton.cdiv(number_of_elements, meta["BLOCK"]), meta["ROWS"]),)
    num_rows = triton.cdiv(number_of_elements, 64)
    # Rows are short: a program takes about 512 elements.
    largest_kernel[grid](
        x.contiguous(), largest, number_of_elements, num_rows, BLOCK=64, ROWS=8
    )
    return largest
