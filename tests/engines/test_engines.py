"""Every task is answered: what crashes or hangs costs itself, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engines import chores
from tests.layers import is_alive
from tritonopt.engines import Answer, EngineError, Outcome, Task, engine_of, local

HOME = "tests.engines.chores"


def doubling(number: int, pause: float = 0.0) -> Task:
    return Task(f"double {number}", f"{HOME}:double", (number,), {"pause": pause})


def answers(engine: str, tasks: list[Task], jobs: int | None = None) -> dict[str, Answer]:
    with engine_of(engine, jobs).running(tasks) as found:
        return {answer.task.name: answer for answer in found}


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 120
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


@pytest.mark.parametrize("engine", ["inline", "local"])
def test_every_task_is_answered(engine: str) -> None:
    failing = Task("fail", f"{HOME}:fail", ("no such luck",))
    missing = Task("missing", f"{HOME}:nothing")
    found = answers(engine, [doubling(1), failing, doubling(2), missing])
    assert [found[f"double {n}"].value for n in (1, 2)] == [2, 4]
    assert found["fail"].outcome is Outcome.FAILED
    assert found["fail"].reason == "ValueError: no such luck"
    assert found["missing"].outcome is Outcome.FAILED and "nothing" in found["missing"].reason
    assert found["double 1"].task == doubling(1)


def test_a_crash_and_a_hang_cost_themselves(hangs: Path) -> None:
    hanging = Task("hang", f"{HOME}:hang", (str(hangs),), {"also": True}, timeout=300.0)
    tasks = [doubling(1), Task("crash", f"{HOME}:crash"), hanging, doubling(2), doubling(3)]
    found = answers("local", tasks, jobs=2)
    assert [found[f"double {n}"].value for n in (1, 2, 3)] == [2, 4, 6]
    assert found["crash"].outcome is Outcome.DIED
    assert "SIGSEGV" in found["crash"].reason and "where nothing is" in found["crash"].reason
    assert found["hang"].outcome is Outcome.TIMED_OUT
    assert found["hang"].reason == "no answer within 1 s"
    # Neither the process nor what it started is there any more.
    numbers = [int(path.name) for path in hangs.iterdir()]
    assert len(numbers) == 2
    assert eventually(lambda: not any(map(is_alive, numbers)))


def test_a_process_does_one_task_after_another() -> None:
    tasks = [Task(str(n), f"{HOME}:surroundings") for n in range(3)]
    found = answers("local", tasks, jobs=1)
    assert len({answer.value[0] for answer in found.values()}) == 1
    assert found["0"].value[0] != os.getpid()


def test_what_cannot_be_sent_is_a_failure() -> None:
    there = Task("there", f"{HOME}:double", (lambda: 1,))
    back = Task("back", f"{HOME}:unsendable")
    found = answers("local", [there, back, doubling(1)], jobs=1)
    assert found["there"].outcome is found["back"].outcome is Outcome.FAILED
    assert found["there"].reason.startswith("it cannot be sent to another process")
    assert found["back"].reason.startswith("its result cannot be sent to another process")
    assert found["double 1"].value == 2


def test_each_gpu_has_a_process_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "visible_gpus", lambda: ["2", "GPU-5"])
    tasks = [Task(str(n), f"{HOME}:surroundings", gpu=1) for n in range(4)]
    found = answers("local", [*tasks, doubling(1, pause=0.3)], jobs=7)
    seen = {answer.value for answer in found.values() if answer.task.gpu}
    assert {gpu for _, gpu in seen} <= {"2", "GPU-5"}
    assert len(seen) == len({process for process, _ in seen}) <= 2
    assert {found[str(n)].where for n in range(4)} <= {"GPU 2", "GPU GPU-5"}


@pytest.mark.parametrize(
    ("gpus", "share", "jobs", "slots"),
    [
        (["0"], 1, None, ["GPU 0"]),
        (["0", "1"], 0.5, None, ["GPU 0", "GPU 1", "GPU 0"]),
        (["0", "1"], 0.5, 9, ["GPU 0", "GPU 1", "GPU 0", "GPU 1"]),
        (["0", "1"], 1, 1, ["GPU 0"]),
        (["0", "1"], 0, 2, ["", ""]),
        ([], 1, None, ["", "", ""]),
    ],
)
def test_shares_of_gpus(
    gpus: list[str],
    share: float,
    jobs: int | None,
    slots: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "visible_gpus", lambda: gpus)
    monkeypatch.setattr(local, "_processors", lambda: 3)
    tasks = [Task(str(n), f"{HOME}:surroundings", gpu=share) for n in range(9)]
    assert [slot.where for slot in local.Local(jobs)._slots(tasks)] == slots
    assert len(local.Local(jobs)._slots(tasks[:1])) == 1


def test_what_is_left_early_leaves_nothing_behind(tmp_path: Path) -> None:
    hanging = [Task(f"hang {n}", f"{HOME}:hang", (str(tmp_path),), {"also": True}) for n in (1, 2)]
    begin = time.monotonic()
    with engine_of("local", 2).running([*hanging, doubling(1)]) as _:
        assert eventually(lambda: len(list(tmp_path.iterdir())) == 4)
    assert time.monotonic() - begin < 500  # the tasks take 600
    numbers = [int(path.name) for path in tmp_path.iterdir()]
    assert eventually(lambda: not any(map(is_alive, numbers)))


# What a shell starts in the background ignores SIGINT, and so would what runs from there.
_DRIVER = """
import signal, sys
from tritonopt.engines import Task, engine_of

