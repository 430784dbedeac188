"""Random numbers of a GPU: the same in every run, also where torch does not seed them itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from tritonopt.verification.worker.triton_interpreter.pretended_gpu import GpuGenerator, seed_all  # noqa: E402


class FakeGenerator:
    """A generator of a GPU that torch's own `manual_seed` does not reach."""

    def __init__(self) -> None:
        self.seeded: list[int] = []

    def manual_seed(self, number: int) -> None:
        self.seeded.append(number)


def test_every_generator_of_a_gpu_is_seeded() -> None:
    generators = (FakeGenerator(), FakeGenerator())
    fake = SimpleNamespace(
        manual_seed=lambda number: None, cuda=SimpleNamespace(default_generators=generators)
    )
    seed_all(fake)
    assert [g.seeded for g in generators] == [[0], [0]]


def test_a_state_is_a_seed_and_an_offset_and_counts_on() -> None:
    generator = GpuGenerator(torch)
    generator.manual_seed(7)
    state = generator.get_state()
    assert state.dtype == torch.uint8 and state.view(torch.int64).tolist() == [7, 0]
    state.view(torch.int64)[1] += 12
    assert generator.get_offset() == 0, "a state is a copy"
    generator.set_state(state)
    assert (generator.initial_seed(), generator.get_offset()) == (7, 12)
    generator.manual_seed(7)
    assert generator.get_offset() == 0
