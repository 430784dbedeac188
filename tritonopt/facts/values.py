"""Values: what the names and expressions of a kernel stand for.

A value is a node of a graph: an operation over other values. Equal nodes are
one object (`ValueTable` interns them), so that a name, the name it was copied
to and the expression both came from are the same value. A load is never equal
to another load, nor an opaque value to anything but itself.

A shape is a tuple of dimensions, each a value; `()` is a scalar and `None`
says that the rank is not known. A dtype is Triton's short name ("fp32",
"int64", "bool") or `None`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from tritonopt.facts.operations import BY_FUNCTION, COMMUTATIVE, COMPARISONS, ELEMENTWISE, NAMED, Op

Shape: TypeAlias = "tuple[Value, ...] | None"

FLOAT_BITS = {"fp8e4nv": 8, "fp8e5": 8, "fp8": 8, "fp16": 16, "bf16": 16, "fp32": 32, "fp64": 64}
INTEGER_DTYPES = frozenset(
    f"{sign}int{bits}" for sign in ("", "u") for bits in (1, 8, 16, 32, 64)
) | {"bool"}

MAX_DEPTH = 100


def is_float(dtype: str | None) -> bool:
    return dtype in FLOAT_BITS


def is_integer(dtype: str | None) -> bool:
    return dtype in INTEGER_DTYPES


class Carrier(NamedTuple):
    """The attribute of a "carried" or "result" value: a name that a loop carries."""

    loop: int
    name: str


class Reduction(NamedTuple):
    """The attribute of a "reduce" value; axes count from the left."""

    name: str
    axes: tuple[int, ...]
    keep_dims: bool


class _Operand:
    """A property of values: the operand that has its name, of an operation that has one."""

    def __set_name__(self, owner: type[Value], name: str) -> None:
        self._places = {op: op.operands.index(name) for op in Op if name in op.operands}

    def __get__(self, value: Value, owner: type[Value]) -> Value:
        return value.operands[self._places[value.op]]


@dataclass(frozen=True, eq=False)
class Value:
    """One node of the graph; compared by identity, made by `ValueTable.make`."""

    op: Op
    operands: tuple[Value, ...]
    attribute: Hashable
    shape: Shape
    dtype: str | None
    serial: int

    operand = _Operand()
    left, right = _Operand(), _Operand()
    condition, then, other = _Operand(), _Operand(), _Operand()
    pointer, mask = _Operand(), _Operand()
    axis, extent, index, target = _Operand(), _Operand(), _Operand(), _Operand()

    @property
    def constant(self) -> object:
        """The Python constant of a "const" value; None also for everything else."""
        return (
            self.attribute[1] if isinstance(self.attribute, tuple) and self.op is Op.CONST else None
        )

    @property
    def is_none(self) -> bool:
        """Whether this is the constant None."""
        return self.op is Op.CONST and self.constant is None

    @property
    def name(self) -> str:
        """Of what has one: a parameter, a global, an element type, an attribute; "" of all else."""
        return str(self.attribute) if self.op in NAMED else ""

    @property
    def function(self) -> str:
        """The function that it is the result of, where that has no operation; "" of all else."""
        if self.op not in BY_FUNCTION:
            return ""
        first = self.attribute[0] if isinstance(self.attribute, tuple) else self.attribute
        return str(first)

    @property
    def pattern(self) -> tuple[bool, ...]:
        """Of "insert_axes" and "widened" values: True is a new axis, False one of the operand's."""
        assert isinstance(self.attribute, tuple)
        return self.attribute

    @property
    def carrier(self) -> Carrier:
        """Of a "carried" or "result" value."""
        assert isinstance(self.attribute, Carrier)
        return self.attribute

    @property
    def reduction(self) -> Reduction:
        """Of a "reduce" value."""
        assert isinstance(self.attribute, Reduction)
        return self.attribute

    @property
    def number(self) -> int:
        """Of an "iteration" value its loop, of a "load" its place in the order of effects."""
        assert isinstance(self.attribute, int)
        return self.attribute

    @property
    def reason(self) -> str:
        """Why an "opaque" value is not understood."""
        assert isinstance(self.attribute, tuple)
        return str(self.attribute[1])

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    def walk(self, but: Op | None = None) -> Iterator[Value]:
        """This value and all it is made of, each once; what has the operation `but` is not looked
        into."""
        return reachable((self,), but)

    def __repr__(self) -> str:
        inside = ", ".join(map(repr, self.operands))
        shown = "" if self.attribute is None else f"[{self.attribute}]"
        return f"{self.op}{shown}({inside})"


def reachable(roots: Iterable[Value], but: Op | None = None) -> Iterator[Value]:
    """The values and all they are made of, each once, as `Value.walk` says."""
    seen: set[int] = set()
    for root in roots:
        todo = [root]
        while todo:
            value = todo.pop()
            if value.serial not in seen:
                seen.add(value.serial)
                yield value
                todo.extend(() if value.op is but else value.operands)


def factors(value: Value, divides: bool = False) -> list[tuple[Value, bool]]:
    """The factors of a product, by way of casts to floats, and whether it is divided by them."""
    if value.op is Op.CAST and is_float(value.dtype):
        return factors(value.operand, divides)
    if value.op in (Op.MUL, Op.DIV):
        inverted = divides if value.op is Op.MUL else not divides
        return factors(value.left, divides) + factors(value.right, inverted)
    return [(value, divides)]


