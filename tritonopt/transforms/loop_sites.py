"""Sites at which code moves out of a loop: in which words they are told, and which loop it is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tritonopt.facts import KernelFacts, Loop
from tritonopt.rewriting.checklist import Checklist
from tritonopt.rewriting.model import Site
from tritonopt.source import Change


@dataclass(frozen=True)
class Move:
    """What moves out of which loop, in words."""

    what: str
    """As in "move ... out of the loop"."""
    outcome: str
    """What the kernel has for it."""


def site(anchor: ast.AST, move: Move, make: Callable[[Checklist], Sequence[Change]]) -> Site:
    """A site with every condition up to the first that fails, and the edit.

    `make` goes through the conditions, and raises Declined or NotExpressible where one fails.
    """
    checklist = Checklist()
    changes: tuple[Change, ...] = ()
    with checklist.until_one_fails():
        changes = tuple(make(checklist))
        checklist.prove("is-expressible", "what moves can be written above the loop")
    if checklist.failed is None:
        message = f"moved {move.what}; {move.outcome}"
    else:
        message = f"did not move {move.what}: {checklist.failed.detail}"
    return Site(
        anchor,
        checklist.conditions,
        message,
        checklist.safety,
        facts_used=checklist.facts_used,
        changes=changes,
        advice=f"move {move.what}",
    )


def first_that_holds(sites: Iterator[Site]) -> Site:
    """The first site without a failed condition, else the first one: that of the outermost loop."""
    found = []
    for one in sites:
        if not one.failed:
            return one
        found.append(one)
    return found[0]


def header(facts: KernelFacts, loop: Loop) -> str:
    """The first line of a loop: its number is another one after the edits before."""
    node = loop.node
    last = node.iter if isinstance(node, ast.For) else node.test
    lines = facts.kernel.module.lines
    text = lines.text[lines.span(node)[0] : lines.span(last)[1]]
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`".replace("\n", " ")
