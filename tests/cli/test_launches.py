"""`rewrite` and `suggest` with launches of the user's own run: `-- COMMAND`, `--launches FILE`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.layers import few
from tritonopt.cli.main import main
from tritonopt.source import read

Run = Callable[..., tuple[int, str, str]]

KERNEL = """\
import sys
import torch
import triton
import triton.language as tl


@triton.jit
def total(x_ptr, y_ptr, n, step, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    sum = 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        sum += tl.sum(tl.load(x_ptr + row * step + cols, mask=cols < n, other=0.0), axis=0)
    tl.store(y_ptr + row, sum)


def totals(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    total[(m,)](x, y, n, x.stride(0), BLOCK=128)
    return y


def test_totals():
    totals(torch.ones(2, 9000))


if __name__ == "__main__":
    totals(torch.ones(2, int(sys.argv[1])))
    sys.exit(int(sys.argv[2]) if sys.argv[2:] else 0)
"""
OTHER = KERNEL.replace("total", "other").replace("sum = 0.0", "sum = -0.0")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    Path("k.py").write_text(KERNEL)

    def call(*arguments: str) -> tuple[int, str, str]:
        return main(list(arguments)), *capfd.readouterr()

    return call


def keep(*columns: int, text: str = KERNEL, name: str = "total") -> None:
    """Write the file that a run with so many columns leaves."""
    (kernel,) = read(text).kernels
    launches = [
        {
            "arguments": {
                "x_ptr": {"dtype": "float32", "shape": [2, n], "strides": [n, 1], "storage": 0},
                "y_ptr": {"dtype": "float32", "shape": [2], "strides": [1], "storage": 1},
                "n": {"value": n},
                "step": {"value": n},
                "BLOCK": {"value": 128},
            },
            "grid": [2],
        }
        for n in columns
    ]
    one = {"path": "k.py", "kernel": name, "source": kernel.digest, "command": "python k.py"}
    kept = {"version": 1, "kernels": [{**one, "launches": launches}]}
    Path("l.json").write_text(json.dumps(kept))


def split(text: str) -> bool:
    return "SPLITS" in text


# The command


@pytest.mark.parametrize(
    "command",
    few(
        [
            (("k.py", "9000"),),
            (("-m", "pytest", "-q", "-p", "no:cacheprovider", "k.py"),),
            (("-c", "import k; k.test_totals()"),),
        ],
        0,
    ),
    ids=["a script", "pytest", "a module that imports it"],
)
def test_the_sizes_of_a_run_decide(run: Run, command: tuple[str, ...]) -> None:
    assert not split(run("rewrite", "k.py")[1])
    code, out, err = run("rewrite", "k.py", "--launches", "l.json", "--", sys.executable, *command)
    assert code == 0 and split(out)
    assert "assumed  recorded-launches: " in err and "1 recorded launch of `" in err
    # What it keeps is what `keep` writes for the other tests.
    kept = json.loads(Path("l.json").read_text())
    keep(9000)
    (one,), (ours,) = kept["kernels"], json.loads(Path("l.json").read_text())["kernels"]
    assert one == {**ours, "command": one["command"]}


def test_a_failing_command_counts_for_what_it_launched(run: Run) -> None:
    code, out, err = run("rewrite", "k.py", "--", sys.executable, "k.py", "9000", "3")
    assert code == 0 and split(out)
    assert re.search(r"^note: `.* k\.py 9000 3` \(exit status 3\) failed: only ", err, re.M)


@pytest.mark.parametrize("verb", ["rewrite", "suggest"])
@pytest.mark.parametrize(
    ("command", "says"),
    [
        ([sys.executable, "-c", "pass"], r"\(exit status 0\) launched no kernel of k\.py: Watched"),
        ([sys.executable, "-c", "raise SystemExit(3)"], r"\(exit status 3\) launched no kernel"),
        (["./no-such-command"], "`./no-such-command` cannot be started"),
        ([sys.executable, "-S", "-c", "pass"], "no Python process of it loaded tritonopt"),
    ],
    ids=["nothing launched", "failed", "not started", "not seen"],
)
def test_a_run_without_launches_is_an_error(
    run: Run, verb: str, command: list[str], says: str
) -> None:
    code, out, err = run(verb, "k.py", "--launches", "l.json", "--", *command)
    assert (code, out) == (2, "") and re.search(says, err)
    assert not Path("l.json").exists()


# The file


def test_kept_launches_are_reused(run: Run) -> None:
    keep(9000, 20000)
    code, out, err = run("rewrite", "k.py", "--launches", "l.json")
    assert code == 0 and split(out)
    assert "2 recorded launches of `python k.py`): no source shows it" in err
    assert run("suggest", "k.py")[:2] == (0, "")
    code, out, _ = run("suggest", "k.py", "--launches", "l.json")
    assert (
        code == 1 and "apply: tritonopt rewrite k.py:total --passes split-reduce --write\n" in out
    )
    found = json.loads(run("rewrite", "k.py", "--launches", "l.json", "--format", "json")[1])
    conditions = found["files"][0]["remarks"][0]["conditions"]
    assert "recorded-launches" in {c["claim"] for c in conditions if c["status"] == "assumed"}


def test_few_iterations_are_left_alone(run: Run) -> None:
    keep(9000, 200)
    code, out, err = run("rewrite", "k.py", "--launches", "l.json")
    assert (code, out) == (0, "")
    assert (
        "needs at least 64 iterations: not the case in all of 2 recorded launches of `python k.py`"
        in err
    )


def test_a_kernel_of_another_text_is_not_meant(run: Run) -> None:
    keep(9000)
    Path("k.py").write_text(KERNEL.replace("sum = 0.0", "sum = 1.0") + OTHER)
    code, out, err = run("rewrite", "k.py", "--launches", "l.json")
    assert (code, out) == (2, "")
    assert "k.py: l.json has launches of another version of total, which are not used" in err
    Path("k.py").write_text(f"# moved\n\n{KERNEL}{OTHER}")
    code, out, err = run("rewrite", "k.py", "--launches", "l.json")
    assert code == 0 and split(out) and out.count("def total_final") == 1
    assert "note: k.py: l.json has launches of no other: sizes are those that" in err


def test_only_the_kernel_that_is_meant_counts(run: Run) -> None:
    keep(9000)
    Path("k.py").write_text(KERNEL + OTHER)
    code, out, err = run("rewrite", "k.py:other", "--launches", "l.json")
    assert (code, out) == (2, "") and "l.json has launches of no other" in err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "l.json: does not exist: add `-- COMMAND` to record it"),
        ("{", "l.json: is not a file of recorded launches: record it with `--launches l.json -- "),
        ('{"version": 9}', "l.json: has recorded launches of version 9, and this tritonopt reads"),
    ],
)
def test_a_file_that_cannot_be_read(run: Run, text: str | None, says: str) -> None:
    if text is not None:
        Path("l.json").write_text(text)
    code, out, err = run("suggest", "k.py", "--launches", "l.json")
    assert (code, out) == (2, "") and says in err


def test_files_without_kernels_have_no_launches(run: Run) -> None:
    Path("empty.py").write_text("x = 1\n")
    code, _, err = run("suggest", "empty.py", "--launches", "l.json")
    assert code == 2 and "no kernel in the given files" in err
    Path("empty.py").write_text("import triton.jit\nx = (\n")
    code, _, err = run("suggest", "empty.py", "--launches", "l.json")
    assert code == 2 and "error: empty.py:2:" in err


def test_the_command_of_a_suggestion_has_what_it_rests_on(run: Run) -> None:
    one_tile = KERNEL.replace("y = torch.empty(m, device=x.device)", "y = torch.empty_like(x)")
    one_tile = one_tile.replace(
        "    tl.store(y_ptr + row, sum)",
        """\
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * step + cols, mask=cols < n, other=0.0)
        tl.store(y_ptr + row * step + cols, x / sum, mask=cols < n)""",
    )
    Path("k.py").write_text(one_tile)
    keep(100, text=one_tile)
    flags = ("--launches", "l.json", "--safety", "rounding,assumption")
    _, out, _ = run("suggest", "k.py", *flags)
    (line,) = re.findall("apply: tritonopt (.*one-tile.*)", out)
    assert line.endswith("--safety assumption,rounding --launches l.json --write")
    assert run(*line.split())[0] == 0 and "for start" not in Path("k.py").read_text()
    keep(100, 500, text=one_tile)
    Path("k.py").write_text(one_tile)
    assert "one-tile" not in run("suggest", "k.py", *flags)[1]


def test_kernels_that_names_do_not_tell_apart_get_no_launches(run: Run) -> None:
    Path("k.py").write_text(
        KERNEL + KERNEL[KERNEL.index("@triton.jit") : KERNEL.index("def totals")]
    )
    keep(9000)
    code, out, err = run("rewrite", "k.py", "--launches", "l.json")
    assert (code, out) == (2, "") and "launches of total, total are not recorded" not in err
    assert "k.py: launches of total are not recorded: it is in a class or function, or" in err


def test_every_launch_of_a_long_run_counts(run: Run) -> None:
    """Of the same sizes one is kept, of the last as of the first."""
    code = "import k, torch\nfor n in [9000] * 250 + [200]: k.totals(torch.ones(1, n))"
    Path("many.py").write_text(
        code.replace("k.totals", "k.total[(1,)]").replace(
            "(torch.ones(1, n))", "(torch.ones(1, n), torch.ones(1), n, n, BLOCK=16384)"
        )
    )
    run("rewrite", "k.py", "--launches", "l.json", "--", sys.executable, "many.py")
    (one,) = json.loads(Path("l.json").read_text())["kernels"]
    assert [launch["arguments"]["n"]["value"] for launch in one["launches"]] == [9000, 200]
