"""What the compiler makes of a size that it is told, and of one that it is not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.passes import cases
from tests.passes.compiling import module_of
from tritonopt.facts import of
from tritonopt.facts.machine_code import launched_settings
from tritonopt.rewriting.model import Remark
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.rewriting.registry import select
from tritonopt.source import read

SIZES = {
    "listed_stride": ("stride", 16),
    "listed_length": ("N", 16),
    "lanes_apart": ("stride", 1),
    "loop_over_a_row": ("N", 16),
    "in_a_helper": ("stride", 16),
    "pointer_moves": ("stride", 16),
}
"""Of a case the parameter that is reported, and what of it is to be told."""


@pytest.fixture(autouse=True)
def not_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are made for the compiler, whatever the environment says."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)


@pytest.mark.parametrize("name", SIZES)
def test_accesses_are_wider_where_it_is_told(name: str, tmp_path: Path) -> None:
    kernel = list(_kernels(name, tmp_path))[-1]
    parameter, number = SIZES[name]
    told, untold = accesses(kernel, {parameter: number}), accesses(kernel, {parameter: None})
    assert sum(told.values()) < sum(untold.values())
    assert told["v4"] > untold["v4"]


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("times_a_constant", "first"),
        ("times_sixteen", "first"),
        ("rows_end", "M"),
        ("masked_by_data", "N"),
        ("of_a_loop", "n"),
    ],
)
def test_nothing_is_said_where_that_changes_no_access(
    name: str, parameter: str, tmp_path: Path
) -> None:
    kernel = list(_kernels(name, tmp_path))[-1]
    told, untold = accesses(kernel, {parameter: 16}), accesses(kernel, {parameter: None})
    assert told == untold


def test_accesses_are_wide_where_8_divides_sizes(tmp_path: Path) -> None:
    """What `told-multiples` writes: the compiler need not know that 16 divides them."""
    before, after = cases.case("told-multiples/rows_of_a_tile").written(tmp_path)
    untold, told = (
        accesses(kernel, {"stride": None, "N": None})
        for kernel in (module_of(before).kernel, module_of(after).kernel.fn)
    )
    assert untold["v4"] == 0 < told["v4"] < untold[""]
    assert told[""] == 0


def test_what_is_told(tmp_path: Path) -> None:
    """Of what is listed nothing, of what is annotated not the 1, and of one list not the 16."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import make_backend
    from triton.runtime.jit import create_function_from_signature

    def told(name: str, number: int) -> list[tuple[str, object]]:
        (kernel,) = _kernels(name, tmp_path)
        target = make_backend(GPUTarget("cuda", 90, 32))
        bind = create_function_from_signature(kernel.signature, kernel.params, target)
        return list(bind(*[number] * len(kernel.params))[1])

    usual = [told("nothing_listed", number)[2] for number in (1, 32, 33)]
    assert usual == [("constexpr", 1), ("i32", "D"), ("i32", "")]
    annotated = [told("annotated_stride", number)[2] for number in (1, 32, 33)]
    assert annotated == [("i32", 1), ("i32", "D"), ("i32", "")]
    assert [told("listed_stride", number)[2] for number in (1, 32, 33)] == [("i32", None)] * 3
    not_aligned = [told("not_aligned", number)[2] for number in (1, 32, 33)]
    assert not_aligned == [("constexpr", 1), ("i32", ""), ("i32", "")]


def test_the_figures_are_told_where_it_is_named() -> None:
    (remark,) = _remarks("four_lanes_a_thread")
    assert "A thread has 4 loads of 16 bits and 4 stores of 16 bits; told, " in remark.message
    assert "1 load of 64 bits and 1 store of 64 bits (compiled for sm_90" in remark.message
    assert "with BLOCK=512, 4 warps, X and Y in fp16)" in remark.message


