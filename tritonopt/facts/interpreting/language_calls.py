"""Calls of functions below `triton.language`, and of the methods of descriptors."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import language
from tritonopt.facts.effects import EffectKind
from tritonopt.facts.interpreting.pure_functions import Arguments, Operations
from tritonopt.facts.interpreting.state import State
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value

_ORDERED = language.BARRIERS | language.GRID_ORDER


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
        )

    def _write(self, node: ast.Call, name: str, arguments: Arguments) -> Value:
        """A store, or an atomic."""
        state, get, pointer = self.state, arguments.get, arguments.get(0, "pointer")
        if name == "store":
            mask, stored = get(2, "mask"), get(1, "value")
            state.effect(EffectKind.STORE, node, name, pointer=pointer, mask=mask, stored=stored)
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
        self, node: ast.Call, descriptor: Value, method: str, arguments: Arguments
    ) -> Value:
        """`descriptor.load([i, j])` and its kin; `arguments` are those behind the place."""
        stored = arguments.get(0, "value")
        if method == "load" and not arguments.positional:
            return self.descriptor_load(node, descriptor, method)
        if stored is not None and (method == "store" or method in language.ATOMICS):
            return self._descriptor_store(node, descriptor, method, stored)
        return self.state.unknown_call(node, "")

    def descriptor_load(self, node: ast.Call, descriptor: Value, method: str) -> Value:
        return self.state.load(node, method, pointer=self._block(descriptor))

    def _descriptor_store(
        self, node: ast.Call, descriptor: Value, method: str, stored: Value
    ) -> Value:
        kind = EffectKind.STORE if method == "store" else EffectKind.ATOMIC
        self.state.effect(kind, node, method, pointer=self._block(descriptor), stored=stored)
        return self.state.table.constant(None)

    def _block(self, descriptor: Value) -> Value:
        return self.state.table.make(Op.BLOCK_POINTER, (descriptor,), "descriptor", shape=None)


def _is_volatile(volatile: Value | None, modifier: Value | None) -> bool:
    """Whether every such load must read memory: it says so, or ".cv" does."""
    if modifier is not None and modifier.constant == ".cv":
        return True
    return volatile is not None and volatile.constant is not False
