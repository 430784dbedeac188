"""A period of samples, repeated and faded: one voice of a wavetable synthesizer.

The period changes from note to note, so it is not specialized: one compiled kernel serves all
notes. Tables come in whole blocks. Without a GPU, run it with TRITON_INTERPRET=1.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

BLOCK = 512


@triton.jit(do_not_specialize=["period"])
def repeat_kernel(table_ptr, gain_ptr, out_ptr, period, length, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    out_ptr += row.to(tl.int64) * length
    gain = tl.load(gain_ptr + row)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    source = at % period
    samples = tl.load(table_ptr + source)
    tl.store(out_ptr + at, samples * gain, mask=at < length)


# tritonopt: table: f32[n], gains: f32[m]
def voices(table: torch.Tensor, gains: torch.Tensor, repeats: int = 2) -> torch.Tensor:
    """`repeats` periods of `table` for each gain, one row a gain; the table is padded."""
    gains = gains.contiguous()
    period = triton.cdiv(table.numel(), BLOCK) * BLOCK
    padded = torch.zeros(period, dtype=table.dtype, device=table.device)
    padded[: table.numel()] = table
    length = repeats * period
    out = torch.empty((gains.numel(), length), dtype=table.dtype, device=table.device)
    grid = (gains.numel(), length // BLOCK)
    repeat_kernel[grid](padded, gains, out, period, length, BLOCK=BLOCK)
    return out


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for n in (1, 100, 512, 1500):
        table = torch.sin(torch.linspace(0, 6.28, n, device=device))
        gains = torch.rand(3, device=device)
        padded = torch.zeros(triton.cdiv(n, BLOCK) * BLOCK, device=device)
        padded[:n] = table
        expected = gains[:, None] * padded.repeat(2)[None, :]
        torch.testing.assert_close(voices(table, gains), expected)
    print(f"voices agrees with torch on {device}")


if __name__ == "__main__":
    main()
