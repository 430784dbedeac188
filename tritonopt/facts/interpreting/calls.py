"""Calls: of the language, of helpers, of methods, of what the compiler runs."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import language
from tritonopt.facts.effects import EffectKind
from tritonopt.facts.interpretation import Environment, is_made
from tritonopt.facts.interpreting.lookup import Bindings, Lookup, float_of
from tritonopt.facts.interpreting.pure_functions import Arguments, Operations
from tritonopt.facts.interpreting.state import Evaluate, Frame, Returned, Run, State
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value
from tritonopt.source import Kernel

_SHAPED_METHODS = frozenset({"reshape", "view", "permute", "trans", "broadcast_to"})
"""Methods of a tensor, not of a descriptor, that take a tuple."""

_ORDERED = language.BARRIERS | language.GRID_ORDER
_HARMLESS_BUILTINS = frozenset({"bool", "float", "int", "isinstance", "len", "print", "str"})


@dataclass(frozen=True)
class Calls:
    """Finds out what is called, and has it interpreted."""

    state: State
    lookup: Lookup
    language_calls: LanguageCalls
    helpers: Helpers
    alternatives: Alternatives
    evaluate: Evaluate

    def call(self, node: ast.Call) -> Value:
        """What a call returns; its effects, and those of its arguments, are noted."""
        dotted = self.lookup.dotted(node.func)
        if not dotted and isinstance(node.func, ast.Attribute):
            root = self.evaluate(node.func.value)
            if root.op is not Op.GLOBAL:
                return self._method(node, root, node.func.attr)
        arguments = self._arguments(node)
        if arguments is None:
            return self.state.unknown_call(node, dotted)
        positional = arguments.positional
        if dotted in language.CEILING_DIVISIONS and len(positional) == 2:
            rounding = self.state.rounding(node.args, positional)
            return self.state.table.elementwise(Op.CDIV, positional, rounding, dtype="int32")
        name = language.function(dotted)
        if not name:
            return self._function(node, dotted, arguments)
        if language.is_compile_time(dotted) and not arguments.keywords:
            return self._compile_time_call(dotted, positional)
        return self.language_calls.call(node, name, arguments)

    def _arguments(self, node: ast.Call) -> Arguments | None:
        """What is passed; None where some of it is spread, `f(*values)`."""
        positional = [self.evaluate(a) for a in node.args if not isinstance(a, ast.Starred)]
        keywords = {k.arg: self.evaluate(k.value) for k in node.keywords if k.arg is not None}
        starred = [a.value for a in node.args if isinstance(a, ast.Starred)]
        if not starred and not any(k.arg is None for k in node.keywords):
            return Arguments(positional, keywords)
        for argument in starred:
            self.evaluate(argument)
        return None

    def _function(self, node: ast.Call, dotted: str, arguments: Arguments) -> Value:
        """A function of the program, or one of Python's."""
        helper = self.helpers.find(node.func)
        if helper is not None:
            return self.helpers.inline(node, helper, arguments)
        chosen = self.alternatives.call(node, arguments)
        if chosen is not None:
            return chosen
        if self.lookup.is_compile_time_function(node.func):
            attribute = (f"python.{ast.unparse(node.func)}", tuple(arguments.keywords))
            return self.state.table.make(Op.ELEMENTWISE, arguments.everything, attribute)
        return self._builtin(node, dotted, arguments)

    def _builtin(self, node: ast.Call, dotted: str, arguments: Arguments) -> Value:
        table, positional = self.state.table, arguments.positional
        if dotted in ("min", "max") and len(positional) == 2:
            return table.elementwise(Op.MINIMUM if dotted == "min" else Op.MAXIMUM, positional)
        if dotted == "float" and len(positional) == 1:
            number = float_of(positional[0].constant)
            if number is not None:
                return table.constant(number)
        if language.is_compile_time(dotted) and not arguments.keywords:
            return self._compile_time_call(dotted, positional)
        if dotted in _HARMLESS_BUILTINS:
            return table.opaque(f"{dotted}()", shape=())
        return self.state.unknown_call(node, dotted)

    def _compile_time_call(self, dotted: str, arguments: Sequence[Value]) -> Value:
        """What a function that only the compiler runs makes of what the compiler knows."""
        table = self.state.table
        (only,) = arguments if len(arguments) == 1 else (None,)
        if only is not None and dotted == "int" and type(only.constant) in (bool, int, float):
            number = only.constant
            if math.isfinite(number):  # type: ignore[arg-type]
                return table.constant(int(number))  # type: ignore[call-overload]
        if only is not None and dotted == "len" and only.op is Op.TUPLE:
            return table.constant(len(only.operands))
        return table.make(Op.ELEMENTWISE, arguments, f"python.{dotted}")

    def _method(self, node: ast.Call, receiver: Value, method: str) -> Value:
        """`x.to(tl.float32)` is `tl.cast(x, tl.float32)`, `x.sum(0)` is `tl.sum(x, 0)`, ..."""
        spread = any(isinstance(a, ast.Starred) for a in node.args)
        if spread or any(k.arg is None for k in node.keywords):
            return self.state.unknown_call(node, "")
        given = [self.evaluate(a) for a in node.args]
        keywords = {k.arg: self.evaluate(k.value) for k in node.keywords if k.arg is not None}
        if method == "advance" and any(map(is_made, self.state.record.origins(receiver))):
            return self.language_calls.call(node, method, Arguments([receiver, *given], keywords))
        if given and given[0].op is Op.TUPLE and method not in _SHAPED_METHODS:
            behind = Arguments(given[1:], keywords)
            return self.language_calls.descriptor_method(node, receiver, method, given[0], behind)
        if language.is_question_of_type(method) and not keywords:
            return self.state.table.make(Op.ATTRIBUTE, (receiver, *given), f"{method}()")
        if not language.is_method(method):
            return self.state.unknown_call(node, "")
        if method == "gather" and not receiver.rank:
            # Of a tile it is pure; a descriptor reads the rows that are asked for.
            return self.language_calls.descriptor_load(node, receiver, method)
        name = "cast" if method == "to" else method
        return self.language_calls.call(node, name, Arguments([receiver, *given], keywords))


