"""Launch sites, and the uses that hide launches."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from tritonopt import source

HEAD = """\
import triton
import triton.language as tl
from tools import libentry


@triton.jit
def K(x, y, n, B: tl.constexpr = 4):
    H(x)


@triton.jit
def H(x):
    pass


"""


def read(text: str) -> source.Module:
    return source.read(HEAD + text)


def shown(values: Mapping[str, ast.expr]) -> dict[str, str]:
    return {name: ast.unparse(value) for name, value in values.items()}


def escapes(module: source.Module) -> dict[str, list[str]]:
    """The lines of the escapes."""
    lines = module.text.splitlines()
    return {
        name: [lines[use.lineno - 1].strip() for use in uses]
        for name, uses in module.escapes.items()
    }


def test_a_launch_and_its_arguments() -> None:
    module = read("def run(a, b):\n    K[(1, 2)](a, b + 1, n=a.numel(), B=8, num_warps=4)\n")
    (launch,) = module.launches
    assert launch.kernel is module.kernel("K")
    assert launch.launcher is not None
    assert launch.launcher.name == "run"
    assert ast.unparse(launch.grid) == "(1, 2)"
    assert shown(launch.arguments) == {"x": "a", "y": "b + 1", "n": "a.numel()", "B": "8"}
    assert shown(launch.options) == {"num_warps": "4"}
    assert launch.complete
    assert module.text_of(launch.call).startswith("K[(1, 2)](a")
    assert not module.escapes


@pytest.mark.parametrize(
    "text",
    [
        "K[1,](x, y, n)",
        "K[(n,)](x, y, n)",
        "K[lambda meta: (triton.cdiv(n, meta['B']),)](x, y, n)",
        "grid = (1,)\nK[grid](x, y, n)",
        "def f():\n    def grid(meta): return (1,)\n    K[grid](x, y, n)",
        "K[grid(n)](x, y, n)",
        "k = K\nk[g](x, y, n)",
        "def f():\n    k = K\n    return k[g](x, y, n)",
        "def f():\n    k = K\n    def h(): k[g](x, y, n)\n    return h",
        "k: object = K\nk[g](x, y, n)",
        "k = l = K\nl[g](x, y, n)",
        "k, l = K, H\nk[g](x, y, n)",
        "k = triton.autotune([], key=['n'])(K)\nk[g](x, y, n)",
        "k = triton.heuristics({})(triton.autotune([], [])(K))\nk[g](x, y, n)",
        "K = triton.autotune([], key=['n'])(K)\nK[g](x, y, n)",
        "K.run(x, y, n, grid=g, warmup=False)",
        "K.warmup(x, y, n, grid=(1,))",
        "lambda: K[g](x, y, n)",
        "[K[g](x, y, n) for x in y]",
        "def f():\n    global K\n    K[g](x, y, n)",
        "with torch.cuda.device(0):\n    K[g](x, y, n)",
        "if x:\n    pass\nelif K[g](x, y, n):\n    pass",
    ],
)
def test_every_spelling_of_a_launch(text: str) -> None:
    module = read(text)
    (launch,) = module.launches
    assert launch.kernel.name == "K"
    assert list(launch.arguments) == ["x", "y", "n"]
    assert not launch.options
    assert not module.escapes


def test_a_known_decorator_may_also_be_called() -> None:
    module = read("from flag_gems.utils import libentry as entry\nk = entry()(K)\nk[g](x, y, n)\n")
    assert [launch.kernel.name for launch in module.launches] == ["K"]
    assert not module.escapes


def test_a_decorator_that_is_not_known_is_not_known_when_it_is_called() -> None:
    module = read("@libentry()\n@triton.jit\ndef L(x): pass\nk = libentry()(K)\nk[g](x, y, n)\n")
    assert not module.launches
    assert escapes(module) == {"K": ["k = libentry()(K)"]}


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("K[g](x, y, n)", False),
        ("k = K\nk[g](x, y, n)", False),
        ("k = triton.autotune(configs, key=['n'])(K)\nk[g](x, y, n)", True),
        ("K = triton.heuristics(values)(K)\nK[g](x, y, n)", True),
        ("k = triton.autotune(configs, key=['n'])(K)\nl = k\nl[g](x, y, n)", True),
    ],
)
def test_a_tuner_that_is_called_on_the_kernel_chooses_arguments(text: str, chosen: bool) -> None:
    (launch,) = read(text).launches
    assert (launch.chosen_by is not None) is chosen


def test_what_calls_of_unknown_functions_do_is_unknown() -> None:
    module = read("k = wrap(K)\nk[g](x, y, n)\n")
    assert not module.launches
    assert escapes(module) == {"K": ["k = wrap(K)"]}


@pytest.mark.parametrize(
    ("call", "arguments", "options", "complete"),
    [
        ("K[g](a, *rest)", {"x": "a"}, {}, False),
        ("K[g](a, *rest, c)", {"x": "a"}, {}, False),
        ("K[g](a, b, **meta)", {"x": "a", "y": "b"}, {}, False),
        # None can be passed twice, so what is hidden are options of the launch.
        (
            "K[g](a, b, c, B=d, **meta)",
            {"x": "a", "y": "b", "n": "c", "B": "d"},
            {},
            True,
        ),
        ("K[g](*rest, x=a, y=b, n=c, B=d)", {"x": "a", "y": "b", "n": "c", "B": "d"}, {}, False),
        ("K[g](*rest, n=1)", {"n": "1"}, {}, False),
        ("K[g](a, b, c, d, e)", {"x": "a", "y": "b", "n": "c", "B": "d"}, {}, False),
        ("K[g]()", {}, {}, True),
        ("K[g](a, num_stages=2, B=1)", {"x": "a", "B": "1"}, {"num_stages": "2"}, True),
    ],
)
def test_arguments_that_are_hidden(
    call: str, arguments: dict[str, str], options: dict[str, str], complete: bool
) -> None:
    (launch,) = read(call).launches
    assert shown(launch.arguments) == arguments
    assert shown(launch.options) == options
    assert launch.complete is complete
    assert launch.hides_options is ("**" in call)


SEEN = [
    ("K[g](*(x, y), n, **{'B': 4})", {}),
    ("args = (x, y, n)\n    K[g](*args, B=4)", {"x": "args[0]", "y": "args[1]", "n": "args[2]"}),
    ("args = [x, n]\n    z = x.stride(0)\n    K[g](args, *args, B=4)", None),
    (
        "args = [y, n]\n    z = x.stride(0)\n    K[g](x, *args, B=4)",
        {"y": "args[0]", "n": "args[1]"},
    ),
    ("meta = dict(B=4, num_warps=2)\n    K[g](x, y, n, **meta)", {"4": 'meta["B"]'}),
    ("meta = dict(B=4)\n    meta['B'] = 8\n    K[g](x, y, n, **meta)", None),
    ("meta = dict(B=4)\n    put(meta)\n    K[g](x, y, n, **meta)", None),
    ("meta = dict(B=n)\n    n = n + 1\n    K[g](x, y, n, **meta)", None),
    ("meta = dict(B=x.stride(0))\n    x.t_()\n    K[g](x, y, n, **meta)", None),
    ("meta = dict(B=f(n))\n    K[g](x, y, n, **meta)", None),
    ("meta = {'B': 4, **more}\n    K[g](x, y, n, **meta)", None),
    ("meta = {'B': 4}\n    if n:\n        K[g](x, y, n, **meta)", None),
    ("meta = {'B': 4}\n    K[g](x, y, n, **meta)\n    K[g](x, y, n, **meta)", None),
    ("K[g](x, y, n, **META)\n    K[g](x, y, n, **META)", {"4": 'META["B"]'}),
    ("META['B'] = 8\n    K[g](x, y, n, **META)", None),
]


@pytest.mark.parametrize(("body", "apart"), SEEN, ids=[body for body, _ in SEEN])
def test_what_is_behind_a_star_is_seen_where_it_is_written(
    body: str, apart: dict[str, str] | None
) -> None:
    module = read(f"META = {{'B': 4}}\n\n\ndef run(g, x, y, n):\n    {body}\n")
    for launch in module.launches:
        assert launch.complete == (apart is not None)
        if apart is not None:
            assert {ast.unparse(node): code for node, code in launch.apart.items()} == apart
            assert list(launch.arguments) == ["x", "y", "n", "B"]


HELD = """
class A:
    def __init__(self):
        self.k = K

    def run(self, x, y, n):
        self.k[g](x, y, n)

