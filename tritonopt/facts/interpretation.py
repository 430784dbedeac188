"""One forward abstract interpretation over a kernel's structured control flow.

Every expression gets a value, every name its value at each statement, every
loop its carried values, and everything that touches memory or ends a block its
place in one order. Helper jit functions, of the same file or of another one that
was given with it, are interpreted where they are called. What is not understood
is an opaque value, and a call that is not understood is an effect that may do
anything.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from tritonopt.facts import language
from tritonopt.facts.effects import Effect, EffectKind, Guard, Loop
from tritonopt.facts.operations import Arguments, Operations
from tritonopt.facts.values import (
    COMPARISONS,
    Carrier,
    Value,
    ValueTable,
    broadcast_shapes,
    reachable,
)
from tritonopt.source import Kernel, Module
from tritonopt.source.names import Binding, Scope
from tritonopt.source.trees import walk

Environment = dict[str, Value]

MAX_INLINING = 6

_SHAPED_METHODS = frozenset({"reshape", "view", "permute", "trans", "broadcast_to"})
"""Methods of a tensor, not of a descriptor, that take a tuple."""

_CARRIED_DTYPES = {"int": "int32", "float": "fp32"}
"""A Python number is a tensor once a loop carries it."""

_HARMLESS_BUILTINS = frozenset({"bool", "float", "int", "isinstance", "len", "print", "str"})

_BINARY: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "shr",
}
_UNARY: Mapping[type[ast.unaryop], str] = {
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.Not: "not",
}
_COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Is: "is",
    ast.IsNot: "is not",
}


class _Returned(NamedTuple):
    """A value that a function returns, and the conditions of the function it is returned under."""

    value: Value
    guards: tuple[Guard, ...]
    in_loop: bool


@dataclass
class _Frame:
    """One function being interpreted: the kernel, or a helper called from it."""

    kernel: Kernel
    environment: Environment
    inlined_at: ast.expr | None = None
    returned: list[_Returned] = field(default_factory=list)
    guard_depth: int = 0
    loop_depth: int = 0
    parameters: frozenset[str] = frozenset()


class Interpretation:
    """The record of one kernel's interpretation; read it, do not change it.

    `values` maps every expression of the kernel's own text to its value (the
    last time it was seen), `before` every statement to the names bound where
    it starts.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.table = ValueTable()
        self.values: dict[ast.expr, Value] = {}
        self.before: dict[ast.stmt, Environment] = {}
        self.after: Environment = {}
        self.effects: list[Effect] = []
        self.loops: list[Loop] = []
        self.loads: dict[int, Effect] = {}
        """Load effects by their order, which is what a "load" value's attribute names."""
        self._clock = 0
        self._loop_stack: list[Loop] = []
        self._guards: list[Guard] = []
        self._bound_when: dict[Value, tuple[Value, bool, Value]] = {}
        """What is bound in one branch only: the condition, how it was answered, the value."""
        self._returned: list[Guard] = []
        """Of the helpers being interpreted: the conditions under which they have not returned."""
        self._call_stack: list[Kernel] = []
        self._questions = 0
        """How often the program's index, or the number of programs, was asked for so far."""
        environment: Environment = {}
        for parameter in kernel.parameters:
            environment[parameter.name] = self.table.make(
                "constexpr" if parameter.constexpr else "param", (), parameter.name
            )
        self._frame = _Frame(kernel, environment, parameters=frozenset(environment))
        self._block(kernel.node.body)
        self.after = self._frame.environment

    @cached_property
    def computed(self) -> tuple[Value, ...]:
        """Every value that the kernel computes, helpers included, each once."""
        return tuple(reachable(self._roots()))

    def _roots(self) -> Iterator[Value]:
        yield from self.values.values()
        for effect in self.effects:
            yield from (v for v in (effect.pointer, effect.mask, effect.other, effect.stored) if v)
        for loop in self.loops:
            yield from (v for v in (loop.start, loop.stop, loop.step) if v)
            yield from loop.initial.values()
            yield from loop.following.values()

    # Statements

    def _block(self, statements: Sequence[ast.stmt]) -> bool:
        """Interpret in order; True when the block always leaves (return, break, continue)."""
        for statement in statements:
            if self._frame.inlined_at is None:
                self.before[statement] = dict(self._frame.environment)
            if self._statement(statement):
                return True
        return False

    def _statement(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Assign(targets=targets, value=value):
                result = self._expression(value)
                for target in targets:
                    self._bind(target, result)
            case ast.AugAssign(target=target, op=op, value=value):
                left = self._expression(target)
                right = self._expression(value)
                self._bind(target, self._binary(op, left, right))
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self._bind(target, self._expression(value))
            case ast.Expr(value=value):
                self._expression(value)
            case ast.For():
                self._for(statement)
            case ast.While():
                self._while(statement)
            case ast.If():
                return self._if(statement)
            case ast.Return(value=value):
                result = self._expression(value) if value else self.table.constant(None)
                frame = self._frame
                certain = frame.guard_depth == 0 and frame.loop_depth == 0
                guards = tuple(self._guards[len(self._guards) - frame.guard_depth :])
                frame.returned.append(_Returned(result, guards, frame.loop_depth > 0))
                self._leave_early(frame.loop_depth)
                if frame.inlined_at is not None and not certain:
                    self._note_return(statement)
                if frame.inlined_at is None and not (certain and statement is self._last_statement):
                    self._effect(EffectKind.EXIT, statement, "return")
                return True
            case ast.Break() | ast.Continue():
                name = "break" if isinstance(statement, ast.Break) else "continue"
                self._effect(EffectKind.EXIT, statement, name)
                self._leave_early(1)
                return True
            case ast.Raise():
                # Where it compiles, the condition above it is known to be false.
                self._effect(EffectKind.EXIT, statement, "raise")
                self._leave_early(len(self._loop_stack))
                return True
            case ast.Assert(test=test):
                self._expression(test)
                self._effect(EffectKind.PRINT, statement, "assert")
            case ast.Import() | ast.ImportFrom():
                for alias in statement.names:
                    self._frame.environment.pop(alias.asname or alias.name.partition(".")[0], None)
            case ast.Pass() | ast.Global() | ast.Nonlocal():
                pass
            case _:
                self._unknown_statement(statement)
        return False

    def _note_return(self, statement: ast.Return) -> None:
        """A helper may have returned: what it does afterwards, it does in some cases only."""
        frame = self._frame
        if not frame.guard_depth:
            self._effect(EffectKind.EXIT, statement, "return")
            return
        guard = self._guards[-1]
        if frame.guard_depth == 1 and frame.loop_depth == 0:
            self._returned.append(Guard(guard.condition, not guard.holds, guard.node))
        else:
            why = self.table.opaque("a helper may have returned", shape=())
            self._returned.append(Guard(why, False, guard.node))

    def _leave_early(self, loops: int) -> None:
        """The innermost loops, of the function that is interpreted, may end before their end."""
        for loop in self._loop_stack[len(self._loop_stack) - loops :]:
            loop.left_early = True

    @property
    def _last_statement(self) -> ast.stmt:
        return self.kernel.node.body[-1]

    def _unknown_statement(self, statement: ast.stmt) -> None:
        self._effect(EffectKind.CALL, statement, type(statement).__name__.lower())
        for name in _assigned_names([statement]):
            self._frame.environment[name] = self.table.opaque("bound by a statement not understood")

    def _unknown_expression(self, node: ast.expr) -> None:
        if any(isinstance(inner, ast.Call) for inner in walk(node)):
            self._effect(EffectKind.CALL, node, type(node).__name__.lower())
        for inner in walk(node):
            if isinstance(inner, ast.NamedExpr):
                why = "bound in an expression not understood"
                self._frame.environment[inner.target.id] = self.table.opaque(why)

    def _bind(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                if value.op == "tuple" and self._elements_change:
                    value = self.table.opaque("a tuple whose elements may be replaced")
                self._frame.environment[name] = value
                self._record(target, value)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                known = value.op == "tuple" and len(value.operands) == len(elements)
                for i, element in enumerate(elements):
                    part = value.operands[i] if known else self._part(value, i)
                    self._bind(element, part)
            case _:
                # To an attribute or an element: not something a kernel can do to a tensor.
                self._effect(EffectKind.CALL, target, "assignment")

    @cached_property
    def _elements_change(self) -> bool:
        """Whether jit code of the file replaces elements, `t[0] = x`, maybe by another name."""
        return _replaces_elements(self.kernel.module.kernels)

    def _part(self, value: Value, index: int) -> Value:
        if value.op == "opaque":
            return self.table.opaque("part of a value not understood")
        shape = Operations.shape_of_part(value)
        return self.table.make("part", (value,), index, shape=shape)

    def _if(self, statement: ast.If) -> bool:
        condition = self._expression(statement.test)
        before = self._frame.environment
        left_then = self._guarded(condition, True, statement, before)
        then = self._frame.environment
        left_else = self._guarded(condition, False, statement, before)
        other = self._frame.environment
        if left_then and left_else:
            return True
        if left_then:
            self._frame.environment = other
        elif left_else:
            self._frame.environment = then
        else:
            self._frame.environment = self._merge(condition, then, other)
        return False

    def _guarded(self, condition: Value, holds: bool, node: ast.If, before: Environment) -> bool:
        """Interpret one branch, from the names that are bound before it."""
        self._guards.append(Guard(condition, holds, node))
        self._frame.guard_depth += 1
        known = self.refined(before, self._guards)
        self._frame.environment = dict(known)
        left = self._block(node.body if holds else node.orelse)
        after = self._frame.environment
        for name, value in before.items():
            if after.get(name) is known[name]:
                after[name] = value
        self._frame.guard_depth -= 1
        self._guards.pop()
        return left

    def refined(self, environment: Environment, guards: Iterable[Guard]) -> Environment:
        """The names that are bound where these conditions hold.

        A name that is bound in one branch only has no value behind it, but where the same is
        asked again and answered alike it has that of the branch.
        """
        answers = {(guard.condition, guard.holds) for guard in guards}

        def meant(value: Value) -> Value:
            bound = self._bound_when.get(value)
            while bound is not None and bound[:2] in answers:
                value = bound[2]
                bound = self._bound_when.get(value)
            return value

        return {name: meant(value) for name, value in environment.items()}

    def _side(self, condition: Value, holds: bool, node: ast.IfExp) -> Value:
        """One side of `a if condition else b`; what it loads is loaded in that case only."""
        self._guards.append(Guard(condition, holds, node))
        value = self._expression(node.body if holds else node.orelse)
        self._guards.pop()
        return value

    def _merge(self, condition: Value, then: Environment, other: Environment) -> Environment:
        merged: Environment = {}
        for name in {**then, **other}:
            a, b = then.get(name), other.get(name)
            if a is None or b is None:
                bound, holds = (a, True) if a is not None else (b, False)
                assert bound is not None
                merged[name] = self._bound_in(condition, name, then=a, other=b)
                self._bound_when[merged[name]] = (condition, holds, bound)
            elif a is b:
                merged[name] = a
            else:
                merged[name] = self._choice(condition, a, b)
        return merged

    def _bound_in(
        self, condition: Value, name: str, *, then: Value | None, other: Value | None
    ) -> Value:
        """A name that one branch binds: who reads it afterwards came through that branch.

        Where the condition is not known to the compiler, or false, there is no such name.
        """
        value = then or other
        assert value is not None
        if self._is_bound_outside(name):
            return self.table.opaque(f"{name} is bound in one branch only")
        branch = (condition.serial, then is not None)
        return self.table.make("in_branch", (value,), branch, shape=value.shape, dtype=value.dtype)

    def _is_bound_outside(self, name: str) -> bool:
        """Whether a name of the function is one of its module too: the compiler would read that."""
        scope = self._frame.kernel.module.names.scopes[self._frame.kernel.node].parent
        return scope is not None and scope.find(name) is not None

    def _choice(self, condition: Value, a: Value, b: Value) -> Value:
        if a is b:
            return a
        if a.op == b.op == "tuple" and len(a.operands) == len(b.operands):
            parts = zip(a.operands, b.operands, strict=True)
            chosen = [self._choice(condition, one, other) for one, other in parts]
            return self.table.make("tuple", chosen, shape=None)
        shape = a.shape if a.shape == b.shape else None
        dtype = a.dtype if a.dtype == b.dtype else None
        return self.table.make("phi", (condition, a, b), shape=shape, dtype=dtype)

    # Loops

    def _for(self, statement: ast.For) -> None:
        kind, bounds = self._range(statement.iter)
        loop = self._open_loop(statement, kind)
        table = self.table
        if bounds is not None:
            loop.start, loop.stop, loop.step = bounds
            trip = table.make("trip", (), loop.identity, dtype="int32")
            loop.trip = trip
            scaled = (
                trip if loop.step.constant == 1 else table.elementwise("mul", (trip, loop.step))
            )
            starts_at_zero = loop.start.constant == 0
            loop.induction = (
                scaled if starts_at_zero else table.elementwise("add", (loop.start, scaled))
            )
        else:
            loop.induction = table.opaque("element of an iterable", shape=())
        self._run(loop, statement, statement.target)

    def _while(self, statement: ast.While) -> None:
        loop = self._open_loop(statement, "while")
        self._run(loop, statement, None)

    def _range(self, iterable: ast.expr) -> tuple[str, tuple[Value, Value, Value] | None]:
        """The kind of loop and its (start, stop, step), evaluated before the loop."""
        if not isinstance(iterable, ast.Call):
            self._expression(iterable)
            return "other", None
        name = self._dotted(iterable.func)
        arguments = [self._expression(a) for a in iterable.args]
        keywords = {k.arg: self._expression(k.value) for k in iterable.keywords}
        spread = None in keywords or any(isinstance(a, ast.Starred) for a in iterable.args)
        if name not in language.LOOP_CALLS or spread:
            self._effect(EffectKind.CALL, iterable, name or ast.unparse(iterable.func))
            return "other", None
        kind = "range" if name == "range" else "tl." + name.rsplit(".", 1)[1]
        for position, keyword in enumerate(("arg1", "arg2", "step")):
            if keyword in keywords and len(arguments) == position:
                arguments.append(keywords[keyword])
        zero, one = self.table.constant(0), self.table.constant(1)
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

    def _open_loop(self, node: ast.For | ast.While, kind: str) -> Loop:
        parent = self._loop_stack[-1] if self._loop_stack else None
        inlined = self._frame.inlined_at is not None
        loop = Loop(len(self.loops), node, parent, inlined, kind)
        self.loops.append(loop)
        self._clock += 1
        loop.first = self._clock
        return loop

    def _run(self, loop: Loop, statement: ast.For | ast.While, target: ast.expr | None) -> None:
        """Interpret one iteration that stands for all of them."""
        environment = dict(self._frame.environment)
        clock, effects, loops = self._clock, len(self.effects), len(self.loops)
        self._iterate(loop, statement, target, frozenset())
        changing = self._changing_kinds(loop)
        if changing:
            # Once more, now that these are known not to keep the shape and type they start with.
            self._frame.environment = environment
            self._forget(clock, effects, loops)
            self._iterate(loop, statement, target, changing)
        if statement.orelse and loop.left_early:
            self._unknown_statement(statement)
        else:
            self._block(statement.orelse)

    def _changing_kinds(self, loop: Loop) -> frozenset[str]:
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

    def _iterate(
        self,
        loop: Loop,
        statement: ast.For | ast.While,
        target: ast.expr | None,
        changing: frozenset[str],
    ) -> None:
        frame = self._frame
        self._carry(loop, statement, target, changing)
        known = set(frame.environment)
        self._enter(loop)
        frame.loop_depth += 1
        if isinstance(statement, ast.While):
            loop.condition = self._expression(statement.test)
        if target is not None:
            assert loop.induction is not None
            self._bind(target, loop.induction)
        self._block(statement.body)
        frame.loop_depth -= 1
        self._leave()
        self._clock += 1
        loop.last = self._clock
        after = frame.environment
        for name, carried in loop.carried.items():
            following = after.get(name, carried)
            if loop.left_early:
                following = self.table.opaque(f"{name} in a loop that may end early")
            loop.following[name] = following
            if following is carried:
                loop.result[name] = loop.initial[name]
            else:
                loop.result[name] = self.table.make(
                    "result",
                    (),
                    Carrier(loop.identity, name),
                    shape=carried.shape,
                    dtype=carried.dtype,
                )
            after[name] = loop.result[name]
        for name in set(after) - known:
            # Triton does not let a name that is first bound in a loop out of it.
            del after[name]
        if target is not None:
            for name in _target_names(target):
                after[name] = self.table.opaque(f"{name} after its loop", shape=())

    def _carry(
        self,
        loop: Loop,
        statement: ast.For | ast.While,
        target: ast.expr | None,
        changing: frozenset[str],
    ) -> None:
        """Give the names that an iteration binds again the values of an unknown iteration."""
        environment = self._frame.environment
        targets = _target_names(target) if target else set()
        bound = _assigned_names(statement.body)
        if isinstance(statement, ast.While):
            bound |= _assigned_names([ast.Expr(statement.test)])
        for name in sorted(bound - targets):
            if name in environment:
                initial = environment[name]
                same = name not in changing
                loop.initial[name] = initial
                loop.carried[name] = self.table.make(
                    "carried",
                    (),
                    Carrier(loop.identity, name),
                    shape=initial.shape if same else None,
                    dtype=_CARRIED_DTYPES.get(initial.dtype or "", initial.dtype) if same else None,
                )
                environment[name] = loop.carried[name]

    def _enter(self, loop: Loop) -> None:
        self._loop_stack.append(loop)
        self.table.inside = tuple(around.identity for around in self._loop_stack)

    def _leave(self) -> None:
        self._loop_stack.pop()
        self.table.inside = tuple(around.identity for around in self._loop_stack)

    def made_in(self, value: Value, same: frozenset[int] = frozenset()) -> tuple[int, ...]:
        """The loops that a value may differ between iterations of, by identity.

        `same` are loads that are known to read the same element whenever they run.
        """
        found: set[int] = set()
        for part in value.walk():
            match part.op:
                case "trip":
                    found.add(part.number)
                case "carried" | "result":
                    nest = self.loops[part.carrier.loop].nest
                    found.update(a.identity for a in (nest if part.op == "carried" else nest[:-1]))
                case "load" if part.number not in same:
                    effect = self.loads[part.number]
                    found.update(around.identity for around in effect.loops)
                case "opaque":
                    assert isinstance(part.attribute, tuple)
                    found.update(part.attribute[2])
        return tuple(sorted(found))

    # Effects

    def _effect(
        self,
        kind: EffectKind,
        node: ast.AST,
        name: str,
        *,
        pointer: Value | None = None,
        mask: Value | None = None,
        other: Value | None = None,
        stored: Value | None = None,
        volatile: bool = False,
        loads: bool = False,
    ) -> Effect:
        self._clock += 1
        inlined_at = self._frame.inlined_at
        loaded = None
        if loads:
            nothing = self.table.constant(None)
            shapes = [v.shape for v in (pointer, mask) if v is not None]
            loaded = self.table.make(
                "load",
                (pointer or nothing, mask or nothing, other or nothing),
                self._clock,
                shape=None
                if pointer is None or pointer.op == "block_pointer"
                else broadcast_shapes(shapes),
            )
        effect = Effect(
            kind,
            self._clock,
            inlined_at if inlined_at is not None else node,
            name,
            tuple(self._loop_stack),
            (*self._guards, *self._returned),
            pointer,
            mask,
            other,
            stored,
            loaded,
            volatile,
            inlined_at is not None,
        )
        self.effects.append(effect)
        if loaded is not None:
            self.loads[effect.order] = effect
        return effect

    # Expressions

    def _record(self, node: ast.expr, value: Value) -> None:
        if self._frame.inlined_at is None:
            self.values[node] = value

    def _expression(self, node: ast.expr) -> Value:
        value = self._evaluate(node)
        self._record(node, value)
        return value

    def _dotted(self, node: ast.expr) -> str:
        """The imported or builtin name that an expression stands for; "" for anything else."""
        module = self._frame.kernel.module
        return module.resolve(node) or module.builtin(node)

    def _scope(self, node: ast.Name) -> Scope:
        names = self._frame.kernel.module.names
        # `x += 1` reads what it binds, which is a name of the function itself.
        return names.scope_of.get(node) or names.scopes[self._frame.kernel.node]

    def _bound_outside(self, node: ast.Name) -> Binding:
        """What a name that the function does not bind is bound to, if it is bound just once."""
        home = self._scope(node).find(node.id)
        if home is None or home.node is self._frame.kernel.node:
            return None
        bindings = home.bindings[node.id]
        return bindings[0] if len(bindings) == 1 else None

    def _evaluate(self, node: ast.expr) -> Value:
        table = self.table
        match node:
            case ast.Constant(value=value):
                if isinstance(value, (bool, int, float, str)) or value is None:
                    return table.constant(value)
                return table.opaque("constant of another kind")
            case ast.Name():
                return self._name(node, node.id)
            case ast.Attribute():
                return self._attribute(node)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self._expression(left), self._expression(right))
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(op, self._expression(operand))
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._compare(left, ops, comparators)
            case ast.BoolOp(op=op, values=values):
                parts = [self._expression(v) for v in values]
                result = parts[0]
                name = "both" if isinstance(op, ast.And) else "either"
                for part in parts[1:]:
                    result = table.make(
                        name, (result, part), shape=broadcast_shapes([result.shape, part.shape])
                    )
                return result
            case ast.IfExp(test=test):
                condition = self._expression(test)
                then = self._side(condition, True, node)
                return self._choice(condition, then, self._side(condition, False, node))
            case ast.NamedExpr(target=target, value=inner):
                result = self._expression(inner)
                self._bind(target, result)
                return result
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                # Its names are its own, and it may run any number of times.
                self._unknown_expression(node)
                return table.opaque("comprehension")
            case ast.Lambda():
                return table.opaque("lambda")
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return table.make("tuple", [self._expression(e) for e in elements], shape=None)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Call():
                return self._call(node)
            case ast.JoinedStr():
                return table.opaque("formatted string")
        # Whatever stands inside may have effects; the value itself is not understood.
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child)
        return table.opaque(f"{type(node).__name__} is not understood")

    def _name(self, node: ast.Name, name: str) -> Value:
        known = self._frame.environment.get(name)
        if known is not None:
            return self._as_guarded(known)
        dtype = self._dtype_named(self._dotted(node))
        if dtype is not None:
            return dtype
        home = self._scope(node).find(name)
        if home is not None and home.node is self._frame.kernel.node:
            return self.table.opaque(f"{name} is not bound on every way to here")
        if home is not None and home.parent is not None:
            # Two functions around helpers may each have a name of their own that is spelled so.
            line = getattr(home.node, "lineno", 0)
            outer = self._constant_outside(node)
            return outer or self._global(f"{name} of line {line}")
        # A global that a kernel may read is a constexpr, so it is the same at each use.
        return self._constant_outside(node) or self._global(name)

    def _global(self, name: str) -> Value:
        """A global that is not known; a helper's from another file is not the kernel's."""
        module = self._frame.kernel.module
        if module is not self.kernel.module:
            name = f"{name} of {module.path}"
        return self.table.make("global", (), name, shape=())

    def _constant_outside(self, node: ast.Name | ast.Attribute) -> Value | None:
        """The value of a constant that the function does not bind itself."""
        module = self._frame.kernel.module
        binding = self._bound_outside(node) if isinstance(node, ast.Name) else None
        if isinstance(binding, ast.AST):
            assert isinstance(node, ast.Name)
            return None if module.is_replaced(node.id) else self._outer_constant(binding, module)
        found = None if self._is_local(node) else module.bound_elsewhere(node)
        return None if found is None else self._outer_constant(found[1], found[0])

    def _as_guarded(self, value: Value) -> Value:
        """What a name stands for under the conditions that are known to hold here.

        `if FLAG: p = X` `else: p = Y`, and later `if FLAG: tl.load(p)`.
        """
        while value.op in ("phi", "in_branch") and self._guards:
            condition = value.operands[0].serial if value.op == "phi" else _branch(value)[0]
            holds = next((g.holds for g in self._guards if g.condition.serial == condition), None)
            if holds is None:
                break
            if value.op == "phi":
                value = value.operands[1 if holds else 2]
            elif holds == _branch(value)[1]:
                value = value.operands[0]
            else:
                break
        return value

    def _outer_constant(self, binding: Binding, module: Module) -> Value | None:
        """The value of `EPS = 1e-5` or `BLOCK = tl.constexpr(64)` outside of the kernel."""
        match binding:
            case ast.Call(func=function, args=[argument], keywords=[]):
                if module.resolve(function) == "triton.language.constexpr":
                    binding = argument
        negative = isinstance(binding, ast.UnaryOp) and isinstance(binding.op, ast.USub)
        if negative and isinstance(binding, ast.UnaryOp):
            binding = binding.operand
        match binding:
            case ast.Constant(value=value):
                pass
            case ast.Call(func=function, args=[ast.Constant(value=text)], keywords=[]):
                value = _float_of(text) if module.builtin(function) == "float" else None
            case _:
                return None
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return self.table.constant(-value if negative else value)
        return self.table.constant(value) if isinstance(value, (bool, str)) else None

    def _dtype_named(self, dotted: str) -> Value | None:
        name = language.DTYPES.get(language.function(dotted))
        return None if name is None else self.table.make("dtype", (), name)

    def _attribute(self, node: ast.Attribute) -> Value:
        dotted = self._dotted(node)
        if dotted:
            dtype = self._dtype_named(dotted)
            if dtype is not None:
                return dtype
            constant = self._constant_outside(node)
            if constant is not None:
                return constant
            if dotted.startswith("."):  # which depends on the file
                return self._global(dotted)
            return self.table.make("global", (), dotted, shape=())
        value = self._expression(node.value)
        if node.attr == "T":
            shape = None if value.shape is None else tuple(reversed(value.shape))
            return self.table.make("reshaped", (value,), "T", shape=shape, dtype=value.dtype)
        if node.attr == "shape" and value.shape:
            return self.table.make("tuple", value.shape, shape=None)
        if node.attr == "dtype" and value.dtype not in (None, "int", "float"):
            return self.table.make("dtype", (), value.dtype)
        if node.attr == "value" and value.op in ("constexpr", "const"):
            return value
        if value.op == "opaque":
            return self.table.opaque("attribute of a value not understood")
        return self.table.make("attribute", (value,), node.attr)

    def _binary(self, op: ast.operator, left: Value, right: Value) -> Value:
        name = _BINARY.get(type(op))
        if name is None:
            # `@` is the only other: a matrix product, pure.
            return self.table.make("reshaped", (left, right), "matmul", shape=None)
        a, b = left.constant, right.constant
        if isinstance(a, int) and isinstance(b, int) and name in ("add", "sub", "mul"):
            return self.table.constant({"add": a + b, "sub": a - b, "mul": a * b}[name])
        return self.table.elementwise(name, (left, right))

    def _unary(self, op: ast.unaryop, operand: Value) -> Value:
        constant = operand.constant
        if isinstance(op, ast.USub) and type(constant) in (int, float):
            return self.table.constant(-constant)  # type: ignore[operator]
        name = _UNARY[type(op)]
        dtype = "bool" if name == "not" else operand.dtype
        return self.table.elementwise(name, (operand,), dtype=dtype)

    def _compare(
        self, left: ast.expr, ops: Sequence[ast.cmpop], comparators: Sequence[ast.expr]
    ) -> Value:
        result: Value | None = None
        before = self._expression(left)
        for op, node in zip(ops, comparators, strict=True):
            after = self._expression(node)
            name = _COMPARE.get(type(op))
            if name in COMPARISONS:
                assert name is not None
                part = self.table.elementwise(name, (before, after))
            elif name is not None:
                part = self.table.make(name, (before, after), dtype="bool")
            else:
                part = self.table.opaque("membership test", shape=())
            if result is None:
                result = part
            else:
                shape = broadcast_shapes([result.shape, part.shape])
                result = self.table.make("both", (result, part), shape=shape, dtype="bool")
            before = after
        assert result is not None
        return result

    def _subscript(self, node: ast.Subscript) -> Value:
        value = self._expression(node.value)
        index = node.slice
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        pattern = _inserted_axes(parts, value.rank)
        if pattern is not None:
            return self.table.insert_axes(value, pattern)
        position = self._expression(index)
        place = position.constant
        if value.op == "tuple" and isinstance(place, int):
            if -len(value.operands) <= place < len(value.operands):
                return value.operands[place]
            return self.table.opaque("element that is not there")
        if value.op == "opaque" or self._elements_change:
            return self.table.opaque("element of a value not understood")
        return self.table.make("element", (value, position), shape=None)

    # Calls

    def _call(self, node: ast.Call) -> Value:
        dotted = self._dotted(node.func)
        name = language.function(dotted)
        if not dotted and isinstance(node.func, ast.Attribute):
            root = self._expression(node.func.value)
            if root.op != "global":
                return self._method(node, root, node.func.attr)
        positional = [self._expression(a) for a in node.args if not isinstance(a, ast.Starred)]
        keywords = {k.arg: self._expression(k.value) for k in node.keywords if k.arg is not None}
        spread = len(positional) != len(node.args) or any(k.arg is None for k in node.keywords)
        if spread:
            for argument in node.args:
                if isinstance(argument, ast.Starred):
                    self._expression(argument.value)
            return self._unknown_call(node, dotted)
        if dotted in language.CEILING_DIVISIONS and len(positional) == 2:
            return self.table.elementwise("elementwise", positional, "cdiv", dtype="int32")
        if name and language.is_compile_time(dotted) and not keywords:
            return self._compile_time_call(dotted, positional)
        if name:
            return self._language_call(node, name, Arguments(positional, keywords))
        helper = self._helper(node.func)
        if helper is not None:
            return self._inline(node, helper, positional, keywords)
        chosen = self._one_of_several(node, positional, keywords)
        if chosen is not None:
            return chosen
        if self._is_compile_time_function(node.func):
            name = ast.unparse(node.func)
            given = [*positional, *keywords.values()]
            return self.table.make("elementwise", given, (f"python.{name}", tuple(keywords)))
        if dotted in ("min", "max") and len(positional) == 2:
            return self.table.elementwise("minimum" if dotted == "min" else "maximum", positional)
        if dotted == "float" and len(positional) == 1:
            number = _float_of(positional[0].constant)
            if number is not None:
                return self.table.constant(number)
        if language.is_compile_time(dotted) and not keywords:
            return self._compile_time_call(dotted, positional)
        if dotted in _HARMLESS_BUILTINS:
            return self.table.opaque(f"{dotted}()", shape=())
        return self._unknown_call(node, dotted)

    def _compile_time_call(self, dotted: str, arguments: Sequence[Value]) -> Value:
        """What a function that only the compiler runs makes of what the compiler knows."""
        (only,) = arguments if len(arguments) == 1 else (None,)
        if only is not None and dotted == "int" and type(only.constant) in (bool, int, float):
            number = only.constant
            if math.isfinite(number):  # type: ignore[arg-type]
                return self.table.constant(int(number))  # type: ignore[call-overload]
        if only is not None and dotted == "len" and only.op == "tuple":
            return self.table.constant(len(only.operands))
        return self.table.make("elementwise", arguments, f"python.{dotted}")

    def _is_compile_time_function(self, function: ast.expr) -> bool:
        """Whether a function of the file is one that only the compiler runs."""
        if not isinstance(function, ast.Name):
            return False
        match self._bound_outside(function):
            case ast.FunctionDef(decorator_list=[decorator]):
                return self._dotted(decorator) in language.COMPILE_TIME_DECORATORS
        return False

    def _unknown_call(self, node: ast.Call, dotted: str) -> Value:
        self._effect(EffectKind.CALL, node, dotted or ast.unparse(node.func))
        return self.table.opaque("result of a call not understood")

    def _method(self, node: ast.Call, receiver: Value, method: str) -> Value:
        """`x.to(tl.float32)` is `tl.cast(x, tl.float32)`, `x.sum(0)` is `tl.sum(x, 0)`, ..."""
        spread = any(isinstance(a, ast.Starred) for a in node.args)
        if spread or any(k.arg is None for k in node.keywords):
            return self._unknown_call(node, "")
        positional = [receiver, *(self._expression(a) for a in node.args)]
        if len(positional) > 1 and positional[1].op == "tuple" and method not in _SHAPED_METHODS:
            return self._descriptor_method(node, receiver, method, positional[2:])
        keywords = {k.arg: self._expression(k.value) for k in node.keywords if k.arg is not None}
        if language.is_question_of_type(method) and not keywords:
            return self.table.make("attribute", positional, f"{method}()")
        if not language.is_method(method):
            return self._unknown_call(node, "")
        if method == "gather" and not receiver.rank:
            # Of a tile it is pure; a descriptor reads the rows that are asked for.
            return self._descriptor_load(node, receiver, method)
        name = {"to": "cast"}.get(method, method)
        return self._language_call(node, name, Arguments(positional, keywords))

    def _descriptor_method(
        self, node: ast.Call, receiver: Value, method: str, values: Sequence[Value]
    ) -> Value:
        """`descriptor.load([i, j])` and its kin: a block somewhere in the descriptor's buffer."""
        keywords = {k.arg: self._expression(k.value) for k in node.keywords}
        stored = values[0] if values else keywords.get("value")
        if method == "load" and not values:
            return self._descriptor_load(node, receiver, method)
        if stored is not None and (method == "store" or method in language.ATOMICS):
            return self._descriptor_store(node, receiver, method, stored)
        return self._unknown_call(node, "")

    def _descriptor_store(
        self, node: ast.Call, receiver: Value, method: str, stored: Value
    ) -> Value:
        block = self.table.make("block_pointer", (receiver,), "descriptor", shape=None)
        kind = EffectKind.STORE if method == "store" else EffectKind.ATOMIC
        self._effect(kind, node, method, pointer=block, stored=stored)
        return self.table.constant(None)

    def _descriptor_load(self, node: ast.Call, receiver: Value, method: str) -> Value:
        block = self.table.make("block_pointer", (receiver,), "descriptor", shape=None)
        effect = self._effect(EffectKind.LOAD, node, method, pointer=block, loads=True)
        assert effect.loaded is not None
        return effect.loaded

    def _helper(self, function: ast.expr) -> Kernel | None:
        helper = self._jit_function(function)
        return helper if helper is not None and self._may_inline(helper) else None

    def _may_inline(self, helper: Kernel) -> bool:
        if len(self._call_stack) >= MAX_INLINING or helper in self._call_stack:
            return False
        return helper is not self.kernel and helper.is_called_as_written

    def _jit_function(self, function: ast.expr) -> Kernel | None:
        """The jit function that an expression surely stands for."""
        module = self._frame.kernel.module
        if isinstance(function, ast.Name):
            binding = self._bound_outside(function)
            helper = next((k for k in module.kernels if k.node is binding), None)
            if helper is not None:
                return None if module.is_replaced(function.id) else helper
        found = None if self._is_local(function) else module.jit_function_elsewhere(function)
        # Of other files it is not known how they treat tuples, unless they leave them alone.
        return None if found is None or _replaces_elements(found.module.kernels) else found

    def _is_local(self, expression: ast.expr) -> bool:
        """Whether a dotted name begins with a name of the function that is interpreted."""
        while isinstance(expression, ast.Attribute):
            expression = expression.value
        if not isinstance(expression, ast.Name):
            return False
        home = self._scope(expression).find(expression.id)
        return home is not None and home.node is self._frame.kernel.node

    def _one_of_several(
        self, node: ast.Call, positional: list[Value], keywords: dict[str, Value]
    ) -> Value | None:
        """What a call of one of several functions returns; None where any may do more than compute.

        It is the result of none of them: only what it is computed from is known of it.
        """
        if not isinstance(node.func, (ast.Name, ast.Attribute)) or self._is_local(node.func):
            return None
        callees = self._frame.kernel.module.alternative_callees(node.func)
        results = [self._only_computed(node, callee, positional, keywords) for callee in callees]
        if not results or any(result is None for result in results):
            return None
        shapes = {result.shape for result in results if result is not None}
        shape = shapes.pop() if len(shapes) == 1 else None
        # Like no other value, but one that shows which loads and loops it depends on.
        number = self.table.opaque("one of several functions").serial
        given = [*positional, *keywords.values()]
        return self.table.make("one_of", given, number, shape=shape)

    def _only_computed(
        self,
        node: ast.Call,
        callee: Kernel | str,
        positional: Sequence[Value],
        keywords: Mapping[str, Value],
    ) -> Value | None:
        """What a function makes of its arguments; None where it has an effect or asks for more.

        The record is left as it was. Of the arguments it is given the shapes alone.
        """
        given = [self._of_shape(value) for value in positional]
        named = {name: self._of_shape(value) for name, value in keywords.items()}
        clock, effects, loops = self._clock, len(self.effects), len(self.loops)
        questions = self._questions
        if isinstance(callee, Kernel):
            if not self._may_inline(callee):
                return None
            result = self._inline(node, callee, given, named)
        else:
            name = language.function(callee)
            if not language.is_lane_by_lane(name) or len(given) != 1 or named:
                return None
            result = self._language_call(node, name, Arguments(given, named))
        pure = len(self.effects) == effects and len(self.loops) == loops
        pure = pure and self._questions == questions
        self._forget(clock, effects, loops)
        plain = not result.is_none and result.op not in ("tuple", "dtype", "block_pointer")
        return result if pure and plain else None

    def _of_shape(self, value: Value) -> Value:
        return self.table.opaque("an argument of one of several functions", shape=value.shape)

    def _forget(self, clock: int, effects: int, loops: int) -> None:
        """Take back what was noted since then."""
        self._clock = clock
        del self.effects[effects:], self.loops[loops:]
        for order in [o for o in self.loads if o > clock]:
            del self.loads[order]

    def _inline(
        self, node: ast.Call, helper: Kernel, positional: list[Value], keywords: dict[str, Value]
    ) -> Value:
        environment: Environment = {}
        if len(positional) > len(helper.parameters):
            return self._unknown_call(node, helper.name)
        for parameter, value in zip(helper.parameters, positional, strict=False):
            environment[parameter.name] = value
        for name, value in keywords.items():
            environment[name] = value
        caller = self._frame
        # Defaults are evaluated where the helper is defined: they do not see its parameters.
        self._frame = _Frame(helper, {}, caller.inlined_at or node)
        self._call_stack.append(helper)
        for parameter in helper.parameters:
            if parameter.name not in environment:
                if parameter.default is None:
                    environment[parameter.name] = self.table.opaque("missing argument")
                else:
                    environment[parameter.name] = self._expression(parameter.default)
        frame = _Frame(helper, environment, caller.inlined_at or node)
        frame.parameters = frozenset(environment)
        self._frame = frame
        returned = len(self._returned)
        left = self._block(helper.node.body)
        del self._returned[returned:]
        self._call_stack.pop()
        self._frame = caller
        if any(way.in_loop for way in frame.returned):
            return self.table.opaque(f"{helper.name} returns from a loop")
        ways = list(frame.returned)
        # Who comes to the last `return` has passed all others by.
        result = ways.pop().value if left else self.table.constant(None)
        for way in reversed(ways):
            chosen = way.value
            for guard in reversed(way.guards):
                sides = (chosen, result) if guard.holds else (result, chosen)
                chosen = self._choice(guard.condition, *sides)
            result = chosen
        return result

    def _language_call(self, node: ast.Call, name: str, arguments: Arguments) -> Value:
        """What touches memory, or has an order, is an effect; all else is a matter of values."""
        get = arguments.get
        self._questions += name in ("program_id", "num_programs")
        match name:
            case "load":
                effect = self._effect(
                    EffectKind.LOAD,
                    node,
                    name,
                    pointer=get(0, "pointer"),
                    mask=get(1, "mask"),
                    other=get(2, "other"),
                    volatile=_is_volatile(get(7, "volatile"), get(5, "cache_modifier")),
                    loads=True,
                )
                assert effect.loaded is not None
                return effect.loaded
            case "store":
                self._effect(
                    EffectKind.STORE,
                    node,
                    name,
                    pointer=get(0, "pointer"),
                    mask=get(2, "mask"),
                    stored=get(1, "value"),
                )
                return self.table.constant(None)
        if name in language.ATOMICS:
            effect = self._effect(
                EffectKind.ATOMIC,
                node,
                name,
                pointer=get(0, "pointer"),
                mask=arguments.keywords.get("mask"),
                stored=get(1, "val"),
            )
            return self.table.opaque(f"result of the atomic in line {effect.line}")
        if name in language.BARRIERS | language.GRID_ORDER:
            self._effect(EffectKind.BARRIER, node, name)
            return self.table.constant(None)
        descriptor = get(0, "desc") or get(0, "desc_pointer")
        if descriptor is not None and name in language.DESCRIPTOR_LOADS:
            return self._descriptor_load(node, descriptor, "load")
        stored = get(*language.DESCRIPTOR_STORES.get(name, (0, "")))
        if descriptor is not None and stored is not None and name in language.DESCRIPTOR_STORES:
            return self._descriptor_store(node, descriptor, "store", stored)
        if name in language.SOURCE_CHANGING_CALLS:
            self._effect(EffectKind.PRINT, node, name)
            return self.table.constant(None)
        result = Operations(self.table).result(name, arguments)
        return result or self._unknown_call(node, language.LANGUAGE + name)