signal.signal(signal.SIGINT, signal.default_int_handler)
tasks = [Task(str(n), "tests.engines.chores:hang", (sys.argv[1],), {"also": True}) for n in (1, 2)]
with engine_of("local", 2).running(tasks) as answers:
    for answer in answers:
        pass
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_the_process_that_asked(
    number: signal.Signals, tmp_path: Path, root: Path
) -> None:
    driver = subprocess.Popen(
        [sys.executable, "-c", _DRIVER, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(root)},
        stderr=subprocess.DEVNULL,
    )
    assert eventually(lambda: len(list(tmp_path.iterdir())) == 4)
    numbers = [int(path.name) for path in tmp_path.iterdir()]
    assert all(map(is_alive, numbers))
    driver.send_signal(number)
    driver.wait(10)
    assert eventually(lambda: not any(map(is_alive, numbers)))


def test_nothing_outlives_the_process_of_a_task(tmp_path: Path, root: Path) -> None:
    driver = subprocess.Popen(
        [sys.executable, "-c", _DRIVER, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(root)},
        stderr=subprocess.DEVNULL,
    )
    try:
        assert eventually(lambda: len(list(tmp_path.iterdir())) == 4)
        numbers = [int(path.name) for path in tmp_path.iterdir()]
        leaders = [number for number in numbers if os.getpgid(number) == number]
        # Who asked can do nothing for the time.
        driver.send_signal(signal.SIGSTOP)
        for leader in leaders:
            os.kill(leader, signal.SIGKILL)
        assert len(leaders) == 2
        assert eventually(lambda: not any(map(is_alive, numbers)))
    finally:
        driver.kill()
        driver.wait()


@pytest.mark.parametrize(
    ("text", "jobs", "said"),
    [
        ("loca", None, "there is no engine 'loca'; write inline, local, ray or ray:ADDRESS"),
        ("ray:", None, "there is no engine 'ray:'"),
        ("local:4", None, "there is no engine 'local:4'"),
        ("inline", 3, "one task at a time"),
    ],
)
def test_no_such_engine(text: str, jobs: int | None, said: str) -> None:
    with pytest.raises(EngineError, match=said):
        engine_of(text, jobs)


def test_ray_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(EngineError, match=r"pip install .*\[ray\]'"):
        answers("ray", [doubling(1)])


def test_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    found = answers("local", [doubling(1), doubling(2)])
    assert {answer.outcome for answer in found.values()} == {Outcome.DIED}
    assert "No space left on device" in found["double 1"].reason


def test_inline_is_this_process() -> None:
    (answer,) = answers("inline", [Task("here", f"{HOME}:surroundings")]).values()
    assert answer.value == chores.surroundings()
