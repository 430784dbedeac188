"""At which sites a loop over tiles is taken to pay, by how often the old one is seen to turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt.facts import of
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.registry import select
from tritonopt.source import read

CASES = Path(__file__).resolve().parent / "scalar-loop"


def site_of(text: str) -> Site:
    (chosen,) = select("scalar-loop")
    (site,) = chosen.sites(of(read(text, "case.py").kernel("kernel")))
    assert not site.failed
    return site


def unrolled(turns: str) -> Site:
    return site_of((CASES / "unrolled.py").read_text().replace("H=n)", f"H={turns})"))


def test_it_depends_on_a_length_that_no_launch_shows() -> None:
    site = site_of((CASES / "sum_of_squares.py").read_text())
    assert site.pays and site.depends


def test_an_unrolled_loop_is_short_where_no_launch_shows_how_long() -> None:
    assert not unrolled("n").pays


@pytest.mark.parametrize(("turns", "pays"), [("8", False), ("9", True), ("64", True)])
def test_a_loop_of_few_turns_has_nothing_to_save(turns: str, pays: bool) -> None:
    site = unrolled(turns)
    assert site.pays == pays and not site.depends
    assert f"{turns} times at most" in site.message
    assert pays or site.unpaid == "nothing-to-save"
