"""Block pointers that helpers return: a helper returns the tile instead, and its mask beside it.

    return tl.make_block_ptr(X, (n,), ...)          return X + offs_n, offs_n < n

    x_block = block_of(X, n, B)                     x_block, x_block_mask = block_of(X, n, B)
    x = tl.load(x_block, boundary_check=(0,))       x = tl.load(x_block, mask=x_block_mask)

So the helper, all that call it, and what else these call for block pointers change together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tritonopt import facts as kernel_facts
from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts
from tritonopt.facts.program_ids import sure_callee
from tritonopt.source import Change, Kernel
from tritonopt.transforms.block_pointers.block_accesses import Access, BlockAccesses, lost
from tritonopt.transforms.block_pointers.block_calls import returning
from tritonopt.transforms.block_pointers.block_legality import BlockTiles, prove_block_tiles
from tritonopt.transforms.block_pointers.following import followed_blocks
from tritonopt.transforms.block_pointers.helper_calls import check_only_called, helper_calls
from tritonopt.transforms.block_pointers.pointer_tiles import PointerTiles
from tritonopt.transforms.writing import Writer


def returned_blocks(facts: KernelFacts) -> ReturnedBlocks | None:
    """Of the helpers that a kernel calls for block pointers, or that it is; else None."""
    helpers = returning(facts.kernel.module)
    mine = {helper for helper in helpers if helper is facts.kernel}
    mine |= set(_called(facts.kernel, helpers)) if helpers else set()
    return ReturnedBlocks(facts, frozenset(mine)) if mine else None


def _called(kernel: Kernel, helpers: Mapping[Kernel, int]) -> Iterator[Kernel]:
    names = {helper.name for helper in helpers}
    for node in kernel.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            helper = sure_callee(kernel, node)
            if helper is not None and helper in helpers:
                yield helper


@dataclass
class ReturnedBlocks:
    """Rewrites helpers that return block pointers with all that call them. Raises Declined."""

    facts: KernelFacts
    first: frozenset[Kernel]
    """Helpers that the kernel has to do with; it may have to do with others through these."""

    @cached_property
    def _members(self) -> dict[Kernel, KernelFacts]:
        """The functions that change together, in their order."""
        module = self.facts.kernel.module
        known = returning(module)
        found: set[Kernel] = set()
        todo = list(self.first)
        while todo:
            helper = todo.pop()
            if helper in found:
                continue
            found.add(helper)
            check_only_called(helper, module)
            for caller, _ in helper_calls(helper):
                todo += _called(caller, known)
                found.add(caller)
        own = self.facts.kernel
        return {
            kernel: self.facts if kernel is own else kernel_facts.of(kernel)
            for kernel in module.kernels
            if kernel in found or kernel is own
        }

    @cached_property
    def _accesses(self) -> dict[Kernel, BlockAccesses]:
        return {kernel: followed_blocks(about) for kernel, about in self._members.items()}

    def changes(self, attempt: Attempt) -> Iterator[Change]:
        helpers = returning(self.facts.kernel.module)
        for kernel, accesses in self._accesses.items():
            if kernel in helpers:
                self._check_returns(kernel, accesses)
            for handed in accesses.handed:
                raise lost(f"line {handed.call.lineno} gives {handed.node.id} to another helper")
        masks = {kernel: self._checked(kernel) for kernel in self._members if kernel in helpers}
        attempt.assume_no_other_launches("files that were not given call the helper nowhere")
        for kernel, about in self._members.items():
            writer, own = Writer(about), kernel is self.facts.kernel
            # Whatever fails is told; what holds is told of the kernel that it is about.
            asked = attempt if own else Attempt()
            proof = prove_block_tiles(about, writer, asked, self._accesses[kernel])
            yield from PointerTiles(about, writer, proof, masks).changes()
            self.proofs.append(proof)

    @cached_property
    def proofs(self) -> list[BlockTiles]:
        """Of the functions, as far as they were looked at."""
        return []

    @property
    def others(self) -> list[str]:
        """The names of the other functions that change."""
        return [kernel.name for kernel in self._members if kernel is not self.facts.kernel]

    def _check_returns(self, helper: Kernel, accesses: BlockAccesses) -> None:
        """Each way out of a helper gives back a block pointer."""
        returns = {n for n in helper.nodes if isinstance(n, ast.Return)}
        if returns != {r.statement for r in accesses.returned} or not isinstance(
            helper.node.body[-1], ast.Return
        ):
            raise lost(f"{helper.name} returns something else than a block pointer at times")
        if not helper_calls(helper):
            raise lost(f"{helper.name} returns one, and nothing calls it")

    def _checked(self, helper: Kernel) -> tuple[int, ...]:
        """The axes that all who call a helper check, of what they check at all."""
        found = {
            access.checked
            for accesses in self._accesses.values()
            for access in accesses.accesses
            if access.checked and self._may_be_of(helper, access, accesses)
        }
        if len(found) > 1:
            raise lost(f"what {helper.name} returns is not checked along the same axes everywhere")
        return found.pop() if found else ()

    @staticmethod
    def _may_be_of(helper: Kernel, access: Access, accesses: BlockAccesses) -> bool:
        blocks = [access.block] if access.block is not None else accesses.of(access.name)
        return any(block.helper is helper for block in blocks)
