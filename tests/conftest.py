"""What every test needs."""

from __future__ import annotations

import gc
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.layers import EVERYTHING

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


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT
