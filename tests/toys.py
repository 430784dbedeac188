"""Small passes for tests of the machinery around passes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any, Literal

import pytest

from tritonopt import source
from tritonopt.rewriting import registry
from tritonopt.rewriting.model import Bits, Condition, Safety, Site, Status
from tritonopt.rewriting.protocol import Pass


def doublings(known: Any) -> Iterator[ast.BinOp]:
    """Every `... * 2` of a kernel."""
    for node in ast.walk(known.kernel.node):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Mult)
            and isinstance(node.right, ast.Constant)
            and node.right.value == 2
        ):
            yield node


@dataclass(frozen=True)
class DoubleToAdd(Pass):
    """`x * 2` becomes `x + x`; anything but a name would be evaluated twice."""

    name = "double-to-add"
    summary = "x * 2 becomes x + x"
    own_reasons = {
        "is-a-name": "What is doubled is a name.",
        "not-a-name": "What is doubled would be computed twice.",
    }

    spelling: Literal["plain", "tight"] = "plain"

    def sites(self, facts: Any) -> Iterator[Site]:
        for node in doublings(facts):
            named = isinstance(node.left, ast.Name)
            status = Status.PROVED if named else Status.REFUTED
            yield Site(
                node,
                (Condition("is-a-name", status, ast.unparse(node.left), "not-a-name"),),
                "x * 2 is x + x",
                self.safety,
                changes=self.changes(node),
            )

    def changes(self, node: ast.BinOp) -> tuple[source.Change, ...]:
        name = ast.unparse(node.left)
        plus = " + " if self.spelling == "plain" else "+"
        return (source.ReplaceExpression(node, f"{name}{plus}{name}"),)


@dataclass(frozen=True)
class RoundingDoubleToAdd(DoubleToAdd):
    """The same, saying that it rounds."""

    name = "rounding-double-to-add"
    safety = frozenset({Safety.ROUNDING})


@dataclass(frozen=True)
class NoteDoublings(DoubleToAdd):
    """Only says where they are."""

    name = "note-doublings"

    def sites(self, facts: Any) -> Iterator[Site]:
        for site in DoubleToAdd.sites(self, facts):
            yield replace(site, message="a doubling", analysis=True)


@dataclass(frozen=True)
class AssumingDoubleToAdd(DoubleToAdd):
    """The same, resting on a fact that the user has to give."""

    name = "assuming-double-to-add"
    safety = frozenset({Safety.ASSUMPTION})
    own_reasons = {"n-is-four": "N is 4."}
    fact: str = "N == 4"

    def sites(self, facts: Any) -> Iterator[Site]:
        for node in doublings(facts):
            held = Condition("n-is-four", Status.ASSUMED, f"given: {self.fact}")
            used = frozenset({self.fact})
            changes = self.changes(node)
            yield Site(node, (held,), "x * 2", self.safety, Bits.SAME, used, changes)


@dataclass(frozen=True)
class AddToDouble(Pass):
    """Undoes it: the two together never come to an end."""

    name = "add-to-double"
    summary = "x + x becomes x * 2"

    def sites(self, facts: Any) -> Iterator[Site]:
        for node in ast.walk(facts.kernel.node):
            if (
                isinstance(node, ast.BinOp)
                and isinstance(node.op, ast.Add)
                and ast.dump(node.left) == ast.dump(node.right)
            ):
                twice = source.ReplaceExpression(node, f"{ast.unparse(node.left)} * 2")
                yield Site(node, (), "x + x is x * 2", changes=(twice,))


@dataclass(frozen=True)
class Crash(DoubleToAdd):
    """Rewrites as the others do, and fails on kernels whose name begins with `bad`."""

    name = "crash"
    place: Literal["sites", "change", "nothing", "syntax"] = "sites"

    def sites(self, facts: Any) -> Iterator[Site]:
        if not facts.kernel.name.startswith("bad"):
            yield from super().sites(facts)
            return
        for site in super().sites(facts):
            assert isinstance(site.anchor, ast.BinOp)
            failures: dict[str, tuple[source.Change, ...]] = {
                "change": site.changes * 2,
                "nothing": (),
                "syntax": (source.ReplaceExpression(site.anchor, "1 +"),),
            }
            yield replace(site, changes=failures.get(self.place, site.changes))
        if self.place == "sites":
            raise ZeroDivisionError("one over nothing")


PASSES = (DoubleToAdd, RoundingDoubleToAdd, AssumingDoubleToAdd, AddToDouble, Crash)


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the toys the only installed passes, for as long as the test runs."""
    entries = {
        chosen.name: metadata.EntryPoint(chosen.name, f"{__name__}:{chosen.__name__}", "")
        for chosen in PASSES
    }
    monkeypatch.setattr(registry, "_entries", lambda: dict(sorted(entries.items())))
    monkeypatch.setattr(registry, "catalog", lambda: {c.name: c for c in PASSES})
