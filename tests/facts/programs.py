"""Random small kernels, in the spellings that facts must see through."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field

from hypothesis import strategies as st

HEAD = """
@triton.jit
def twice(x, more=1):
    y = x + more
    return y * 2 - more


@triton.jit
def pick(c, a, b):
    if c > 0:
        return a
    return b


@triton.jit
def kernel(X, Y, n, m, s, f, B: tl.constexpr, C: tl.constexpr):
"""

RANKS = {0: "scalar", 1: "row", 2: "square"}


@dataclass
class Names:
    """What is bound so far, by kind and rank."""

    integers: dict[str, int] = field(default_factory=dict)
    conditions: dict[str, int] = field(default_factory=dict)
    floats: dict[str, int] = field(default_factory=dict)
    pointers: dict[str, int] = field(default_factory=dict)

    def copy(self) -> Names:
        return Names(
            dict(self.integers), dict(self.conditions), dict(self.floats), dict(self.pointers)
        )


class Writer:
    """Draws statements; every choice is hypothesis's, so that examples shrink."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.names = Names(
            {"n": 0, "m": 0, "s": 0, "pid": 0, "cols": 1, "B": 0},
            {},
            {"f": 0},
            {"X": 0, "Y": 0},
        )
        self.fresh = 0
        self.loops = 0
        self.focused = draw(st.booleans())
        """On what loops carry, and on memory: few names, simple expressions."""

    def choice(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def name(self, prefix: str) -> str:
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def known(self, names: dict[str, int], rank: int) -> list[str]:
        return [name for name, own in names.items() if own == rank]

    # Expressions

    def integer(self, rank: int, depth: int) -> str:
        depth = min(depth, 1) if self.focused else depth
        atoms = self.known(self.names.integers, rank)
        if rank == 2:
            rows = self.known(self.names.integers, 1)
            atoms = atoms + [f"{r}[:, None]" for r in rows] + [f"{r}[None, :]" for r in rows]
        if depth == 0:
            literals = ["0", "1", "2", "3", "-1", "4"] if rank == 0 else []
            return self.choice(*atoms, *literals)
        wide = self.integer(rank, depth - 1)
        a, b = wide, self.integer(self.narrower(rank), depth - 1)
        if self.draw(st.booleans()):
            a, b = b, a
        kind = self.choice(
            "+", "+", "-", "*", "//", "%", "cdiv", "round up", "min", "max", "where", "if", "cast",
            "neg", "&", "<<", "helper", "sum", "max over", "name", "bits", "narrow", "boolean sum",
            "trans", "flip",
        )  # fmt: skip
        match kind:
            case "+" | "-" | "*" | "//" | "%" | "&":
                return f"({a} {kind} {b})"
            case "cdiv":
                return f"tl.cdiv({a}, {b})"
            case "round up":
                return f"(({a} + {b} - 1) // {b})"
            case "min":
                return f"tl.minimum({a}, {b})"
            case "max":
                return f"tl.maximum({a}, {b})"
            case "where":
                return f"tl.where({self.condition(rank, depth - 1)}, {a}, {b})"
            case "if" if rank == 0:
                return f"({a} if {self.condition(0, depth - 1)} else {b})"
            case "cast":
                return f"({wide} + {self.condition(self.narrower(rank), depth - 1)}.to(tl.int32))"
            case "narrow":
                return f"({a} + {b}).to({self.choice('tl.int8', 'tl.uint32', 'tl.int64')})"
            case "bits":
                return f"({wide}).to(tl.int1).to(tl.int32)"
            case "boolean sum":
                c, d = self.condition(rank, 0), self.condition(rank, 0)
                return f"(({c}) + ({d})).to(tl.int32)"
            case "neg":
                return f"(-{wide})"
            case "trans" if rank == 2:
                return f"tl.trans({wide})"
            case "flip" if rank > 0:
                return f"tl.flip({wide})"
            case "<<":
                return f"({wide} << {self.choice('1', '2')})"
            case "helper" if rank == 0:
                c = self.integer(0, 0)
                return self.choice(f"twice({a})", f"twice({a}, more={b})", f"pick({c}, {a}, {b})")
            case "sum" if rank < 2:
                axis = self.choice("0", "1") if rank == 1 else "0"
                return f"tl.sum({self.integer(rank + 1, depth - 1)}, axis={axis})"
            case "max over" if rank < 2:
                axis = self.choice("0", "1") if rank == 1 else "0"
                return f"tl.max({self.integer(rank + 1, depth - 1)}, axis={axis})"
        return self.choice(*atoms)

    def narrower(self, rank: int) -> int:
        # A row with a square would have to be told which axis it is: only scalars broadcast.
        return rank if self.draw(st.booleans()) else 0

    def condition(self, rank: int, depth: int) -> str:
        atoms = self.known(self.names.conditions, rank)
        kind = self.choice(
            "<", "<=", ">", ">=", "==", "!=", "and", "or", "not", "chain", "name", "xor", "float",
            "truth",
        )  # fmt: skip
        deeper = max(depth - 1, 0)
        a = self.integer(rank, deeper)
        if depth > 0:
            match kind:
                case "and":
                    return f"({self.condition(rank, deeper)} & {self.condition(rank, deeper)})"
                case "or":
                    return f"({self.condition(rank, deeper)} | {self.condition(rank, deeper)})"
                case "xor":
                    return f"({self.condition(rank, deeper)} ^ {self.condition(rank, deeper)})"
                case "not" if rank == 0:
                    return f"(not {self.condition(rank, deeper)})"
                case "not":
                    return f"(~{self.condition(rank, deeper)})"
                case "chain" if rank == 0:
                    b, c = self.integer(0, deeper), self.integer(0, deeper)
                    return f"({a} < {b} <= {c})"
                case "truth":
                    return f"(({a}).to(tl.int1))"
        if kind == "name" and atoms:
            return self.choice(*atoms)
        if kind == "float" and self.known(self.names.floats, rank):
            x = self.floating(rank, deeper)
            return f"({x} {self.choice('<', '<=', '>', '==')} {self.floating(rank, 0)})"
        operator = kind if kind in ("<", "<=", ">", ">=", "==", "!=") else "<"
        # At least one side only known when the kernel runs: constants compare as Python's.
        return f"({a} + pid {operator} {self.integer(rank if rank < 2 else 0, deeper)})"

    def floating(self, rank: int, depth: int) -> str:
        atoms = self.known(self.names.floats, rank)
        if depth == 0:
            return (
                self.choice(*(atoms or ["f"]), "0.5", "2.0")
                if rank == 0
                else (self.choice(*atoms) if atoms else f"({self.integer(rank, 0)} * 0.5)")
            )
        a, b = self.floating(rank, depth - 1), self.floating(self.narrower(rank), depth - 1)
        kind = self.choice(
            "+", "-", "*", "/", "where", "square", "from int", "sum", "floor", "load"
        )
        match kind:
            case "+" | "-" | "*" | "/":
                return f"({a} {kind} {b})"
            case "where":
                return f"tl.where({self.condition(rank, depth - 1)}, {a}, {b})"
            case "square":
                return f"(({a}) ** 2)"
            case "floor":
                return f"tl.floor({a})"
            case "from int":
                return f"({self.integer(rank, depth - 1)} * 1.5)"
            case "sum" if rank < 2:
                axis = self.choice("0", "1") if rank == 1 else "0"
                return f"tl.sum({self.floating(rank + 1, depth - 1)}, axis={axis})"
            case "load":
                return self.load(rank, depth - 1)
        return a

    def pointer(self, rank: int, depth: int) -> str:
        known = [(name, own) for name, own in self.names.pointers.items() if own <= rank]
        name, own = self.draw(st.sampled_from(known))
        if rank == own and self.draw(st.booleans()):
            return name
        if own == 1 and rank == 2:
            name = f"{name}[:, None]"
        kind = self.choice("+", "+", "if", "where") if own == rank == 0 else "+"
        if kind == "if":
            return f"({name} if {self.condition(0, 0)} else {self.choice('X', 'Y', name)})"
        if kind == "where":
            return f"tl.where({self.condition(0, 0)}, {name}, {self.choice('X', 'Y', name)})"
        return f"({name} + {self.integer(rank, depth)})"

    def load(self, rank: int, depth: int) -> str:
        pointer = self.pointer(rank, depth)
        kind = self.choice("plain", "masked", "other")
        if kind == "plain":
            return f"tl.load({pointer})"
        mask = self.condition(rank, depth)
        if kind == "masked":
            return f"tl.load({pointer}, mask={mask})"
        return f"tl.load({pointer}, mask={mask}, other={self.choice('0.0', '1.0')})"

    # Statements

    def write(self, line: str, indent: int) -> None:
        self.lines.append("    " * indent + line)

    def block(self, indent: int, count: int, nesting: int) -> None:
        before = len(self.lines)
        for _ in range(self.draw(st.integers(1, count))):
            self.statement(indent, nesting)
        if len(self.lines) == before:
            self.write("pass", indent)

    def statement(self, indent: int, nesting: int) -> None:
        if self.focused:
            kinds = ["update", "update", "update", "load", "cell", "cell", "swap"]
        else:
            kinds = ["int", "int", "update", "update", "condition", "float", "load", "pointer"]
            kinds += ["bump", "store", "pair", "copy", "cell", "swap"]
        if nesting > 0:
            kinds += ["if", "if else", "loop", "loop", "loop", "while"]
        rank = self.draw(st.sampled_from([0, 0, 1, 2]))
        match self.choice(*kinds):
            case "int":
                self.assign(self.names.integers, "i", rank, self.integer(rank, 2), indent)
            case "cell":
                # One of few elements, read and written again and again.
                place = self.choice("X", "Y", "X + 1", *(f"X + {n}" for n in ("n", "pid")))
                if self.draw(st.booleans()):
                    self.assign(self.names.floats, "x", 0, f"tl.load({place})", indent)
                else:
                    stored = self.choice(*self.known(self.names.floats, 0), "1.0")
                    self.write(f"tl.store({place}, {stored} + 1.0)", indent)
            case "swap":
                known = [n for n in self.known(self.names.integers, 0) if n not in ("B", "pid")]
                one, other = self.choice(*known), self.choice(*known)
                self.write(f"{one}, {other} = {other}, {one} + 1", indent)
            case "copy":
                known = self.known(self.names.integers, rank)
                if known:
                    self.assign(self.names.integers, "i", rank, self.choice(*known), indent)
            case "update":
                self.update(indent)
            case "condition":
                self.assign(self.names.conditions, "c", rank, self.condition(rank, 2), indent)
            case "float":
                self.assign(self.names.floats, "x", rank, self.floating(rank, 2), indent)
            case "load":
                self.assign(self.names.floats, "x", rank, self.load(rank, 1), indent)
            case "pointer":
                rank = min(rank, 1)
                self.assign(self.names.pointers, "p", rank, self.pointer(rank, 1), indent)
            case "bump":
                name = self.choice(*self.names.pointers)
                self.write(f"{name} += {self.integer(0, 1)}", indent)
            case "store":
                pointer = self.pointer(rank, 1)
                value = self.floating(rank, 1)
                if rank == 0 and self.draw(st.booleans()):
                    self.write(f"tl.atomic_add({pointer}, {value})", indent)
                else:
                    mask = f", mask={self.condition(rank, 0)}" if self.draw(st.booleans()) else ""
                    self.write(f"tl.store({pointer}, {value}{mask})", indent)
            case "pair":
                a, b = self.integer(0, 1), self.integer(0, 1)
                one, other = self.name("i"), self.name("i")
                self.write(f"{one}, {other} = {a}, {b}", indent)
                self.names.integers.update({one: 0, other: 0})
            case "if":
                self.write(f"if {self.condition(0, 1)}:", indent)
                self.inner(indent + 1, nesting - 1)
            case "if else":
                self.write(f"if {self.condition(0, 1)}:", indent)
                self.inner(indent + 1, nesting - 1)
                self.write("else:", indent)
                self.inner(indent + 1, nesting - 1)
            case "loop":
                self.loop(indent, nesting)
            case "while":
                self.while_(indent, nesting)

    def assign(self, names: dict[str, int], prefix: str, rank: int, text: str, indent: int) -> None:
        name = self.name(prefix)
        self.write(f"{name} = {text}", indent)
        names[name] = rank

    def update(self, indent: int) -> None:
        """Binds a name again, as `x += e` or `x = x + e` or anything else of its rank."""
        which = self.draw(st.sampled_from(["integers", "floats"]))
        names = self.names.integers if which == "integers" else self.names.floats
        draw = self.integer if which == "integers" else self.floating
        name = self.choice(*[n for n in names if n != "B"])
        rank = names[name]
        added = draw(self.narrower(rank), 1)
        match self.choice("+=", "x + e", "e + x", "other", "-=", "where"):
            case "+=":
                self.write(f"{name} += {added}", indent)
            case "x + e":
                self.write(f"{name} = {name} + {added}", indent)
            case "e + x":
                self.write(f"{name} = {added} + {name}", indent)
            case "-=":
                self.write(f"{name} -= {added}", indent)
            case "where":
                chosen = self.condition(rank, 0)
                self.write(f"{name} = tl.where({chosen}, {name} + {added}, {name})", indent)
            case _:
                self.write(f"{name} = {draw(rank, 1)}", indent)

    def inner(self, indent: int, nesting: int) -> None:
        """A block whose new names are gone afterwards."""
        saved = self.names.copy()
        self.block(indent, 3, nesting)
        if self.loops and self.draw(st.integers(0, 7)) == 0:
            self.write(self.choice("break", "continue"), indent)
        self.names = saved

    def loop(self, indent: int, nesting: int) -> None:
        name = self.choice("i_loop", "start", "k")
        stop = self.integer(0, 1)
        header = self.choice(
            f"range({stop})",
            f"range(0, {stop}, B)",
            f"range(tl.cdiv({stop}, B))",
            f"range({self.integer(0, 0)}, {stop})",
            f"range({self.integer(0, 0)}, {stop}, {self.choice('2', '-1', 'B', '-2')})",
            f"tl.range(0, {stop}, B)",
            f"tl.static_range({self.choice('0', '1', '3')})",
        )
        self.write(f"for {name} in {header}:", indent)
        saved = self.names.copy()
        self.names.integers[name] = 0
        self.loops += 1
        self.block(indent + 1, 3, nesting - 1)
        if self.draw(st.integers(0, 9)) == 0:
            self.write(f"if {self.condition(0, 0)}:", indent + 1)
            self.inner(indent + 2, 0)
        self.loops -= 1
        self.names = saved
        self.names.integers.pop(name, None)

    def while_(self, indent: int, nesting: int) -> None:
        name = self.name("w")
        self.write(f"{name} = {self.integer(0, 0)}", indent)
        self.names.integers[name] = 0
        self.write(f"while {name} < {self.choice('n', '3', 'm')}:", indent)
        saved = self.names.copy()
        self.block(indent + 1, 2, nesting - 1)
        self.write(f"{name} += 1", indent + 1)
        self.names = saved


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """The text of a module whose last kernel is `kernel`."""
    writer = Writer(draw)
    writer.write("pid = tl.program_id(0)", 1)
    writer.write("cols = tl.arange(0, B)", 1)
    writer.block(1, 7, 2)
    for line in ("n", "cols", "f"):
        writer.write(f"last_{line} = {line} + 0", 1)
    return HEAD + textwrap.dedent("") + "\n".join(writer.lines) + "\n"
