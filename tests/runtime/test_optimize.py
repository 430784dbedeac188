"""What comes back from `optimize`: compiled for a GPU that need not be here."""

from __future__ import annotations

import inspect
import linecache
import os
import pickle
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import pytest

import tritonopt
from tests.runtime.support import VERSION, Tensor, compiled, load, no_gpu
from tritonopt.cache_directory import VARIABLE as CACHE
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.options import PassSelectionError

RELU = '''\
import triton
import triton.language as tl


@triton.jit
def relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr = 64):
    """Nothing below zero."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0).to(tl.float32)
    y = tl.maximum(x, 0.0)
    tl.store(y_ptr + offsets, y, mask=offsets < n)
'''
IMPORTS = "import triton\nimport triton.language as tl\n\n\n"
REWRITTEN = "y = tl.where(x > 0.0, x, 0.0)"
ARGUMENTS = (Tensor(), Tensor(), 100)


@pytest.fixture
def relu(tmp_path: Path) -> Any:
    return load(tmp_path, RELU).relu


def comparisons(kernel: Any, *arguments: Any, **constants: Any) -> int:
    """How many floating-point comparisons it compiles to: a `tl.where` makes one."""
    ttir: str = compiled(kernel, *(arguments or ARGUMENTS), **constants)["ttir"]
    return ttir.count("arith.cmpf")


def test_the_result_is_the_kernel_of_the_rewritten_source(relu: Any) -> None:
    made = tritonopt.optimize(relu, passes="max-to-where")
    assert type(made).__name__ == "JITFunction" and isinstance(made, type(relu))
    assert made.tritonopt.source == RELU[RELU.index("def") :].replace(
        "y = tl.maximum(x, 0.0)", REWRITTEN
    )
    assert made.src == made.tritonopt.source
    assert made.tritonopt.passes == ("max-to-where",)
    assert f"-    y = tl.maximum(x, 0.0)\n+    {REWRITTEN}\n" in made.tritonopt.diff
    (remark,) = made.tritonopt.remarks
    assert (remark.kind, remark.kernel, remark.line, remark.column) == (
        RemarkKind.PASSED, "relu", 10, 9,
    )  # fmt: skip
    assert (comparisons(relu), comparisons(made)) == (0, 1)


def test_the_original_stays_what_it_was(relu: Any) -> None:
    before = {name: value for name, value in vars(relu).items() if name != "hash"}
    made = tritonopt.optimize(relu, passes="max-to-where")
    assert {name: value for name, value in vars(relu).items() if name != "hash"} == before
    assert relu.cache_key != made.cache_key
    assert not hasattr(relu, "tritonopt")
    registry = getattr(sys.modules["triton.runtime.jit"], "_triton_jit_function_registry", {})
    assert all(found is not made for found in registry.values())


def test_it_is_launched_as_the_original_is(relu: Any) -> None:
    made = tritonopt.optimize(relu, passes="max-to-where")
    with no_gpu() as launched:
        for kernel in (relu, made):
            kernel[(7,)](*ARGUMENTS, BLOCK=32, num_warps=2)
            kernel[lambda meta: (meta["BLOCK"], 2)](*ARGUMENTS)
            kernel.run(*ARGUMENTS, grid=(1,), warmup=False)
    assert launched[:3] == launched[3:] and len(launched) == 6
    assert [entry[1] for entry in launched[:3]] == [(7, 1, 1), (64, 2, 1), (1, 1, 1)]


def test_a_second_one_finds_what_the_first_one_compiled(relu: Any) -> None:
    first = tritonopt.optimize(relu, passes="max-to-where")
    second = tritonopt.optimize(relu, passes="max-to-where")
    assert first is not second and first.cache_key == second.cache_key
    files = sorted(Path(os.environ["TRITON_CACHE_DIR"]).rglob("*"))
    assert comparisons(relu) == 0 and comparisons(first) == 1
    files = sorted(Path(os.environ["TRITON_CACHE_DIR"]).rglob("*"))
    assert comparisons(second) == 1
    assert sorted(Path(os.environ["TRITON_CACHE_DIR"]).rglob("*")) == files


