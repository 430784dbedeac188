"""Names of loads above loops, where a case file would say too little."""

from __future__ import annotations

import pytest

from tritonopt.rewriting.pipeline import rewrite_source


def hoisted(parameter: str, *loops: str) -> str:
    lines = [f"    tl.store(Out, tl.load({parameter}) + 1.0)"]
    for loop in reversed(loops):
        lines = [f"    {loop}:", *(f"    {line}" for line in lines)]
    text = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
    text += f"def kernel({parameter}, Out, rows, n, parts):\n" + "\n".join(lines) + "\n"
    return rewrite_source(text, "licm", assume=[f"disjoint({parameter}, Out)"]).text


@pytest.mark.parametrize(
    ("parameter", "name"),
    [
        ("W", "w"),
        ("weight_ptr", "weight"),
        ("p_lambda", "lambda_value"),
        ("ptr_0", "loaded"),
        ("ptr", "loaded"),
    ],
)
def test_the_name_comes_from_the_parameter(parameter: str, name: str) -> None:
    assert f"    {name} = tl.load({parameter}) + 1.0\n" in hoisted(parameter, "for i in range(3)")
