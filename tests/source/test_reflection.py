"""Kernels that are reached by their name in a text, or through their module."""

from __future__ import annotations

import pytest

from tritonopt import source

HEAD = """\
import importlib, inspect, operator, sys
import torch
import triton
import triton.language as tl

__all__ = ["K", "run"]


@triton.jit
def K(x, y, n):
    "Text about K."


class Ops:
    @staticmethod
    @triton.jit
    def member(x):
        pass


def run(x):
    K[(1,)](x, x, 1)


"""


def escaped(text: str, path: str = "package/kernels.py") -> set[str]:
    return set(source.read(HEAD + text, path).escapes)


@pytest.mark.parametrize(
    "use",
    [
        "sys.modules[__name__].K[(1,)](1, 2, 3)",
        "here = sys.modules[__name__]\nhere.K[(1,)](1, 2, 3)",
        "from sys import modules\nmodules[__name__].K[(1,)](1, 2, 3)",
        "import kernels\nkernels.K[(1,)](1, 2, 3)",
        "import package.kernels\npackage.kernels.K[(1,)](1, 2, 3)",
        "import package\npackage.K[(1,)](1, 2, 3)",
        "import package.kernels as me\nme.K[(1,)](1, 2, 3)",
        "from . import kernels\nkernels.K[(1,)](1, 2, 3)",
        "from package import kernels as me\nme.K[(1,)](1, 2, 3)",
        "from .kernels import K as other\nother[(1,)](1, 2, 3)",
        "def f():\n    from . import K as other\n    other[(1,)](1, 2, 3)",
        "importlib.import_module(__name__).K[(1,)](1, 2, 3)",
        "m = importlib.import_module('package.kernels')\nm.K[(1,)](1, 2, 3)",
        "__import__('kernels').K[(1,)](1, 2, 3)",
        "inspect.getmodule(run).K[(1,)](1, 2, 3)",
        "run.__globals__['K'][(1,)](1, 2, 3)",
        "globals()['K'][(1,)](1, 2, 3)",
        "globals().get('K')[(1,)](1, 2, 3)",
        "name = 'K'\nglobals()[name][(1,)](1, 2, 3)",
        "for value in list(globals().values()):\n    value[(1,)](1, 2, 3)",
        "vars()['K'][(1,)](1, 2, 3)",
        "import kernels\nvars(kernels)['K']",
        "import kernels\ngetattr(kernels, name)[(1,)](1, 2, 3)",
        "inspect.getmembers(sys.modules[__name__])",
        "f(sys.modules[__name__])",
        "getattr(x, 'K')",
        "eval('K[(1,)](1, 2, 3)')",
        "exec('K' + '[(1,)](1, 2, 3)')",
        "code = 'K[(1,)](1, 2, 3)'\nexec(code, {})",
        "eval(text)",
        "operator.attrgetter('K')(x)",
    ],
)
def test_a_kernel_that_is_reached_otherwise(use: str) -> None:
    assert "K" in escaped(use)


@pytest.mark.parametrize(
    "use",
    [
        "",
        "import ops\nops.K[(1,)](1, 2, 3)",
        "from elsewhere import K as other\nother[(1,)](1, 2, 3)",
        "torch.K(1)",
        "x.K(1)",
        "print('K')",
        "raise ValueError(f'K {eval}')",
        "logger.debug('K', getattr(x, name))",
        "getattr(x, 'other')",
        "globals()['other'] = 1",
        "state = 'K'",
        "model.eval()",
        "model.modules()",
        "importlib.import_module('elsewhere').other()",
        "sys.modules['elsewhere'].other",
        "def f(): return locals()",
    ],
)
def test_what_reaches_no_kernel(use: str) -> None:
    assert not escaped(use)


def test_a_member_is_reached_through_its_class() -> None:
    assert escaped("sys.modules[__name__].Ops.member[(1,)](1)") == {"Ops.member"}
    assert not escaped("import kernels\nkernels.member[(1,)](1)")


def test_a_file_without_a_name_may_be_any_module() -> None:
    assert escaped("import ops\nops.K[(1,)](1, 2, 3)", "<string>") == {"K"}


@pytest.mark.parametrize(
    "line",
    [
        "globals().update(ZERO=1)",
        "names = globals()",
        "setattr(sys.modules[__name__], 'ZERO', 1)",
        "sys.modules[__name__].ZERO = 1",
        "import kernels; kernels.ZERO = 1",
        "exec('ZERO = 1')",
        "from constants import *",
    ],
)
def test_a_global_that_its_own_file_binds_in_another_way(line: str) -> None:
    plain = "import sys\nimport config\n\nZERO = 0\n"
    assert not source.read(plain + "print(config.ZERO)\n", "kernels.py").is_replaced("ZERO")
    assert source.read(f"{plain}{line}\n", "kernels.py").is_replaced("ZERO")


def test_a_global_that_is_bound_behind_a_star() -> None:
    module = source.read("from constants import *\n\nZERO = 0\n", "kernels.py")
    assert not module.is_replaced("ZERO")