{more}
"""


@pytest.mark.parametrize(
    ("more", "launches"),
    [
        ("", 1),
        ("    def again(self, x):\n        self.k[g](x, x, 1)", 2),
        ("    def put(self, k):\n        self.k = k", 0),
        ("    def give(self):\n        return self.k", 0),
        ("def other(a):\n    a.k[g](1, 2, 3)", 0),
    ],
)
def test_a_kernel_that_an_object_keeps_is_launched_by_its_methods(more: str, launches: int) -> None:
    module = read(HELD.format(more=more))
    assert len(module.launches) == launches and bool(module.escapes) == (not launches)


def test_a_class_that_holds_a_kernel_under_its_own_name() -> None:
    module = read("class A:\n    K = K\n\n    def run(self, x):\n        self.K[g](x, x, 1)\n")
    assert len(module.launches) == 1 and not module.escapes


def test_launches_come_in_source_order_with_the_innermost_function() -> None:
    module = read(
        "K[g](a)\n"
        "def outer():\n"
        "    def inner(): H[g](b)\n"
        "    return lambda: K[g](c)\n"
        "class A:\n"
        "    async def method(self): H[g](d)\n"
    )
    found = [
        (launch.kernel.name, launch.launcher.name if launch.launcher else None)
        for launch in module.launches
    ]
    assert found == [("K", None), ("H", "inner"), ("K", "outer"), ("H", "method")]


@pytest.mark.parametrize(
    "use",
    [
        "table = {'k': K}",
        "table = [K]",
        "run(K)",
        "run(kernel=K)",
        "def f(): return K",
        "def f(kernel=K): pass",
        "K(x, y, n)",
        "bound = K[g]",
        "K.fn",
        "K.run(x, y, n)",
        "self.kernel = K",
        "k = self.kernel = K",
        "k = K if x else None",
        "yield_(lambda: K)",
        "f'{K}'",
        "K[K](x)[0]",
        "getattr(module, 'K')",
        "globals()['K']",
        "k = K; k.fn",
        "@use(K)\ndef f(): pass",
        "print(K == 1)",
        "K.arg_names",
        "inspect.signature(K)",
        "inspect.getsource(K.fn)",
        # A configuration that is handed on may be changed, and `fn` launches as the kernel does.
        "K.configs.append(c)",
        "K.configs = []",
        "K.configs[0].kwargs['B'] = 3",
        "K.configs[0] = c",
        "best = K.best_config",
        "def f(): return K.best_config",
        "use(K.configs)",
        "for c in K.configs: pass",
        "K.cache.clear()",
        "K.fn[g](x, y, n)",
        "K.fn.fn[g](x, y, n)",
        "K.fn.run(x, y, n, grid=g)",
        "inner = K.fn",
        "run(K.fn)",
        "K.fn = other",
        "K.__name__ = 'other'",
        "K.other",
        "K.fn.other",
        "hooks = [K.pre_hook]",
    ],
)
def test_every_other_use_is_an_escape(use: str) -> None:
    module = read(use)
    assert list(module.escapes) == ["K"]
    assert use.splitlines()[0] in escapes(module)["K"][0]


@pytest.mark.parametrize(
    "use",
    [
        "K.configs",
        "name = K.__name__",
        "log(K.fn.__name__, K.fn.fn.__doc__)",
        "n = len(K.configs)",
        "print(K.configs, K.best_config)",
        "text = f'{K.best_config} {K.__name__}'",
        "b = K.best_config.kwargs['B']",
        "b = K.configs[0].kwargs['B'] + K.configs[0].num_warps",
        "assert K.fn is not None and K is not None",
        "ok = isinstance(K, object) and isinstance(K.fn, object)",
        "if K is None: pass",
        "size = len(K.cache)",
    ],
)
def test_who_asks_for_something_of_a_kernel_does_not_launch_it(use: str) -> None:
    module = read(f"def f():\n    {use}\n")
    assert not module.escapes
    assert not module.launches


def test_calls_from_jit_code_are_no_escapes() -> None:
    module = read(
        "@triton.jit\ndef third(x):\n    for i in range(3):\n        x = H(H(x)) + K(x, x, 1)\n"
        "@triton.heuristics({'a': lambda args: H})\n@triton.jit\ndef fourth(x): h = H\n"
    )
    assert not module.launches
    assert not module.escapes


def test_a_function_that_is_handed_to_a_reduction_escapes() -> None:
    module = read("@triton.jit\ndef third(x):\n    tl.reduce(x, 0, H)\n")
    assert escapes(module) == {"H": ["tl.reduce(x, 0, H)"]}


def test_shadowed_names_are_something_else() -> None:
    module = read(
        "def f(K): K[g](x)\ndef h():\n    for K in y: K[g](x)\n[K for K in z]\nother.K[g](x)\n"
    )
    assert not module.launches
    assert not module.escapes


def test_an_ambiguous_alias_launches_nothing_for_sure() -> None:
    module = read("if x:\n    k = K\nelse:\n    k = H\nk[g](x)\n")
    assert not module.launches
    assert escapes(module) == {"K": ["k[g](x)"], "H": ["k[g](x)"]}


def test_an_alias_that_is_also_something_else_launches_nothing_for_sure() -> None:
    module = read("k = K\nfor k in y: pass\nk[g](x)\n")
    assert not module.launches
    assert escapes(module) == {"K": ["k[g](x)"]}


def test_two_kernels_of_one_name_are_ambiguous_but_for_calls_from_jit_code() -> None:
    module = source.read(
        "import triton\n"
        "if x:\n    @triton.jit\n    def A(x): pass\n"
        "else:\n    @triton.jit\n    def A(y): pass\n"
        "A[g](1)\n"
        "@triton.jit\ndef B(x): A(x)\n"
    )
    assert not module.launches
    assert escapes(module) == {"A": ["A[g](1)"]}


ASIDE = """\
import triton
@triton.jit
def relu(x): pass
relu_kernel = relu
def relu(x):
    relu_kernel[(1,)](x)