MAX_INLINING = 6


@dataclass(frozen=True)
class Helpers:
    """Finds helpers, and runs their bodies in frames of their own."""

    state: State
    lookup: Lookup
    bindings: Bindings
    evaluate: Evaluate
    run: Run

    def find(self, function: ast.expr) -> Kernel | None:
        """The helper that an expression surely stands for, where it may be inlined."""
        helper = self.lookup.jit_function(function)
        return helper if helper is not None and self.may_inline(helper) else None

    def may_inline(self, helper: Kernel) -> bool:
        call_stack = self.state.call_stack
        if len(call_stack) >= MAX_INLINING or helper in call_stack:
            return False
        return helper is not self.state.record.kernel and helper.is_called_as_written

    def inline(self, node: ast.Call, helper: Kernel, arguments: Arguments) -> Value:
        """What a helper returns for these arguments; its effects are noted."""
        state = self.state
        if len(arguments.positional) > len(helper.parameters):
            return state.unknown_call(node, helper.name)
        names = [parameter.name for parameter in helper.parameters]
        given = {**dict(zip(names, arguments.positional, strict=False)), **arguments.keywords}
        caller = state.frame
        site = caller.inlined_at or node
        state.call_stack.append(helper)
        # Defaults are evaluated where the helper is defined: they do not see its parameters.
        state.frame = Frame(helper, {}, site)
        environment = self._with_defaults(helper, given)
        state.frame = frame = Frame(helper, environment, site)
        returned = len(state.returned)
        leaves = self.run(helper.node.body)
        del state.returned[returned:]
        state.call_stack.pop()
        state.frame = caller
        if any(way.in_loop for way in frame.returned):
            return state.table.opaque(f"{helper.name} returns from a loop")
        return self._result(frame.returned, leaves)

    def _with_defaults(self, helper: Kernel, given: Mapping[str, Value]) -> Environment:
        environment = dict(given)
        for parameter in helper.parameters:
            if parameter.name not in environment:
                if parameter.default is None:
                    environment[parameter.name] = self.state.table.opaque("missing argument")
                else:
                    environment[parameter.name] = self.evaluate(parameter.default)
        return environment

    def _result(self, returned: list[Returned], leaves: bool) -> Value:
        """The value of a call, from all the ways out of the helper."""
        ways = list(returned)
        # Who comes to the last `return` has passed all others by.
        result = ways.pop().value if leaves else self.state.table.constant(None)
        for way in reversed(ways):
            chosen = way.value
            for guard in reversed(way.guards):
                sides = (chosen, result) if guard.holds else (result, chosen)
                chosen = self.bindings.choice(guard.condition, *sides)
            result = chosen
        return result


