"""`licm` goes on meaning `loop-unswitch` too, which was a part of it, and says so once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tritonopt.cli.main import main
from tritonopt.rewriting import registry
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.options import PassSelectionError, spelled
from tritonopt.rewriting.pipeline import rewrite_source

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
KERNEL = """

@triton.jit
def NAME(X, W, Y, n, negate, twice, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(n):
        w = tl.load(W + cols)
        x = tl.load(X + row * BLOCK + cols)
        if negate:
            x = -x
        if twice:
            x += x
        tl.store(Y + row * BLOCK + cols, x * w)


def run_NAME(x, w, negate, twice):
    y = torch.empty_like(x)
    NAME[(1,)](x, w, y, 3, negate, twice, BLOCK=16)
    return y
"""
TEXT = HEAD + KERNEL.replace("NAME", "kernel")
LOAD, BRANCH = "        w = tl.load", "        if negate:"
LAST_BRANCH = "        if twice:"


def selected(spec: str) -> list[tuple[str, str]]:
    return [(spelled(one), one.part_of) for one in registry.select(spec)]


def passed(text: str, spec: str) -> list[str]:
    remarks = rewrite_source(text, spec).remarks
    return sorted({r.pass_name for r in remarks if r.kind is RemarkKind.PASSED})


# Selections


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("licm", [("licm", ""), ("loop-unswitch", "licm")]),
        ("licm,loop-unswitch", [("licm", ""), ("loop-unswitch", "")]),
        ("loop-unswitch,licm", [("loop-unswitch", ""), ("licm", "")]),
        ("loop-unswitch", [("loop-unswitch", "")]),
        (
            "licm{max-statements=9},max-to-where",
            [("licm", ""), ("loop-unswitch{max_statements=9}", "licm"), ("max-to-where", "")],
        ),
    ],
)
def test_the_whole_stands_for_its_part_unless_that_is_named(
    spec: str, expected: list[tuple[str, str]]
) -> None:
    assert selected(spec) == expected


@pytest.mark.parametrize("spec", ["all,licm", "licm,default"])
def test_beside_a_set_the_part_of_a_named_pass_is_named(spec: str) -> None:
    (part,) = (one for one in registry.select(spec) if one.name == "loop-unswitch")
    assert part.is_named
    alone = next(p for p in registry.select("default") if p.name == "loop-unswitch")
    assert not alone.is_named


def test_an_option_that_neither_has_is_an_error() -> None:
    with pytest.raises(PassSelectionError, match="licm has no option 'formula'"):
        registry.select("licm{formula=moments}")
    with pytest.raises(PassSelectionError, match="'licm' is given twice"):
        registry.select("licm,licm")


def test_the_api_runs_no_pass_twice() -> None:
    names = [one.name for one in registry.resolve(["licm", "loop-unswitch{max_statements=9}"])]
    assert names == ["licm", "loop-unswitch"]


# What is done, and said


def test_both_are_done_and_it_is_said_once() -> None:
    result = rewrite_source(TEXT, "licm")
    assert [r.pass_name for r in result.remarks].count("loop-unswitch") > 1
    (note,) = result.notes
    assert note.startswith("licm means loop-unswitch too for now")
    assert note.endswith("name licm,loop-unswitch for both")
    spelled_out = rewrite_source(TEXT, "licm,loop-unswitch")
    assert (spelled_out.text, spelled_out.notes) == (result.text, ())


def test_nothing_is_said_where_the_part_had_nothing_to_say() -> None:
    text = TEXT.replace("        if negate:\n            x = -x\n", "")
    text = text.replace("        if twice:\n            x += x\n", "")
    result = rewrite_source(text, "licm")
    assert passed(text, "licm") == ["licm"] and result.notes == ()


def test_sets_say_nothing() -> None:
    assert rewrite_source(TEXT, "default").notes == rewrite_source(TEXT, "all").notes == ()


# Suppressions


def silenced(place: str, names: str) -> str:
    assert place in TEXT
    return TEXT.replace(place, f"        # tritonopt: ignore[{names}]\n{place}")


def test_a_suppression_of_the_whole_silences_the_part() -> None:
    text = silenced(BRANCH, "licm").replace(LAST_BRANCH, f"{LAST_BRANCH}  # tritonopt: ignore")
    result = rewrite_source(text, "licm,loop-unswitch")
    assert [r.pass_name for r in result.remarks] == ["licm"]
    assert [note.partition(" too")[0] for note in result.notes] == ["licm means loop-unswitch"]


def test_a_suppression_of_the_part_silences_nothing_else() -> None:
    text = silenced(BRANCH, "loop-unswitch").replace(
        LAST_BRANCH, f"{LAST_BRANCH}  # tritonopt: ignore[loop-unswitch]"
    )
    result = rewrite_source(text, "licm,loop-unswitch")
    assert [r.pass_name for r in result.remarks] == ["licm"] and result.notes == ()
    # At a load it has nothing to silence.
    remarks = rewrite_source(silenced(LOAD, "loop-unswitch"), "licm,loop-unswitch").remarks
    assert "suppresses-nothing" in [r.reason for r in remarks]


def test_a_suppression_may_be_meant_for_a_part_that_did_not_run() -> None:
    remarks = rewrite_source(silenced(BRANCH, "licm"), [registry.load("licm")()]).remarks
    assert [r.pass_name for r in remarks] == ["licm"]


# Configurations, over several files


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "other"):
        Path(f"{name}.py").write_text(HEAD + KERNEL.replace("NAME", name))

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        return code, *capsys.readouterr()

    return call


def configured(line: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.tritonopt]\n{line}\n")


def test_passes_of_a_configuration(run: Callable[..., tuple[int, str, str]]) -> None:
    configured('passes = ["licm"]')
    _, out, err = run("rewrite", ".", "--format", "concise")
    assert f"{out}{err}".count(": loop-unswitch [") > 1
    assert err.count("note: licm means loop-unswitch too") == err.count("note: ") == 1
    configured('passes = ["licm", "loop-unswitch"]')
    assert "note: " not in run("rewrite", ".", "--format", "concise")[2]


@pytest.mark.parametrize("command", ["rewrite", "suggest"])
def test_what_a_configuration_ignores(
    run: Callable[..., tuple[int, str, str]], command: str
) -> None:
    configured('ignore = ["licm"]')
    _, out, err = run(command, ".", "--format", "concise")
    assert " licm [" not in out + err and " loop-unswitch [" not in out + err
    assert err.count("note: pyproject.toml:2:1: licm means loop-unswitch too") == 1
    configured('ignore = ["licm", "loop-unswitch"]')
    assert "note: " not in run(command, ".")[2]
    configured('ignore = ["loop-unswitch"]')
    assert "w = tl.load" in run("rewrite", ".", "--passes", "licm")[1]


def test_a_suggestion_is_not_in_the_way_of_another(
    run: Callable[..., tuple[int, str, str]],
) -> None:
    _, out, _ = run("suggest", "one.py", "--passes", "licm,loop-unswitch")
    apply = next(line for line in out.splitlines() if line.endswith("--passes licm --write"))
    _, _, err = run(*apply.partition("tritonopt ")[2].split())
    assert "licm [" in err


def test_what_nobody_named_is_suggested_once(
    run: Callable[..., tuple[int, str, str]], root: Path
) -> None:
    _, out, err = run("suggest", str(root / "examples/gated_matmul.py"), "--isolated")
    assert out.count(": loop-unswitch [") == 1 and "note: " not in err


@pytest.mark.parametrize("name", ["licm", "loop-unswitch"])
def test_each_has_a_page(run: Callable[..., tuple[int, str, str]], name: str) -> None:
    code, out, _ = run("explain", name)
    assert code == 0 and out.startswith(f"# {name}\n")
    assert ("max_statements" in out) is (name == "loop-unswitch")