"""


def test_a_kernel_that_is_put_aside_for_a_function_of_its_name() -> None:
    module = source.read(ASIDE)
    assert [launch.kernel.name for launch in module.launches] == ["relu"]
    assert not module.escapes


def test_what_a_function_reads_later_may_be_either() -> None:
    module = source.read(f"{ASIDE}def late(x): relu(x)\n")
    assert escapes(module) == {"relu": ["def late(x): relu(x)"]}


@pytest.mark.parametrize(
    "text",
    [
        "lambda: relu[g](x)\ndef relu(x): pass\n",
        "if x:\n    relu_kernel = relu\ndef relu(x): relu_kernel[g](x)\n",
        "relu_kernel = relu\nif x:\n    def relu(x): relu_kernel[g](x)\n",
        "from other import relu\nrelu_kernel = relu\ndef relu(x): relu_kernel[g](x)\n",
        "for relu in x: pass\nrelu_kernel = relu\ndef relu(x): relu_kernel[g](x)\n",
        "relu_kernel = relu\ndef relu(x):\n    global relu\n    relu = relu_kernel[g](x)\n",
    ],
)
def test_out_of_turn_it_may_be_something_else(text: str) -> None:
    module = source.read(f"import triton\n@triton.jit\ndef relu(x): pass\n{text}")
    assert not module.launches
    assert module.escapes


def test_a_kernel_or_nothing_is_a_kernel() -> None:
    module = source.read(
        "import triton\n"
        "if triton:\n    @triton.jit\n    def A(x): pass\n"
        "else:\n    A = None\n"
        "A[g](1)\n"
    )
    assert len(module.launches) == 1
    assert not module.escapes


MEMBERS = """\
import triton


