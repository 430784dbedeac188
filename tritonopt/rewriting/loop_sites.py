"""Sites at which code moves out of a loop: in which words they are told, and which loop it is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from tritonopt.checks.attempt import Attempt
from tritonopt.facts import KernelFacts, Loop
from tritonopt.rewriting.model import Site
from tritonopt.source import Change


def site(
    anchor: ast.AST, what: str, outcome: str, make: Callable[[Attempt], Sequence[Change]]
) -> Site:
    """A site with every condition up to the first that fails, and the changes.

    `what` moves, and out of which loop, as in "move ... above the loop"; `outcome` is what the
    kernel has for it. `make` goes through the conditions, and raises Declined where one fails.
    """
    with Attempt() as attempt:
        attempt.write(make(attempt), "the moved code can be written before the loop")
    return Site.of(
        attempt,
        anchor,
        f"moved {what}; {outcome}",
        f"did not move {what}",
        advice=f"move {what}",
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