def test_it_is_called_from_other_jit_functions(tmp_path: Path) -> None:
    text = """\
import triton
import triton.language as tl


@triton.jit
def positive(value):
    x = value.to(tl.float32)
    return tl.maximum(x, 0.0)


@triton.jit
def relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr = 64):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(y_ptr + offsets, positive(x), mask=offsets < n)
"""
    module: Any = load(tmp_path, text)
    module.positive = tritonopt.optimize(module.positive, passes="max-to-where")
    assert module.positive.tritonopt.passes
    assert comparisons(module.relu) == 1


@pytest.mark.skipif(VERSION < (3, 3), reason="functions as arguments need Triton 3.3")
def test_it_is_an_argument_of_another(tmp_path: Path) -> None:
    text = """\
import triton
import triton.language as tl


@triton.jit
def positive(value):
    x = value.to(tl.float32)
    return tl.maximum(x, 0.0)


@triton.jit
def mapped(x_ptr, y_ptr, n, function: tl.constexpr, BLOCK: tl.constexpr = 64):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(y_ptr + offsets, function(x), mask=offsets < n)
"""
    module: Any = load(tmp_path, text)
    made = tritonopt.optimize(module.positive, passes="max-to-where")
    assert comparisons(module.mapped, *ARGUMENTS, module.positive) == 0
    assert comparisons(module.mapped, *ARGUMENTS, made) == 1


@pytest.mark.parametrize("arguments", ["", '(passes="max-to-where")', "()"])
def test_it_is_a_decorator(tmp_path: Path, arguments: str) -> None:
    text = RELU.replace("@triton.jit", f"@tritonopt.optimize{arguments}\n@triton.jit")
    kernel: Any = load(tmp_path, f"import tritonopt\n{text}").relu
    assert isinstance(kernel.tritonopt, tritonopt.Optimization)
    assert kernel.tritonopt.passes == (("max-to-where",) if "passes" in arguments else ())
    assert kernel.fn.__code__.co_firstlineno == 8, "the line of `def` in the file"


@pytest.mark.parametrize("made_by", ["tritonopt.optimize", "functools.partial"])
def test_it_is_a_decorator_by_another_name(tmp_path: Path, made_by: str) -> None:
    arguments = "passes='max-to-where'"
    if made_by == "functools.partial":
        arguments = f"tritonopt.optimize, {arguments}"
    text = RELU.replace("@triton.jit", f"faster = {made_by}({arguments})\n\n\n@faster\n@triton.jit")
    kernel: Any = load(tmp_path, f"import functools\nimport tritonopt\n{text}").relu
    assert kernel.tritonopt.passes == ("max-to-where",), kernel.tritonopt.remarks


def test_it_stands_under_a_tuner(tmp_path: Path) -> None:
    above = '@triton.autotune([triton.Config({"BLOCK": 32})], key=["n"])\n'
    text = RELU.replace(
        "@triton.jit", f'{above}@tritonopt.optimize(passes="max-to-where")\n@triton.jit'
    ).replace(" = 64", "")
    with no_gpu() as launched:
        kernel: Any = load(tmp_path, f"import tritonopt\n{text}").relu
        kernel[lambda meta: (meta["BLOCK"],)](*ARGUMENTS)
    assert kernel.fn.tritonopt.passes == ("max-to-where",)
    assert [entry[1] for entry in launched] == [(32, 1, 1)]


def test_nothing_to_do_gives_a_new_function_and_says_why(relu: Any) -> None:
    made = tritonopt.optimize(relu, passes="fuse-stats,grid-stride")
    assert made is not relu and made.fn is not relu.fn
    assert made.src == relu.src and made.tritonopt.diff == "" and made.tritonopt.passes == ()
    (remark,) = made.tritonopt.remarks
    assert (remark.pass_name, remark.reason) == ("grid-stride", "unseen-launches")
    assert "a live kernel can be launched from anywhere" in remark.message
    (remark,) = tritonopt.optimize(relu, passes="licm").tritonopt.remarks
    assert (remark.kind, remark.message) == (RemarkKind.MISSED, "licm found no site here")


def test_without_a_pass_it_says_so(relu: Any) -> None:
    made = tritonopt.optimize(relu, passes=())
    assert made.src == relu.src
    assert made.tritonopt.remarks[0].message == "is not changed: `passes` is empty"


