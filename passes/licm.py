"""licm: what is the same in every iteration moves out of the loop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import KernelFacts
from tritonopt.rewriting.bits import bits_when_code_moves
from tritonopt.rewriting.checklist import Checklist, Declined
from tritonopt.rewriting.hoisting import Hoisting, invariant_loads
from tritonopt.rewriting.model import Condition, Safety, Site, Status
from tritonopt.rewriting.passes import Pass
from tritonopt.rewriting.unswitching import Unswitching, invariant_branches
from tritonopt.rewriting.writing import NotExpressible
from tritonopt.source import Change


@dataclass(frozen=True)
class Licm(Pass):
    """Move branches and loads that are the same in every iteration out of the loop."""

    max_statements: int = 40

    name: ClassVar[str] = "licm"
    summary: ClassVar[str] = "move branches and loads that do not change out of a loop"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})
    default: ClassVar[bool] = False

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        # Loads first: what is above a loop is not copied with it.
        said: set[tuple[ast.stmt, str]] = set()
        for places in invariant_loads(facts):
            site = _first_that_holds(self._load(facts, hoisting) for hoisting in places)
            key = places[0].statement, site.failed[0].reason if site.failed else ""
            if not site.failed or key not in said:
                said.add(key)
                yield site
        for ways in invariant_branches(facts):
            yield _first_that_holds(self._branch(facts, unswitching) for unswitching in ways)

    def _branch(self, facts: KernelFacts, unswitching: Unswitching) -> Site:
        """One branch and one loop around it, as they came out."""

        def changes() -> list[Change]:
            unswitching.check()
            return unswitching.changes(self.max_statements)

        test = facts.kernel.module.text_of(unswitching.branch.test).partition("\n")[0]
        return _site(
            facts,
            unswitching.branch,
            unswitching.checklist,
            changes,
            f"move `if {test}` out of the loop in line {unswitching.loop.line}",
            "the loop is there once for each way it can go",
        )

    def _load(self, facts: KernelFacts, hoisting: Hoisting) -> Site:
        """One load and one loop around it, as they came out."""

        def changes() -> list[Change]:
            hoisting.check()
            return hoisting.changes()

        return _site(
            facts,
            hoisting.expression,
            hoisting.checklist,
            changes,
            f"move {hoisting.what} above the loop in line {hoisting.loop.line}",
            f"{hoisting.tile} in registers meanwhile",
        )

    def edit(self, facts: KernelFacts, site: Site) -> Sequence[Change]:
        changes: Sequence[Change] = site.plan
        return changes


def _first_that_holds(sites: Iterator[Site]) -> Site:
    """The first site without a failed condition, else the first one: that of the outermost loop."""
    found = []
    for site in sites:
        if not site.failed:
            return site
        found.append(site)
    return found[0]


def _site(
    facts: KernelFacts,
    anchor: ast.AST,
    checklist: Checklist,
    make: Callable[[], list[Change]],
    deed: str,
    outcome: str,
) -> Site:
    """A site with every condition up to the first that fails, and the edit."""
    changes: list[Change] = []
    try:
        changes = make()
        checklist.prove("is-expressible", "what moves can be written above the loop")
    except Declined as declined:
        checklist.conditions.append(declined.condition)
    except NotExpressible as error:
        failed = Condition("is-expressible", Status.UNKNOWN, str(error), "not-expressible")
        checklist.conditions.append(failed)
    if checklist.failed is None:
        message = f"{deed.replace('move', 'moved', 1)}; {outcome}"
    else:
        message = f"did not {deed}: {checklist.failed.detail}"
    return Site(
        anchor,
        tuple(checklist.conditions),
        message,
        frozenset({Safety.ASSUMPTION} if checklist.given else set()),
        bits_when_code_moves(facts),
        frozenset(checklist.given),
        changes,
    )
