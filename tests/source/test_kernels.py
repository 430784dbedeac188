"""Which functions are kernels, and what is known of their parameters."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tritonopt import source

HEAD = "import triton\nimport triton.language as tl\n"


def qualnames(text: str) -> list[str]:
    return [kernel.qualname for kernel in source.read(text).kernels]


@pytest.mark.parametrize(
    ("imports", "decorator"),
    [
        ("import triton", "@triton.jit"),
        ("import triton", '@triton.jit(do_not_specialize=["n"])'),
        ("import triton as t", "@t.jit"),
        ("from triton import jit", "@jit"),
        ("from triton import jit", "@jit()"),
        ("from triton import jit as compiled", "@compiled"),
        ("from triton.runtime.jit import jit", "@jit"),
        ("import triton.runtime.jit", "@triton.runtime.jit.jit"),
        ("from vllm.triton_utils import tl, triton", "@triton.jit"),
        ("from ..compat import triton", "@triton.jit"),
        ("from .common import *", "@triton.jit"),
        ("import triton\njit = triton.jit", "@jit"),
        ("try:\n    import triton\nexcept ImportError:\n    triton = None", "@triton.jit"),
        ("if True:\n    import triton\nelse:\n    class triton: pass", "@triton.jit"),
        ("triton = object()\ntry:\n    import triton\nexcept ImportError: ...", "@triton.jit"),
        ("", "@triton.jit"),  # a fragment of a module, as inspect.getsource gives it
    ],
)
def test_jit_is_known_through_the_imports(imports: str, decorator: str) -> None:
    assert qualnames(f"{imports}\n{decorator}\ndef k(x): pass\n") == ["k"]


@pytest.mark.parametrize(
    ("imports", "decorator"),
    [
        ("from numba import jit  # not triton", "@jit"),
        ("from triton.experimental import gluon", "@gluon.jit"),
        ("from triton.experimental.gluon import jit", "@jit"),
        ("import triton, cutlass.cute as cute", "@cute.jit"),
        ("import triton\ntriton = wrapped(triton.jit)", "@jit"),
        ("import triton\ndef jit(f): return f", "@jit"),
        ("import triton", "@triton.autotune([], [])"),
        ("import tensorly as triton", "@triton.jit"),
    ],
)
def test_other_functions_are_no_kernels(imports: str, decorator: str) -> None:
    assert qualnames(f"{imports}\n{decorator}\ndef k(x): pass\n") == []


def test_kernels_in_strings_and_async_functions_are_left_alone() -> None:
    text = HEAD + 'T = """\n@triton.jit\ndef k(x): pass\n"""\n@triton.jit\nasync def a(): pass\n'
    assert qualnames(text) == []


def test_any_stack_of_decorators_and_its_names() -> None:
    text = """\
import triton
from flag_gems.utils import libentry
import project.tools as tools

@libentry()
@tools.cached(key=["N"])
@unknown
@triton.autotune(
    configs=[triton.Config({"B": b}) for b in (1, 2)],  # two
    key=["N"],
)
@triton.heuristics({"E": lambda args: args["N"] % 2 == 0})
@triton.jit
def k(x, N, B, E): pass
"""
    (kernel,) = source.read(text).kernels
    assert kernel.decorators == (
        "flag_gems.utils.libentry",
        "project.tools.cached",
        "",
        "triton.autotune",
        "triton.heuristics",
        "triton.jit",
    )
    assert kernel.jit == "triton.jit"
    assert kernel.name == "k"


def test_kernels_wherever_they_stand_in_source_order() -> None:
    text = (
        HEAD
        + """
def factory():
    def between():
        @triton.jit
        def deep(x): pass
    @triton.jit
    def inner(x): pass
    return inner

class Op:
    @staticmethod
    @triton.jit
    def member(x): pass
    class Nested:
        @triton.jit
        def low(x): pass

if factory:
    @triton.jit
    def branch(x): pass
else:
    try:
        @triton.jit
        def branch(x): pass
    finally:
        pass

for _ in ():
    with open("f"):
        @triton.jit
        def last(x): pass