def test_mistakes_are_told(relu: Any) -> None:
    with pytest.raises(PassSelectionError, match="max-to-where"):
        tritonopt.optimize(relu, passes="max-to-were")
    with pytest.raises(ValueError, match="no safety 'certainly', only 'rounding', 'contract'"):
        tritonopt.optimize(relu, safety=["certainly"])
    for name in ("passes", "safety", "assume"):
        for wrong in (3, [3]):
            arguments: dict[str, Any] = {name: wrong}
            with pytest.raises(TypeError, match=f"^{name} takes strings and .*; 3 is neither"):
                tritonopt.optimize(relu, **arguments)
    with pytest.raises(TypeError, match="above @triton.jit"):
        tritonopt.optimize(relu.fn)
    made = tritonopt.optimize(relu, passes="max-to-where", assume=["n == 4"])
    assert "'n == 4'" in made.tritonopt.remarks[-1].message
    assert made.tritonopt.remarks[-1].reason == "unused-fact"


def test_what_is_not_allowed_is_not_done(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "examples" / "variance.py").read_text()
    text = text[text.index("@triton.jit") : text.index("# tritonopt:")]
    kernel: Any = load(tmp_path, IMPORTS + text).var_mean_kernel
    assert tritonopt.optimize(kernel, passes="fuse-stats").tritonopt.diff
    made = tritonopt.optimize(kernel, passes="fuse-stats", safety=())
    assert [remark.reason for remark in made.tritonopt.remarks] == ["safety"]


# Where its text stands


def test_the_text_stands_in_a_file_on_the_lines_of_the_original(relu: Any) -> None:
    made = tritonopt.optimize(relu, passes="max-to-where")
    path = Path(made.fn.__code__.co_filename)
    lines = path.read_text().split("\n")
    assert path.name == Path(relu.fn.__code__.co_filename).name
    assert path.is_relative_to(os.environ[CACHE])
    assert (
        "relu of " in lines[0] and lines[5].startswith("def relu(") and lines[9].endswith(REWRITTEN)
    )
    assert inspect.getsource(made.fn) == made.tritonopt.source
    ptx = compiled(made, *ARGUMENTS)["ptx"]
    assert str(path.parent) in ptx and f"{path.name}:10:" in ptx


def test_an_error_of_the_compiler_names_the_file(tmp_path: Path) -> None:
    module: Any = load(
        tmp_path, RELU.replace("tl.store(", "tl.static_assert(n == 2)\n    tl.store(")
    )
    made = tritonopt.optimize(module.relu, passes="max-to-where")
    with pytest.raises(Exception, match="static_assert") as caught:
        compiled(made, *ARGUMENTS)
    assert "at 6:4" in str(caught.value)


