"""What is said of a tile that does not fit into registers, and where nothing is compiled."""

from __future__ import annotations

import pytest

from tests.passes.cases import case
from tritonopt.facts.machine_code import compiler
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.rewriting.registry import select

CASE = case("spills/up_to_a_raise")


def test_the_figures_are_those_of_the_manual_page() -> None:
    (remark,) = CASE.rewritten.remarks
    assert "255 registers" in remark.message
    assert "bytes of stack" in remark.message
    assert "num_warps=8 leaves 228 registers and no stack" in remark.message
    assert "BLOCK=16384, in a loop over the row, leaves" in remark.message


def test_nothing_is_compiled_beyond_what_leaves_no_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[tuple[int, object]] = []

    def needs(kernel: object, settings: list[compiler.Setting]) -> list[compiler.Need | None]:
        each = [(one.warps, dict(one.constants)["BLOCK"]) for one in settings]
        compiled.extend(each)
        return [compiler.Need(255, 664 if one == (4, 32768) else 0) for one in each]

    monkeypatch.setattr(compiler, "needs", needs)
    (remark,) = rewrite_source(CASE.text, select("spills"), path=f"{CASE.stem}.py").remarks
    assert compiled == [(4, 32768), (8, 32768), (4, 16384)]
    assert "num_warps=8 leaves" in remark.message and "BLOCK=16384" in remark.message


def test_a_missing_compiler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "is_there", lambda: False)
    (remark,) = rewrite_source(CASE.text, select("spills"), path=f"{CASE.stem}.py").remarks
    assert remark.kind is RemarkKind.MISSED
    assert remark.reason == "not-compiled"


def test_a_file_that_cannot_be_imported_is_told() -> None:
    text = CASE.text.replace("import torch", "import torch, not_to_be_found_at_all")
    (remark,) = rewrite_source(text, select("spills"), path="elsewhere.py").remarks
    assert remark.reason == "not-compiled"
    assert "not_to_be_found_at_all" in remark.message


def test_nothing_is_compiled_where_it_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "needs", lambda *_: pytest.fail("compiled"))
    one = next(iter(select("spills"))).where_profitable()
    assert not rewrite_source(CASE.text, [one], path=f"{CASE.stem}.py").remarks
