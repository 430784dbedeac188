"""What an expression of a function stands for by the names around the function."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from tritonopt.facts import language
from tritonopt.facts.effects import EffectKind
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.interpreting.pure_functions import Operations
from tritonopt.facts.interpreting.state import State
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value
from tritonopt.source import Kernel, Module
from tritonopt.source.module import own_jit_function
from tritonopt.source.names import Binding, Scope
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class Lookup:
    """Looks names up from the function that is interpreted."""

    state: State

    def dotted(self, node: ast.expr) -> str:
        """The imported or builtin name that an expression stands for; "" for anything else."""
        module = self.state.frame.kernel.module
        return module.resolve(node) or module.builtin(node)

    def _scope(self, node: ast.Name) -> Scope:
        function = self.state.frame.kernel
        names = function.module.names
        # `x += 1` reads what it binds, which is a name of the function itself.
        return names.scope_of.get(node) or names.scopes[function.node]

    def bound_outside(self, node: ast.Name) -> Binding:
        """What a name that the function does not bind is bound to, if it is bound just once."""
        home = self._scope(node).find(node.id)
        if home is None or home.node is self.state.frame.kernel.node:
            return None
        bindings = home.bindings[node.id]
        return bindings[0] if len(bindings) == 1 else None

    def is_local(self, expression: ast.expr) -> bool:
        """Whether a dotted name begins with a name of the function that is interpreted."""
        while isinstance(expression, ast.Attribute):
            expression = expression.value
        if not isinstance(expression, ast.Name):
            return False
        home = self._scope(expression).find(expression.id)
        return home is not None and home.node is self.state.frame.kernel.node

    def name(self, node: ast.Name) -> Value:
        """The value of a name that the function has not bound so far."""
        dtype = self._dtype(self.dotted(node))
        if dtype is not None:
            return dtype
        home = self._scope(node).find(node.id)
        if home is not None and home.node is self.state.frame.kernel.node:
            return self.state.table.opaque(f"{node.id} is not bound on every way to here")
        spelled = node.id
        if home is not None and home.parent is not None:
            # Two functions around helpers may each have a name of their own that is spelled so.
            spelled += f" of line {getattr(home.node, 'lineno', 0)}"
        # A global that a kernel may read is a constexpr, so it is the same at each use.
        return self._constant(node) or self._global(spelled)

    def imported(self, node: ast.Attribute, dotted: str) -> Value:
        """The value of a dotted name that does not begin with one of the function's own."""
        known = self._dtype(dotted) or self._constant(node)
        if known is not None:
            return known
        if dotted.startswith("."):  # which depends on the file
            return self._global(dotted)
        return self.state.table.make(Op.GLOBAL, (), dotted, shape=())

    def _dtype(self, dotted: str) -> Value | None:
        name = language.DTYPES.get(language.function(dotted))
        return None if name is None else self.state.table.make(Op.DTYPE, (), name)

    def _global(self, name: str) -> Value:
        """A global that is not known; a helper's from another file is not the kernel's."""
        module = self.state.frame.kernel.module
        if module is not self.state.record.kernel.module:
            name = f"{name} of {module.path}"
        return self.state.table.make(Op.GLOBAL, (), name, shape=())

    def _constant(self, node: ast.Name | ast.Attribute) -> Value | None:
        """The value of a constant that the function does not bind itself."""
        module = self.state.frame.kernel.module
        if isinstance(node, ast.Name):
            binding = self.bound_outside(node)
            if isinstance(binding, ast.AST):
                return None if module.is_replaced(node.id) else self._constant_of(binding, module)
        found = None if self.is_local(node) else module.bound_elsewhere(node)
        return None if found is None else self._constant_of(found[1], found[0])

    def _constant_of(self, binding: Binding, module: Module) -> Value | None:
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
                value = float_of(text) if module.builtin(function) == "float" else None
            case _:
                return None
        table = self.state.table
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return table.constant(-value if negative else value)
        return table.constant(value) if isinstance(value, (bool, str)) else None

    def jit_function(self, function: ast.expr) -> Kernel | None:
        """The jit function that an expression surely stands for."""
        module = self.state.frame.kernel.module
        if isinstance(function, ast.Name):
            binding = self.bound_outside(function)
            helper = next((k for k in module.kernels if k.node is binding), None)
            if helper is not None:
                return None if module.is_replaced(function.id) else helper
            if isinstance(binding, ast.Name):
                return own_jit_function(module, function.id)
        found = None if self.is_local(function) else module.jit_function_elsewhere(function)
        # Of other files it is not known how they treat tuples, unless they leave them alone.
        return None if found is None or replaces_elements(found.module.kernels) else found

    def is_compile_time_function(self, function: ast.expr) -> bool:
        """Whether a function of the file is one that only the compiler runs."""
        if not isinstance(function, ast.Name):
            return False
        match self.bound_outside(function):
            case ast.FunctionDef(decorator_list=[decorator]):
                return self.dotted(decorator) in language.COMPILE_TIME_DECORATORS
        return False


def replaces_elements(kernels: Sequence[Kernel]) -> bool:
    """Whether jit code stores to an element of anything: `t[0] = x`."""
    nodes = chain.from_iterable(kernel.nodes for kernel in kernels)
    return any(isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) for n in nodes)


def float_of(constant: object) -> float | None:
    """What `float()` makes of a constant: `float("-inf")`."""
    if not isinstance(constant, (int, float, str)):
        return None
    try:
        return float(constant)
    except (ValueError, OverflowError):
        return None


