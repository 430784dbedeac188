"""one-tile: sweeps over a row that one tile holds become straight-line code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.tiles import tiles_of
from tritonopt.rewriting.measured import WHERE, figure
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.options import PassSelectionError
from tritonopt.rewriting.protocol import Gain, Pass
from tritonopt.source import Change

if TYPE_CHECKING:
    from tritonopt.transforms.one_tile.raising import Raised
    from tritonopt.transforms.one_tile.row_legality import OneTile
    from tritonopt.transforms.one_tile.sweeps import RowSweeps


@dataclass(frozen=True)
class OneTileRows(Pass):
    """Write the sweeps over a row that one tile holds as straight-line code.

    ## What it does

    A kernel that goes through its row several times, in loops over tiles, loads it each time.
    Where one tile holds the row each loop runs once: the loops go, the row is loaded once and has
    a name, and what the sweeps computed twice is computed once. An accumulator that started at 0
    becomes what was added to it. A load that has something else in its masked lanes takes them from
    a `tl.where`, where anything comes of them.

    Where every launch that is seen makes the tile as long as the row, the straight-line code
    replaces the loops. Elsewhere it stands beside them, under a `tl.constexpr` that a heuristic
    sets at each launch; where the compiler knows the length itself, under a comparison.

    With the option `raise_block=32768` (a number of elements; 0, the default, for none) each launch
    also makes the tile as long as the row, up to rows of that length, and takes a warp for
    each 512 elements of it, at least 4 and at most 16. Longer rows keep the tile that they had,
    and the loops. Where several tiles are kept from one sweep to the next, the registers have room
    for fewer elements of each: the rows are half as long for two or three, a quarter for four.

    The option `longer_rows` says what is done where a row may be longer than the tile: `branch`
    (default) keeps the loops for it, `decline` leaves the kernel alone.

    ## Why

    The row is read from memory once, and stays in registers. Compilers do not merge loads across
    loops, nor loads that differ in `other=`, in how long they keep a line, or with a store in
    between; and they keep a loop whose end is known at run time only.

    A launch that passes the same short tile for every length of a row seldom has a row that fits;
    so under `all` the pass acts where a launch is seen to make the tile as long as the row takes.

    ## Conditions

    The loops stand in one block, are over as many tiles each, count with one name and run to their
    ends; nothing leaves the kernel between the first and the last (`early-exit`). Two loads are
    one where they have the same address and the same mask, neither is volatile, and nothing in
    between may write what they read; a store that may keeps the second load. There has to be such
    a pair (`nothing-read-twice`).

    A row of no elements keeps what it gave: its loops did not run, so the straight-line code is
    for rows of one element or more, unless it is shown that all of it is masked off then and adds
    nothing. A Python number becomes a tensor in a loop that carries it, and would not without the
    loop; where the type of the result could be another one, what is added is cast, and where that
    cannot be (`type-changes`) the loops stay. What a loop binds for itself must not be
    read behind it, and a counter that begins at 0, which is a tensor, must leave what it is added
    to as it is, in value and type.

    For the heuristic, the length of the row and of the tile must be arguments of the launch. It
    stands right above `triton.jit`, so it sees what a tuner has chosen. A kernel that another
    kernel calls is left alone, for Triton would not compile that call, as is one that is compiled
    ahead, or stands below a decorator that may keep what a heuristic said at another launch.

    For `raise_block`, all launches are in the kernel's file and pass the length of the tile; no
    tuner or heuristic chooses it, the grid does not depend on it, and the number of warps is a
    number or left to Triton. The kernel must compute the same whatever that length is: every loop
    is a sweep over the row; a lane computes what depends on its place in the row alone, and is
    masked off behind its end, where it adds nothing; and nothing else is left of the tiles than
    sums, maxima and minima of the row. Where that is not shown the tile stays (`length-matters`,
    in the message), and the rest is done.

    ## Numerics

    `exact`: the same operations on the same elements, in one turn of each loop. It is `rounding`
    where a sum may have been -0.0 but for the 0.0 that it started with: of a row that is -0.0
    throughout, the sum is -0.0 now. With `raise_block` the sums of floats are taken in another
    order; and 0 times something counts as 0, so where a lane behind the end of the row multiplies 0
    by infinity, NaN may come or go. The compiler may choose another layout for straight-line code,
    and another order for its sums (bits `reduction-order`).

    ## Example

    ```python
    @triton.jit
    def rms_norm_kernel(X, Y, N, eps, BLOCK: tl.constexpr):
        X += tl.program_id(0) * N
        Y += tl.program_id(0) * N
        squares = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            squares += x * x
        rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
            tl.store(Y + cols, x * rstd, mask=cols < N)


    def rms_norm(x, eps=1e-6):
        m, n = x.shape
        y = torch.empty_like(x)
        rms_norm_kernel[(m,)](x, y, n, eps, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    becomes

    ```python
    @triton.jit
    def rms_norm_kernel(X, Y, N, eps, BLOCK: tl.constexpr):
        X += tl.program_id(0) * N
        Y += tl.program_id(0) * N
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        rstd = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + eps)
        tl.store(Y + cols, x * rstd, mask=cols < N)


    def rms_norm(x, eps=1e-6):
        m, n = x.shape
        y = torch.empty_like(x)
        rms_norm_kernel[(m,)](x, y, n, eps, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    With `BLOCK=1024` at the launch the loops stay as the `else` of `if ONE_TILE:`, and
    `@triton.heuristics({"ONE_TILE": lambda args: args["N"] <= args["BLOCK"]})` stands above the
    kernel.

    ## Measured

    1.00x to 1.42x for rows of up to 1024 elements; with a raised tile 0.89x to 2.04x for rows of
    2048 to 32768.

    Textbook kernels over rows with tiles of 1024 (norms, softmax, cross-entropy, variance:
    `examples/`), 22 shapes in fp32, fp16 and bf16 on one H200, Triton 3.6, cold L2, original /
    rewritten. For longer rows, whose loops stay beside the tile, 0.93x to 1.07x.

    With a raised tile the loss is of rows that fill little more than half of it (5000 elements in
    a tile of 8192); all powers of two gain, but for layer norm backward, which is even at 32768. A
    tile of 65536 elements is too much for the registers and lost far more than it gained.
    Script and record: `benchmarks/rows.py`, `benchmarks/results/`.
    """

    longer_rows: Literal["branch", "decline"] = "branch"
    raise_block: int = 0

    name: ClassVar[str] = "one-tile"
    summary: ClassVar[str] = "load a row that one tile holds once, without loops"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})
    gain: ClassVar[Gain | None] = Gain(
        figure("one-tile, up to 1024 elements"),
        f"{WHERE}, for rows that the tiles of 1024 elements held",
        "a row that one tile holds is loaded once, without loops",
    )

    def __post_init__(self) -> None:
        powers = [2**power for power in range(4, 21)]  # what a tile of Triton can have
        if self.raise_block not in (0, *powers):
            raise PassSelectionError(
                f"one-tile: raise_block cannot be {self.raise_block}; write a power of two from "
                f"{powers[0]} to {powers[-1]}, or 0 for tiles as they are"
            )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not facts.loops:
            return
        from tritonopt.transforms.one_tile.sweeps import row_sweeps

        for sweeps in row_sweeps(facts):
            site = self._examined(sweeps)
            if site is not None:
                yield site

    def _examined(self, sweeps: RowSweeps) -> Site | None:
        """The site as it came out; None where the loops are what is left for longer rows."""
        from tritonopt.transforms.one_tile.question import ask, asked, is_asked_already
        from tritonopt.transforms.one_tile.replacing import beside_the_loops, in_place_of_the_loops
        from tritonopt.transforms.one_tile.row_legality import prove_one_tile
        from tritonopt.transforms.writing import Writer

        changes: tuple[Change, ...] = ()
        proof: OneTile | None = None
        raised: Raised | None = None
        length = ""
        known = sweeps.one_turn or self.longer_rows == "decline"
        if not known and is_asked_already(sweeps):
            return None
        with Attempt() as attempt:
            proof = prove_one_tile(sweeps, attempt, known=known)
            if known:
                changes = in_place_of_the_loops(proof)
            else:
                question = ask(sweeps, proof.may_be_empty, attempt)
                changes = beside_the_loops(proof, asked(question, Writer(sweeps.facts)))
                raised, length = self._raised(sweeps, attempt)
                changes += raised.changes if raised is not None else ()
            attempt.prove("is-expressible", "what the loops do can be written without them")
        *lines, last = (str(loop.line) for loop in sweeps.loops)
        what = f"the loops in lines {', '.join(lines)} and {last}"
        if not (proof is None or proof.is_exact) or not (raised is None or raised.is_exact):
            attempt.need(Safety.ROUNDING)
        return Site.of(
            attempt,
            sweeps.loops[0].node,
            f"put {what} into one tile" + ("" if known else ", beside the loops") + length,
            f"kept {what}",
            bits=Bits.REDUCTION_ORDER,
            changes=changes,
            pays=sweeps.one_turn or raised is not None or _aims_at_one_tile(sweeps),
            advice=f"load a row that one tile holds once, without {what}",
        )

    def _raised(self, sweeps: RowSweeps, attempt: Attempt) -> tuple[Raised | None, str]:
        """The launches with longer tiles, where that is asked for, and what is said of it."""
        from tritonopt.transforms.one_tile.raising import raise_tiles

        if not self.raise_block:
            return None, ""
        found: list[Raised] = []
        with Attempt() as own:
            found.append(raise_tiles(sweeps, self.raise_block, own))
        if own.failed is not None:
            return None, f"; the tile is not raised ({own.failed.reason}): {own.failed.detail}"
        attempt.take_over(own)
        return found[0], f", and raised the tile for rows of up to {found[0].longest} elements"


def _aims_at_one_tile(sweeps: RowSweeps) -> bool:
    """Whether some launch is seen to make the tile as long as the row, as far as that goes."""
    launches = tiles_of(sweeps.facts, sweeps.loops[0])
    return any(tiles.holds_row or tiles.grows for tiles in launches)
