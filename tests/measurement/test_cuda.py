"""The timer on a real GPU."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from tritonopt.measurement.timing import Effort, side_by_side

pytestmark = pytest.mark.gpu

QUICK = Effort(seconds=0.5)


@pytest.fixture
def torch() -> Any:
    return importlib.import_module("torch")


@pytest.fixture
def device() -> Any:
    return importlib.import_module("tritonopt.measurement.cuda").CudaDevice()


def test_a_copy_has_the_speed_of_memory(torch: Any, device: Any) -> None:
    copying = importlib.import_module("tritonopt.measurement.cuda").copying
    samples = side_by_side({"copy": copying(2**30)}, device, QUICK)
    times = samples.times("copy")
    assert 100 < times.median < 20_000  # 50 GB/s to 10 TB/s
    assert times.exposed == 0
    assert not times.modes


def test_the_cache_is_cold_before_every_run(torch: Any, device: Any) -> None:
    # Fits into the L2 cache of anything recent, so a warm run would read no memory at all.
    x = torch.randn(2**20, device="cuda")
    y = torch.empty_like(x)
    cold = side_by_side({"copy": lambda: y.copy_(x)}, device, QUICK).times("copy").median

    class Warm(type(device)):  # type: ignore[misc]
        def clear(self, times: int) -> None:
            torch.cuda._sleep(200_000)

    device.__class__ = Warm
    warm = side_by_side({"copy": lambda: y.copy_(x)}, device, QUICK).times("copy").median
    assert cold > 1.2 * warm


def test_a_launch_is_hidden_and_told_apart(torch: Any, device: Any) -> None:
    x = torch.randn(1024, device="cuda")

    def slow_host() -> None:
        for _ in range(50):
            x.add_(1.0)

    samples = side_by_side({"slow": slow_host}, device, QUICK)
    times = samples.times("slow")
    assert times.exposed < 0.2
    assert times.host is not None and times.host > 50


def test_a_launcher_that_waits_for_the_gpu_is_seen(torch: Any, device: Any) -> None:
    x = torch.randn(1024, device="cuda")
    samples = side_by_side({"waits": lambda: x.sum().item()}, device, QUICK)
    assert samples.times("waits").exposed > 0.9


def test_a_larger_copy_is_told_from_a_smaller_one(torch: Any, device: Any) -> None:
    copying = importlib.import_module("tritonopt.measurement.cuda").copying
    functions = {"more": copying(110 * 2**20), "less": copying(100 * 2**20)}
    samples = side_by_side(functions, device, QUICK, pairs=[("more", "less")])
    ratio = samples.ratio("more", "less")
    assert ratio.is_gain
    assert 1.05 < ratio.value < 1.15


def test_the_machine_is_described(torch: Any, device: Any) -> None:
    x = torch.randn(2**24, device="cuda")
    side_by_side({"sum": x.sum}, device, QUICK)
    machine = device.machine()
    assert machine.gpu and machine.torch and machine.triton
    if machine.clocks is not None:
        assert 100 < machine.clocks.low <= machine.clocks.high <= 1.1 * machine.clocks.highest
    else:
        assert any("NVML" in note for note in machine.notes)