def test_figures_of_a_stride_that_is_1() -> None:
    text = cases.case("specialization/lanes_apart").text
    launch = "def launch(x, y):\n    gather[(1,)](x, y, {}, BLOCK=1024)\n"
    (remark,) = _remarks_of(f"{text}\n\n{launch.format('x.stride(0)')}", "lanes_apart.py")
    assert "compiled for" not in remark.message  # whether it ever is 1 is not known
    (remark,) = _remarks_of(f"{text}\n\n{launch.format('x.stride(-1)')}", "lanes_apart.py")
    assert "A thread has 8 loads of 16 bits and 1 store of 128 bits; told, 1 load" in remark.message


def test_no_figures_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launched_settings, "is_there", lambda: False)
    (remark,) = _remarks("four_lanes_a_thread")
    assert "A thread has" not in remark.message
    assert _remarks("stride_of_33")  # nobody says that it changes nothing


def test_nothing_is_compiled_where_it_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launched_settings, "needs", lambda *_: pytest.fail("compiled"))
    one = next(iter(select("specialization"))).where_profitable()
    module = read(cases.case("specialization/four_lanes_a_thread").text, "case.py")
    assert list(one.sites(of(module.kernels[0])))


def test_what_each_integer_buys(monkeypatch: pytest.MonkeyPatch) -> None:
    def lines(name: str) -> list[str]:
        module = read(cases.case(f"specialization/{name}").text, f"{name}.py")
        return list(launched_settings.specialization_lines(of(module.kernels[0])))

    head, rows, length = lines("number_of_rows")
    assert head.startswith("as line ") and "compiled for sm_90 with BLOCK=4096, 4 warps" in head
    assert rows.startswith("rows  3 versions, no access of which is wider: 4 loads of 128 bits")
    assert "32 loads of 16 bits" in length and "; where it is a multiple of 16, 4 loads" in length
    assert length.endswith("; no wider where it is 1")
    _, rows, _ = lines("number_of_rows_ends_a_loop")
    assert rows.startswith("rows  3 versions, no access of which is wider: ")
    assert lines("seed") == ["not compiled: no launch shows all that it needs"]
    monkeypatch.setattr(launched_settings, "is_there", lambda: False)
    assert lines("number_of_rows") == ["not compiled: install triton and torch"]


def _remarks(case: str) -> tuple[Remark, ...]:
    return _remarks_of(cases.case(f"specialization/{case}").text, f"{case}.py")


def _remarks_of(text: str, path: str) -> tuple[Remark, ...]:
    return tuple(rewrite_source(text, select("specialization"), path=path).remarks)


def accesses(kernel: Any, told: dict[str, int | None]) -> dict[str, int]:
    """Loads and stores by their width, for sm_90, fp32 and tiles of 64, or of 1024 in one axis.

    Of each parameter that is not `told` otherwise 16 divides the number; of None nothing is told.
    """
    from triton import compile as compile_kernel
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature: dict[str, str] = {}
    constants: dict[tuple[int, ...], int] = {}
    attributes: dict[tuple[int, ...], list[list[object]]] = {}
    for place, parameter in enumerate(kernel.params):
        number = told.get(parameter.name, 16)
        if parameter.is_constexpr or number == 1:
            signature[parameter.name] = "constexpr"
            text = kernel.src
            block = 64 if "[:, None]" in text else 1024
            constants[(place,)] = block if parameter.is_constexpr else 1
            continue
        signature[parameter.name] = "*fp32" if parameter.name in "XY" else "i32"
        if number == 16:
            attributes[(place,)] = [["tt.divisibility", 16]]
    asked = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attributes)
    ptx = compile_kernel(asked, target=GPUTarget("cuda", 90, 32)).asm["ptx"]
    found = re.findall(r"(?:ld|st)\.global(?:\.\w+::\w+)?(?:\.(v\d))?", ptx)
    return {width: found.count(width) for width in ("", "v2", "v4")}


def _kernels(name: str, folder: Path) -> list[Any]:
    """The kernels of a case, compiled from a file in the folder."""
    module = module_of(cases.case(f"specialization/{name}").written(folder)[0])
    return [found for found in vars(module).values() if hasattr(found, "params")]
