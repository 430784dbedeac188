"""What is asked of each launcher: given sizes, or the calls that a run of the file makes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.layers import few
from tests.tuning.test_session import KERNEL
from tritonopt import source
from tritonopt.tuning.asked import Asked, requests_of
from tritonopt.tuning.requests import Request
from tritonopt.tuning.shown import commands_of
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
        "Double": [f"x f32[2, {n // 2}, 16] strides ({n * 16}, 32, 1), scale=3" for n in (20, 40)],
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
        ({}, "has no calls with sizes. Write for example: --args 'x: f32"),
        ({"command": ("true",)}, "made no call of double that can be repeated"),
        ({"command": ("no-such-command-here",)}, "cannot be started"),
        ({"args": "x: f32[n]"}, "no size has a number"),
    ],
)
def test_what_to_write_is_said(file: Path, wanted: dict[str, object], said: str) -> None:
    asked = requests_of(Wanted(file, None, **wanted), LIKE)  # type: ignore[arg-type]
    assert not asked.requests
    assert said in asked.errors[0]


@pytest.mark.parametrize("given", [{}, {"command": ("true",)}, {"args": "x: f32[n=64]"}])
def test_a_file_whose_kernel_is_launched_elsewhere_is_said(
    file: Path, given: dict[str, object]
) -> None:
    file.write_text(KERNEL[: KERNEL.index("def double(")])
    asked = requests_of(Wanted(file, None, **given), LIKE)  # type: ignore[arg-type]
    assert "no function of this file launches" in asked.errors[0]
    assert "--kernel" not in asked.errors[0]  # which is no option of `tune`


def test_a_command_shows_what_the_code_does_not(file: Path, tmp_path: Path) -> None:
    file.write_text(KERNEL + "\n\ndef any_of(x, dim):\n    return double(x.view(-1))\n")
    use = tmp_path / "use.py"
    use.write_text(
        "import torch, kernels\nfor n in 2, 4:\n    kernels.any_of(torch.randn(n, n, 8), -1)\n"
        "kernels.any_of(torch.randn(16), -1)\n"
    )
    asked = requests_of(Wanted(file, None, command=(sys.executable, str(use))), LIKE)
    several = [f"x f32[{n}, {n}, 8], dim=-1" for n in (2, 4)]
    assert labels(asked) == {"any_of": [*several, "x f32[16], dim=-1"]}
    (request,) = asked.requests
    # A verification draws from more than squares with rows of one length, if that can be.
    assert request.args == "x: f32[b, a, m], dim: -1"
    forms = ("x: f32[n], dim: -1", "x: f32[n, n, 8], dim: -1")
    assert request.otherwise == (None, *forms)


def test_what_held_in_all_calls_is_asked_after_what_is_free_of_it(
    file: Path, tmp_path: Path
) -> None:
    # Which number of parts divides a row is no chance where it is no length of a tile.
    file.write_text(
        KERNEL.replace("double(x: torch.Tensor", "double(x: torch.Tensor, tile=16").replace(
            "BLOCK=16", "BLOCK=tile"
        )
        + "\n\ndef apart(x, parts):\n    return double(x.view(parts, -1).view(-1))\n"
        + "\n\ndef tiled(x, tile):\n    return double(x.view(-1), tile)\n"
    )
    use = tmp_path / "use.py"
    use.write_text(
        "import torch, kernels\nfor n in 2, 4:\n"
        "    kernels.apart(torch.randn(n, 512), 32)\n"
        "    kernels.tiled(torch.randn(n, 512), 32)\n"
    )
    asked = requests_of(Wanted(file, None, command=(sys.executable, str(use))), LIKE)
    found = {request.launcher: (request.args, *request.otherwise) for request in asked.requests}
    assert found == {
        "apart": (
            "x: f32[n, m], parts: 32",
            "x: f32[n, m], parts: parts, m % parts == 0",
            None,
            "x: f32[n, a], parts: 32, a % 16 == 0",
            "x: f32[n, 512], parts: 32",
        ),
        "tiled": (
            "x: f32[n, m], tile: 32",
            None,
            "x: f32[n, a], tile: 32, a % 16 == 0",
            "x: f32[n, 512], tile: 32",
        ),
    }


BACKWARD = """

def gradient(dy, x, few):
    return double(dy.contiguous())


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.save_for_backward(x)
        return double(x)

    @staticmethod
    def backward(ctx, dy):
        return gradient(dy, ctx.saved_tensors[0], True), None


