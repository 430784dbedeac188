"""One table says what torch's functions do; it agrees with torch, and no other module has one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import tritonopt
from tritonopt.facts.host import torch_api

ROOT = Path(tritonopt.__file__).resolve().parent
TABLE = "facts/host/torch_api.py"
A_FEW = 3


def names_in(table: object) -> Iterator[str]:
    if isinstance(table, str):
        yield table.rpartition(".")[2]
    elif isinstance(table, (frozenset, tuple, dict)):
        for part in table:
            yield from names_in(part)


TORCH = set(
    names_in(
        torch_api.ALLOCATIONS
        | torch_api.ALLOCATING
        | torch_api.SIZE_METHODS
        | torch_api.MAY_BE_VIEWS
        | torch_api.STRIDED_VIEWS
        | torch_api.RESHAPING
        | {"bfloat16", "half", "double"}
    )
)


def literals(tree: ast.AST) -> Iterator[tuple[int, set[str]]]:
    """The words of every list, set, tuple and dictionary that is written out."""
    for node in ast.walk(tree):
        match node:
            case ast.List(elts=parts) | ast.Set(elts=parts) | ast.Tuple(elts=parts):
                pass
            case ast.Dict(keys=keys):
                parts = [key for key in keys if key is not None]
            case _:
                continue
        words = {p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)}
        yield node.lineno, {word.rpartition(".")[2] for word in words}


@cache
def of_triton() -> frozenset[str]:
    language = pytest.importorskip("triton.language")
    return frozenset({*dir(language), *dir(language.tensor)})


def tables(text: str) -> list[int]:
    """The lines in which a table of torch's functions begins; of Triton's some have the names."""
    found = []
    for line, words in literals(ast.parse(text)):
        only_of_torch = words & TORCH - of_triton()
        if len(only_of_torch) >= A_FEW:
            found.append(line)
    return found


def test_a_table_is_found() -> None:
    assert tables('x = 1\nA = frozenset(["view", "contiguous", "flatten", "detach"])') == [2]
    assert tables('A = {"torch.empty_like": 1, "torch.new_empty": 2, "numel": 3}') == [1]
    assert not tables('A = {"zeros", "full", "reshape", "permute"}'), "those are Triton's too"


def test_no_other_module_has_such_a_table() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).as_posix() != TABLE
        for line in tables(path.read_text(encoding="utf-8"))
    ]
    assert not wrong


def test_torch_and_triton_have_a_table_of_types_each() -> None:
    holders = [
        path.relative_to(ROOT).as_posix()
        for path in sorted(ROOT.rglob("*.py"))
        for _, words in literals(ast.parse(path.read_text(encoding="utf-8")))
        if len({word for word in words & set(torch_api.DTYPES) if "float" in word}) >= A_FEW
    ]
    assert sorted(holders) == [TABLE, "facts/language.py"]


def test_torch_has_what_the_table_names() -> None:
    torch = pytest.importorskip("torch")
    for name in torch_api.ALLOCATIONS | torch_api.CHECKS:
        assert hasattr(torch, name.removeprefix("torch.")), name
    for name in torch_api.WITHOUT_TENSOR | set(torch_api.DTYPES) | set(torch_api.DTYPE_ALIASES):
        assert hasattr(torch, name), name
    methods = torch_api.SIZES | torch_api.ALLOCATING | set(torch_api.CASTS)
    for name in methods | torch_api.MAY_BE_VIEWS | torch_api.SAME_SHAPE | torch_api.SAME_TYPE:
        assert hasattr(torch.Tensor, name), name


def test_torch_does_what_the_table_says() -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(2, 4, dtype=torch.float16)
    for name in torch_api.SIZED_ALLOCATIONS:
        assert getattr(torch, name.removeprefix("torch."))((2, 3), **filled(name)).shape == (2, 3)
    for name in torch_api.ALLOCATIONS_LIKE:
        like = getattr(torch, name.removeprefix("torch."))(x, **filled(name))
        assert (like.shape, like.dtype) == (x.shape, x.dtype)
        assert like.data_ptr() != x.data_ptr()
    for name in torch_api.NEW:
        new = getattr(x, name)((2, 3), **filled(name))
        assert (new.shape, new.dtype) == ((2, 3), x.dtype)
    for name, dtype in torch_api.CASTS.items():
        cast = getattr(x, name)()
        assert torch_api.dtype_named(str(cast.dtype).removeprefix("torch.")) == dtype
        assert cast.shape == x.shape


def filled(name: str) -> dict[str, int]:
    if "full" in name:
        return {"fill_value": 1}
    return {"high": 9} if "randint" in name else {}


@pytest.mark.parametrize(
    ("dtype", "short"), [("fp16", "f16"), ("bf16", "bf16"), ("uint8", "u8"), ("bool", "bool")]
)
def test_the_short_name_of_a_type(dtype: str, short: str) -> None:
    assert torch_api.letters(dtype) == short


def test_views_share_memory() -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(2, 2)
    arguments = {
        **dict.fromkeys(("moveaxis", "movedim", "swapaxes", "swapdims", "transpose"), (0, 1)),
        **dict.fromkeys(("expand", "broadcast_to"), ((2, 2),)),
        "permute": (1, 0),
        "unsqueeze": (0,),
        "select": (0, 1),
        "narrow": (0, 0, 1),
        "expand_as": (x,),
    }
    for name in torch_api.STRIDED_VIEWS:
        found = getattr(x, name)
        view = found(*arguments.get(name, ())) if callable(found) else found
        assert view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(), name
