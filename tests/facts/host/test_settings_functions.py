"""Functions that choose settings: what they return is read in place of the call."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt import source
from tritonopt.facts.host.settings_functions import with_results
from tritonopt.verification import verify
from tritonopt.verification.coverage.demands import demands

SETTINGS = """
import triton

LARGEST = 65536

def settings(n):
    block = triton.next_power_of_2(n)
    if block > LARGEST:
        raise RuntimeError("too long")
    num_warps = 4
    if block >= 2048:
        num_warps = 8
    return block, num_warps
"""
ROWS = """
import torch
import triton
import triton.language as tl
from .settings import settings

@triton.jit
def sum_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for i in tl.range(0, tl.cdiv(n, BLOCK)):
        cols = i * BLOCK + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0), axis=0)
    tl.store(y_ptr + row, total)

def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    block, num_warps = settings(
        n
    )
    sum_kernel[(m,)](x, y, n, BLOCK=block, num_warps=num_warps)
    return y
"""


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    folder = tmp_path / "package_with_settings"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "settings.py").write_text(SETTINGS)
    (folder / "rows.py").write_text(ROWS)
    return folder / "rows.py"


def _read(path: Path) -> str | None:
    found = with_results(source.read(path.read_text(), "elsewhere/rows.py"), str(path))
    return None if found is None else found.text


def test_the_result_stands_in_place_of_the_call(rows: Path) -> None:
    text = _read(rows)
    assert text is not None and len(text.splitlines()) == len(ROWS.splitlines())
    assert "block, num_warps = (triton.next_power_of_2((n)), settings(n)[1]," in text
    rows.write_text(ROWS.replace("from .settings", "from package_with_settings.settings"))
    assert _read(rows) is not None


def test_a_file_that_begins_with_a_byte_order_mark_is_read(rows: Path) -> None:
    (rows.parent / "settings.py").write_text("\ufeff" + SETTINGS, encoding="utf-8")
    assert _read(rows) is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return block", "block = 16\n    return block"),
        ("return block", "n = 16\n    return block"),
        ("    num_warps = 4\n", "    if n > 8:\n        return 8, 4\n    num_warps = 4\n"),
        ("triton.next_power_of_2(n)", "power(n)"),
        ("(n):", "(n, most=16):"),
        ("def settings", "@cached\ndef settings"),
        ("return block", "return min(block, LARGEST)"),
        ("return block", "from .sizes import block\n    return block"),
        ("def settings", "if LARGEST:\n  def settings(n):\n    return 8, 4\n\ndef settings"),
        ("return block, num_warps\n", "return block, num_warps\n\nfrom .sizes import *\n"),
        ("return block, num_warps\n", "return block, num_warps\n\nvars()['settings'] = print\n"),
    ],
)
def test_what_cannot_be_told_stays(rows: Path, old: str, new: str) -> None:
    (rows.parent / "settings.py").write_text(SETTINGS.replace(old, new))
    assert _read(rows) is None


def test_a_package_comes_before_a_file_of_the_same_name(rows: Path) -> None:
    (rows.parent / "settings").mkdir()
    assert _read(rows) is not None
    (rows.parent / "settings" / "__init__.py").write_text("")
    assert _read(rows) is None


def test_what_a_later_star_import_may_bring_stays(rows: Path) -> None:
    rows.write_text(ROWS + "\nfrom .more import *\n")
    assert _read(rows) is None


def test_a_loop_over_one_tile_is_no_obstacle(rows: Path) -> None:
    text = ROWS.replace("total +=", "total += 1.0 *")
    verdict = verify(rows, rows, text=text, backend="interpreter", max_examples=2)
    assert verdict.verdict == "identical", verdict.reason
    assert any("the source proves that none can" in note for note in verdict.notes)
    (rows.parent / "settings.py").write_text(
        SETTINGS.replace("triton.next_power_of_2(n)", "min(triton.next_power_of_2(n), 2**20)")
    )
    verdict = verify(rows, rows, text=text, backend="interpreter", max_examples=2)
    assert verdict.verdict == "unsupported", verdict.verdict


def test_a_tile_that_holds_all_is_one_program(rows: Path) -> None:
    text = ROWS.replace("row = tl.program_id(0)", "row, tile = tl.program_id(0), tl.program_id(1)")
    text = text.replace(
        "    for i in tl.range(0, tl.cdiv(n, BLOCK)):\n        cols = i", "    CODE"
    )
    text = text.replace("CODE", "if True:\n        cols = tile")
    text = text.replace("[(m,)]", "[(m, triton.cdiv(n, block))]")
    rows.write_text(text)

    def asked(settings: str) -> set[int]:
        (rows.parent / "settings.py").write_text(settings)
        old = source.read(text, str(rows))
        new = source.read(text.replace("total +=", "total += 1.0 *"), str(rows))
        names = {"sums", "sum_kernel"}
        found = demands(old, new, (names, names))
        return {d.axis for d in found if d.kind == "programs"}

    assert asked(SETTINGS) == {0}
    grows = SETTINGS.replace("triton.next_power_of_2(n)", "min(triton.next_power_of_2(n), 64)")
    assert asked(grows) == {0, 1}
