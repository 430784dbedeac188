"""`optimize(tune=...)`: what is verified and was faster is launched, else the original.

The GPU is planted: a plan says how long each version takes there, and whether it is verified.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.support import load, no_gpu
from tritonopt import optimize
from tritonopt.runtime import live_tuning
from tritonopt.runtime.live_tuning import class_of

torch = pytest.importorskip("torch")

TEXT = """\
import triton
import triton.language as tl


@triton.jit
def relu(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + cols, tl.maximum(x, 0.0), mask=cols < N)
"""
NEW = "tl.where"
"""What stands in the other version, which max-to-where makes."""


class Planted:
    """A GPU that is not there, and what was asked of it."""

    def __init__(self, folder: Path) -> None:
        self.plan = folder / "plan.json"

    def takes(self, factor: float, **more: object) -> None:
        """The new version, of the time of the original."""
        rules = [{"kernel": NEW, "factor": factor}]
        self.plan.write_text(json.dumps({"rules": rules, **more}))

    @property
    def asked(self) -> list[str]:
        log = Path(f"{self.plan}.log")
        return log.read_text().split() if log.exists() else []


def plant(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Planted:
    planted = Planted(folder)
    monkeypatch.setenv("TRITONOPT_PLANTED", str(planted.plan))
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    monkeypatch.setattr(live_tuning, "why_not_here", lambda: "")
    monkeypatch.setattr(live_tuning, "gpu_name", lambda: "planted GPU")
    monkeypatch.setattr(live_tuning, "visible_gpu", dict)
    servers = {
        "server": "tests.tuning.planted_server",
        "verifier": "tests.tuning.yes_server",
    }
    monkeypatch.setattr(live_tuning, "SERVERS", servers)
    return planted


@pytest.fixture
def gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Planted]:
    planted = plant(tmp_path, monkeypatch)
    with no_gpu():
        yield planted


def tuned(kernel: Any, **options: Any) -> Any:
    return optimize(kernel, passes="max-to-where", tune=True, **options)


def launch(kernel: Any, n: int = 100, block: int = 64) -> str:
    """Launch it; the text that runs for launches like this one, or nothing where none is chosen."""
    x, y = torch.ones(n), torch.ones(n)
    kernel[(2,)](x, y, n, BLOCK=block)
    tuner = kernel._tritonopt_tuner
    key = class_of(kernel.arg_names, frozenset({"BLOCK"}), (x, y, n), {"BLOCK": block})
    run = tuner.runs.get(key)
    return "" if run is None else str(run.__self__.src)


def test_what_is_faster_is_launched_and_kept(gpu: Planted, tmp_path: Path) -> None:
    gpu.takes(0.5)
    module = load(tmp_path, TEXT)
    kernel = tuned(module.relu)
    assert NEW in launch(kernel)
    (choice,) = kernel.tritonopt.choices.values()
    assert choice.passes == "max-to-where" and NEW in choice.diff
    assert 1.9 < choice.ratio[1] <= choice.ratio[0] <= choice.ratio[2] < 2.1
    asked = gpu.asked
    assert "time" in asked
    assert asked.count("evidence") == 2  # on the interpreter, and on the GPU
    # The same class again, and as another process would find it.
    assert NEW in launch(kernel, n=101)
    again = tuned(module.relu)
    assert NEW in launch(again)
    assert list(again.tritonopt.choices.values()) == [choice]
    assert gpu.asked == asked
    # The original is what it was.
    assert NEW not in module.relu.src and not hasattr(module.relu, "_tritonopt_tuner")


@pytest.mark.parametrize(
    ("factor", "more", "why"),
    [
        pytest.param(1.3, {}, "no version was faster", marks=pytest.mark.thorough),
        pytest.param(1.0, {}, "no version was faster", marks=pytest.mark.thorough),
        (0.5, {"wrong": [NEW]}, "max-to-where: another function, as planted"),
        pytest.param(0.5, {"ends": [NEW]}, "the verification failed", marks=pytest.mark.thorough),
    ],
)
def test_else_the_original(
    gpu: Planted, tmp_path: Path, factor: float, more: dict[str, object], why: str
) -> None:
    gpu.takes(factor, **more)
    kernel = tuned(load(tmp_path, TEXT).relu)
    assert "tl.maximum" in launch(kernel)
    (choice,) = kernel.tritonopt.choices.values()
    assert (choice.passes, choice.diff, choice.ratio) == ("", "", None)
    assert why in choice.why


@pytest.mark.thorough
def test_what_fails_is_told_once_and_not_kept(gpu: Planted, tmp_path: Path) -> None:
    gpu.takes(0.5)
    plan = json.loads(gpu.plan.read_text())
    gpu.plan.write_text(json.dumps({**plan, "gpu": False}))
    module = load(tmp_path, TEXT)
    kernel = tuned(module.relu)
    with pytest.warns(UserWarning, match="relu is not tuned.*torch finds no GPU here"):
        assert "tl.maximum" in launch(kernel)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "tl.maximum" in launch(kernel)
        assert "tl.maximum" in launch(kernel, n=1000)
    gpu.takes(0.5)
    assert NEW in launch(tuned(module.relu))


@pytest.mark.thorough
def test_what_was_not_verified_in_time_is_tried_again(gpu: Planted, tmp_path: Path) -> None:
    gpu.takes(0.5, ends=[NEW])
    module = load(tmp_path, TEXT)
    assert "tl.maximum" in launch(tuned(module.relu))
    gpu.takes(0.5)
    assert NEW in launch(tuned(module.relu))


@pytest.mark.thorough
def test_what_is_never_verified_in_time_is_given_up(gpu: Planted, tmp_path: Path) -> None:
    gpu.takes(0.5, ends=[NEW])
    module = load(tmp_path, TEXT)
    for _ in range(3):
        assert "tl.maximum" in launch(tuned(module.relu))
    asked = gpu.asked
    gpu.takes(0.5)
    assert "tl.maximum" in launch(tuned(module.relu)) and gpu.asked == asked


@pytest.mark.thorough
def test_ahead_of_time(gpu: Planted, tmp_path: Path) -> None:
    gpu.takes(0.5)
    launches = [
        ((2,), {"X": torch.ones(n), "Y": torch.ones(n), "N": n, "BLOCK": 64}) for n in (100, 200)
    ]
    kernel = optimize(load(tmp_path, TEXT).relu, passes="max-to-where", tune=launches)
    assert len(kernel.tritonopt.choices) == 2
    assert {choice.passes for choice in kernel.tritonopt.choices.values()} == {"max-to-where"}
    asked = gpu.asked
    x, y = torch.ones(200), torch.ones(200)
    kernel[(4,)](X=x, Y=y, N=200, BLOCK=64)
    assert NEW in launch(kernel, n=200)
    assert gpu.asked == asked


def test_what_fails_when_it_is_launched_is_given_up(
    gpu: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = tuned(load(tmp_path, TEXT).relu)
    tuner = kernel._tritonopt_tuner
    runs: list[str] = []

    def failing(*_: object, **__: object) -> None:
        runs.append("chosen")
        raise RuntimeError("out of resource: shared memory")

    x, y = torch.ones(100), torch.ones(100)
    key = class_of(kernel.arg_names, frozenset({"BLOCK"}), (x, y, 100, 64), {})
    tuner.runs[key] = failing
    with pytest.warns(UserWarning, match="what was chosen fails: out of resource"):
        assert "tl.maximum" in launch(kernel)
    assert "tl.maximum" in launch(kernel) and runs == ["chosen"]


@pytest.mark.parametrize("given", ["x", [(1,)], [((1,), 2)]])
def test_what_is_no_launch_is_refused(gpu: Planted, tmp_path: Path, given: Any) -> None:
    with pytest.raises(TypeError, match="tune takes True or launches"):
        optimize(load(tmp_path, TEXT).relu, tune=given)


@pytest.mark.thorough
def test_as_a_decorator(gpu: Planted, tmp_path: Path) -> None:
    gpu.takes(0.5)
    decorated = TEXT.replace(
        "@triton.jit", '@tritonopt.optimize(passes="max-to-where", tune=True)\n@triton.jit'
    )
    kernel = load(tmp_path, "import tritonopt\n" + decorated).relu
    assert NEW in launch(kernel)


def test_nothing_is_tried_while_launches_are_recorded(
    gpu: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu.takes(0.5)
    kernel = tuned(load(tmp_path, TEXT).relu)
    monkeypatch.setattr(live_tuning, "must_not_wait", lambda: True)
    assert launch(kernel) == "" and not gpu.asked
    x = torch.ones(100)
    monkeypatch.setattr(live_tuning, "must_not_wait", lambda: False)
    kernel.warmup(x, x, 100, BLOCK=64, grid=(2,))
    assert not gpu.asked
    assert NEW in launch(kernel)
    # What is chosen by then is launched.
    monkeypatch.setattr(live_tuning, "must_not_wait", lambda: True)
    assert NEW in launch(kernel)


def test_other_threads_do_not_wait(gpu: Planted, tmp_path: Path) -> None:
    gpu.takes(0.5)
    kernel = tuned(load(tmp_path, TEXT).relu)
    with kernel._tritonopt_tuner._lock:
        thread = threading.Thread(target=launch, args=(kernel,))
        thread.start()
        thread.join(30)
        assert not thread.is_alive()
    assert not kernel.tritonopt.choices


def _in_a_process(folder: str, begin: Any, found: Any) -> None:
    """What one of several processes does that launch the kernel for the first time."""
    with pytest.MonkeyPatch.context() as patch:
        plant(Path(folder), patch)
        module = load(Path(folder), TEXT)
        kernel = tuned(module.relu)
        begin.wait(120)
        with no_gpu():
            text = launch(kernel)
    (choice,) = kernel.tritonopt.choices.values()
    found.put((NEW in text, choice.passes, choice.why))


@pytest.mark.thorough
def test_two_processes_at_once(gpu: Planted, tmp_path: Path) -> None:
    """Both choose by themselves, into one store; a third finds what they kept."""
    gpu.takes(0.5)
    load(tmp_path, TEXT)
    context = multiprocessing.get_context("spawn")
    begin, found = context.Barrier(2), context.Queue()
    processes = [
        context.Process(target=_in_a_process, args=(str(tmp_path), begin, found)) for _ in range(2)
    ]
    for process in processes:
        process.start()
    answers = [found.get(timeout=200) for _ in processes]
    for process in processes:
        process.join(60)
    assert answers == [(True, "max-to-where", "")] * 2
    asked = gpu.asked
    assert NEW in launch(tuned(load(tmp_path, TEXT).relu))
    assert gpu.asked == asked


def test_without_a_gpu_there_is_one_warning(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    kernel = tuned(load(tmp_path, TEXT).relu)
    with no_gpu() as launched:
        with pytest.warns(UserWarning) as said:
            launch(kernel)
            launch(kernel, n=1000)
        assert len(launched) == 2
    (warning,) = said
    assert "torch finds no GPU here" in str(warning.message)


def test_in_the_interpreter_there_is_one_warning(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    with pytest.warns(UserWarning, match="interprets it") as said:
        kernel = tuned(load(tmp_path, TEXT).relu)
        x, y = torch.tensor([-1.0, 2.0]), torch.zeros(2)
        kernel[(1,)](x, y, 2, BLOCK=4)
    assert y.tolist() == [0.0, 2.0] and len(said) == 1


def test_a_kernel_without_a_file_is_left(gpu: Planted, tmp_path: Path) -> None:
    gpu.takes(0.5)
    module = load(tmp_path, TEXT)
    kernel = tuned(module.relu)
    path = Path(module.__file__ or "")
    path.write_text("# somebody wrote to it\n")
    with pytest.warns(UserWarning, match="is not in a file"):
        assert "tl.maximum" in launch(kernel)
    assert not gpu.asked


def test_a_store_that_cannot_be_read_is_told(
    gpu: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu.takes(0.5)
    monkeypatch.setenv("TRITONOPT_CACHE_DIR", str(tmp_path / "cache"))
    kernel = tuned(load(tmp_path, TEXT).relu)
    (tmp_path / "cache" / "tuning.sqlite").write_text("this is no database at all, and long enough")
    with pytest.warns(UserWarning, match="is not a database"):
        assert "tl.maximum" in launch(kernel)


def test_what_is_tuned_is_not_tuned_again(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    kernel = tuned(load(tmp_path, TEXT).relu)
    with pytest.raises(TypeError, match="tuned already"):
        tuned(kernel)


def test_classes_of_launches() -> None:
    def of(n: int, block: int = 64, dtype: Any = torch.float32, **more: Any) -> object:
        x = torch.empty(n, dtype=dtype)
        return class_of(("X", "N", "BLOCK"), frozenset({"BLOCK"}), (x, n, block), more)

    assert of(1024) == of(2032)
    assert of(1024) != of(2048)
    assert of(1024) != of(1025), "no multiple of 16"
    assert of(1024) != of(1024, block=128)
    assert of(1024) != of(1024, dtype=torch.float16)
    assert of(1024) != of(1024, num_warps=8)
    assert of(1024, num_warps=8) != of(1024, num_warps=4)
    assert of(0) != of(1) != of(2)
    given = {"X": torch.empty(1024), "N": 1024, "BLOCK": 64}
    assert class_of(("X", "N", "BLOCK"), frozenset({"BLOCK"}), (), given) == of(1024)
    x, y = torch.empty(64, 64), torch.empty(64, 64)

    def of_two(one: Any, other: Any) -> object:
        return class_of(("X", "Y"), frozenset(), (one, other), {})

    assert of_two(x, y) == of_two(y, x)
    assert of_two(x, y) != of_two(x, x), "in place"
    assert of_two(x, y) != of_two(x, y.T)


def test_what_was_found_with_another_helper_is_found_out_again(
    gpu: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu.takes(0.5)
    monkeypatch.syspath_prepend(tmp_path)
    helper = "import triton\n\n\n@triton.jit\ndef inner(x):\n    return x * {}\n"
    called = "import triton\nimport its_inner\n\n\n@triton.jit\n"
    called += "def act(x):\n    return its_inner.inner(x)\n"
    (tmp_path / "its_act.py").write_text(called)
    text = TEXT.replace("import triton\n", "import triton\nfrom its_act import act\n", 1)
    text = text.replace("tl.maximum(x, ", "tl.maximum(act(x), ")
    known = []
    for number in (1, 1, 2):
        (tmp_path / "its_inner.py").write_text(helper.format(number))
        for name in ("its_inner", "its_act"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        tuned_kernel = tuned(load(tmp_path, text).relu)
        assert launch(tuned_kernel)
        known.append(tuned_kernel._tritonopt_tuner._key("a class").kernel)
    assert known[0] == known[1] != known[2]