def test_a_file_that_cannot_be_written_is_not_needed(
    relu: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    occupied = tmp_path / "a file"
    occupied.write_text("")
    monkeypatch.setenv(CACHE, str(occupied))
    made = tritonopt.optimize(relu, passes="max-to-where")
    assert made.fn.__code__.co_filename.startswith("<tritonopt kernels_")
    assert ":6 relu " in made.fn.__code__.co_filename
    assert comparisons(made) == 1


def test_nobody_changes_what_is_compiled_by_changing_the_file(relu: Any) -> None:
    made = tritonopt.optimize(relu, passes="max-to-where")
    path = Path(made.fn.__code__.co_filename)
    path.write_bytes(b"raise SystemExit\n\xff")
    assert comparisons(made) == 1
    tritonopt.optimize(relu, passes="max-to-where")
    assert REWRITTEN in path.read_text(), "it is written again"


def test_the_directory_is_the_same_from_everywhere(
    relu: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for given, found in (("here", tmp_path / "here"), ("~/there", tmp_path / "home" / "there")):
        monkeypatch.setenv(CACHE, given)
        made = tritonopt.optimize(relu, passes="max-to-where")
        assert Path(made.fn.__code__.co_filename).is_relative_to(found)


def test_a_user_without_a_home(relu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CACHE)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    # As for a user whom the system does not know.
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    made = tritonopt.optimize(relu, passes="max-to-where")
    assert made.fn.__code__.co_filename.startswith("<tritonopt kernels_")


def test_the_lines_agree_whatever_the_directory_is_called(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"two\nlines \xff")
    folder.mkdir()
    made = tritonopt.optimize(load(folder, RELU).relu, passes="max-to-where")
    lines = Path(made.fn.__code__.co_filename).read_text().split("\n")
    assert lines[5].startswith("def relu(")


def test_warnings_of_python_are_given_once(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel: Any = load(tmp_path, RELU.replace("Nothing", "\\d: nothing")).relu
        warnings.simplefilter("error")
        made = tritonopt.optimize(kernel, passes="max-to-where")
    assert made.tritonopt.passes


# Where functions come from


def test_text_that_was_executed(tmp_path: Path) -> None:
    name = "<ipython-input-3-5f2e>"
    linecache.cache[name] = (len(RELU), None, RELU.splitlines(True), name)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(RELU, name, "exec"), namespace)
    made = tritonopt.optimize(namespace["relu"], passes="max-to-where")
    assert Path(made.fn.__code__.co_filename).name == "ipython-input-3-5f2e"
    assert comparisons(made) == 1


def test_a_text_of_one_kernel_and_nothing_else(tmp_path: Path) -> None:
    text = RELU[RELU.index("def") :]
    name = "<generated>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    import triton
    import triton.language

    namespace: dict[str, Any] = {"tl": triton.language}
    exec(compile(text, name, "exec"), namespace)
    made = tritonopt.optimize(triton.jit(namespace["relu"]), passes="max-to-where")
    assert [remark.line for remark in made.tritonopt.remarks] == [5]
    assert comparisons(made) == 1


def test_a_kernel_in_a_function(tmp_path: Path) -> None:
    body = textwrap.indent(RELU[RELU.index("@") :], "    ")
    text = f"{IMPORTS}def make():\n{body}    return relu\n"
    made = tritonopt.optimize(load(tmp_path, text).make(), passes="max-to-where")
    assert made.fn.__qualname__ == "make.<locals>.relu"
    (remark,) = made.tritonopt.remarks
    assert (remark.kernel, remark.line, remark.column) == ("make.<locals>.relu", 11, 13)
    assert comparisons(made) == 1


@pytest.mark.skipif(VERSION < (3, 4), reason="closures need Triton 3.4")
def test_a_kernel_with_a_closure(tmp_path: Path) -> None:
    text = """\
import triton
import triton.language as tl


def make(scale: tl.constexpr, apply):
    @triton.jit
    def relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr = 64):
        offsets = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0).to(tl.float32)
        y = x * scale
        tl.store(y_ptr + offsets, apply(tl.maximum(y, 0.0)), mask=offsets < n)

    return relu


@triton.jit
def twice(x):
    return x + x
"""
    module: Any = load(tmp_path, text)
    kernel = module.make(module.tl.constexpr(3.0), module.twice)
    made = tritonopt.optimize(kernel, passes="max-to-where")
    assert made.fn.__closure__ == kernel.fn.__closure__
    ttir = compiled(made, *ARGUMENTS)["ttir"]
    assert ttir.count("arith.cmpf") == 1 and "3.000000e+00" in ttir


def test_a_kernel_in_a_class(tmp_path: Path) -> None:
    body = textwrap.indent(RELU[RELU.index("@") :], "    ").replace(
        "    @triton.jit", "    @staticmethod\n    @triton.jit"
    )
    text = f"{IMPORTS}class Kernels:\n{body}"
    made = tritonopt.optimize(load(tmp_path, text).Kernels.relu, passes="max-to-where")
    assert made.tritonopt.remarks[0].kernel == "Kernels.relu"
    assert comparisons(made) == 1


def test_defaults_are_the_values_that_the_original_has(relu: Any, tmp_path: Path) -> None:
    text = RELU.replace("= 64", "= SIZE").replace("@triton.jit", "SIZE = 32\n\n\n@triton.jit")
    module: Any = load(tmp_path, text)
    module.SIZE = 128
    made = tritonopt.optimize(module.relu, passes="max-to-where")
    assert [p.default for p in made.params][3] == 32


def test_other_decorators_and_annotations_as_text(tmp_path: Path) -> None:
    text = "from __future__ import annotations\n" + RELU.replace(
        "@triton.jit",
        "def mine(f):\n    return triton.jit(f)\n\n\n@mine",
    )
    made = tritonopt.optimize(load(tmp_path, text).relu, passes="max-to-where")
    assert made.fn.__annotations__ == {"BLOCK": "tl.constexpr"}
    assert comparisons(made) == 1


def test_options_of_the_decorator(tmp_path: Path) -> None:
    text = RELU.replace(
        "@triton.jit",
        '@triton.jit(do_not_specialize=["n"], noinline=True, repr=lambda _: "shown")',
    )
    kernel: Any = load(tmp_path, text).relu
    kernel.add_pre_run_hook(print)
    made = tritonopt.optimize(kernel, passes="max-to-where")
    assert [p.do_not_specialize for p in made.params] == [False, False, True, False]
    assert made.noinline and made.repr(None) == "shown"
    assert made.pre_run_hooks == [print] and made.pre_run_hooks is not kernel.pre_run_hooks


def test_another_kind_of_kernel_stays_of_its_kind(relu: Any) -> None:
    class Named(type(relu)):  # type: ignore[misc]
        def __init__(self, fn: Any, title: str, **options: Any) -> None:
            super().__init__(fn, **options)
            self.title = title

    kernel = Named(relu.fn, "relu", do_not_specialize=["n"], noinline=True)
    made = tritonopt.optimize(kernel, passes="max-to-where")
    assert isinstance(made, Named) and made.title == "relu" and made.noinline
    assert [p.do_not_specialize for p in made.params] == [False, False, True, False]


@pytest.mark.skipif(VERSION < (3, 7), reason="Triton knows no kernels by name before")
def test_the_newest_kernel_of_a_name_stays_the_one_that_is_found(tmp_path: Path) -> None:
    registry = sys.modules["triton.runtime.jit"]._triton_jit_function_registry
    module: Any = load(tmp_path, RELU)
    first = module.relu
    # As the next cell of a notebook would do it.
    exec(compile(RELU, module.__file__, "exec"), vars(module))
    assert registry[f"{module.__name__}:relu"] is module.relu is not first
    tritonopt.optimize(first, passes="max-to-where")
    assert registry[f"{module.__name__}:relu"] is module.relu


def test_an_optimized_one_is_optimized_again(tmp_path: Path) -> None:
    text = RELU.replace("y, mask", "tl.where(offsets < n, y, 0.0), mask")
    once = tritonopt.optimize(load(tmp_path, text).relu, passes="max-to-where")
    again = tritonopt.optimize(once, passes="max-to-where")
    assert again.tritonopt.diff == "" and again.src == once.src
    assert comparisons(again) == 1


def test_a_kernel_whose_file_is_gone(relu: Any) -> None:
    path = relu.fn.__code__.co_filename
    os.unlink(path)
    linecache.clearcache()
    made = tritonopt.optimize(relu, passes="max-to-where")
    assert REWRITTEN in made.tritonopt.source


def test_it_is_as_hard_to_pickle_as_the_original(relu: Any) -> None:
    for kernel in (relu, tritonopt.optimize(relu, passes="max-to-where")):
        with pytest.raises(pickle.PicklingError, match="not the same object"):
            pickle.dumps(kernel)


def test_another_process_makes_the_same(tmp_path: Path, relu: Any) -> None:
    """As after a restart, or in the workers of a data loader: the module is imported again."""
    script = (
        "import sys, tritonopt; from tests.runtime.support import load; "
        "import importlib.util as u; s = u.spec_from_file_location('k', sys.argv[1]); "
        "m = u.module_from_spec(s); s.loader.exec_module(m); "
        "print(tritonopt.optimize(m.relu, passes='max-to-where').cache_key)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, relu.fn.__code__.co_filename],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == tritonopt.optimize(relu, passes="max-to-where").cache_key


def test_it_is_imported_when_it_is_used() -> None:
    script = (
        "import sys, tritonopt; heavy = {'triton', 'torch', 'numpy', 'libcst', 'hypothesis'}; "
        "assert not heavy & set(sys.modules); tritonopt.optimize; "
        "assert heavy & set(sys.modules) == {'triton'}, heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
