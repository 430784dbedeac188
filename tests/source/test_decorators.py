"""What decorators that are not known take away."""

from __future__ import annotations

import ast

import pytest

from tritonopt import source
from tritonopt.source import decorators

HEAD = """\
import dataclasses
import triton
import triton.language as tl
from flag_gems.utils import libentry, libtuner
from tools import entry, twice

"""

DEFINED = """\
def same(f):
    REGISTRY.append("one")
    return f

def same_with(*options):
    def inner(f):
        return f
    return inner

def keeps(f):
    REGISTRY.append(f)
    return f

def replaces(f):
    f = triton.jit(other)
    return f

def sometimes(f):
    if REGISTRY:
        return f

def wraps(f):
    def inner(*args):
        return f[args]
    return inner

def yields(f):
    yield
    return f

@twice
def decorated(f):
    return f

def either(f):
    return f

either = twice

lambda_ = lambda f: f

"""


def kernel_under(*above: str) -> source.Kernel:
    module = source.read(
        HEAD + DEFINED + "".join(f"{a}\n" for a in above) + "def k(x):\n    pass\n"
    )
    (kernel,) = module.kernels
    return kernel


@pytest.mark.parametrize(
    ("decorators", "known"),
    [
        (["@triton.jit"], True),
        (["@triton.jit(do_not_specialize=[0])"], True),
        (["@triton.autotune(configs=[], key=[])", "@triton.heuristics({})", "@triton.jit"], True),
        (["@libentry()", "@libtuner(configs=[], key=[])", "@triton.jit"], True),
        (["@same", "@triton.jit"], True),
        (["@same_with(1)", "@triton.jit"], True),
        (["@lambda_", "@triton.jit"], True),
        (["@triton.jit", "@same"], True),
        (["@entry", "@triton.jit"], False),
        (["@entry()", "@triton.jit"], False),
        (["@triton.autotune(configs=[], key=[])", "@entry()", "@triton.jit"], False),
        (["@keeps", "@triton.jit"], False),
        (["@replaces", "@triton.jit"], False),
        (["@sometimes", "@triton.jit"], False),
        (["@wraps", "@triton.jit"], False),
        (["@yields", "@triton.jit"], False),
        (["@decorated", "@triton.jit"], False),
        (["@either", "@triton.jit"], False),
        (["@same_with", "@triton.jit"], False),
        (["@same(1)", "@triton.jit"], False),
        (["@(same if FAST else entry)", "@triton.jit"], False),
    ],
)
def test_what_may_launch_a_kernel_otherwise(decorators: list[str], known: bool) -> None:
    assert (kernel_under(*decorators).unknown_decorator is None) is known


@pytest.mark.parametrize(
    ("decorators", "as_written"),
    [
        (["@triton.jit"], True),
        (["@same", "@triton.jit"], True),
        (["@entry", "@triton.jit"], False),
        (["@libentry()", "@triton.jit"], False),
        (["@wraps", "@triton.jit"], False),
    ],
)
def test_what_a_call_from_jit_code_runs(decorators: list[str], as_written: bool) -> None:
    assert kernel_under(*decorators).is_called_as_written is as_written


@pytest.mark.parametrize("below", ["@entry", "@wraps", "@replaces", "@libentry()", "@triton.jit"])
def test_a_text_that_triton_does_not_compile_is_no_kernel(below: str) -> None:
    found = source.read(f"{HEAD}{DEFINED}@triton.jit\n{below}\ndef k(x): pass\n")
    assert not found.kernels
    ((kernel, decorator),) = found.replaced
    assert (kernel.qualname, f"@{found.text_of(decorator)}") == ("k", below)


def test_a_text_that_triton_compiles_is_replaced_by_nothing() -> None:
    found = source.read(f"{HEAD}{DEFINED}@triton.jit\n@same\ndef k(x): pass\n")
    assert len(found.kernels) == 1
    assert not list(found.replaced)


@pytest.mark.parametrize(
    ("above", "known"),
    [
        ("class A:", True),
        ("class A(Base):", True),
        ("@dataclasses.dataclass\nclass A:", True),
        ("@same\nclass A:", True),
        ("@entry\nclass A:", False),
        ("@keeps\nclass A:", False),
        ("class A(metaclass=Meta):", False),
        ("class A(Base, launch=True):", False),
    ],
)
def test_a_class_around_the_kernel(above: str, known: bool) -> None:
    text = f"{HEAD}{DEFINED}{above}\n    @staticmethod\n    @triton.jit\n    def k(x): pass\n"
    (kernel,) = source.read(text).kernels
    assert (kernel.unknown_decorator is None) is known


@pytest.mark.parametrize(
    ("below", "known"),
    [
        ("class B(A): pass", True),
        ("@entry\nclass B: pass", True),
        ("@entry\nclass B(A): pass", False),
        ("class B(A): pass\nclass C(B, metaclass=Meta): pass", False),
    ],
)
def test_a_class_that_has_the_kernel_from_another(below: str, known: bool) -> None:
    text = f"{HEAD}class A:\n    @staticmethod\n    @triton.jit\n    def k(x): pass\n\n{below}\n"
    (kernel,) = source.read(text).kernels
    assert (kernel.unknown_decorator is None) is known


def test_it_says_which() -> None:
    decorator = kernel_under("@libentry()", "@entry(1)", "@triton.jit").unknown_decorator
    assert decorator is not None
    assert ast.unparse(decorator) == "entry(1)"


@pytest.mark.parametrize(
    ("line", "as_written"),
    [
        ("", True),
        ("table = [k]", True),
        ("print(k.fn)", True),
        ("k.fn = other", False),
        ("k.src = text", False),
        ("k._unsafe_update_src(text)", False),
        ("import sys\nsys.modules[__name__].k = other", False),
        ("globals()['k'] = other", False),
        ("setattr(module, 'k', other)", False),
        ("exec('k = other')", False),
    ],
)
def test_what_is_put_in_its_place(line: str, as_written: bool) -> None:
    (kernel,) = source.read(f"{HEAD}@triton.jit\ndef k(x):\n    pass\n\n{line}\n").kernels
    assert kernel.is_called_as_written is as_written


@pytest.mark.parametrize(
    ("above", "kernels"),
    [
        ("import triton_dist\n@triton_dist.jit", 1),
        ("from triton_dist import jit\n@jit(do_not_specialize=['n'])", 1),
        ("import ours.kernels as ours\n@ours.jit", 1),
        ("from ours.kernels import jit as compiled\n@compiled", 1),
        ("import others\n@others.jit", 0),
        ("import ours\n@ours.jit", 0),
        ("def jit(f): return f\n@jit", 0),
    ],
)
def test_a_decorator_of_another_package(
    above: str, kernels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(decorators.JIT_VARIABLE, "")
    decorators.take_for_jit(["ours.kernels.jit"])
    decorators.take_for_jit(["ours.kernels.jit", "theirs.jit"])
    found = source.read(f"{HEAD}{above}\ndef k(x): pass\n\ndef run(x): k[(1,)](x)\n")
    assert len(found.kernels) == len(found.launches) == kernels
    for kernel in found.kernels:
        assert kernel.decorators == ("triton.jit",)
        assert kernel.unknown_decorator is None
