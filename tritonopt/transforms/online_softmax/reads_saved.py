"""Whether it pays to read a row once less: not where one tile holds it."""

from __future__ import annotations

from dataclasses import dataclass

from tritonopt.facts import KernelFacts, Loop
from tritonopt.facts.algebra.tiles import tiles_of


@dataclass(frozen=True)
class Worth:
    """What is known of one site."""

    text: str
    pays: bool = True


def worth_of(facts: KernelFacts, loop: Loop) -> Worth:
    """What the launches show of the rows."""
    launches = tiles_of(facts, loop)
    whole = next((tiles for tiles in launches if tiles.holds_row), None)
    if whole is not None:
        text = f"one tile holds the row at the launch in {whole.where}, so nothing is read twice"
        return Worth(text, pays=False)
    aims = next((tiles for tiles in launches if tiles.grows), None)
    if aims is not None:
        text = f"rows that one tile holds, at which the launch in {aims.where} aims, gain nothing"
        return Worth(text, pays=False)
    return Worth("each row that takes several tiles is read once less")
