"""A tiny executor of kernels over exact numbers: what the facts are checked against.

It runs one program of a launch, statement by statement over the syntax tree, with lanes as numpy
arrays of Fractions, and keeps what every expression of the kernel's text was worth each time it
was evaluated. Integers do not overflow and floats do not round; `//` and `%` truncate at run time
and floor on compile-time constants, as in Triton.
"""

from __future__ import annotations

import ast
import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from tritonopt.source import Kernel

Array = np.ndarray


class Undefined(Exception):
    """The kernel divides by zero or runs on and on: nothing is claimed of it."""


@dataclass(frozen=True)
class Num:
    """Lanes of one kind; `static` where Triton's compiler knows the value."""

    lanes: Array
    kind: str
    """ "bool", "int", "float" or "none"."""
    static: bool = False

    @property
    def one(self) -> Fraction:
        return self.lanes[()]  # type: ignore[no-any-return]


def num(value: object, kind: str | None = None, static: bool = False) -> Num:
    if kind is None:
        kinds = {bool: "bool", int: "int", float: "float", type(None): "none"}
        kind = kinds[type(value)]
    lanes = np.empty((), dtype=object)
    lanes[()] = None if value is None else Fraction(value)  # type: ignore[arg-type]
    return Num(lanes, kind, static)