def operands_first(value: Value, known: Mapping[int, object]) -> list[Value]:
    """The value and all it is made of that is not known yet, each after its operands."""
    found: dict[int, Value] = {}
    todo = [(value, False)]
    while todo:
        part, ready = todo.pop()
        if part.serial in known or part.serial in found:
            continue
        if ready:
            found[part.serial] = part
        else:
            todo.append((part, True))
            todo.extend((o, False) for o in part.operands)
    return list(found.values())


@dataclass
class ValueTable:
    """Makes values, each different node once."""

    inside: tuple[int, ...] = ()
    """The loops around what is interpreted: an opaque value may differ in each iteration."""
    blocks: dict[Value, Shape] = field(default_factory=dict)
    """By block pointer: the shape of what it loads."""
    _nodes: dict[Hashable, Value] = field(default_factory=dict)
    _serial: int = 0
    _widened: dict[tuple[int, tuple[bool, ...]], Value] = field(default_factory=dict)

    def make(
        self,
        op: Op,
        operands: Sequence[Value] = (),
        attribute: Hashable = None,
        *,
        shape: Shape = (),
        dtype: str | None = None,
    ) -> Value:
        operands = tuple(operands)
        if op in COMMUTATIVE and len(operands) == 2 and operands[0].serial > operands[1].serial:
            operands = (operands[1], operands[0])
        key: Hashable = (op, tuple(o.serial for o in operands), attribute)
        if isinstance(attribute, Carrier):
            # Of what a loop carries, the kind is found out last.
            key = (key, shape, dtype)
        known = self._nodes.get(key)
        if known is None:
            self._serial += 1
            known = Value(op, operands, attribute, shape, dtype, self._serial)
            self._nodes[key] = known
        return known

    def made_by(self, op: Op) -> list[Value]:
        """All values of an operation, also those that nothing reads."""
        return [value for value in self._nodes.values() if value.op is op]

    def constant(self, value: Hashable) -> Value:
        # Type and sign are part of the key: 1, 1.0 and True are different constants, 0.0 and -0.0.
        dtype = {bool: "bool", int: "int", float: "float"}.get(type(value))
        return self.make(Op.CONST, (), (type(value).__name__, value, repr(value)), dtype=dtype)

    def opaque(self, why: str, shape: Shape = None) -> Value:
        """A value of which nothing is known; never equal to another."""
        self._serial += 1
        return Value(Op.OPAQUE, (), (self._serial, why, self.inside), shape, None, self._serial)

    def elementwise(
        self,
        op: Op,
        operands: Sequence[Value],
        attribute: Hashable = None,
        dtype: str | None = None,
    ) -> Value:
        shape = broadcast_shapes([o.shape for o in operands])
        if dtype is None:
            dtype = "bool" if op in COMPARISONS else _promoted(op, operands)
        return self.make(op, operands, attribute, shape=shape, dtype=dtype)

    def insert_axes(self, value: Value, pattern: tuple[bool, ...], depth: int = 0) -> Value:
        """`value[:, None]`: True in `pattern` is a new axis, False one of the value's own.

        Pushed down to the leaves, so that `(a + b)[:, None]` and
        `a[:, None] + b[:, None]` are one value; but not further down than `MAX_DEPTH`.
        """
        key = (value.serial, pattern)
        if key not in self._widened:
            self._widened[key] = self._insert_axes(value, pattern, depth)
        return self._widened[key]

    def _insert_axes(self, value: Value, pattern: tuple[bool, ...], depth: int) -> Value:
        if value.shape is None or len(value.shape) != pattern.count(False):
            # Which of its axes are kept is not known.
            return self.make(Op.WIDENED, (value,), pattern, shape=None, dtype=value.dtype)
        if not value.shape and True not in pattern:
            return value
        alike = all(
            o.shape is not None and (not o.shape or len(o.shape) == len(value.shape))
            for o in value.operands
        )
        if value.op in ELEMENTWISE and alike and depth < MAX_DEPTH:
            operands = [
                self.insert_axes(o, pattern, depth + 1) if o.shape else o for o in value.operands
            ]
            return self.elementwise(value.op, operands, value.attribute, value.dtype)
        one = self.constant(1)
        own = iter(value.shape)
        shape = tuple(one if new else next(own) for new in pattern)
        return self.make(Op.INSERT_AXES, (value,), pattern, shape=shape, dtype=value.dtype)


def broadcast_shapes(shapes: Sequence[Shape]) -> Shape:
    """The common shape, aligned at the last axis; None where it is not known."""
    result: list[Value] = []
    for shape in shapes:
        if shape is None:
            return None
        while len(result) < len(shape):
            missing = len(shape) - len(result)
            result = list(shape[:missing]) + result
        for axis in range(1, len(shape) + 1):
            mine, theirs = result[-axis], shape[-axis]
            if mine is theirs or theirs.constant == 1:
                continue
            if mine.constant != 1:
                return None
            result[-axis] = theirs
    return tuple(result)


def _promoted(op: Op, operands: Sequence[Value]) -> str | None:
    """The result's dtype where it is certain; Python numbers do not promote floats."""
    sides = operands[1:] if op is Op.WHERE else operands
    weak_float = any(o.dtype == "float" for o in sides)
    typed: set[str] = set()
    for side in sides:
        if side.dtype is None:
            return None
        if side.dtype not in ("int", "float"):
            typed.add(side.dtype)
    if not typed:
        return "float" if weak_float or op is Op.DIV else "int"
    floats = {d for d in typed if is_float(d)}
    if not floats:
        if op is Op.DIV or weak_float:
            return "fp32"
        return typed.pop() if len(typed) == 1 else None
    if len(floats) == 1:
        return floats.pop()
    widest = max(floats, key=lambda d: FLOAT_BITS[d])
    return widest if FLOAT_BITS[widest] >= 32 else None
