"""At which sites a deferred reduction is taken to pay, by what the launches show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt.facts import of
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.registry import select
from tritonopt.source import read

CASES = Path(__file__).resolve().parent / "defer-reduction"


def site_of(text: str) -> Site:
    (chosen,) = select("defer-reduction")
    (site,) = chosen.sites(of(read(text, "case.py").kernel("kernel")))
    assert not site.failed
    return site


def case(name: str) -> str:
    return (CASES / f"{name}.py").read_text()


@pytest.mark.parametrize("name", ["sum_of_squares", "nested_loops", "under_a_condition"])
def test_tiles_of_one_axis_pay(name: str) -> None:
    site = site_of(case(name))
    assert site.pays and not site.depends


def test_a_loop_that_runs_once_has_nothing_to_save() -> None:
    text = case("sum_of_squares").replace("BLOCK=16)", "BLOCK=triton.next_power_of_2(n))")
    site = site_of(text)
    assert not site.pays and site.unpaid == "nothing-to-save"
    assert "runs once at the launch" in site.message


def test_a_large_tile_depends_on_the_registers() -> None:
    assert site_of(case("sum_of_squares").replace("BLOCK=16)", "BLOCK=32768)")).depends


def test_a_tile_that_becomes_wider_depends_on_them() -> None:
    assert site_of(case("wide_counts")).depends


def test_what_the_compiler_defers_has_nothing_to_save() -> None:
    text = case("rows_of_a_tile")
    assert site_of(text).pays and site_of(text).depends
    loaded = text.replace("tl.where(mask, x - 1.0, 0.0)", "x")
    assert loaded != text
    site = site_of(loaded)
    assert not site.pays and "the compiler defers that by itself" in site.message
