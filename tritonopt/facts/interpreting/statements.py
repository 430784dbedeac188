"""The value of each expression; what each statement binds, and whether it leaves its block."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tritonopt.facts import language
from tritonopt.facts.effects import EffectKind, Guard, Loop
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.interpreting.calls import Calls
from tritonopt.facts.interpreting.lookup import Bindings, Lookup, assigned_names
from tritonopt.facts.interpreting.state import Evaluate, Returned, Run, State
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.values import Carrier, Value, broadcast_shapes
from tritonopt.source.trees import walk

_BINARY: Mapping[type[ast.operator], Op] = {
    ast.Add: Op.ADD,
    ast.Sub: Op.SUB,
    ast.Mult: Op.MUL,
    ast.Div: Op.DIV,
    ast.FloorDiv: Op.FLOORDIV,
    ast.Mod: Op.MOD,
    ast.Pow: Op.POW,
    ast.BitAnd: Op.AND,
    ast.BitOr: Op.OR,
    ast.BitXor: Op.XOR,
    ast.LShift: Op.SHL,
    ast.RShift: Op.SHR,
}
_UNARY: Mapping[type[ast.unaryop], Op] = {
    ast.USub: Op.NEG,
    ast.UAdd: Op.POS,
    ast.Invert: Op.INVERT,
    ast.Not: Op.NOT,
}
_COMPARE: Mapping[type[ast.cmpop], Op] = {
    ast.Lt: Op.LT,
    ast.LtE: Op.LE,
    ast.Gt: Op.GT,
    ast.GtE: Op.GE,
    ast.Eq: Op.EQ,
    ast.NotEq: Op.NE,
    ast.Is: Op.IS,
    ast.IsNot: Op.IS_NOT,
}


@dataclass(frozen=True)
class Expressions:
    """Evaluates expressions of the function that is interpreted."""

    state: State
    lookup: Lookup
    bindings: Bindings
    calls: Calls

    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression, whose effects are noted."""
        evaluate = _EVALUATE.get(type(node))
        value = evaluate(self, node) if evaluate is not None else self._not_understood(node)
        self.state.note_value(node, value)
        return value

    def _not_understood(self, node: ast.expr) -> Value:
        """Whatever stands inside may have effects."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child)
        return self.state.table.opaque(f"{type(node).__name__} is not understood")

    def _constant(self, node: ast.Constant) -> Value:
        value = node.value
        if isinstance(value, (bool, int, float, str)) or value is None:
            return self.state.table.constant(value)
        return self.state.table.opaque("constant of another kind")

    def _name(self, node: ast.Name) -> Value:
        known = self.state.frame.environment.get(node.id)
        return self.lookup.name(node) if known is None else self.bindings.under_guards(known)

    def _attribute(self, node: ast.Attribute) -> Value:
        dotted = self.lookup.dotted(node)
        if dotted:
            return self.lookup.imported(node, dotted)
        table, value = self.state.table, self.evaluate(node.value)
        if node.attr == "T":
            shape = None if value.shape is None else tuple(reversed(value.shape))
            return table.make(Op.RESHAPED, (value,), "T", shape=shape, dtype=value.dtype)
        if node.attr == "shape" and value.shape:
            return table.make(Op.TUPLE, value.shape, shape=None)
        if node.attr == "dtype" and value.dtype not in (None, "int", "float"):
            return table.make(Op.DTYPE, (), value.dtype)
        if node.attr == "value" and value.op in (Op.CONSTEXPR, Op.CONST):
            return value
        if value.op is Op.OPAQUE:
            return table.opaque("attribute of a value not understood")
        return table.make(Op.ATTRIBUTE, (value,), node.attr)

    # Operators

    def _binary_operation(self, node: ast.BinOp) -> Value:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        return self.binary(node.op, left, right, (node.left, node.right))

    def binary(
        self, op: ast.operator, left: Value, right: Value, sides: Sequence[ast.expr]
    ) -> Value:
        """What an operator makes of the values of two expressions."""
        table, name = self.state.table, _BINARY.get(type(op))
        if name is None:
            # `@` is the only other: a matrix product, pure.
            return table.make(Op.RESHAPED, (left, right), "matmul", shape=None)
        a, b = left.constant, right.constant
        if isinstance(a, int) and isinstance(b, int) and name in (Op.ADD, Op.SUB, Op.MUL):
            return table.constant({Op.ADD: a + b, Op.SUB: a - b, Op.MUL: a * b}[name])
        rounding = None
        if name in (Op.FLOORDIV, Op.MOD):
            rounding = self.state.rounding(sides, (left, right))
        return table.elementwise(name, (left, right), rounding)

    def _unary_operation(self, node: ast.UnaryOp) -> Value:
        table, operand = self.state.table, self.evaluate(node.operand)
        constant = operand.constant
        if isinstance(node.op, ast.USub) and type(constant) in (int, float):
            return table.constant(-constant)  # type: ignore[operator]
        name = _UNARY[type(node.op)]
        dtype = "bool" if name is Op.NOT else operand.dtype
        return table.elementwise(name, (operand,), dtype=dtype)

    def _comparison(self, node: ast.Compare) -> Value:
        table = self.state.table
        result: Value | None = None
        before = self.evaluate(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            after = self.evaluate(comparator)
            part = self._compared(op, before, after)
            if result is None:
                result = part
            else:
                shape = broadcast_shapes([result.shape, part.shape])
                result = table.make(Op.BOTH, (result, part), shape=shape, dtype="bool")
            before = after
        assert result is not None
        return result

    def _compared(self, op: ast.cmpop, left: Value, right: Value) -> Value:
        name = _COMPARE.get(type(op))
        if name is None:
            return self.state.table.opaque("membership test", shape=())
        if name in COMPARISONS:
            return self.state.table.elementwise(name, (left, right))
        return self.state.table.make(name, (left, right), dtype="bool")

    def _logical_operation(self, node: ast.BoolOp) -> Value:
        parts = [self.evaluate(v) for v in node.values]
        name = Op.BOTH if isinstance(node.op, ast.And) else Op.EITHER
        result = parts[0]
        for part in parts[1:]:
            shape = broadcast_shapes([result.shape, part.shape])
            result = self.state.table.make(name, (result, part), shape=shape)
        return result

    def _conditional(self, node: ast.IfExp) -> Value:
        condition = self.evaluate(node.test)
        then = self._side(condition, True, node)
        return self.bindings.choice(condition, then, self._side(condition, False, node))

    def _side(self, condition: Value, holds: bool, node: ast.IfExp) -> Value:
        """One side of `a if condition else b`; what it loads is loaded in that case only."""
        self.state.guards.append(Guard(condition, holds, node))
        value = self.evaluate(node.body if holds else node.orelse)
        self.state.guards.pop()
        return value

    # What holds other expressions

    def _assignment(self, node: ast.NamedExpr) -> Value:
        result = self.evaluate(node.value)
        self.bindings.assign(node.target, result)
        return result

    def _tuple(self, node: ast.Tuple | ast.List) -> Value:
        return self.state.table.make(Op.TUPLE, [self.evaluate(e) for e in node.elts], shape=None)

    def _subscript(self, node: ast.Subscript) -> Value:
        table, value, index = self.state.table, self.evaluate(node.value), node.slice
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        pattern = _inserted_axes(parts, value.rank)
        if pattern is not None:
            return table.insert_axes(value, pattern)
        position = self.evaluate(index)
        place = position.constant
        if value.op is Op.TUPLE and isinstance(place, int):
            if -len(value.operands) <= place < len(value.operands):
                return value.operands[place]
            return table.opaque("element that is not there")
        if value.op is Op.OPAQUE or self.bindings.elements_change:
            return table.opaque("element of a value not understood")
        return table.make(Op.ELEMENT, (value, position), shape=None)

    def _call(self, node: ast.Call) -> Value:
        return self.calls.call(node)

    def _comprehension(self, node: ast.expr) -> Value:
        # Its names are its own, and it may run any number of times.
        self.bindings.unknown_expression(node)
        return self.state.table.opaque("comprehension")

    def _lambda(self, node: ast.Lambda) -> Value:
        return self.state.table.opaque("lambda")

    def _formatted_string(self, node: ast.JoinedStr) -> Value:
        return self.state.table.opaque("formatted string")


_EVALUATE: Mapping[type[ast.expr], Callable[[Expressions, Any], Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.BinOp: Expressions._binary_operation,
    ast.UnaryOp: Expressions._unary_operation,
    ast.Compare: Expressions._comparison,
    ast.BoolOp: Expressions._logical_operation,
    ast.IfExp: Expressions._conditional,
    ast.NamedExpr: Expressions._assignment,
    ast.Tuple: Expressions._tuple,
    ast.List: Expressions._tuple,
    ast.Subscript: Expressions._subscript,
    ast.Call: Expressions._call,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.Lambda: Expressions._lambda,
    ast.JoinedStr: Expressions._formatted_string,
}


def _inserted_axes(parts: Sequence[ast.expr], rank: int | None) -> tuple[bool, ...] | None:
    """The pattern of `x[:, None]`; None when the subscript is anything else."""
    pattern: list[bool] = []
    for part in parts:
        if isinstance(part, ast.Constant) and part.value is None:
            pattern.append(True)
        elif isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step):
            pattern.append(False)
        elif isinstance(part, ast.Constant) and part.value is Ellipsis and rank is not None:
            pattern.extend([False] * (rank - sum(isinstance(p, ast.Slice) for p in parts)))
        else:
            return None
    if rank is not None:
        pattern.extend([False] * (rank - pattern.count(False)))
    return tuple(pattern)


@dataclass(frozen=True)
class Statements:
    """Runs blocks of the function that is interpreted."""

    state: State
    bindings: Bindings
    loops: Loops
    expressions: Expressions

    def run(self, block: Sequence[ast.stmt]) -> bool:
        """Interpret in order; True when the block always leaves (return, break, continue)."""
        state = self.state
        for statement in block:
            if state.frame.inlined_at is None:
                state.record.before[statement] = dict(state.frame.environment)
            if isinstance(statement, ast.If):
                left = self._if(statement)
            else:
                left = self._leave(statement)
                if not left:
                    self._straight(statement)
            if left:
                return True
        return False

    def _straight(self, statement: ast.stmt) -> None:
        """A statement that the next one follows."""
        evaluate, assign = self.expressions.evaluate, self.bindings.assign
        match statement:
            case ast.Assign(targets=targets, value=value):
                result = evaluate(value)
                for target in targets:
                    assign(target, result)
            case ast.AugAssign(target=target, op=op, value=value):
                left, right = evaluate(target), evaluate(value)
                assign(target, self.expressions.binary(op, left, right, (target, value)))
            case ast.AnnAssign(target=target, value=given, annotation=kind):
                if given is not None:
                    constexpr = self.expressions.lookup.dotted(kind) == "triton.language.constexpr"
                    assign(target, evaluate(given), constexpr=constexpr)
            case ast.Expr(value=value):
                evaluate(value)
            case ast.For() | ast.While():
                self.loops.interpret(statement)
            case ast.Assert(test=test):
                evaluate(test)
                self.state.effect(EffectKind.PRINT, statement, "assert")
            case ast.Import() | ast.ImportFrom():
                for alias in statement.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    self.state.frame.environment.pop(name, None)
            case ast.Pass() | ast.Global() | ast.Nonlocal():
                pass
            case _:
                self.bindings.unknown_statement(statement)

    # Ways out

    def _leave(self, statement: ast.stmt) -> bool:
        """Interpret a statement that leaves its block; False where it is none."""
        state = self.state
        match statement:
            case ast.Return():
                self._return(statement)
            case ast.Break() | ast.Continue():
                name = "break" if isinstance(statement, ast.Break) else "continue"
                state.effect(EffectKind.EXIT, statement, name)
                state.leave_early(1)
            case ast.Raise():
                # Where it compiles, the condition above it is known to be false.
                state.effect(EffectKind.EXIT, statement, "raise")
                state.leave_early(len(state.nest))
            case _:
                return False
        return True

    def _return(self, statement: ast.Return) -> None:
        state, frame = self.state, self.state.frame
        value = statement.value
        result = self.expressions.evaluate(value) if value else state.table.constant(None)
        certain = frame.guard_depth == 0 and frame.loop_depth == 0
        guards = tuple(state.guards[len(state.guards) - frame.guard_depth :])
        frame.returned.append(Returned(result, guards, frame.loop_depth > 0))
        state.leave_early(frame.loop_depth)
        if frame.inlined_at is not None:
            if not certain:
                self._note_return(statement)
        elif not certain or statement is not frame.kernel.node.body[-1]:
            state.effect(EffectKind.EXIT, statement, "return")

    def _note_return(self, statement: ast.Return) -> None:
        """A helper may have returned: what it does afterwards, it does in some cases only."""
        state, frame = self.state, self.state.frame
        if not frame.guard_depth:
            state.effect(EffectKind.EXIT, statement, "return")
            return
        guard = state.guards[-1]
        if frame.guard_depth == 1 and frame.loop_depth == 0:
            state.returned.append(Guard(guard.condition, not guard.holds, guard.node))
        else:
            why = state.table.opaque("a helper may have returned", shape=())
            state.returned.append(Guard(why, False, guard.node))

    # Branches

    def _if(self, statement: ast.If) -> bool:
        condition = self.expressions.evaluate(statement.test)
        frame = self.state.frame
        before = frame.environment
        left_then = self._branch(condition, True, statement, before)
        then = frame.environment
        left_else = self._branch(condition, False, statement, before)
        other = frame.environment
        if left_then and left_else:
            return True
        if left_then:
            frame.environment = other
        elif left_else:
            frame.environment = then
        else:
            frame.environment = self.bindings.merge(condition, then, other)
        return False

    def _branch(self, condition: Value, holds: bool, node: ast.If, before: Environment) -> bool:
        """Interpret one branch, from the names that are bound before it."""
        state, frame = self.state, self.state.frame
        state.guards.append(Guard(condition, holds, node))
        frame.guard_depth += 1
        known = state.record.refined(before, state.guards)
        frame.environment = dict(known)
        left = self.run(node.body if holds else node.orelse)
        after = frame.environment
        for name, value in before.items():
            if after.get(name) is known[name]:
                after[name] = value
        frame.guard_depth -= 1
        state.guards.pop()
        return left


_CARRIED_DTYPES = {"int": "int32", "float": "fp32"}
"""A Python number is a tensor once a loop carries it."""


@dataclass(frozen=True)
class Loops:
    """Interprets loops, and says what they carry."""

    state: State
    lookup: Lookup
    bindings: Bindings
    evaluate: Evaluate
    run: Run

    def interpret(self, statement: ast.For | ast.While) -> None:
        """Note a loop, and bind the names that it leaves behind."""
        if isinstance(statement, ast.For):
            kind, bounds = self._range(statement.iter)
            loop = self._open(statement, kind)
            self._count(loop, bounds)
        else:
            loop = self._open(statement, "while")
        frame = self.state.frame
        environment, before = dict(frame.environment), self.state.mark
        self._iterate(loop, statement, frozenset())
        changing = _changing_kinds(loop)
        if changing:
            # Once more, now that these are known not to keep the shape and type they start with.
            frame.environment = environment
            self.state.go_back(before)
            self._iterate(loop, statement, changing)
        if statement.orelse and loop.left_early:
            self.bindings.unknown_statement(statement)
        else:
            self.run(statement.orelse)

    def _range(self, iterable: ast.expr) -> tuple[str, tuple[Value, Value, Value] | None]:
        """The kind of loop and its (start, stop, step), evaluated before the loop."""
        if not isinstance(iterable, ast.Call):
            self.evaluate(iterable)
            return "other", None
        name = self.lookup.dotted(iterable.func)
        arguments = [self.evaluate(a) for a in iterable.args]
        keywords = {k.arg: self.evaluate(k.value) for k in iterable.keywords}
        spread = None in keywords or any(isinstance(a, ast.Starred) for a in iterable.args)
        if name not in language.LOOP_CALLS or spread:
            called = name or ast.unparse(iterable.func)
            self.state.effect(EffectKind.CALL, iterable, called)
            return "other", None
        kind = "range" if name == "range" else "tl." + name.rsplit(".", 1)[1]
        for position, keyword in enumerate(("arg1", "arg2", "step")):
            if keyword in keywords and len(arguments) == position:
                arguments.append(keywords[keyword])
        zero, one = self.state.table.constant(0), self.state.table.constant(1)
        if "step" in keywords and len(arguments) == 1:
            return kind, (zero, arguments[0], keywords["step"])
        match arguments:
            case [stop]:
                return kind, (zero, stop, one)
            case [start, stop]:
                return kind, (start, stop, one)
            case [start, stop, step]:
                return kind, (start, stop, step)
        return "other", None

    def _open(self, node: ast.For | ast.While, kind: str) -> Loop:
        state = self.state
        parent = state.nest[-1] if state.nest else None
        inlined = state.frame.inlined_at is not None
        loop = Loop(len(state.record.loops), node, parent, inlined, kind)
        state.record.loops.append(loop)
        state.clock += 1
        loop.first = state.clock
        return loop

    def _count(self, loop: Loop, bounds: tuple[Value, Value, Value] | None) -> None:
        """The induction variable: start + step * iteration."""
        table = self.state.table
        if bounds is None:
            loop.induction = table.opaque("element of an iterable", shape=())
            return
        start, stop, step = loop.start, loop.stop, loop.step = bounds
        iteration = loop.iteration = table.make(Op.ITERATION, (), loop.identity, dtype="int32")
        scaled = iteration if step.constant == 1 else table.elementwise(Op.MUL, (iteration, step))
        at_zero = start.constant == 0
        loop.induction = scaled if at_zero else table.elementwise(Op.ADD, (start, scaled))

    def _iterate(
        self, loop: Loop, statement: ast.For | ast.While, changing: frozenset[str]
    ) -> None:
        """Interpret an unknown iteration, and find what it leaves to the next and to the end."""
        state = self.state
        frame = state.frame
        self._carry(loop, statement, changing)
        known = set(frame.environment)
        state.enter(loop)
        frame.loop_depth += 1
        if isinstance(statement, ast.While):
            loop.condition = self.evaluate(statement.test)
        else:
            assert loop.induction is not None
            self.bindings.bind(statement.target, loop.induction)
        self.run(statement.body)
        frame.loop_depth -= 1
        state.leave()
        state.clock += 1
        loop.last = state.clock
        after = frame.environment
        for name, carried in loop.carried.items():
            self._follow(loop, name, after.get(name, carried))
            after[name] = loop.result[name]
        for name in set(after) - known:
            # Triton does not let a name that is first bound in a loop out of it.
            del after[name]
        for name in _target_names(statement):
            after[name] = state.table.opaque(f"{name} after its loop", shape=())

    def _carry(self, loop: Loop, statement: ast.For | ast.While, changing: frozenset[str]) -> None:
        """Give the names that an iteration binds again the values of an unknown iteration."""
        environment = self.state.frame.environment
        bound = assigned_names(statement.body)
        if isinstance(statement, ast.While):
            bound |= assigned_names([ast.Expr(statement.test)])
        for name in sorted(bound - _target_names(statement)):
            if name in environment:
                initial = environment[name]
                same = name not in changing
                loop.initial[name] = initial
                loop.carried[name] = self.state.table.make(
                    Op.CARRIED,
                    (),
                    Carrier(loop.identity, name),
                    shape=initial.shape if same else None,
                    dtype=_CARRIED_DTYPES.get(initial.dtype or "", initial.dtype) if same else None,
                )
                environment[name] = loop.carried[name]
                block = self.state.table.blocks.get(initial)
                if block and not loop.kind.endswith("static_range"):
                    self.state.table.blocks[loop.carried[name]] = block

    def _follow(self, loop: Loop, name: str, following: Value) -> None:
        """Note what a carried name is at the end of an iteration, and after the loop."""
        table, carried = self.state.table, loop.carried[name]
        if loop.left_early:
            following = table.opaque(f"{name} in a loop that may end early")
        loop.following[name] = following
        if following is carried:
            loop.result[name] = loop.initial[name]
        else:
            carrier = Carrier(loop.identity, name)
            loop.result[name] = table.make(
                Op.RESULT, (), carrier, shape=carried.shape, dtype=carried.dtype
            )


def _changing_kinds(loop: Loop) -> frozenset[str]:
    """Names whose shape or type may not be the same in every iteration.

    The compiler refuses them in a loop at run time; an unrolled loop may do anything.
    """
    unrolled = loop.kind == "tl.static_range"
    found = set()
    for name, carried in loop.carried.items():
        following = loop.following[name]
        for before, after in (
            (carried.shape, following.shape),
            (carried.dtype, following.dtype),
        ):
            if before is not None and before != after and (unrolled or after is not None):
                found.add(name)
    return frozenset(found)


def _target_names(statement: ast.For | ast.While) -> set[str]:
    """The names that a `for` binds to the elements."""
    if isinstance(statement, ast.While):
        return set()
    return {n.id for n in walk(statement.target) if isinstance(n, ast.Name)}
