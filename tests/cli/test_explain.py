"""`tritonopt explain`: a pass, and a line of a file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_suggest import HEAD, MAXIMUM, RING
from tritonopt.checks import reasons
from tritonopt.cli.main import main
from tritonopt.reporting.glossary import glossary
from tritonopt.rewriting import registry, uninstalled

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(HEAD + MAXIMUM + RING)
    return tmp_path


def test_the_manual_page_with_options(capsys: Captured) -> None:
    assert main(["explain", "fuse-stats"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# fuse-stats\n\nCompute a variance in the loop that computes the mean")
    assert "## Measured" in out and "| 16384 | 256, 1 |" in out
    assert "- `formula`: shifted, moments; default shifted\n" in out


def test_a_cheat_of_a_verdict(capsys: Captured) -> None:
    assert main(["explain", "kernel-unused"]) == 0
    assert "no result depends on what the kernels write" in capsys.readouterr().out


def test_the_manual_page_on_a_terminal(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["explain", "undefined-lanes"]) == 0
    out = capsys.readouterr().out
    assert "\x1b[" in out and "## What it does" not in out and "What it does" in out


def explained(capsys: Captured, *names: str) -> str:
    assert main(["explain", *names]) == 0
    return capsys.readouterr().out


def test_a_reason_and_what_to_do(capsys: Captured) -> None:
    assert explained(capsys, "data-may-change") == (
        "data-may-change: a reason\n"
        "  Between two reads that would become one, a store may change the data.\n"
        "  What to do: If the buffers are disjoint: `--assume 'disjoint(X, Y)'`.\n"
    )


def test_a_claim(capsys: Captured) -> None:
    assert explained(capsys, "same-elements") == (
        "same-elements: a claim, which must hold at a site\n"
        "  A later loop reads the same elements as an earlier loop.\n"
    )


@pytest.mark.parametrize("name", ["shifted formula", "shifted-formula", "Shifted_Formula"])
def test_a_word(name: str, capsys: Captured) -> None:
    first, second = explained(capsys, name).splitlines()
    assert first == "shifted formula: a word of the glossary"
    assert second.startswith("  A variance computed in one loop")


def test_a_word_that_is_a_reason_too(capsys: Captured) -> None:
    out = explained(capsys, "safety")
    assert "safety: a word of the glossary\n" in out and "safety: a reason\n" in out


def test_several_names(capsys: Captured) -> None:
    assert explained(capsys, "sweep", "different-mask").count("\n\n") == 1


def test_everything_that_can_be_said_is_explained(capsys: Captured) -> None:
    names = [*reasons.names(), *glossary()]
    assert len(names) > 240
    assert explained(capsys, *names).count("\n\n") == len(names) - 1


def test_all_claims_and_reasons_with_a_line_each(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reasons, "_elsewhere", {})
    assert main(["explain", "--reasons"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == reasons.names()
    assert {line.split()[1] for line in lines} == {"claim", "reason"}
    for name in ("same-elements", "effect-inside"):
        (line,) = (line for line in lines if line.startswith(f"{name} "))
        means = reasons.CLAIMS.get(name) or reasons.REASONS[name].means
        assert line.endswith(means)


def test_claims_and_reasons_before_what_is_asked(capsys: Captured) -> None:
    out = explained(capsys, "--reasons", "same-elements")
    assert "\n\nsame-elements: a claim, which must hold at a site\n" in out


def test_nothing_is_asked(capsys: Captured) -> None:
    assert main(["explain"]) == 2
    assert "nothing to explain. Give a pass" in capsys.readouterr().err


def test_a_reason_of_a_pass_of_another_package(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reasons, "_elsewhere", {})

    def load() -> None:
        reasons.declare("elsewhere", {"moon-is-full": "It is a night for this."})

    monkeypatch.setattr(registry, "catalog", load)
    assert explained(capsys, "moon-is-full") == (
        "moon-is-full: said by elsewhere\n  It is a night for this.\n"
    )


def test_what_a_name_means_needs_no_parser_of_kernels(root: Path) -> None:
    script = (
        "import sys; from tritonopt.cli.main import main; main(['explain', 'data-may-change']); "
        "heavy = {'libcst', 'tritonopt.facts', 'rich', 'pathspec'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_pass_that_is_not_installed(
    here: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "passes").mkdir()
    (here / "pyproject.toml").write_text("")
    written = here / "passes" / "my_pass.py"
    written.write_text('class MyPass:\n    name = "my-pass"\n')
    monkeypatch.setattr(uninstalled, "FOLDER", written.parent)
    assert main(["explain", "my-pass"]) == 2
    said = capsys.readouterr().err
    assert f"'my-pass'; {written}:1:1: MyPass is not installed: add" in said
    assert said.endswith("run `pip install -e .` there\n")


def test_a_line_with_every_condition(capsys: Captured) -> None:
    assert main(["explain", "k.py:16", "--passes", "contiguity-hints"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(
        "k.py:16:14: contiguity-hints [exact]: can be applied: say that each"
    )
    statuses = {line.split()[0] for line in lines[1:]}
    assert statuses == {"proved", "assumed"}
    assert any("hint-is-true: BLOCK divides" in line for line in lines)


def test_a_line_without_a_site_shows_those_of_the_kernel(capsys: Captured) -> None:
    assert main(["explain", "k.py:8", "--passes", "undefined-lanes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "k.py:8: no pass has a site in line 8; those of top:"
    assert lines[1].startswith("k.py:9:9: undefined-lanes")
    assert lines[2] == "    refuted  masked-off-lanes-add-nothing"  # its detail is the message


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "fuse-stat",
            "there is no pass, reason or word 'fuse-stat'; did you mean fuse-stats? Give ",
        ),
        ("fuse_stats", "word 'fuse_stats'; did you mean fuse-stats?"),
        ("data-may-chang", "did you mean data-may-change?"),
        ("sweeps", "did you mean sweep? Give a pass"),
        (
            "zzzzzzzz",
            "there is no pass, reason or word 'zzzzzzzz'. Give a pass (`tritonopt passes` lists "
            "them), a claim or a reason that a remark gives, a word of the glossary, FILE:LINE or "
            "FILE:KERNEL\n",
        ),
        ("k.py", "k.py: give a line or kernel, as in k.py:12"),
        ("k.py:2", "k.py:2:1: is in no kernel; there are top (line 7), ring (line 14)"),
        ("k.py:999", "k.py: has no line 999; it has "),
        ("none.py:3", "none.py: does not exist"),
        ("k.py:rings", "k.py: no kernel 'rings'; did you mean ring? There are top, ring"),
        (".:top", ".:top: . is a directory; name a file of it, as in FILE.py:top"),
        ("k.py:", "k.py:: give a kernel or line, as in k.py:12"),
    ],
)
def test_what_cannot_be_explained(target: str, message: str, capsys: Captured) -> None:
    assert main(["explain", target]) == 2
    assert message in capsys.readouterr().err


def test_a_kernel_and_several_places(capsys: Captured) -> None:
    assert main(["explain", "k.py:ring", "k.py:9"]) == 0
    out = capsys.readouterr().out
    heads = [line for line in out.splitlines() if line.startswith("k.py:")]
    assert heads[0].startswith("k.py:14:") or heads[0].startswith("k.py:16:")
    assert any(line.startswith("k.py:9:9: undefined-lanes") for line in heads)
    assert "\n\nk.py:9:9" in out


def test_a_line_with_a_column(capsys: Captured) -> None:
    assert main(["explain", "k.py:16:14", "--passes", "contiguity-hints"]) == 0
    assert capsys.readouterr().out.startswith(
        "k.py:16:14: contiguity-hints [exact]: can be applied"
    )