@dataclass
class Bindings:
    """Binds names, and says what they are bound to where two ways come together."""

    state: State

    def assign(self, target: ast.expr, value: Value, *, constexpr: bool = False) -> None:
        """`target = value`, which makes a tensor of a number, unless annotated."""
        self.bind(target, value)
        tensors = self.state.frame.tensors
        names = {n.id for n in walk(target) if isinstance(n, ast.Name) and type(n.ctx) is ast.Store}
        tensors.difference_update(names) if constexpr else tensors.update(names)

    def bind(self, target: ast.expr, value: Value) -> None:
        """`target = value`"""
        state = self.state
        match target:
            case ast.Name(id=name):
                if value.op is Op.TUPLE and self.elements_change:
                    value = state.table.opaque("a tuple whose elements may be replaced")
                state.frame.environment[name] = value
                state.note_value(target, value)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                known = value.op is Op.TUPLE and len(value.operands) == len(elements)
                for i, element in enumerate(elements):
                    part = value.operands[i] if known else self._part(value, i)
                    self.bind(element, part)
            case _:
                # To an attribute or an element: not something a kernel can do to a tensor.
                state.effect(EffectKind.CALL, target, "assignment")

    @cached_property
    def elements_change(self) -> bool:
        """Whether jit code of the file replaces elements, `t[0] = x`, maybe by another name."""
        return replaces_elements(self.state.record.kernel.module.kernels)

    def _part(self, value: Value, index: int) -> Value:
        table = self.state.table
        if value.op is Op.OPAQUE:
            return table.opaque("part of a value not understood")
        shape = Operations.shape_of_part(value)
        return table.make(Op.PART, (value,), index, shape=shape)

    # What is not understood

    def unknown_statement(self, statement: ast.stmt) -> None:
        """It may do anything, and bind its names to anything."""
        state = self.state
        state.effect(EffectKind.CALL, statement, type(statement).__name__.lower())
        for name in assigned_names([statement]):
            why = "bound by a statement not understood"
            state.frame.environment[name] = state.table.opaque(why)

    def unknown_expression(self, node: ast.expr) -> None:
        """It may do what its calls do, any number of times, and bind names to anything."""
        state = self.state
        if any(isinstance(inner, ast.Call) for inner in walk(node)):
            state.effect(EffectKind.CALL, node, type(node).__name__.lower())
        for inner in walk(node):
            if isinstance(inner, ast.NamedExpr):
                why = "bound in an expression not understood"
                state.frame.environment[inner.target.id] = state.table.opaque(why)

    # Where two ways come together

    def merge(self, condition: Value, then: Environment, other: Environment) -> Environment:
        """The names after an `if`, of those after either branch."""
        merged: Environment = {}
        for name in {**then, **other}:
            a, b = then.get(name), other.get(name)
            if a is None or b is None:
                bound, holds = (a, True) if a is not None else (b, False)
                assert bound is not None
                merged[name] = self._bound_in_branch(condition, holds, name, bound)
                self.state.record.bound_when[merged[name]] = (condition, holds, bound)
            elif a is b:
                merged[name] = a
            else:
                merged[name] = self.choice(condition, a, b)
        return merged

    def _bound_in_branch(self, condition: Value, holds: bool, name: str, value: Value) -> Value:
        """A name that one branch binds: who reads it afterwards came through that branch.

        Where the condition is not known to the compiler, or false, there is no such name.
        """
        table = self.state.table
        if self._is_bound_outside(name):
            return table.opaque(f"{name} is bound in one branch only")
        branch = (condition.serial, holds)
        return table.make(Op.IN_BRANCH, (value,), branch, shape=value.shape, dtype=value.dtype)

    def _is_bound_outside(self, name: str) -> bool:
        """Whether a name of the function is one of its module too: the compiler would read that."""
        function = self.state.frame.kernel
        scope = function.module.names.scopes[function.node].parent
        return scope is not None and scope.find(name) is not None

    def choice(self, condition: Value, a: Value, b: Value) -> Value:
        """`a` where the condition holds, else `b`."""
        if a is b:
            return a
        table = self.state.table
        if a.op == b.op is Op.TUPLE and len(a.operands) == len(b.operands):
            parts = zip(a.operands, b.operands, strict=True)
            chosen = [self.choice(condition, one, other) for one, other in parts]
            return table.make(Op.TUPLE, chosen, shape=None)
        shape = a.shape if a.shape == b.shape else None
        dtype = a.dtype if a.dtype == b.dtype else None
        return table.make(Op.PHI, (condition, a, b), shape=shape, dtype=dtype)

    def under_guards(self, value: Value) -> Value:
        """What a value is under the conditions that are known to hold here.

        `if FLAG: p = X` `else: p = Y`, and later `if FLAG: tl.load(p)`.
        """
        guards = self.state.guards
        while guards and value.op in (Op.PHI, Op.IN_BRANCH):
            condition = value.condition.serial if value.op is Op.PHI else _branch(value)[0]
            holds = next((g.holds for g in guards if g.condition.serial == condition), None)
            if holds is None:
                break
            if value.op is Op.PHI:
                value = value.then if holds else value.other
            elif holds == _branch(value)[1]:
                value = value.operand
            else:
                break
        return value


def _branch(value: Value) -> tuple[int, bool]:
    """Of an "in_branch" value: the condition's number, and whether it holds in the branch."""
    assert isinstance(value.attribute, tuple)
    condition, holds = value.attribute
    assert isinstance(condition, int) and isinstance(holds, bool)
    return condition, holds


def assigned_names(statements: Sequence[ast.stmt]) -> set[str]:
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