x = torch.randn(24, requires_grad=True)
Double.apply(x, -1).square().sum().backward()
"""


def test_what_a_script_calls_is_seen_and_backward_passes_too(file: Path) -> None:
    """What it takes cannot be read from its code; and `double` runs in both directions."""
    file.write_text(KERNEL + BACKWARD)
    asked = requests_of(Wanted(file, None), LIKE)
    assert not asked.errors
    assert labels(asked) == {
        "Double": ["x f32[24], dim=-1"],
        "gradient": ["dy f32[24], x f32[24], few=True"],
    }


@pytest.mark.parametrize(
    ("passed", "label"),
    few([("", "x f32[24], dim=-1"), (", None, 2", "x f32[24], dim=-1, mode=None, few=2")], 0),
)
def test_the_last_arguments_of_an_autograd_function_are_left_out_as_callers_do(
    file: Path, passed: str, label: str
) -> None:
    text = BACKWARD.replace("forward(ctx, x, dim)", "forward(ctx, x, dim, mode=None, few=1)")
    file.write_text(KERNEL + text.replace("(x, -1)", f"(x, -1{passed})"))
    asked = requests_of(Wanted(file, None), LIKE)
    assert labels(asked)["Double"] == [label]


@pytest.mark.parametrize(
    ("old", "new", "label"),
    few(
        [
            ("save_for_backward(x)", "needs_input_grad", "few=1"),
            ("few=1)", "few=1, *, last=2)", "few=1, last=2"),
            ("few=1)", "few=1.0)", "few=1"),
        ],
        0,
    ),
)
def test_arguments_that_are_counted_or_no_defaults_stay(
    file: Path, old: str, new: str, label: str
) -> None:
    text = BACKWARD.replace("forward(ctx, x, dim)", "forward(ctx, x, dim, few=1)")
    text = text.partition("@staticmethod\n    def backward")[0].replace(old, new)
    file.write_text(f"{KERNEL}{text}\n\nDouble.apply(torch.randn(24), -1, 1)\n")
    asked = requests_of(Wanted(file, None), LIKE)
    assert labels(asked)["Double"] == [f"x f32[24], dim=-1, {label}"]


INNER = """

def of_rows(x, dim):
    return double(x)


def of_any(x, dim=None):
    return of_rows(x, dim) if dim is not None else other(x)


def other(x):
    return double(x) + double(x)
"""


def test_a_launcher_that_others_call_is_tuned_where_the_command_calls_it_by_itself(
    file: Path, tmp_path: Path
) -> None:
    """A library registers such functions as operators of torch, one for each overload."""
    file.write_text(KERNEL + INNER)
    use = tmp_path / "use.py"
    command = (sys.executable, str(use))
    use.write_text("import torch, kernels\nkernels.of_rows(torch.randn(32), -1)\n")
    asked = requests_of(Wanted(file, None, command=command), LIKE)
    # `double` is only called by it.
    assert labels(asked) == {"of_rows": ["x f32[32], dim=-1"]}
    # What the outermost one was seen to run is tuned with that, and not twice.
    use.write_text(use.read_text() + "kernels.of_any(torch.randn(16), -1)\n")
    asked = requests_of(Wanted(file, None, command=command), LIKE)
    assert labels(asked) == {"of_any": ["x f32[16], dim=-1"]}


def test_what_a_backward_pass_runs_as_well_is_no_launcher_of_its_own(
    file: Path, tmp_path: Path
) -> None:
    file.write_text(KERNEL + BACKWARD.replace("return gradient", "return double(dy) + gradient"))
    asked = requests_of(Wanted(file, None), LIKE)
    assert set(labels(asked)) == {"Double", "gradient"}


def test_a_file_that_is_named_is_tuned_for_usual_sizes(file: Path) -> None:
    rows = (
        "\n\n# tritonopt: x: f32[..., n], y: f32[n]\ndef of_rows(x, y):\n    return double(x) + y\n"
    )
    file.write_text(KERNEL + rows)
    asked = requests_of(Wanted(file, None, usual=True, launcher="double"), LIKE)
    assert labels(asked) == {"double": [f"x f32[{n}]" for n in (2**20, 2**23, 2**26)]}
    assert "no call of double was found" in asked.notes[0] and "--args 'x: f32" in asked.notes[0]
    asked = requests_of(Wanted(file, None, usual=True, launcher="of_rows"), LIKE)
    (found,) = labels(asked).values()
    assert found == [f"x f32[4096, {n}], y f32[{n}]" for n in (1024, 4096, 16384)]


def test_benchmarks_and_tests_that_import_a_file_show_its_calls(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    for place, text in {
        "src/kernels.py": KERNEL,
        "src/test_other.py": "import kernels",
        "tests/test_kernels.py": "\ufefffrom src.kernels import double",
        "benchmarks/bench_kernels.py": "from src import kernels",
        "benchmarks/kernels_bench.py": "import other",
    }.items():
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text, encoding="utf-8")
    found = commands_of(source.read(KERNEL, str(tmp_path / "src" / "kernels.py")))
    bench, tests = (
        tmp_path / each for each in ("benchmarks/bench_kernels.py", "tests/test_kernels.py")
    )
    assert list(found) == [
        (sys.executable, str(bench)),
        (sys.executable, "-m", "pytest", "-q", str(tests)),
    ]