@dataclass(frozen=True)
class Alternatives:
    """Tries each of the functions, to see that none does more than compute."""

    state: State
    lookup: Lookup
    helpers: Helpers
    language_calls: LanguageCalls

    def call(self, node: ast.Call, arguments: Arguments) -> Value | None:
        """What a call of one of several functions returns; None where any may do more than compute.

        It is the result of none of them: only what it is computed from is known of it.
        """
        function = node.func
        if not isinstance(function, (ast.Name, ast.Attribute)) or self.lookup.is_local(function):
            return None
        callees = self.state.frame.kernel.module.alternative_callees(function)
        results = [self._only_computed(node, callee, arguments) for callee in callees]
        if not results or any(result is None for result in results):
            return None
        shapes = {result.shape for result in results if result is not None}
        shape = shapes.pop() if len(shapes) == 1 else None
        # Like no other value, but one that shows which loads and loops it depends on.
        number = self.state.table.opaque("one of several functions").serial
        return self.state.table.make(Op.ONE_OF, arguments.everything, number, shape=shape)

    def _only_computed(
        self, node: ast.Call, callee: Kernel | str, arguments: Arguments
    ) -> Value | None:
        """What a function makes of its arguments; None where it has an effect or asks for more.

        The record is left as it was. Of the arguments it is given the shapes alone.
        """
        state = self.state
        given = Arguments(
            [self._of_shape(value) for value in arguments.positional],
            {name: self._of_shape(value) for name, value in arguments.keywords.items()},
        )
        before, questions = state.mark, state.questions
        if isinstance(callee, Kernel):
            if not self.helpers.may_inline(callee):
                return None
            result = self.helpers.inline(node, callee, given)
        else:
            name = language.function(callee)
            one = len(given.positional) == 1 and not given.keywords
            if not one or not language.is_lane_by_lane(name):
                return None
            result = self.language_calls.call(node, name, given)
        after = state.mark
        state.go_back(before)
        pure = (after.effects, after.loops) == (before.effects, before.loops)
        pure = pure and state.questions == questions
        plain = not result.is_none and result.op not in (Op.TUPLE, Op.DTYPE, Op.BLOCK_POINTER)
        return result if pure and plain else None

    def _of_shape(self, value: Value) -> Value:
        return self.state.table.opaque("an argument of one of several functions", shape=value.shape)


