"""What names resolve to."""

from __future__ import annotations

import ast

import pytest

from tritonopt import source


def resolved(text: str) -> str:
    """What the argument of the one call of `here` resolves to."""
    module = source.read(text)
    calls = [
        node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "here"
    ]
    (call,) = calls
    return module.resolve(call.args[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import triton.language as tl\nhere(tl.load)", "triton.language.load"),
        ("import triton.language\nhere(triton.language.load)", "triton.language.load"),
        ("from triton import language as L\nhere(L.load)", "triton.language.load"),
        ("from triton.language import load\nhere(load)", "triton.language.load"),
        ("from triton.language import load as get\nhere(get)", "triton.language.load"),
        ("import triton.language.core as core\nhere(core.load)", "triton.language.load"),
        ("from triton.language.standard import sum\nhere(sum)", "triton.language.sum"),
        (
            "from triton.language.standard import _log2\nhere(_log2)",
            "triton.language.standard._log2",
        ),
        ("from vllm.triton_utils import tl, triton\nhere(tl.exp)", "triton.language.exp"),
        ("from vllm.triton_utils import tl, triton\nhere(triton.cdiv)", "triton.cdiv"),
        ("from .utils import tl\nhere(tl.exp)", "triton.language.exp"),
        ("from .utils import *\nhere(tl.exp)", "triton.language.exp"),
        ("from triton.language import *\nhere(arange)", "triton.language.arange"),
        ("here(tl.exp)", "triton.language.exp"),
        (
            "from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math\n"
            "here(libdevice.rsqrt)",
            "triton.language.extra.libdevice.rsqrt",
        ),
        (
            "from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math\n"
            "here(tl_math.abs)",
            "triton.language.math.abs",
        ),
        (
            "from torch._inductor.runtime import triton_helpers\nhere(triton_helpers.max2)",
            "torch._inductor.runtime.triton_helpers.max2",
        ),
        (
            "from flag_gems.utils import tl_extra_shim\nexp = tl_extra_shim.exp\nhere(exp)",
            "triton.language.extra.libdevice.exp",
        ),
        (
            "from flag_gems.utils import triton_lang_extension as tle\nhere(tle.program_id)",
            "flag_gems.utils.triton_lang_extension.program_id",
        ),
        ("from ..utils import helper\nhere(helper.f)", "..utils.helper.f"),
        ("from . import helper\nhere(helper)", ".helper"),
        ("import torch\nhere(torch.empty)", "torch.empty"),
        ("import torch.nn.functional as F\nhere(F.relu)", "torch.nn.functional.relu"),
        ("import triton.language as tl\nexp = tl.exp\nhere(exp)", "triton.language.exp"),
        ("import triton.language as tl\na = tl\nb = a.exp\nhere(b)", "triton.language.exp"),
        ("def f():\n    import triton.language as tl\n    here(tl.load)", "triton.language.load"),
        ("def f():\n    here(tl.load)\nimport triton.language as tl", "triton.language.load"),
        ("class A:\n    import triton.language as tl\n    here(tl.load)", "triton.language.load"),
        (
            "if 1:\n    try:\n        import triton.language as tl\n    finally: pass\n"
            "here(tl.load)",
            "triton.language.load",
        ),
        (
            "try:\n    import triton.language as tl\nexcept ImportError:\n    tl = Fake()\n"
            "here(tl.load)",
            "triton.language.load",
        ),
        (
            "try:\n    from triton.language.extra.libdevice import tanh\nexcept ImportError:\n"
            "    from triton.language.math import tanh\nhere(tanh)",
            "triton.language.extra.libdevice.tanh",
        ),
        ("import triton.language as tl\n[here(tl.load) for x in y]", "triton.language.load"),
        ("import triton.language as tl\nf = lambda x: here(tl.load)", "triton.language.load"),
        (
            "import triton.language as tl\ndef f():\n    global tl\n    here(tl.load)",
            "triton.language.load",
        ),
    ],
)
def test_names_resolve_through_the_imports(text: str, expected: str) -> None:
    assert resolved(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "import triton.language as tl\ndef f(tl):\n    here(tl.load)",
        "import triton.language as tl\ndef f(*tl):\n    here(tl.load)",
        "import triton.language as tl\ndef f(*, tl=None):\n    here(tl.load)",
        "import triton.language as tl\ndef f():\n    tl = g()\n    here(tl.load)",
        "import triton.language as tl\ndef f():\n    here(tl.load)\n    tl = g()",
        "import triton.language as tl\ndef f():\n    for tl in g(): here(tl.load)",
        "import triton.language as tl\ndef f():\n    a, (b, *tl) = g()\n    here(tl.load)",
        "import triton.language as tl\ndef f():\n    with g() as tl: here(tl.load)",
        "import triton.language as tl\ndef f():\n    if (tl := g()): here(tl.load)",
        "import triton.language as tl\ndef f():\n    tl += 1\n    here(tl.load)",
        "import triton.language as tl\ndef f():\n    def tl(): pass\n    here(tl.load)",
        "import triton.language as tl\n[here(tl.load) for tl in y]",
        "import triton.language as tl\nf = lambda tl: here(tl.load)",
        "import triton.language as tl\ndef f(x):\n    match x:\n        case [tl]: here(tl.load)",
        "import triton.language as tl\ntry: pass\nexcept E as exp:\n    here(exp)",
        "from triton.language import exp\ndef exp(x): return x\nhere(exp)",
        "from triton.language import exp\nexp = mine\nhere(exp)",
        "from triton.language import exp\ndef f():\n    global exp\n    exp = 1\nhere(exp)",
        "try:\n    from triton.language import exp\nexcept ImportError:\n    from mine import exp\n"
        "here(exp)",
        "import a as x\nimport b as x\nhere(x.y)",
        "import tensorly as tl\ntl = tl\nhere(tl.load)",
        "a = b\nb = a\nhere(a)",
        "here(f().load)",
        "here(x[0].load)",
        "here(1)",
        "here(unknown.load)",
        "def helper(x): pass\nhere(helper)",
    ],
)
def test_what_is_shadowed_or_unknown_does_not_resolve(text: str) -> None:
    assert resolved(text) == ""


def test_another_module_of_the_name_is_what_it_is() -> None:
    assert resolved("import tensorly as tl\nhere(tl.load)") == "tensorly.load"


def test_a_class_scope_is_not_seen_from_its_methods() -> None:
    text = "import torch as tl\nclass A:\n    tl = 1\n    def f(self): here(tl.x)\n"
    assert resolved(text) == "torch.x"


def builtin(text: str) -> str:
    module = source.read(text)
    (call,) = (
        node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "here"
    )
    return module.builtin(call.args[0])


def test_builtins_are_builtins_only_unshadowed() -> None:
    assert builtin("here(range)") == "range"
    assert builtin("from triton.language import range\nhere(range)") == ""
    assert builtin("from triton.language import *\nhere(range)") == ""
    assert builtin("def f(range): here(range)") == ""
    assert builtin("here(ranges)") == ""
    assert builtin("here(a.range)") == ""
