"""What is timed: launchers and kernels, with sizes given, or as a command launches them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tuning.test_session import KERNEL
from tritonopt.tuning.subjects import Subjects, Wanted, subjects_of
from tritonopt.verification.errors import VerificationError

MAIN = """
if __name__ == "__main__":
    for n in (20, 40, 20):
        double(torch.randn(n))
"""

Of = Callable[..., Subjects]


@pytest.fixture
def of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Of:
    """The subjects of the kernel of `test_session` and of a changed copy."""
    monkeypatch.setenv("TRITON_INTERPRET", "1")

    def run(
        *, text: str = KERNEL, change: tuple[str, str] = ("2 * tl", "3 * tl"), **wanted: object
    ) -> Subjects:
        before, after = tmp_path / "before.py", tmp_path / "after.py"
        before.write_text(text)
        after.write_text(text.replace(*change))
        return subjects_of(Wanted(before, after, **wanted))  # type: ignore[arg-type]

    return run


def labels(found: Subjects) -> list[str]:
    return [call.label for subject in found.subjects for call in subject.calls]


def test_a_launcher_is_called_with_the_sizes_given(of: Of) -> None:
    found = of(args="x: f16[n=20|40]")
    assert [s.launcher for s in found.subjects] == ["double"]
    assert labels(found) == ["x f16[20]", "x f16[40]"]


def test_a_kernel_is_launched_with_the_sizes_given(of: Of) -> None:
    found = of(
        kernel="double_kernel",
        grid="cdiv(n, BLOCK)",
        args="x: f32[n=20], y: f32[n], BLOCK: 16|32",
    )
    assert labels(found) == ["x f32[20], y f32[20], BLOCK=16", "x f32[20], y f32[20], BLOCK=32"]
    assert "def launch_double_kernel" in found.subjects[0].after.text


def test_the_launches_of_a_command_are_made_again_each_once(of: Of, tmp_path: Path) -> None:
    use = tmp_path / "use.py"
    use.write_text(
        "import torch, before\nfor n in (20, 40, 20):\n    before.double(torch.randn(n))\n"
    )
    found = of(command=(sys.executable, str(use)))
    assert labels(found) == ["x f32[20], y f32[20], BLOCK=16", "x f32[40], y f32[40], BLOCK=16"]
    assert not found.notes


def test_tensors_that_are_not_contiguous_are_made_like_that(of: Of, tmp_path: Path) -> None:
    use = tmp_path / "use.py"
    use.write_text("import torch, before\nbefore.double(torch.randn(40)[::2])\n")
    found = of(command=(sys.executable, str(use)))
    (call,) = found.subjects[0].calls
    assert call.strides == {"x": (2,)}


def test_without_args_the_file_is_run(of: Of) -> None:
    found = of(text=KERNEL + MAIN)
    assert labels(found) == ["x f32[20], y f32[20], BLOCK=16", "x f32[40], y f32[40], BLOCK=16"]
    assert found.notes[0].startswith("no --args: the launches are those of `")


@pytest.mark.parametrize(
    "wanted, said",
    [
        ({}, "has no calls with sizes. Write for example: --args 'x: f32"),
        ({"args": "x: f32[n]"}, "no size has a number"),
        ({"grid": "n"}, "add --kernel"),
        ({"command": ("true",), "args": "x: f32[n=4]"}, "the command chooses"),
        ({"command": ("true",)}, "made no launch"),
        ({"command": ("no-such-command-here",)}, "cannot be started"),
        ({"command": ("true",), "change": ("    # before", "    n += 0\n    #")}, "give --args"),
    ],
)
def test_what_the_user_did_wrong_is_said(of: Of, wanted: dict[str, object], said: str) -> None:
    with pytest.raises(VerificationError) as raised:
        of(**wanted)
    assert said in str(raised.value)


def test_to_compile_any_sizes_will_do(of: Of) -> None:
    found = of(runs=False)
    assert labels(found) == ["x f32[4096]"]
    assert found.notes == ("no sizes were given (--args): compiled for 4096 everywhere",)
