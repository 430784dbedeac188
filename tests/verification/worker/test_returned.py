"""What a launcher returned, taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")

from tritonopt.verification.worker.one_call import plain_of, tensors_of  # noqa: E402


@dataclass
class Both:
    values: Any
    count: int


class Plain:
    def __init__(self, values: Any) -> None:
        self.values = values
        self.again = self


def labels(result: Any) -> list[str]:
    return [label for label, _ in tensors_of(result)]


def test_tensors_are_found_wherever_they_stand() -> None:
    x = torch.ones(3)
    assert labels(x) == ["returned"]
    assert labels((x, [x, {"y": x}])) == ["returned[0]", "returned[1][0]", "returned[1][1]['y']"]
    assert labels(Both(x, 3)) == ["returned.values"]
    assert labels(SimpleNamespace(values=x, name="x")) == ["returned.values"]
    assert "returned.values" in labels(Plain(x))


def test_what_is_as_good_as_a_tensor() -> None:
    assert [t.dtype for _, t in tensors_of((1.5, np.float64(2.0)))] == [torch.float32] * 2
    ((_, found),) = tensors_of(np.arange(4.0)[::2])
    assert found.tolist() == [0.0, 2.0]
    ((_, found),) = tensors_of(torch.tensor([1 + 2j]).conj())
    assert found.tolist() == [[1.0, -2.0]]


def test_the_rest_is_compared_as_text() -> None:
    assert list(plain_of((1, None, "a", True, torch.float16, 2.5, torch.ones(1)))) == [
        "1", "None", "'a'", "True", "torch.float16", "float", "tuple",
    ]  # fmt: skip
    assert list(plain_of(Both(torch.ones(2), 3))) == ["3", "Both"]
    assert list(plain_of({1, 2})) == ["set"]
