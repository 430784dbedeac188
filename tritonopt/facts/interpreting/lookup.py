"""What an expression of a function stands for by the names around the function."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from tritonopt.facts import language
from tritonopt.facts.interpreting.state import State
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value
from tritonopt.source import Kernel, Module
from tritonopt.source.names import Binding, Scope


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