@dataclass
class LanguageCalls:
    """What touches memory, or has an order, is an effect; all else is a matter of values."""

    state: State

    @cached_property
    def _operations(self) -> Operations:
        return Operations(self.state.table)

    def call(self, node: ast.Call, name: str, arguments: Arguments) -> Value:
        """What a function returns that is called `name` below `triton.language`."""
        state = self.state
        state.questions += name in ("program_id", "num_programs")
        if name == "load":
            return self._load(node, arguments)
        if name == "store" or name in language.ATOMICS:
            return self._write(node, name, arguments)
        if name in _ORDERED:
            state.effect(EffectKind.BARRIER, node, name)
            return state.table.constant(None)
        described = self._by_descriptor(node, name, arguments)
        if described is not None:
            return described
        if name in language.SOURCE_CHANGING_CALLS:
            state.effect(EffectKind.PRINT, node, name)
            return state.table.constant(None)
        result = self._operations.result(name, arguments)
        return result or state.unknown_call(node, language.LANGUAGE + name)

    def _load(self, node: ast.Call, arguments: Arguments) -> Value:
        get = arguments.get
        return self.state.load(
            node,
            "load",
            pointer=get(0, "pointer"),
            mask=get(1, "mask"),
            other=get(2, "other"),
            volatile=_is_volatile(get(7, "volatile"), get(5, "cache_modifier")),
            checked=get(3, "boundary_check"),
            padding=get(4, "padding_option"),
        )

    def _write(self, node: ast.Call, name: str, arguments: Arguments) -> Value:
        """A store, or an atomic."""
        state, get, pointer = self.state, arguments.get, arguments.get(0, "pointer")
        if name == "store":
            mask, stored, checked = get(2, "mask"), get(1, "value"), get(3, "boundary_check")
            parts = {"pointer": pointer, "mask": mask, "stored": stored, "checked": checked}
            state.effect(EffectKind.STORE, node, name, volatile=False, **parts)
            return state.table.constant(None)
        mask, stored = arguments.keywords.get("mask"), get(1, "val")
        effect = state.effect(
            EffectKind.ATOMIC, node, name, pointer=pointer, mask=mask, stored=stored
        )
        return state.table.opaque(f"result of the atomic in line {effect.line}")

    # Descriptors: a block somewhere in the buffer of one is read or written.

    def _by_descriptor(self, node: ast.Call, name: str, arguments: Arguments) -> Value | None:
        """What a function of the language does that takes a descriptor, where it is one."""
        descriptor = arguments.get(0, "desc") or arguments.get(0, "desc_pointer")
        if descriptor is None:
            return None
        if name in language.DESCRIPTOR_LOADS:
            return self.descriptor_load(node, descriptor, "load")
        if name in language.DESCRIPTOR_STORES:
            stored = arguments.get(*language.DESCRIPTOR_STORES[name])
            if stored is not None:
                return self._descriptor_store(node, descriptor, "store", stored)
        return None

    def descriptor_method(
        self, node: ast.Call, descriptor: Value, method: str, place: Value, arguments: Arguments
    ) -> Value:
        """`descriptor.load([i, j])` and its kin; `arguments` are those behind the place."""
        stored = arguments.get(0, "value")
        if method == "load" and not arguments.positional:
            return self.descriptor_load(node, descriptor, method, place)
        if stored is not None and (method == "store" or method in language.ATOMICS):
            return self._descriptor_store(node, descriptor, method, stored, place)
        return self.state.unknown_call(node, "")

    def descriptor_load(
        self, node: ast.Call, descriptor: Value, method: str, *place: Value
    ) -> Value:
        return self.state.load(node, method, pointer=self._block(descriptor, *place))

    def _descriptor_store(
        self, node: ast.Call, descriptor: Value, method: str, stored: Value, *place: Value
    ) -> Value:
        kind = EffectKind.STORE if method == "store" else EffectKind.ATOMIC
        self.state.effect(
            kind, node, method, pointer=self._block(descriptor, *place), stored=stored
        )
        return self.state.table.constant(None)

    def _block(self, descriptor: Value, *place: Value) -> Value:
        table = self.state.table
        if not (self.state.shapes_of_blocks and place and descriptor.op is Op.BLOCK_POINTER):
            return table.make(Op.BLOCK_POINTER, (descriptor,), "descriptor", shape=None)
        block = table.make(Op.BLOCK_POINTER, (descriptor, *place), "descriptor", shape=None)
        shape = descriptor.operands[3].operands if len(descriptor.operands) > 3 else ()
        table.blocks |= {block: shape} if shape else {}
        return block


def _is_volatile(volatile: Value | None, modifier: Value | None) -> bool:
    """Whether every such load must read memory: it says so, or ".cv" does."""
    if modifier is not None and modifier.constant == ".cv":
        return True
    return volatile is not None and volatile.constant is not False