def truncated(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise Undefined
    return Fraction(math.trunc(a / b))


def floored(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise Undefined
    return Fraction(math.floor(a / b))


def remainder(
    a: Fraction, b: Fraction, quotient: Callable[[Fraction, Fraction], Fraction]
) -> Fraction:
    return a - quotient(a, b) * b


def divided(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise Undefined
    return a / b


def bitwise(name: str, a: Fraction, b: Fraction) -> Fraction:
    x, y = int(a), int(b)
    if name in ("shl", "shr") and not 0 <= y < 16:
        raise Undefined
    return Fraction(
        {
            "and": lambda: x & y,
            "or": lambda: x | y,
            "xor": lambda: x ^ y,
            "shl": lambda: x << y,
            "shr": lambda: x >> y,
        }[name]()
    )


COMPARED: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "Lt": lambda a, b: a < b,
    "LtE": lambda a, b: a <= b,
    "Gt": lambda a, b: a > b,
    "GtE": lambda a, b: a >= b,
    "Eq": lambda a, b: a == b,
    "NotEq": lambda a, b: a != b,
}


def elementwise(function: Callable[..., object], kind: str, *operands: Num) -> Num:
    arrays = np.broadcast_arrays(*(o.lanes for o in operands))
    out = np.empty(arrays[0].shape, dtype=object)
    for index in np.ndindex(out.shape):
        out[index] = Fraction(function(*(a[index] for a in arrays)))  # type: ignore[arg-type]
    return Num(out, kind, all(o.static for o in operands))


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Num | tuple[Num, ...] | None) -> None:
        self.value = value


Result = Num | tuple[Num, ...]


@dataclass
class Execution:
    """One program of one launch."""

    kernel: Kernel
    arguments: Mapping[str, Num]
    """By parameter; a pointer is the number of its first element."""
    program: int
    loop_identity: Callable[[ast.stmt], int | None]
    log: list[tuple[ast.expr, dict[int, int], Num]] = field(default_factory=list)
    """Expression, the iteration of each loop around it, and value; in order."""
    memory: dict[Fraction, Fraction] = field(default_factory=dict)
    accesses: list[tuple[ast.Call, Fraction]] = field(default_factory=list)
    """The addresses that the kernel's own loads, stores and atomic operations touched."""
    programs: int = 4
    steps: int = 0
    _trips: dict[int, int] = field(default_factory=dict)
    _poison: int = 0
    _inside: int = 0
    """How deep in helpers: only the kernel's own text is kept."""

    def run(self) -> None:
        self._names: dict[str, Result] = dict(self.arguments)
        with contextlib.suppress(_Return):
            self._block(self.kernel.node.body)

    def element(self, address: Fraction) -> Fraction:
        if address not in self.memory:
            # Anything that repeats rarely; small, so that comparisons go both ways.
            self.memory[address] = Fraction(int(address * 7919) % 23 - 9, 2)
        return self.memory[address]

    # Statements

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.steps += 1
            if self.steps > 3000:
                raise Undefined
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=targets, value=value):
                result = _runtime(self._expression(value))  # an assigned name is a tensor
                for target in targets:
                    self._bind(target, result)
            case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
                left = self._names[target.id]
                right = self._expression(value)
                self._bind(target, _runtime(self._binary(type(op).__name__, left, right)))
            case ast.Expr(value=value):
                self._expression(value)
            case ast.If(test=test, body=body, orelse=orelse):
                condition = self._number(test)
                self._block(body if condition.one else orelse)
                if not condition.static:
                    self._merge(statement)
            case ast.For():
                self._for(statement)
            case ast.While(test=test, body=body):
                identity = self.loop_identity(statement)
                self._merge(statement)
                iteration = 0
                while True:
                    if identity is not None:
                        self._trips[identity] = iteration
                    if not self._number(test).one or not self._iteration(body):
                        break
                    iteration += 1
                self._leave(identity, statement)
            case ast.Break():
                raise _Break
            case ast.Continue():
                raise _Continue
            case ast.Return(value=value):
                raise _Return(None if value is None else self._expression(value))
            case ast.Pass():
                pass
            case _:
                raise NotImplementedError(ast.dump(statement))

    def _iteration(self, body: list[ast.stmt]) -> bool:
        self.steps += 1
        if self.steps > 3000:
            raise Undefined
        try:
            self._block(body)
        except _Continue:
            pass
        except _Break:
            return False
        return True

    def _leave(self, identity: int | None, loop: ast.stmt) -> None:
        if identity is not None:
            self._trips.pop(identity, None)
        self._merge(loop)

    def _merge(self, statement: ast.stmt) -> None:
        """What a statement binds on some of its ways only, the compiler knows no longer."""
        for node in ast.walk(statement):
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Store):
                continue
            if node.id in self._names:
                self._names[node.id] = _runtime(self._names[node.id])

    def _for(self, statement: ast.For) -> None:
        assert isinstance(statement.iter, ast.Call)
        static = ast.unparse(statement.iter.func) == "tl.static_range"
        bounds = [self._number(a) for a in statement.iter.args]
        values = [int(b.one) for b in bounds]
        if len(values) == 3 and values[2] == 0:
            raise Undefined
        identity = self.loop_identity(statement) if not self._inside else None
        bound = set(self._names)
        if not static:
            self._merge(statement)
        for iteration, induction in enumerate(range(*values)):
            if identity is not None:
                self._trips[identity] = iteration
            self._bind(statement.target, num(induction, "int", static))
            if not self._iteration(statement.body):
                break
        self._leave(identity, statement)
        self._names = {k: v for k, v in self._names.items() if k in bound}

    def _bind(self, target: ast.expr, value: Result) -> None:
        match target:
            case ast.Name(id=name):
                self._names[name] = value
            case ast.Tuple(elts=elements):
                assert isinstance(value, tuple)
                for element, part in zip(elements, value, strict=True):
                    self._bind(element, part)
            case _:
                raise NotImplementedError(ast.dump(target))

    # Expressions

    def _number(self, node: ast.expr) -> Num:
        value = self._expression(node)
        assert isinstance(value, Num), ast.unparse(node)
        return value

    def _expression(self, node: ast.expr) -> Result:
        value = self._evaluate(node)
        if isinstance(value, Num) and not self._inside:
            self.log.append((node, dict(self._trips), value))
        return value

    def _evaluate(self, node: ast.expr) -> Result:
        match node:
            case ast.Constant(value=value):
                return num(value, static=True)
            case ast.Name(id=name):
                if name not in self._names:
                    raise Undefined
                return self._names[name]
            case ast.Tuple(elts=elements):
                return tuple(self._number(e) for e in elements)
            case ast.BinOp(left=left, op=op, right=right):
                a = self._expression(left)
                return self._binary(type(op).__name__, a, self._expression(right))
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(type(op).__name__, self._number(operand))
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                before = self._number(left)
                result: Num | None = None
                for op, right in zip(ops, comparators, strict=True):
                    after = self._number(right)
                    part = elementwise(COMPARED[type(op).__name__], "bool", before, after)
                    result = (
                        part
                        if result is None
                        else elementwise(lambda a, b: a and b, "bool", result, part)
                    )
                    before = after
                assert result is not None
                return result
            case ast.BoolOp(op=op, values=values):
                parts = [self._number(v) for v in values]
                both = isinstance(op, ast.And)
                result = parts[0]
                for part in parts[1:]:
                    result = elementwise(
                        (lambda a, b: a and b) if both else (lambda a, b: a or b),
                        "bool",
                        result,
                        part,
                    )
                return result
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self._number(test)
                chosen = self._expression(body if condition.one else orelse)
                return chosen if condition.static else _runtime(chosen)
            case ast.Subscript(value=value, slice=ast.Tuple(elts=parts)):
                inner = self._number(value)
                index = tuple(None if isinstance(p, ast.Constant) else slice(None) for p in parts)
                return Num(inner.lanes[index], inner.kind, inner.static)
            case ast.Call():
                return self._call(node)
        raise NotImplementedError(ast.dump(node))

    def _binary(self, name: str, left: Result, right: Result) -> Num:
        assert isinstance(left, Num) and isinstance(right, Num)
        static = left.static and right.static
        kinds = {left.kind, right.kind}
        kind = "float" if "float" in kinds else "int"
        if kinds == {"bool"} and not static:
            wraps: dict[str, Callable[[Fraction, Fraction], object]] = {
                "Add": lambda a, b: a != b,
                "Sub": lambda a, b: a != b,
                "Mult": lambda a, b: a and b,
                "BitAnd": lambda a, b: a and b,
                "BitOr": lambda a, b: a or b,
                "BitXor": lambda a, b: a != b,
            }
            return elementwise(wraps[name], "bool", left, right)
        quotient = floored if static else truncated
        match name:
            case "Add":
                return elementwise(lambda a, b: a + b, kind, left, right)
            case "Sub":
                return elementwise(lambda a, b: a - b, kind, left, right)
            case "Mult":
                return elementwise(lambda a, b: a * b, kind, left, right)
            case "Div":
                return elementwise(divided, "float", left, right)
            case "FloorDiv":
                return elementwise(quotient, "int", left, right)
            case "Mod":
                return elementwise(lambda a, b: remainder(a, b, quotient), kind, left, right)
            case "Pow":
                return elementwise(lambda a, b: a**b, kind, left, right)
            case "BitAnd" | "BitOr" | "BitXor" | "LShift" | "RShift":
                bits = {"BitAnd": "and", "BitOr": "or", "BitXor": "xor", "LShift": "shl"}
                operation = bits.get(name, "shr")
                result = "bool" if kinds == {"bool"} else "int"
                return elementwise(lambda a, b: bitwise(operation, a, b), result, left, right)
        raise NotImplementedError(name)

    def _unary(self, name: str, operand: Num) -> Num:
        match name:
            case "USub":
                kind = "int" if operand.kind == "bool" else operand.kind
                return elementwise(lambda a: -a, kind, operand)
            case "Not":
                return elementwise(lambda a: not a, "bool", operand)
            case "Invert" if operand.kind == "bool" and not operand.static:
                return elementwise(lambda a: 1 - a, "bool", operand)
            case "Invert":
                return elementwise(lambda a: -a - 1, "int", operand)
        raise NotImplementedError(name)

    def _call(self, node: ast.Call) -> Result:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            # What was cast is a tensor, of which the compiler knows no value.
            return _runtime(_cast(self._number(node.func.value), ast.unparse(node.args[0])))
        name = ast.unparse(node.func)
        if name == "tl.zeros":
            shape = tuple(int(n.one) for n in self._expression(node.args[0]))  # type: ignore[union-attr]
            return Num(np.full(shape, Fraction(0), dtype=object), "float")
        if name == "tl.sum" or name == "tl.max":
            operand = self._number(node.args[0])
            axis = {k.arg: k.value for k in node.keywords}.get("axis")
            position = None if axis is None else int(self._number(axis).one)
            lanes = np.asarray(
                operand.lanes.sum(axis=position)
                if name == "tl.sum"
                else operand.lanes.max(axis=position),
                dtype=object,
            )
            return Num(lanes, "int" if operand.kind == "bool" else operand.kind)
        arguments = [self._number(a) for a in node.args]
        keywords = {k.arg: self._number(k.value) for k in node.keywords}
        match name:
            case "tl.program_id":
                return num(self.program, "int")
            case "tl.num_programs":
                return num(self.programs, "int")
            case "tl.arange":
                lanes = np.empty(int(arguments[1].one), dtype=object)
                lanes[:] = [Fraction(i) for i in range(len(lanes))]
                return Num(lanes, "int")
            case "tl.where":
                kind = "float" if "float" in (arguments[1].kind, arguments[2].kind) else "int"
                if {a.kind for a in arguments[1:]} == {"bool"}:
                    kind = "bool"
                return _runtime(elementwise(lambda c, a, b: a if c else b, kind, *arguments))
            case "tl.minimum" | "min":
                found = elementwise(min, _widest(arguments), *arguments)
                return _runtime(found) if name != "min" else found
            case "tl.maximum" | "max":
                found = elementwise(max, _widest(arguments), *arguments)
                return _runtime(found) if name != "max" else found
            case "tl.cdiv":
                quotient = floored if all(a.static for a in arguments) else truncated
                return elementwise(lambda a, b: quotient(a + b - 1, b), "int", *arguments)
            case "tl.abs":
                return elementwise(abs, arguments[0].kind, *arguments)
            case "tl.floor":
                return elementwise(math.floor, "float", *arguments)
            case "tl.trans":
                return Num(arguments[0].lanes.T, arguments[0].kind)
            case "tl.flip":
                return Num(arguments[0].lanes[..., ::-1], arguments[0].kind)
            case "tl.load" | "tl.store" | "tl.atomic_add" if not self._inside:
                self.accesses += [(node, address) for address in arguments[0].lanes.flat]
        match name:
            case "tl.load":
                return self._load(arguments[0], keywords)
            case "tl.store":
                return self._store(arguments, keywords)
            case "tl.atomic_add":
                old = self._load(arguments[0], {})
                self._store([arguments[0], self._binary("Add", old, arguments[1])], {})
                return old
        return self._helper(name, node, arguments, keywords)

    def _helper(
        self, name: str, node: ast.Call, arguments: list[Num], keywords: Mapping[str | None, Num]
    ) -> Result:
        helper = self.kernel.module.kernel(name)
        assert helper is not None, ast.unparse(node)
        names: dict[str, Result] = {}
        for parameter, argument in zip(helper.parameters, arguments, strict=False):
            names[parameter.name] = argument
        names.update({k: v for k, v in keywords.items() if k})
        for parameter in helper.parameters:
            if parameter.name not in names:
                assert isinstance(parameter.default, ast.Constant)
                names[parameter.name] = num(parameter.default.value, static=True)
        outer, self._names = self._names, names
        self._inside += 1
        try:
            self._block(helper.node.body)
            result: Result | None = None
        except _Return as returned:
            result = returned.value
        finally:
            self._names = outer
            self._inside -= 1
        return num(None) if result is None else result

    def _load(self, pointer: Num, keywords: Mapping[str | None, Num]) -> Num:
        mask = keywords.get("mask", num(True, static=True))
        arrays = np.broadcast_arrays(pointer.lanes, mask.lanes)
        other = keywords.get("other")
        filler = None if other is None else np.broadcast_to(other.lanes, arrays[0].shape)
        out = np.empty(arrays[0].shape, dtype=object)
        for index in np.ndindex(out.shape):
            if arrays[1][index]:
                out[index] = self.element(arrays[0][index])
            elif filler is None:
                self._poison += 1
                out[index] = Fraction(1000 + 7 * self._poison)
            else:
                out[index] = filler[index]
        return Num(out, "float")

    def _store(self, arguments: list[Num], keywords: Mapping[str | None, Num]) -> Num:
        mask = keywords.get("mask", num(True, static=True))
        pointer, stored, on = np.broadcast_arrays(
            arguments[0].lanes, arguments[1].lanes, mask.lanes
        )
        for index in np.ndindex(pointer.shape):
            if on[index]:
                self.memory[pointer[index]] = stored[index]
        return num(None)


def _runtime(value: Result) -> Result:
    if isinstance(value, tuple):
        return tuple(Num(v.lanes, v.kind) for v in value)
    return Num(value.lanes, value.kind)


def _widest(operands: list[Num]) -> str:
    return "float" if any(o.kind == "float" for o in operands) else "int"


def _cast(value: Num, target: str) -> Num:
    if target in ("tl.float32", "tl.float64"):
        return Num(value.lanes, "float", value.static)
    if target == "tl.int1":
        return elementwise(bool, "bool", value)
    whole = elementwise(math.trunc, "int", value)
    if target == "tl.int8":
        return elementwise(lambda a: (a + 128) % 256 - 128, "int", whole)
    if target == "tl.uint32":
        return elementwise(lambda a: a % 2**32, "int", whole)
    return whole
