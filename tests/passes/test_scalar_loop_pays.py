"""The loops over single elements that gain from tiles, by their trip count at the launches."""

from __future__ import annotations

import pytest

from tests.passes.cases import case
from tritonopt.facts import of
from tritonopt.rewriting.model import Answer, Site
from tritonopt.rewriting.registry import select
from tritonopt.source import read


def site_of(text: str) -> Site:
    (chosen,) = select("scalar-loop")
    (site,) = chosen.sites(of(read(text, "case.py").kernel("kernel")))
    assert not site.failed
    return site


def test_it_depends_on_a_length_that_no_launch_shows() -> None:
    site = site_of(case("scalar-loop/sum_of_squares").text)
    assert site.profit.answer is Answer.AT_LAUNCH


@pytest.mark.parametrize(
    ("trips", "answer"), [("8", Answer.NEVER), ("63", Answer.NEVER), ("64", Answer.ALWAYS)]
)
def test_a_loop_of_few_iterations_gains_nothing(trips: str, answer: Answer) -> None:
    text = case("scalar-loop/sum_of_squares").text
    assert "kernel[(m,)](x, y, n)" in text
    site = site_of(text.replace("(x, y, n)", f"(x, y, {trips})"))
    assert site.profit.answer is answer
