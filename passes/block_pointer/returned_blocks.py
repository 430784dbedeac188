"""Block pointers that helpers return: a helper returns the tile instead, and its mask beside it.

    return tl.make_block_ptr(X, (n,), ...)          return X + offs_n, offs_n < n

    x_block = block_of(X, n, B)                     x_block, x_block_mask = block_of(X, n, B)
    x = tl.load(x_block, boundary_check=(0,))       x = tl.load(x_block, mask=x_block_mask)

So the helper, all that call it, and what else these call for block pointers change together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tritonopt import facts as kernel_facts
from tritonopt.checks.attempt import Attempt
from tritonopt.emit.writing import Writer
from tritonopt.facts import KernelFacts
from tritonopt.passes.block_pointer.accesses import BlockAccesses, followed_blocks, lost
from tritonopt.passes.block_pointer.block_legality import BlockTiles, prove_block_tiles
from tritonopt.passes.block_pointer.helper_calls import helper_calls
from tritonopt.passes.block_pointer.pointer_tiles import PointerTiles
from tritonopt.source import Change, Kernel


@dataclass
class ReturnedBlocks:
    """Rewrites helpers that return block pointers with all that call them. Raises Declined."""

    facts: KernelFacts
    accesses: BlockAccesses
    proofs: list[BlockTiles] = field(default_factory=list)
    """Of the functions, as far as they were looked at."""
    others: list[str] = field(default_factory=list)
    """The names of the other functions that change."""

    def changes(self, attempt: Attempt) -> Iterator[Change]:
        members = self._members()
        helpers = {block.helper for _, found in members.values() for block in found.blocks}
        masks = {k: _checked(k, members) for k in members if k in helpers}
        attempt.assume_no_other_launches("files that were not given call the helper nowhere")
        for kernel, (about, accesses) in members.items():
            writer, own = Writer(about), kernel is self.facts.kernel
            # Whatever fails is told; what holds is told of the kernel that it is about.
            asked = attempt if own else Attempt()
            proof = prove_block_tiles(about, writer, asked, accesses)
            yield from PointerTiles(about, writer, proof, masks).changes()
            self.proofs.append(proof)
            self.others += [] if own else [kernel.name]

    def _members(self) -> dict[Kernel, tuple[KernelFacts, BlockAccesses]]:
        """The functions that change together, in their order."""
        module, own = self.facts.kernel.module, self.facts.kernel
        found = {own: (self.facts, self.accesses)}
        todo, helpers = [own], set[Kernel]()
        while todo:
            kernel = todo.pop()
            _, accesses = found[kernel]
            for call, handed in accesses.handed:
                raise lost(f"line {call.lineno} gives {handed.name} to another helper")
            new = {block.helper for block in accesses.blocks if block.helper is not None}
            new |= {kernel} if accesses.returned else set()
            for helper in new - helpers:
                helpers.add(helper)
                calls = helper_calls(helper, module)
                for member in (helper, *(call.caller for call in calls)):
                    if member not in found:
                        about = kernel_facts.of(member)
                        found[member] = about, followed_blocks(about)
                        todo.append(member)
                _check_returns(helper, found[helper][1])
                bases = {b.base for c in calls for b in found[c.caller][1].blocks}
                if not calls or not bases.issuperset(call.node for call in calls):
                    raise lost(f"what a call of {helper.name} returns is not seen")
        return {kernel: found[kernel] for kernel in module.kernels if kernel in found}


def _check_returns(helper: Kernel, accesses: BlockAccesses) -> None:
    """Each way out of a helper gives back a block pointer."""
    returns = {n for n in helper.nodes if isinstance(n, ast.Return)}
    if returns != {r.statement for r in accesses.returned} or not isinstance(
        helper.node.body[-1], ast.Return
    ):
        raise lost(f"{helper.name} returns something else than a block pointer at times")


def _checked(
    helper: Kernel, members: dict[Kernel, tuple[KernelFacts, BlockAccesses]]
) -> tuple[int, ...]:
    """The axes that all who call a helper check, of what they check at all."""
    found = set()
    for _, accesses in members.values():
        for access in accesses.accesses:
            one = [access.block] if access.block is not None else accesses.of(access.name)
            if access.checked and any(block.helper is helper for block in one):
                found.add(access.checked)
    if len(found) > 1:
        raise lost(f"what {helper.name} returns is not checked along the same axes everywhere")
    return found.pop() if found else ()
