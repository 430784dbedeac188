"""What is asked of each launcher: given sizes, or the calls that a run of the file makes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.tuning.test_session import KERNEL
from tritonopt.tuning.asked import Asked, requests_of
from tritonopt.tuning.requests import Request
from tritonopt.tuning.subjects import Wanted

LIKE = Request("", "", "", (), passes="licm")

MORE = """

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, mode="plain"):
        return double(x.contiguous().view(-1)).view(x.shape)


def halves(x: torch.Tensor, factor: float = 0.5) -> torch.Tensor:
    return double(x)


if __name__ == "__main__":
    for n in (20, 40, 20):
        Double.apply(torch.randn(2, n, 16)[:, ::2], 3)
        halves(torch.randn(n), factor=0.25)
    halves(torch.randn(64).half())
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    path = tmp_path / "kernels.py"
    path.write_text(KERNEL)
    return path


def labels(asked: Asked) -> dict[str, list[str]]:
    return {request.launcher: [c.label for c in request.calls] for request in asked.requests}


def test_the_calls_of_the_launchers_are_those_of_the_files_own_run(file: Path) -> None:
    file.write_text(KERNEL + MORE)
    asked = requests_of(Wanted(file, None), LIKE)
    assert not asked.errors
    assert asked.notes[0].endswith(f"{sys.executable} {file}`")
    # `double` itself is called by the others; a call that is made twice is one.
    assert labels(asked) == {
        "Double": [
            f"x f32[2, {n // 2}, 16] strides ({n * 16}, 32, 1), scale=3, mode='plain'"
            for n in (20, 40)
        ],
        "halves": ["x f32[20], factor=0.25", "x f32[40], factor=0.25", "x f16[64], factor=0.5"],
    }
    first, second = asked.requests
    assert first.by_position and not second.by_position
    assert {request.passes for request in asked.requests} == {"licm"}
    assert second.text == file.read_text()


def test_arguments_are_for_every_launcher_that_takes_them(file: Path) -> None:
    file.write_text(KERNEL + MORE.partition("\n\nif __name__")[0].partition("class")[0])
    file.write_text(file.read_text() + "\n\ndef other(x, y):\n    return double(x)\n")
    file.write_text(file.read_text() + "\n\ndef again(x, much=2):\n    return double(x)\n")
    asked = requests_of(Wanted(file, None, args="x: f32[n=16|32]"), LIKE)
    assert labels(asked) == {"again": ["x f32[16]", "x f32[32]"]}
    assert asked.requests[0].args == "x: f32[n]"


@pytest.mark.parametrize(
    "wanted, said",
    [
        ({}, "shows no sizes. Write for example: --args 'x: f32"),
        ({"command": ("true",)}, "made no call of double that can be made again"),
        ({"command": ("no-such-command-here",)}, "cannot be started"),
        ({"args": "x: f32[n]"}, "no size has a number"),
    ],
)
def test_what_to_write_is_said(file: Path, wanted: dict[str, object], said: str) -> None:
    asked = requests_of(Wanted(file, None, **wanted), LIKE)  # type: ignore[arg-type]
    assert not asked.requests
    assert said in asked.errors[0]