class Base:
    @staticmethod
    @triton.jit
    def k(x, y):
        pass

    alias = k

    def run(self):
        self.k[(1,)](1, 2)

    @classmethod
    def again(cls):
        cls.k[(2,)](1, 2)


Base.k[(3,)](1, 2)
Base.alias[(4,)](1, 2)
"""


def test_kernels_that_are_members() -> None:
    module = source.read(MEMBERS)
    assert [ast.unparse(launch.grid) for launch in module.launches] == [
        "(1,)",
        "(2,)",
        "(3,)",
        "(4,)",
    ]
    assert {launch.kernel.qualname for launch in module.launches} == {"Base.k"}
    assert shown(module.launches[0].arguments) == {"x": "1", "y": "2"}
    assert not module.escapes


def test_a_member_is_found_through_base_classes() -> None:
    module = source.read(MEMBERS + "class Sub(Base):\n    def f(self): self.k[(5,)](1, 2)\n")
    assert len(module.launches) == 5
    assert not module.escapes


def test_self_may_be_of_a_class_with_a_kernel_of_its_own() -> None:
    module = source.read(
        MEMBERS + "class Sub(Base):\n    @staticmethod\n    @triton.jit\n    def k(x): pass\n"
    )
    assert [ast.unparse(launch.grid) for launch in module.launches] == ["(3,)", "(4,)"]
    assert set(module.escapes) == {"Base.k", "Sub.k"}
    assert len(module.escapes["Base.k"]) == 2


@pytest.mark.parametrize(
    "use", ["op.k[(5,)](1, 2)", "Base.k = other", "f(Base.k)", "getattr(op, 'k')", "make().k.fn"]
)
def test_members_escape_too(use: str) -> None:
    module = source.read(f"{MEMBERS}{use}\n")
    assert escapes(module) == {"Base.k": [use]}


def test_something_of_another_module_is_not_the_member() -> None:
    module = source.read("import ops\n" + MEMBERS + "ops.k[(5,)](1)\n")
    assert not module.escapes


def test_files_without_kernels_have_nothing() -> None:
    module = source.read("import triton\nf[g](x)\n")
    assert module.kernels == ()
    assert module.launches == ()
    assert module.escapes == {}