def _replaces_elements(kernels: Sequence[Kernel]) -> bool:
    nodes = chain.from_iterable(kernel.nodes for kernel in kernels)
    return any(isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) for n in nodes)


def _branch(value: Value) -> tuple[int, bool]:
    """Of an "in_branch" value: the condition's number, and whether it holds in the branch."""
    assert isinstance(value.attribute, tuple)
    condition, holds = value.attribute
    assert isinstance(condition, int) and isinstance(holds, bool)
    return condition, holds


def _float_of(constant: object) -> float | None:
    """What `float()` makes of a constant: `float("-inf")`."""
    if not isinstance(constant, (int, float, str)):
        return None
    try:
        return float(constant)
    except (ValueError, OverflowError):
        return None


def _is_volatile(volatile: Value | None, modifier: Value | None) -> bool:
    """Whether every such load must read memory: it says so, or ".cv" does."""
    if modifier is not None and modifier.constant == ".cv":
        return True
    return volatile is not None and volatile.constant is not False


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


def _target_names(target: ast.expr) -> set[str]:
    return {n.id for n in walk(target) if isinstance(n, ast.Name)}


def _assigned_names(statements: Sequence[ast.stmt]) -> set[str]:
    """Every name that the statements may bind, however deep."""
    names: set[str] = set()
    for statement in statements:
        for node in walk(statement):
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                    names.add(name)
                case (
                    ast.FunctionDef(name=str() as name)
                    | ast.ClassDef(name=str() as name)
                    | ast.MatchAs(name=str() as name)
                    | ast.MatchStar(name=str() as name)
                    | ast.ExceptHandler(name=str() as name)
                ):
                    names.add(name)
                case ast.alias(name=name, asname=local):
                    names.add(local or name.partition(".")[0])
    return names