"""
    )
    assert qualnames(text) == [
        "factory.<locals>.between.<locals>.deep",
        "factory.<locals>.inner",
        "Op.member",
        "Op.Nested.low",
        "branch",
        "branch",
        "last",
    ]


def test_a_kernel_is_found_by_name_and_by_qualname() -> None:
    module = source.read(
        HEAD
        + "class A:\n    @triton.jit\n    def k(x): pass\n"
        + "class B:\n    @triton.jit\n    def k(x): pass\n"
    )
    first, second = module.kernels
    assert module.kernel("B.k") is second
    assert module.kernel("k") is first
    assert module.kernel("none") is None
    assert first.module is module


def test_parameters() -> None:
    (kernel,) = source.read(
        HEAD
        + "@triton.jit\n"
        + "def k(a, b: tl.tensor, /, c: tl.constexpr, d: 'tl.constexpr' = 4, *e, "
        + "f: tl.constexpr[int] = None, g, **h): pass\n"
    ).kernels
    found = [(p.name, p.kind, p.constexpr) for p in kernel.parameters]
    assert found == [
        ("a", "positional_only", False),
        ("b", "positional_only", False),
        ("c", "positional_or_keyword", True),
        ("d", "positional_or_keyword", True),
        ("e", "var_positional", False),
        ("f", "keyword_only", True),
        ("g", "keyword_only", False),
        ("h", "var_keyword", False),
    ]
    defaults = {p.name: p.default and ast.unparse(p.default) for p in kernel.parameters}
    assert defaults["d"] == "4"
    assert defaults["f"] == "None"
    assert defaults["g"] is None
    annotation = kernel.parameters[1].annotation
    assert annotation is not None
    assert kernel.module.resolve(annotation) == "triton.language.tensor"


@pytest.mark.parametrize(
    "text",
    [
        "@triton.jit\ndef k(): pass\n",
        "from triton import jit as j\n@j\ndef k(): pass\n",
        "from x.triton_utils import triton\njust = triton.jit\n@just\ndef k(): pass\n",
    ],
)
def test_the_gate_lets_kernels_through(text: str) -> None:
    assert source.has_kernels(text)
    assert source.read(text).kernels


def test_the_gate_stops_the_rest() -> None:
    assert not source.has_kernels("import torch\nprint(torch.jit)\n")
    assert not source.has_kernels("")


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(source.SourceError) as caught:
        source.read("x = 1\nif True print()\n", "dir/file.py")
    assert (caught.value.line, caught.value.path) == (2, "dir/file.py")
    assert str(caught.value).startswith("dir/file.py:2:")


@pytest.mark.parametrize("text", ["x = '\0'", "(" * 5000 + ")" * 5000, "-" * 200_000 + "1"])
def test_what_the_parser_cannot_take_is_a_source_error(text: str) -> None:
    with pytest.raises(source.SourceError):
        source.read(text)


def test_reading_is_silent(recwarn: pytest.WarningsRecorder) -> None:
    source.read("x = '\\d'\nassert (1, 'a')\n")
    assert not recwarn.list


def test_text_of_counts_characters_where_ast_counts_bytes() -> None:
    text = "s = 'ä€😀'; t = f(x)  # ü\r\nu\x0c = '\u2028'; v = g(\r\n  'é',\r\n  y)\rw = h(z)"
    module = source.read(text)
    values = [stmt.value for stmt in module.tree.body if isinstance(stmt, ast.Assign)]
    assert [module.text_of(value) for value in values] == [
        "'ä€😀'",
        "f(x)",
        "'\u2028'",
        "g(\r\n  'é',\r\n  y)",
        "h(z)",
    ]


def test_reading_imports_nothing_heavy(root: Path) -> None:
    program = (
        "import sys; from tritonopt import source; m = source.read('import triton\\n@triton.jit"
        "\\ndef k(x): pass\\n'); m.kernels, m.launches, m.escapes;"
        "print(sorted({'libcst', 'torch', 'triton', 'pathspec'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == "[]"
