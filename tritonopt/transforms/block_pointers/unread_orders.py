"""Names for the `order` of block pointers, which nothing reads once these are gone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tritonopt.facts import KernelFacts
from tritonopt.source import Remove
from tritonopt.source.trees import walk
from tritonopt.transforms.block_pointers.block_accesses import Block
from tritonopt.transforms.block_pointers.block_calls import MAKE, MAKES, BlockCalls
from tritonopt.transforms.interleaving.unused_names import comments_on
from tritonopt.transforms.writing import block_of


def unread_orders(facts: KernelFacts, gone: Iterable[Block]) -> Iterator[Remove]:
    """Statements that bind names which are read for the order of what goes, and nowhere else."""
    orders = {n for block in gone for n in _order(facts, block) if isinstance(n, ast.Name)}
    names = [n for n in facts.kernel.nodes if isinstance(n, ast.Name)]
    for statement in facts.kernel.nodes:
        match statement:
            case ast.Assign(targets=[ast.Name() as target], value=ast.expr() as value):
                pass
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                pass
            case _:
                continue
        others = [n for n in names if n.id == target.id and n is not target]
        if not others or not set(others) <= orders or comments_on(facts, statement):
            continue
        is_pure = facts.effect_nodes.isdisjoint(walk(value))
        if is_pure and len(block_of(facts.kernel.node, statement)) > 1:
            yield Remove(statement)


def _order(facts: KernelFacts, block: Block) -> Iterator[ast.AST]:
    calls = BlockCalls(facts)
    for node in walk(block.statement):
        if isinstance(node, ast.Call) and calls.called(node) == MAKES:
            given = calls.arguments(node, MAKE)
            if "order" in given:
                yield from walk(given["order"])
