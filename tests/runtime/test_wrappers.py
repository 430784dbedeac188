"""Autotuners, heuristics and the wrappers of other libraries, made again around another kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import MagicMock

import pytest
import triton
from triton.runtime import Autotuner

import tritonopt
from tests.runtime.support import Tensor, load, no_gpu
from tests.runtime.test_optimize import ARGUMENTS, RELU, comparisons
from tritonopt.facts import KernelFacts
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import AddParameter

TUNED = RELU.replace(" = 64", "").replace(
    "@triton.jit",
    """\
@triton.heuristics({"n": lambda args: 50})
@triton.autotune([triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit""",
)


def launch(kernel: Any) -> list[tuple[Any, ...]]:
    with no_gpu() as launched:
        kernel[lambda meta: (meta["BLOCK"],)](*ARGUMENTS[:2])
    return launched


@pytest.fixture
def relu(tmp_path: Path) -> Any:
    return load(tmp_path, RELU).relu


@pytest.fixture
def tuned(tmp_path: Path) -> Any:
    with no_gpu():  # an autotuner asks for the benchmarker of the driver, up to 3.3
        return load(tmp_path, TUNED).relu


class Entry:
    """As FlagGems' libentry: keeps compiled kernels, and looks into the chain it is given."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn
        self.arg_names = fn.arg_names
        self.kept: tuple[dict[str, Any], ...] = ({}, {})
        while not isinstance(fn, triton.runtime.JITFunction):
            fn = fn.fn
        self.jit_function = fn
        self.signature = fn.signature

    def run(self, *args: Any, **kwargs: Any) -> Any:
        return self.kept[0].setdefault("kernel", self.fn.run(*args, **kwargs))

    def __getitem__(self, grid: Any) -> Any:
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


class Named(Entry):
    """Made with more than the function; only it knows how."""

    def __init__(self, fn: Any, name: str) -> None:
        super().__init__(fn)
        self.title = f"<{name}>"
        self.seen: list[str] = []

    @cached_property
    def key(self) -> str:
        return str(self.jit_function.cache_key)


class Tuner(Autotuner):  # type: ignore[misc]  # Triton's is not typed
    """As FlagGems' libtuner: keeps its results under a name that it makes of the kernel."""

    def __init__(self, fn: Any, arg_names: Any, configs: Any, key: Any, strategy: str) -> None:
        super().__init__(fn, arg_names, configs, key, [], [])
        self.strategy = strategy
        self.table = str(self.base_fn.__code__.co_filename)


class Registered(Tuner):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)


class Secretive(Tuner):
    def __init__(self, fn: Any, secret: str) -> None:
        super().__init__(fn, fn.arg_names, [triton.Config({"BLOCK": 32})], ["n"], secret[:1])


def test_a_chain_comes_back_around_the_new_kernel(tuned: Any) -> None:
    made = tritonopt.optimize(tuned, passes="max-to-where")
    assert type(made) is type(tuned) and type(made.fn) is type(tuned.fn)
    assert made.values == tuned.values and made.fn.configs == tuned.fn.configs
    assert made.fn.keys == ["n"] and made.fn.cache == {} and made.fn.cache is not tuned.fn.cache
    assert made.fn.fn is not tuned.fn.fn
    assert made.fn.base_fn is made.fn.fn.fn and tuned.fn.base_fn is tuned.fn.fn.fn
    assert made.tritonopt.passes == made.fn.fn.tritonopt.passes == ("max-to-where",)


def test_a_chain_is_launched_as_the_original_is(tuned: Any) -> None:
    assert launch(tuned)
    made = tritonopt.optimize(tuned, passes="max-to-where")
    assert made.fn.cache == {}, "what was tuned for the original says nothing of this one"
    launched = launch(made)
    assert launched[-1][1][0] in (32, 64) and len(made.fn.cache) == 1
    assert len(tuned.fn.cache) == 1
    assert "tl.where" in made.fn.fn.src


def test_a_wrapper_is_made_again(relu: Any) -> None:
    wrapped = Entry(relu)
    with no_gpu():
        wrapped[(1,)](*ARGUMENTS)
    made = tritonopt.optimize(wrapped, passes="max-to-where")
    assert type(made) is Entry and made.kept == ({}, {}) and wrapped.kept[0]
    assert made.jit_function is made.fn and made.signature is made.fn.signature
    assert made.fn is not relu and made.tritonopt.passes == ("max-to-where",)


def test_a_wrapper_that_only_its_maker_understands_is_copied(tuned: Any) -> None:
    wrapped = Named(tuned, "relu")
    with no_gpu():
        wrapped[lambda meta: (1,)](*ARGUMENTS[:2])
    assert wrapped.key == tuned.fn.fn.cache_key
    made = tritonopt.optimize(wrapped, passes="max-to-where")
    assert made.title == "<relu>" and made.seen == [] and made.seen is not wrapped.seen
    assert made.fn is not tuned and made.fn.fn.fn is made.jit_function
    assert made.jit_function is not wrapped.jit_function
    assert made.key == made.jit_function.cache_key != wrapped.key
    assert made.kept == ({}, {}), "kernels that were compiled for the original"
    assert wrapped.kept[0] and wrapped.jit_function is tuned.fn.fn


@pytest.mark.parametrize("kind", [Tuner, Registered])
def test_a_tuner_of_another_library_is_made_again(relu: Any, kind: Any) -> None:
    configs = [triton.Config({"BLOCK": 32})]
    with no_gpu():
        tuner = kind(relu, relu.arg_names, configs, ["n"], "log2")
        made = tritonopt.optimize(tuner, passes="max-to-where")
    assert type(made) is kind and made.strategy == "log2" and made.configs == configs
    assert made.keys == ["n"] and made.table == made.fn.fn.__code__.co_filename != tuner.table


def test_a_tuner_that_does_not_show_how_it_was_made(relu: Any) -> None:
    with no_gpu():
        tuner = Secretive(relu, "secret")
        with pytest.raises(TypeError, match="secret was; put @tritonopt.optimize between it"):
            tritonopt.optimize(tuner, passes="max-to-where")


class Remembering:
    """Launches its kernel from wherever it put it."""

    def __init__(self, fn: Any, home: str) -> None:
        self.fn = fn
        self.home = home
        self.launchers = {
            "method": self.launch,
            "partial": partial(fn.run, warmup=False),
            "closure": lambda *args, grid: fn.run(*args, grid=grid, warmup=False),
            "kernel": [(fn,)],
        }

    def launch(self, *args: Any, grid: Any) -> Any:
        return self.fn.run(*args, grid=grid, warmup=False)

    def __getitem__(self, grid: Any) -> Any:
        launcher = self.launchers[self.home]
        return launcher[0][0][grid] if self.home == "kernel" else partial(launcher, grid=grid)


@pytest.mark.parametrize("home", ["method", "partial", "closure", "kernel"])
def test_a_wrapper_launches_the_new_kernel_wherever_it_remembers_it(relu: Any, home: str) -> None:
    wrapped = Remembering(relu, home)
    made = tritonopt.optimize(wrapped, passes="max-to-where")
    ran: list[str] = []
    for name, wrapper in (("original", wrapped), ("optimized", made)):
        wrapper.fn.pre_run_hooks.append(lambda *args, name=name, **options: ran.append(name))
    with no_gpu():
        made[(1,)](*ARGUMENTS)
        wrapped[(1,)](*ARGUMENTS)
    assert ran == ["optimized", "original"]


def test_a_tuner_keeps_nothing_of_what_was_found_for_the_original(tmp_path: Path) -> None:
    text = TUNED.replace('key=["n"]', 'key=["n"], restore_value=["y_ptr"]')

    class Restored(Tensor):
        def clone(self) -> Any:
            return self

        def copy_(self, other: Any) -> None:
            assert other is self

    with no_gpu() as launched:
        tuner = load(tmp_path, text).relu.fn
        tuner[(1,)](Restored(), Restored(), 100)
        made = tritonopt.optimize(tuner, passes="max-to-where")
        assert not hasattr(made, "best_config") and tuner.best_config
        kept = tuner.restore_copies
        made[(1,)](Restored(), Restored(), 100)
    assert tuner.restore_copies is kept and made.restore_copies is not kept and launched


@dataclass(frozen=True)
class Frozen:
    fn: Any
    title: str


class ByOne:
    def __init__(self, fn: Any) -> None:
        self.fn = fn


def test_what_a_wrapper_was_given_stays_with_it(relu: Any) -> None:
    assert tritonopt.optimize(Frozen(relu, "relu"), passes="max-to-where").title == "relu"
    wrapped: Any = ByOne(relu)
    wrapped.title = "relu"
    made = tritonopt.optimize(wrapped, passes="max-to-where")
    assert made.title == "relu" and made.fn is not relu and wrapped.fn is relu


class Slotted:
    __slots__ = ("fn", "title")

    def __init__(self, fn: Any, title: str) -> None:
        self.fn, self.title = fn, title


def test_a_wrapper_that_cannot_be_made_again_is_refused(relu: Any) -> None:
    def launcher() -> None: ...

    vars(launcher)["fn"] = relu
    of_class = type("OfClass", (), {"fn": relu})
    for wrapper in (Slotted(relu, "relu"), launcher, of_class, of_class()):
        with pytest.raises(TypeError, match="put @tritonopt.optimize between it and @triton.jit"):
            tritonopt.optimize(wrapper, passes="max-to-where")
        assert wrapper.fn is relu
    launched = Frozen(relu, "relu")
    with no_gpu():
        vars(launched)["compiled"] = relu[(1,)](*ARGUMENTS)
    with pytest.raises(TypeError, match="optimize it before its first launch"):
        tritonopt.optimize(launched, passes="max-to-where")


def test_what_holds_no_kernel(relu: Any) -> None:
    class Loop:
        fn: Any

    loop = Loop()
    loop.fn = loop
    for wrong in (loop, print, None.__class__, lambda: 1, MagicMock()):
        with pytest.raises(TypeError, match="optimize takes a function under @triton.jit"):
            tritonopt.optimize(wrong)


# A new parameter


@dataclass(frozen=True)
class Adds(Pass):
    """Adds a parameter that launches may leave out."""

    name: ClassVar[str] = "adds"
    summary: ClassVar[str] = "adds a parameter"

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        names = [parameter.name for parameter in facts.kernel.parameters]
        if "EXTRA" not in names:
            change = AddParameter(facts.kernel, "EXTRA=None")
            yield Site(facts.kernel.node, (), "added a parameter", changes=(change,))


def test_a_new_parameter_may_be_left_out(relu: Any) -> None:
    made = tritonopt.optimize(relu, passes=[Adds()])
    assert made.arg_names == ["x_ptr", "y_ptr", "n", "BLOCK", "EXTRA"]
    with no_gpu() as launched:
        made[(7,)](*ARGUMENTS)
        made[(2,)](*ARGUMENTS, EXTRA=7)
    assert [entry[1] for entry in launched] == [(7, 1, 1), (2, 1, 1)]
    assert comparisons(made, Tensor(), Tensor(), 100) == comparisons(relu, Tensor(), Tensor(), 100)


def test_a_tuner_knows_the_new_parameter(tuned: Any) -> None:
    made = tritonopt.optimize(tuned, passes=[Adds()])
    assert made.arg_names == made.fn.arg_names == made.fn.fn.arg_names
    assert "EXTRA" not in tuned.arg_names and launch(made)


def test_a_wrapper_that_is_not_known_gets_no_new_parameter(relu: Any, tmp_path: Path) -> None:
    made = tritonopt.optimize(Entry(relu), passes=[Adds()])
    assert made.fn.src == relu.src
    assert [(r.pass_name, r.kind.value) for r in made.tritonopt.remarks] == [("adds", "missed")]
    assert "adds a parameter; what Entry does" in made.tritonopt.remarks[-1].message
    text = RELU.replace("@triton.jit", "def mine(f):\n    return triton.jit(f)\n\n\n@mine")
    made = tritonopt.optimize(load(tmp_path, text).relu, passes=[Adds()])
    assert "what its decorator does" in made.tritonopt.remarks[-1].message
