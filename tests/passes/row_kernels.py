"""Row kernels in random spellings: mean and variance of each row, in two sweeps.

`spellings()` draws how one is written, `render()` writes the file. All spellings
without a flaw mean the same thing and fuse-stats must see it in each; a flaw
makes the merge illegal, whatever the rest looks like.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

FLAWS = (
    "shorter range",
    "later start",
    "smaller mask",
    "other row",
    "padding counts",
    "mean plus epsilon",
    "mean bound again",
    "wrong count",
    "rounded mean",
    "weighted by position",
    "absolute deviation",
    "cube",
    "in place between",
    "sum starts at one",
    "squares start at one",
    "sum decays",
    "partial sums escape",
    "early return",
    "volatile",
    "barrier",
    "stores deviations",
    "last tile used",
    "flag in the second loop only",
    "other flag",
    "at least 2",
    "ends too early",
)


@dataclass(frozen=True)
class Names:
    """What a kernel calls its things."""

    kernel: str
    x: str
    mean_out: str
    var_out: str
    y: str
    rows_total: str
    n: str
    stride: str
    block: str
    row: str
    start: str
    cols: str
    mask: str
    tile: str
    second_tile: str
    total: str
    squares: str
    mean: str
    deviation: str


NAMES = (
    Names(
        "row_stats_kernel", "x_ptr", "mean_ptr", "var_ptr", "y_ptr", "n_rows", "n_cols", "stride",
        "BLOCK_SIZE", "row", "start", "cols", "mask", "x", "x", "total", "squares", "mean", "d",
    ),
    Names(
        "_fwd", "X", "Mean", "Var", "Y", "M", "N", "stride_m",
        "BLOCK_N", "pid", "off", "offs", "inside", "a", "x", "_mean", "_var", "mu", "diff",
    ),
    Names(
        # One name for both sums, and no two tiles alike.
        "triton_red_fused_0", "in_ptr0", "out_ptr0", "out_ptr1", "out_ptr2", "xnumel", "rnumel",
        "ks0", "RBLOCK", "x0", "roffset", "rindex", "rmask", "tmp0", "tmp7", "acc", "acc", "tmp6",
        "tmp8",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Spelling:
    """How a kernel is written. Where choices exclude each other, the later field gives way."""

    names: Names
    rank: int
    """1: a row to a program; 2: tiles of several rows."""
    persistent: bool
    loop: str
    mask: str
    pointer: str
    load_helper: bool
    cast: bool
    eviction: bool
    first_sum: str
    second_sum: str
    first_add: str
    second_add: str
    keep_dims: bool
    clearing: str
    square: str
    reversed_deviation: bool
    mean_count: str
    variance_count: str
    store_between: bool
    normalizes: bool
    block: int
    ends: str = "same"
    """Where the loops end, beyond the row or not."""
    flagged: str = ""
    """A residual, added where a flag says so: in both sweeps."""
    flaw: str = ""


def spellings(*, flawed: bool = False) -> st.SearchStrategy[Spelling]:
    """Spellings that may be merged, or those with one flaw that forbids it."""
    return st.builds(
        Spelling,
        names=st.sampled_from(NAMES),
        rank=st.sampled_from((1, 2)),
        persistent=st.booleans(),
        loop=st.sampled_from(("range", "counted", "tl.range")),
        mask=st.sampled_from(("named", "inline", "remaining")),
        pointer=st.sampled_from(("inline", "base", "rebound", "bumped")),
        load_helper=st.booleans(),
        cast=st.booleans(),
        eviction=st.booleans(),
        first_sum=st.sampled_from(("after", "inside")),
        second_sum=st.sampled_from(("after", "inside")),
        first_add=st.sampled_from(("+=", "acc + v", "v + acc", "where")),
        second_add=st.sampled_from(("+=", "acc + v", "v + acc", "where")),
        keep_dims=st.booleans(),
        clearing=st.sampled_from(("before", "after", "other")),
        square=st.sampled_from(("d * d", "written out", "helper")),
        reversed_deviation=st.booleans(),
        mean_count=st.sampled_from(("n", "inverse", "at least 1")),
        variance_count=st.sampled_from(("n", "inverse", "n - 1", "none", "at least 1")),
        store_between=st.booleans(),
        normalizes=st.booleans(),
        block=st.sampled_from((16, 32)),
        ends=st.sampled_from(("same", "same", "both beyond", "first beyond", "second beyond")),
        flagged=st.sampled_from(("", "", "on", "off")),
        flaw=st.sampled_from(FLAWS) if flawed else st.just(""),
    )


def render(spelling: Spelling) -> str:
    """A whole kernel file, with a launcher that verification can call."""
    return _Writer(spelling).file()


class _Writer:
    def __init__(self, spelling: Spelling) -> None:
        self.s = spelling
        self.n = spelling.names
        self.wide = spelling.rank == 2
        self.pointer = spelling.pointer
        if spelling.persistent and self.pointer == "rebound":
            self.pointer = "base"  # a pointer that is bound again would move on from row to row
        self.clearing = spelling.clearing
        residual = spelling.flagged or "flag" in spelling.flaw
        if self.clearing == "other" and (self.wide or spelling.load_helper or residual):
            self.clearing = "before"
        if spelling.flaw == "padding counts":
            self.clearing = "none"
        self.first_add, self.second_add = spelling.first_add, spelling.second_add
        self.first_after = spelling.first_sum == "after"
        self.second_after = spelling.second_sum == "after"
        if spelling.flaw == "partial sums escape":
            self.second_after = True
        if not self.first_after and self.first_add == "where":
            self.first_add = "+="
        if self.second_add == "where" and (not self.second_after or self.clearing == "none"):
            self.second_add = "+="
        # Sums that are taken in the loop keep the row's shape; only full sums can keep dimensions.
        self.column = self.wide and spelling.keep_dims

    # -- pieces of expressions ------------------------------------------------

    @property
    def tile_shape(self) -> str:
        return f"[ROWS, {self.n.block}]" if self.wide else f"[{self.n.block}]"

    def total_of(self, value: str) -> str:
        if not self.wide:
            return f"tl.sum({value}, axis=0)"
        return f"tl.sum({value}, axis=1{', keep_dims=True' if self.column else ''})"

    def zeros(self, after: bool, start: str = "0.0") -> str:
        if after:
            shape = self.tile_shape
        elif self.wide:
            shape = "[ROWS, 1]" if self.column else "[ROWS]"
        else:
            return start
        if start == "0.0":
            return f"tl.zeros({shape}, dtype=tl.float32)"
        return f"tl.full({shape}, {start}, dtype=tl.float32)"

    def spread(self, mean: str) -> str:
        """The mean as it is subtracted from a tile."""
        return f"{mean}[:, None]" if self.wide and not self.column else mean

    @property
    def row_offset(self) -> str:
        return f"{self.n.row} * {self.n.stride}"

    def mask_of(self, second: bool) -> str:
        n = self.n
        limit = f"{n.n} - 1" if second and self.s.flaw == "smaller mask" else n.n
        if self.s.mask == "remaining" and self.s.loop != "counted":
            lanes = f"tl.arange(0, {n.block})" + ("[None, :]" if self.wide else "")
            inside = f"{lanes} < {limit} - {n.start}"
        else:
            inside = f"{n.cols} < {limit}"
        return f"({n.row} < {n.rows_total}) & ({inside})" if self.wide else inside

    def mask_name(self, second: bool) -> str:
        return self.n.mask if self.s.mask == "named" else self.mask_of(second)

    def address(self, second: bool) -> str:
        n = self.n
        if self.pointer == "bumped":
            return "ptrs"
        if second and self.s.flaw == "other row":
            return f"{n.x} + {n.row} // 2 * {n.stride} + {n.cols}"
        if self.pointer == "base":
            return f"x_row + {n.cols}"
        if self.pointer == "rebound":
            return f"{n.x} + {n.cols}"
        return f"{n.x} + {self.row_offset} + {n.cols}"

    def load(self, second: bool, other: str = "0.0") -> str:
        mask = self.mask_name(second)
        if self.s.load_helper:
            text = f"load_tile({self.address(second)}, {mask})"
        else:
            more = ', eviction_policy="evict_first"' if second and self.s.eviction else ""
            if second and self.s.flaw == "volatile":
                more = ", volatile=True"
            text = f"tl.load({self.address(second)}, mask={mask}, other={other}{more})"
        return text + (".to(tl.float32)" if self.s.cast else "")

    @staticmethod
    def add(form: str, accumulator: str, value: str, mask: str) -> str:
        return {
            "+=": f"{accumulator} += {value}",
            "acc + v": f"{accumulator} = {accumulator} + {value}",
            "v + acc": f"{accumulator} = {value} + {accumulator}",
            "where": f"{accumulator} = tl.where({mask}, {accumulator} + {value}, {accumulator})",
        }[form]

    # -- pieces of the kernel -------------------------------------------------

    def loop(self, second: bool, body: list[str]) -> list[str]:
        n, flaw = self.n, self.s.flaw if second else ""
        end = f"{n.n} // 2" if flaw == "shorter range" else n.n
        if self.s.ends in ("both beyond", f"{'second' if second else 'first'} beyond"):
            end = f"({end} + {n.block})"
        if flaw == "ends too early":
            end = f"({n.n} - {n.block})"
        begin = n.block if flaw == "later start" else "0"
        if self.s.loop == "counted":
            blocks = f"tl.cdiv({end}, {n.block})"
            header = f"range(1, {blocks})" if flaw == "later start" else f"range({blocks})"
            offset = f"{n.start} * {n.block}"
        else:
            stages = ", num_stages=2" if self.s.loop == "tl.range" else ""
            header = f"{self.s.loop}({begin}, {end}, {n.block}{stages})"
            offset = n.start
        lanes = f"tl.arange(0, {n.block})"
        cols = f"{offset} + {lanes}" + ("[None, :]" if self.wide else "")
        lines = [f"{n.cols} = {cols}"]
        if self.s.mask == "named":
            lines.append(f"{n.mask} = {self.mask_of(second)}")
        lines += body
        if self.pointer == "bumped":
            lines.append(f"ptrs += {n.block}")
        return [f"for {n.start} in {header}:", *_indented(lines)]

    def residual(self, second: bool, tile: str) -> list[str]:
        """What is added to a tile where a flag says so."""
        n, flaw = self.n, self.s.flaw
        wrong = flaw in ("flag in the second loop only", "other flag")
        if not self.s.flagged and not wrong:
            return []
        if not second and flaw == "flag in the second loop only":
            return []
        flag = "not ADDS" if second and flaw == "other flag" else "ADDS"
        where = f"{n.x} + {self.row_offset} + {n.n} - 1 - {n.cols}"
        if self.pointer == "rebound":
            where = f"{n.x} + {n.n} - 1 - {n.cols}"
        cast = ".to(tl.float32)" if self.s.cast else ""
        load = f"tl.load({where}, mask={self.mask_name(second)}, other=0.0){cast}"
        return [f"if {flag}:", f"    {tile} += {load}"]

    def rewind(self, second: bool) -> list[str]:
        if self.pointer != "bumped":
            return []
        n = self.n
        row = f"{n.row} // 2" if second and self.s.flaw == "other row" else n.row
        lanes = f"tl.arange(0, {n.block})" + ("[None, :]" if self.wide else "")
        return [f"ptrs = {n.x} + {row} * {n.stride} + {lanes}"]

    def first_sweep(self) -> list[str]:
        n, flaw = self.n, self.s.flaw
        start = "1.0" if flaw == "sum starts at one" else "0.0"
        value = n.tile if self.first_after else self.total_of(n.tile)
        add = self.add(self.first_add, n.total, value, self.mask_name(False))
        if flaw == "sum decays":
            add = f"{n.total} = 0.5 * {n.total} + {value}"
        body = [f"{n.tile} = {self.load(False)}", *self.residual(False, n.tile), add]
        lines = [*self.rewind(False), f"{n.total} = {self.zeros(self.first_after, start)}"]
        lines += self.loop(False, body)
        total = self.total_of(n.total) if self.first_after else n.total
        count = f"({n.n} + 1)" if flaw == "wrong count" else n.n
        if self.s.mean_count == "at least 1" and flaw != "wrong count":
            count = f"tl.maximum({n.n}, 1)"
        if flaw == "at least 2":
            count = f"tl.maximum({n.n}, 2)"
        if self.s.mean_count == "inverse" and flaw not in ("wrong count", "at least 2"):
            lines.append(f"{n.mean} = {total} * inv_n")
        else:
            lines.append(f"{n.mean} = {total} / {count}")
        if flaw == "mean plus epsilon":
            lines.append(f"{n.mean} = {n.mean} + 1e-3")
        elif flaw == "mean bound again":
            lines.append(f"{n.mean} *= 0.5")
        elif flaw == "rounded mean":
            lines.append(f"{n.mean} = {n.mean}.to(tl.float16).to(tl.float32)")
        return lines

    def between(self) -> list[str]:
        n, flaw = self.n, self.s.flaw
        lines = []
        if self.s.store_between:
            lines.append(self.store(n.mean_out, n.mean))
        if flaw == "early return" and not self.s.persistent and not self.wide:
            lines += [f"if {n.mean} > 0.0:", "    return"]
        elif flaw in ("barrier", "early return"):
            lines.append("tl.debug_barrier()")
        elif flaw == "in place between":
            lines += self.rewind(False)
            value = f"{n.tile} - {self.spread(n.mean)}"
            store = f"tl.store({self.address(False)}, {value}, mask={self.mask_name(False)})"
            lines += self.loop(False, [f"{n.tile} = {self.load(False)}", store])
        return lines

    def second_sweep(self) -> list[str]:
        n, flaw = self.n, self.s.flaw
        mask, mean = self.mask_name(True), self.spread(n.mean)
        x, d = n.second_tile, n.deviation
        residual = self.residual(True, x)
        minus = f"{mean} - {x}" if self.s.reversed_deviation else f"{x} - {mean}"
        body = [f"{x} = {self.load(True, mean if self.clearing == 'other' else '0.0')}", *residual]
        named = self.clearing == "before" or self.s.square != "written out"
        named = named or flaw in ("absolute deviation", "cube", "last tile used")
        if self.clearing == "before":
            body.append(f"{d} = tl.where({mask}, {minus}, 0.0)")
        elif named:
            body.append(f"{d} = {minus}")
        square = f"({minus}) * ({minus})" if not named else f"{d} * {d}"
        if self.s.square == "helper":
            square = f"square({d})"
        if flaw == "absolute deviation":
            square = f"tl.abs({d})"
        elif flaw == "cube":
            square = f"{d} * {d} * {d}"
        elif flaw == "weighted by position":
            square = f"{square} * (1.0 + {n.cols})"
        if self.clearing == "after":
            square = f"tl.where({mask}, {square}, 0.0)"
        value = square if self.second_after else self.total_of(square)
        body.append(self.add(self.second_add, n.squares, value, mask))
        if flaw == "stores deviations":
            where = f"{n.y} + {n.row} * {n.n} + {n.cols}"
            body.append(f"tl.store({where}, {minus}, mask={mask})")
        start = "1.0" if flaw == "squares start at one" else "0.0"
        lines = self.rewind(True)
        if flaw == "last tile used":
            lines.append(f"{d} = {self.zeros(True)}")
        lines += [f"{n.squares} = {self.zeros(self.second_after, start)}", *self.loop(True, body)]
        total = self.total_of(n.squares) if self.second_after else n.squares
        count = {"n": f" / {n.n}", "inverse": " * inv_n", "n - 1": f" / ({n.n} - 1)", "none": ""}
        count["at least 1"] = f" / tl.maximum({n.n}, 1)"
        lines.append(f"var = {total}{count[self.s.variance_count]}")
        if flaw == "partial sums escape":
            largest = f"tl.max({n.squares}, axis={1 if self.wide else 0}"
            largest += ", keep_dims=True)" if self.column else ")"
            lines.append(f"var += {largest}")
        elif flaw == "last tile used":
            lines.append(f"var += {self.total_of(n.deviation)}")
        return lines

    def last_sweep(self) -> list[str]:
        if not self.s.normalizes or self.s.flaw == "stores deviations":
            return []
        n = self.n
        mean, rstd = self.spread(n.mean), self.spread("rstd")
        where = f"{n.y} + {n.row} * {n.n} + {n.cols}"
        y = f"({n.tile} - {mean}) * {rstd}"
        body = [
            f"{n.tile} = {self.load(False)}",
            f"tl.store({where}, {y}, mask={self.mask_name(False)})",
        ]
        return ["rstd = 1.0 / tl.sqrt(var + 1e-5)", *self.rewind(False), *self.loop(False, body)]

    def store(self, out: str, value: str) -> str:
        n = self.n
        if not self.wide:
            return f"tl.store({out} + {n.row}, {value})"
        if self.column:
            return f"tl.store({out} + {n.row}, {value}, mask={n.row} < {n.rows_total})"
        return f"tl.store({out} + out_rows, {value}, mask=out_rows < {n.rows_total})"

    def body(self) -> list[str]:
        n = self.n
        lines = []
        if self.pointer == "base":
            lines.append(f"x_row = {n.x} + {self.row_offset}")
        elif self.pointer == "rebound":
            lines.append(f"{n.x} += {self.row_offset}")
        lines += [*self.first_sweep(), *self.between(), *self.second_sweep(), *self.last_sweep()]
        if not self.s.store_between:
            lines.append(self.store(n.mean_out, n.mean))
        lines.append(self.store(n.var_out, "var"))
        return lines

    def rows(self, first: str) -> list[str]:
        n = self.n
        if not self.wide:
            return [] if first == n.row else [f"{n.row} = {first}"]
        lines = [f"out_rows = {first} * ROWS + tl.arange(0, ROWS)"]
        return [*lines, f"{n.row} = out_rows[:, None]"]

    def kernel(self) -> list[str]:
        n = self.n
        rows = ", ROWS: tl.constexpr" if self.wide else ""
        head = (
            f"def {n.kernel}({n.x}, {n.mean_out}, {n.var_out}, {n.y}, {n.rows_total}, {n.n}, "
            f"{n.stride}, ADDS: tl.constexpr{rows}, {n.block}: tl.constexpr):"
        )
        lines = []
        if "inverse" in (self.s.mean_count, self.s.variance_count):
            lines.append(f"inv_n = 1.0 / {n.n}")
        if self.s.persistent:
            counter = "tile" if self.wide else n.row
            last = f"tl.cdiv({n.rows_total}, ROWS)" if self.wide else n.rows_total
            lines.append(f"for {counter} in range(tl.program_id(0), {last}, tl.num_programs(0)):")
            lines += _indented([*self.rows(counter), *self.body()])
        else:
            lines += [*self.rows("tl.program_id(0)"), *self.body()]
        return ["@triton.jit", head, *_indented(lines)]

    def file(self) -> str:
        n = self.n
        lines = ["import torch", "import triton", "import triton.language as tl", "", ""]
        if self.s.load_helper:
            lines += [
                "@triton.jit",
                "def load_tile(ptrs, mask):",
                f"    return tl.load(ptrs, mask=mask, other=0.0{self.helper_policy})",
                "",
                "",
            ]
        if self.s.square == "helper":
            lines += ["@triton.jit", "def square(v):", "    return v * v", "", ""]
        programs = "triton.cdiv(m, 4)" if self.wide else "m"
        grid = f"min({programs}, 2)" if self.s.persistent else programs
        rows = "ROWS=4, " if self.wide else ""
        adds = ", adds" if self.s.flagged else ""
        tensors = "x, mean, var, y"
        # In-place kernels get a copy, so that both versions start from the same data.
        copy = ".clone()" if self.s.flaw == "in place between" else ""
        lines += [
            *self.kernel(),
            "",
            "",
            f"# tritonopt: x: f32[m, n]{adds and ', adds: bool'}",
            f"def launch(x: torch.Tensor{adds}):",
            "    m, n = x.shape",
            f"    x = x.contiguous(){copy}",
            "    mean = torch.zeros(m, device=x.device)",
            "    var = torch.zeros(m, device=x.device)",
            "    y = torch.zeros(m, n, device=x.device)",
            f"    {n.kernel}[({grid},)]({tensors}, m, n, x.stride(0){adds or ', True'}, {rows}"
            f"{n.block}={self.s.block})",
            "    return mean, var, y",
        ]
        return "\n".join(lines) + "\n"

    @property
    def helper_policy(self) -> str:
        if self.s.flaw == "volatile":
            return ", volatile=True"
        return ""


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
