"""What every test needs."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.layers import EVERYTHING, children

ROOT = Path(__file__).resolve().parent.parent

# The many processes that tests start need not compile our modules anew each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Passes are put in place of others while tests run, which no kept answer knows of.
os.environ["TRITONOPT_NO_CACHE"] = "1"

# As the command does: what is made is kept, and looking for garbage takes a tenth of the time.
gc.set_threshold(100_000)

# A busy machine is no defect of ours.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")


_NO_RAY = "ray is not installed: pip install 'tritonopt[ray]'"


def pytest_configure(config: pytest.Config) -> None:
    if "not thorough" not in config.option.markexpr:
        os.environ[EVERYTHING] = "1"
    else:
        os.environ.pop(EVERYTHING, None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of a pass's cases side by side: one process then rewrites each case once."""
    of_cases = [item for item in items if _pass_of(item)]
    ordered = iter(sorted(of_cases, key=_pass_of))
    items[:] = [next(ordered) if _pass_of(item) else item for item in items]


def _pass_of(item: pytest.Item) -> str:
    if item.path.name == "test_spills.py":
        return "spills"
    if item.path.name not in ("test_cases.py", "test_compiled.py"):
        return ""
    given: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    return getattr(given.get("case"), "pass_name", given.get("name", ""))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("ray") is not None and find_spec("ray") is None:
        pytest.skip(_NO_RAY)
    if item.get_closest_marker("gpu") is not None:
        torch = pytest.importorskip("torch")
        if not torch.cuda.is_available():
            pytest.skip("there is no GPU here")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    if any(_NO_RAY in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(f"NOT TESTED: tasks on a cluster, for {_NO_RAY}", yellow=True)


_SHARED = (
    ("tritonopt.verification.process.fork_server", "_current", "process.pid"),
    ("multiprocessing.resource_tracker", "_resource_tracker", "_pid"),
    ("tritonopt.facts.machine_code.compiler", "_server", "_process.pid"),
)
"""What one test starts for those that follow: where it is kept, or what gives it; its process."""


def _shared() -> Iterator[int]:
    for module, name, place in _SHARED:
        found: Any = getattr(sys.modules.get(module), name, None)
        found = found() if callable(found) else found
        for part in place.split("."):
            found = getattr(found, part, None)
        yield found


@pytest.fixture(autouse=True)
def no_process_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test ends what it starts: what it leaves takes the time of those that follow."""
    before = children()
    yield
    end = time.monotonic() + 60
    while (left := children() - before - {*_shared()}) and time.monotonic() < end:
        time.sleep(0.05)  # it may be about to end
    assert not left, f"{request.node.nodeid} leaves processes: {left}"


@pytest.fixture
def hangs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a worker process puts a file of its number once it is going to hang.

    Then, and no sooner, the time for its answer begins: one second. A busy machine has no other.
    """
    from tritonopt.verification.process.client import Worker

    folder, usual = tmp_path_factory.mktemp("hangs"), Worker.receive

    def receive(worker: Worker, seconds: float | None = None) -> Any:
        assert worker.process is not None
        mark, end = folder / str(worker.process.pid), time.monotonic() + 300
        while not worker.has_answered(0.05) and not mark.exists() and time.monotonic() < end:
            pass
        return usual(worker, 1.0 if mark.exists() else None)

    monkeypatch.setattr(Worker, "receive", receive)
    return folder


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT
