"""`tritonopt rewrite`: every promise of the command line."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import toys
from tritonopt import source
from tritonopt.cli.main import main

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def double(X, N, BLOCK: tl.constexpr):
    x = tl.load(X)
    y = x * 2
    tl.store(X, y)
"""
DOUBLED = KERNEL.replace("x * 2", "x + x")
MISSED = KERNEL.replace("x * 2", "(x + 1) * 2")
BAD = KERNEL.replace("double", "bad")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory of every test; only the toy passes are installed."""
    toys.install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Run the command; its exit code, stdout and stderr."""

    def command(*arguments: str | Path) -> tuple[int, str, str]:
        try:
            code = main(["rewrite", *map(str, arguments)])
        except SystemExit as left:
            code = int(left.code or 0)
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return command


def write(path: str, text: str = KERNEL) -> Path:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="")
    return file


def test_a_diff_on_stdout_and_remarks_on_stderr(run: Any) -> None:
    file = write("k.py")
    code, out, err = run("k.py", "--passes", "double-to-add")
    assert code == 0
    assert out.startswith("--- a/k.py\n+++ b/k.py\n@@ ")
    assert "-    y = x * 2\n+    y = x + x\n" in out
    assert err.splitlines() == [
        "k.py:8:9: double-to-add [exact]: x * 2 is x + x",
        "1 file, 1 kernel: 1 rewrite applied, 0 not applied; 1 file would change",
    ]
    assert file.read_text() == KERNEL


def test_the_diff_applies(run: Any, here: Path) -> None:
    write("sub/k.py")
    _, out, _ = run("sub", "--passes", "double-to-add")
    subprocess.run(["git", "apply", "-"], input=out.encode(), cwd=here, check=True)
    assert Path("sub/k.py").read_text() == DOUBLED


def test_a_missed_site_lists_its_conditions(run: Any) -> None:
    write("k.py", MISSED)
    code, out, err = run("k.py", "--passes", "rounding-double-to-add")
    assert (code, out) == (0, "")
    assert err.splitlines()[:2] == [
        "k.py:8:9: rounding-double-to-add [rounding]: not applied, not-a-name: x * 2 is x + x",
        "    refuted  is-a-name: x + 1",
    ]


def test_write_replaces_the_file_and_exits_0_changed_or_not(run: Any) -> None:
    file = write("k.py")
    file.chmod(0o750)
    for _ in range(2):
        code, out, _ = run("k.py", "--passes", "double-to-add", "--write")
        assert (code, out) == (0, "")
        assert file.read_text() == DOUBLED
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert os.listdir() == ["k.py"]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + KERNEL.encode(),
        KERNEL.replace("\n", "\r\n").encode(),
        b"# coding: latin-1\n# caf\xe9\n" + KERNEL.encode(),
        KERNEL.rstrip("\n").encode(),
    ],
    ids=["mark", "windows", "latin-1", "no newline at the end"],
)
def test_write_keeps_the_bytes_it_does_not_change(run: Any, data: bytes, here: Path) -> None:
    expected = data.replace(b"x * 2", b"x + x")
    Path("diffed.py").write_bytes(data)
    Path("written.py").write_bytes(data)
    assert run("written.py", "--passes", "double-to-add", "--write")[0] == 0
    assert Path("written.py").read_bytes() == expected


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + KERNEL.encode(),
        KERNEL.replace("\n", "\r\n").encode(),
        b"# coding: latin-1\n" + KERNEL.replace("x * 2", "x * 2  # caf\u00e9").encode("latin-1"),
        KERNEL.rstrip("\n").encode(),
    ],
    ids=["mark", "windows", "latin-1", "no newline at the end"],
)
def test_the_printed_diff_applies_byte_for_byte(
    data: bytes, here: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    Path("k.py").write_bytes(data)
    assert main(["rewrite", "k.py", "--passes", "double-to-add"]) == 0
    out, _ = capfdbinary.readouterr()
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=out, cwd=here, check=True)
    assert Path("k.py").read_bytes() == data.replace(b"x * 2", b"x + x")


def test_check_exits_1_when_something_would_change(run: Any) -> None:
    file = write("k.py")
    code, out, _ = run("k.py", "--passes", "double-to-add", "--check")
    assert code == 1 and "x + x" in out
    assert file.read_text() == KERNEL
    write("k.py", DOUBLED)
    assert run("k.py", "--passes", "double-to-add", "--check")[0] == 0


def test_check_and_write_exclude_each_other(run: Any) -> None:
    code, _, err = run("k.py", "--check", "--write")
    assert code == 2 and "not allowed with" in err


def test_a_directory_is_searched_and_gitignore_respected(run: Any) -> None:
    write("d/one.py")
    write("d/deep/two.py")
    write("d/generated/three.py")
    write("d/.gitignore", "\ufeffgenerated/\n")  # git skips the byte order mark
    write("d/notes.txt")
    code, out, err = run("d", "--passes", "double-to-add")
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("+++")] == [
        "+++ b/d/deep/two.py",
        "+++ b/d/one.py",
    ]
    assert "2 files, 2 kernels" in err


def test_a_file_that_is_named_twice_is_done_once(run: Any) -> None:
    write("d/k.py")
    _, out, err = run("d", "d/k.py", "./d", "--passes", "double-to-add")
    assert out.count("+++") == 1 and "1 file, 1 kernel" in err


def test_options_of_a_pass(run: Any) -> None:
    write("k.py")
    _, out, _ = run("k.py", "--passes", "double-to-add{spelling=tight}")
    assert "+    y = x+x\n" in out


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("doubletoadd", "no pass 'doubletoadd'; did you mean double-to-add"),
        ("double-to-add{speling=tight}", "no option 'speling'; it has spelling (did you mean"),
        ("double-to-add{spelling=tigt}", "legal: plain, tight (did you mean tight?)"),
        ("double-to-add{spelling=tight", "a brace is not closed"),
    ],
)
def test_a_wrong_pass_or_option_is_named(run: Any, spec: str, words: str) -> None:
    write("k.py")
    code, out, err = run("k.py", "--passes", spec)
    assert (code, out) == (2, "")
    assert words in err


def test_without_a_name_a_pass_without_a_measured_gain_does_not_act(run: Any) -> None:
    write("k.py")
    code, out, err = run("k.py")
    assert (code, out) == (0, "")
    assert err == "1 file, 1 kernel: 0 rewrites applied, 0 not applied; 0 files would change\n"


def test_safety(run: Any) -> None:
    write("k.py")
    passes = ("--passes", "rounding-double-to-add")
    assert "x + x" in run("k.py", *passes)[1]
    assert "x + x" in run("k.py", *passes, "--safety", "exact,rounding")[1]
    for level in ("exact", "contract"):
        code, out, err = run("k.py", *passes, "--safety", level)
        assert (code, out) == (0, "")
        assert "not applied, safety: needs rounding, which is not permitted" in err


@pytest.mark.parametrize("level", ["", "fast", "rounding,", "roundin"])
def test_an_unknown_safety_says_what_is_legal(run: Any, level: str) -> None:
    code, _, err = run("k.py", "--safety", level)
    assert code == 2
    assert "legal: exact, rounding, contract, assumption" in err


def test_a_given_fact_permits_what_rests_on_it(run: Any) -> None:
    write("k.py")
    passes = ("--passes", "assuming-double-to-add", "--safety", "exact")
    assert run("k.py", *passes)[1] == ""
    code, out, err = run("k.py", *passes, "--assume", "N == 4")
    assert code == 0 and "x + x" in out
    assert "    assumed  n-is-four: given: N == 4" in err
    assert "note" not in err


def test_a_fact_that_was_not_needed_is_reported(run: Any) -> None:
    write("k.py")
    code, _, err = run(
        "k.py", "--passes", "double-to-add", "--assume", "BLOCKS <= 8", "--assume", "N == 4"
    )
    assert code == 0
    assert (
        "note: --assume 'BLOCKS <= 8': no kernel has a parameter BLOCKS; did you mean BLOCK?" in err
    )
    assert "note: --assume 'N == 4': no rewrite uses it" in err


@pytest.mark.parametrize("expression", ["N ==", "4 % 3 == 0", "import os", ""])
def test_a_fact_that_cannot_be_read_or_cannot_hold_is_an_error(run: Any, expression: str) -> None:
    write("k.py")
    code, out, err = run("k.py", "--passes", "double-to-add", "--assume", expression)
    assert (code, out) == (2, "")
    assert err.startswith("tritonopt: error: ")


def test_a_fact_that_a_launch_refutes_is_an_error_that_names_its_line(run: Any) -> None:
    text = (
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef copy(X, Y):\n"
        "    tl.store(Y, tl.load(X))\n\n\ndef launch(x):\n    copy[(1,)](x[1:], x[:-1])\n"
    )
    write("k.py", text)
    code, out, err = run("k.py", "--passes", "double-to-add", "--assume", "disjoint(X, Y)")
    assert (code, out) == (2, "")
    assert "k.py: 'disjoint(X, Y)' is false for copy: the launch in line 11 passes parts of" in err
    assert "note: " not in err


def test_json(run: Any) -> None:
    write("a.py")
    write("b.py", MISSED)
    write("c.py", "x = 1\n")
    write("d.py", "def broken(:\n")
    code, out, _ = run("a.py", "b.py", "c.py", "d.py", "--passes", "double-to-add", "--format=json")
    assert code == 2
    report = json.loads(out)
    assert report["version"] == 1
    first, second, third, fourth = report["files"]
    assert (first["path"], first["changed"]) == ("a.py", True)
    assert first["diff"].startswith("--- a/a.py\n")
    assert first["remarks"] == [
        {
            "pass": "double-to-add",
            "kind": "passed",
            "kernel": "double",
            "line": 8,
            "column": 9,
            "safety": [],
            "bits": "same",
            "message": "x * 2 is x + x",
            "reason": "",
            "failure": "",
            "conditions": [{"claim": "is-a-name", "status": "proved", "detail": "x"}],
        }
    ]
    assert (second["changed"], second["diff"]) == (False, "")
    (missed,) = second["remarks"]
    assert (missed["kind"], missed["reason"]) == ("missed", "not-a-name")
    assert missed["conditions"][0]["status"] == "refuted"
    assert third == {"path": "c.py", "changed": False, "diff": "", "remarks": []}
    assert fourth == {"path": "d.py", "changed": False, "diff": "", "remarks": []}
    summary = report["summary"]
    errors = summary.pop("errors")
    assert summary == {
        "files": 4,
        "kernels": 2,
        "passed": 1,
        "missed": 1,
        "changed": 1,
        "unlisted": 0,
        "left_out": {},
        "notes": [],
        "statistics": {"double-to-add": {"passed": 1, "not-a-name": 1}},
        "defects": [],
    }
    assert list(errors) == ["d.py"]
    assert errors["d.py"][0].startswith("d.py:1:")


def test_json_with_write(run: Any) -> None:
    file = write("k.py")
    code, out, _ = run("k.py", "--passes", "double-to-add", "--format", "json", "--write")
    assert code == 0 and file.read_text() == DOUBLED
    assert json.loads(out)["files"][0]["changed"] is True


def test_json_tells_unneeded_facts(run: Any) -> None:
    write("k.py")
    _, out, _ = run("k.py", "--passes", "double-to-add", "--assume", "Q > 0", "--format", "json")
    assert json.loads(out)["summary"]["notes"] == ["--assume 'Q > 0': no kernel has a parameter Q"]


# Bad input. Each time the other file is still done.


def check_the_other(run: Any, *paths: str, words: str, out_of_band: bool = False) -> None:
    write("good.py")
    code, out, err = run(*paths, "good.py", "--passes", "double-to-add")
    assert code == 2
    assert "+++ b/good.py" in out
    assert words in err
    assert "1 error" in err
    code, out, _ = run(*paths, "good.py", "--passes", "double-to-add", "--format", "json")
    report = json.loads(out)
    assert code == 2
    assert [f["path"] for f in report["files"] if f["changed"]] == ["good.py"]
    ((_, messages),) = report["summary"]["errors"].items()
    assert words in messages[0]
    assert run(*paths, "good.py", "--passes", "double-to-add", "--check")[0] == 2
    assert run(*paths, "good.py", "--passes", "double-to-add", "--write")[0] == 2
    assert Path("good.py").read_text() == DOUBLED


def test_a_syntax_error(run: Any) -> None:
    write("broken.py", KERNEL + "def f(:\n")
    check_the_other(run, "broken.py", words="broken.py:10:7: ")


def test_a_hook_leaves_what_has_no_kernels_to_others(run: Any) -> None:
    Path("bad.py").write_text("def f(:\n")
    assert run("bad.py", "--write", "--careful")[0] == 0
    Path("k.py").write_text("import triton\n<<<<<<< HEAD\n@triton.jit\n=======\n>>>>>>> other\n")
    code, _, err = run("bad.py", "k.py", "--write", "--careful")
    assert code == 2
    assert err.startswith("k.py:2:1: a merge conflict is left here; resolve it first\n")


def test_a_syntax_error_in_a_file_without_kernels_that_was_named(run: Any) -> None:
    write("broken.py", "x = = 1\n")
    check_the_other(run, "broken.py", words="broken.py:1:5: ")


def test_a_path_that_does_not_exist(run: Any) -> None:
    check_the_other(run, "nowhere.py", words="nowhere.py: does not exist")


def test_a_directory_without_python(run: Any) -> None:
    write("empty/readme.txt", "")
    check_the_other(run, "empty", words="empty: no Python file in it")


def test_a_file_that_is_not_utf_8(run: Any) -> None:
    Path("odd.py").write_bytes(b"# caf\xe9\nimport triton\n")
    check_the_other(run, "odd.py", words="odd.py")


def test_a_file_that_cannot_be_read(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write("secret.py").chmod(0)
    if os.access("secret.py", os.R_OK):  # root reads everything
        opened = Path.read_bytes

        def read_bytes(path: Path) -> bytes:
            if path.name == "secret.py":
                raise PermissionError(13, "Permission denied", str(path))
            return opened(path)

        monkeypatch.setattr(Path, "read_bytes", read_bytes)
    check_the_other(run, "secret.py", words="secret.py")


def test_a_null_byte(run: Any) -> None:
    Path("null.py").write_bytes(b"import triton\njit = 1\n\0\n")
    check_the_other(run, "null.py", words="null.py:3:1: a null byte")


def test_a_failure_inside_a_pass(run: Any) -> None:
    write("bad.py", BAD)
    write("good.py")
    code, out, err = run("bad.py", "good.py", "--passes", "crash")
    assert code == 2
    assert "+++ b/good.py" in out and "bad.py" not in out
    assert (
        "bad.py:6:1: crash [exact]: not applied, internal-error: the kernel is not changed" in err
    )
    *_, last, summary = err.splitlines()
    assert last.startswith("bad.py:6:1: ") and "crash failed: ZeroDivisionError" in last
    assert "is not changed" in last and "please report it" in last
    assert summary.endswith("1 error, 1 of them internal")
    code, out, _ = run("bad.py", "good.py", "--passes", "crash", "--format", "json")
    report = json.loads(out)
    assert code == 2
    assert "ZeroDivisionError" in report["files"][0]["remarks"][0]["failure"]
    assert "ZeroDivisionError" in report["summary"]["errors"]["bad.py"][0]
    assert run("bad.py", "good.py", "--passes", "crash", "--write")[0] == 2
    assert Path("bad.py").read_text() == BAD
    assert Path("good.py").read_text() == DOUBLED


def test_a_failure_around_the_passes_is_one_file_lost(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(text: str, path: str, *others: Any) -> Any:
        if path == "odd.py":
            raise RuntimeError("of ours")
        return reading(text, path, *others)

    reading = source.read
    monkeypatch.setattr(source, "read", read)
    write("odd.py")
    check_the_other(run, "odd.py", words="odd.py: not changed: RuntimeError: of ours")


def test_a_file_that_cannot_be_written(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(*_: object) -> None:
        raise OSError(28, "No space left on device")

    file = write("k.py")
    monkeypatch.setattr(os, "replace", replace)
    code, _, err = run("k.py", "--passes", "double-to-add", "--write")
    assert code == 2 and "No space left on device" in err
    assert file.read_text() == KERNEL
    assert os.listdir() == ["k.py"]


def test_interrupted_while_writing(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(*_: object) -> None:
        raise KeyboardInterrupt

    file = write("k.py")
    monkeypatch.setattr(os, "replace", replace)
    code, _, err = run("k.py", "--passes", "double-to-add", "--write")
    assert code == 130
    assert "interrupted; no file was left half written" in err
    assert file.read_text() == KERNEL
    assert os.listdir() == ["k.py"]


def test_it_never_runs_the_code_of_a_file(run: Any) -> None:
    write("k.py", KERNEL + "\nopen('ran', 'w').close()\nraise SystemExit(7)\n")
    assert run("k.py", "--passes", "double-to-add", "--write")[0] == 0
    assert not Path("ran").exists()


@pytest.mark.parametrize("form", ["text", "concise", "github"])
@pytest.mark.parametrize("action", [[], ["--write"], ["--check"]])
def test_statistics_are_on_stdout_and_alone(run: Any, form: str, action: list[str]) -> None:
    write("k.py")
    write("m.py", MISSED)
    arguments = ["--passes", "double-to-add", "--statistics", "--format", form, *action]
    code, out, err = run(".", *arguments)
    assert code == (1 if action == ["--check"] else 0)
    assert out == "1  double-to-add  not-a-name\n1  double-to-add  passed\n"
    assert err == ""


def test_errors_are_told_with_statistics_too(run: Any) -> None:
    write("broken.py", "def f(:\n")
    code, out, err = run("broken.py", "--statistics")
    assert (code, out) == (2, "") and err.startswith("broken.py:1:7: ")


def test_a_file_that_changes_meanwhile_is_done_again(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else writes between our reading and our writing: their change stays."""
    file = write("k.py")
    replace = source.write_file
    changes = iter(["# theirs\n", "# theirs, too\n"])

    def write_late(known: source.SourceFile, text: str) -> None:
        if change := next(changes, ""):
            file.write_text(change + KERNEL)
        replace(known, text)

    monkeypatch.setattr(source, "write_file", write_late)
    code, _, err = run("k.py", "--passes", "double-to-add", "--write")
    assert code == 0 and "k.py: rewritten" in err
    assert file.read_text() == "# theirs, too\n" + DOUBLED


def test_a_file_that_changes_again_and_again_is_left(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write("k.py")
    replace = source.write_file

    def write_late(known: source.SourceFile, text: str) -> None:
        file.write_text("# theirs\n" + file.read_text())
        replace(known, text)

    monkeypatch.setattr(source, "write_file", write_late)
    code, _, err = run("k.py", "--passes", "double-to-add", "--write")
    assert code == 2
    assert "k.py: has changed since it was read, and was not changed: run this again" in err
    assert file.read_text() == "# theirs\n" * 3 + KERNEL


def test_two_processes_that_write(here: Path, root: Path) -> None:
    """Whoever comes second starts from what the first one wrote: nothing of either is lost."""
    texts = [KERNEL.replace("def double", f"def double_{i}") for i in range(30)]
    file = write("k.py", "\n\n".join(texts))
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import pytest; from tests import toys; "
        "from tritonopt.cli.main import main; toys.install(pytest.MonkeyPatch()); "
        "sys.exit(main(['rewrite', sys.argv[2], '--passes', 'double-to-add', '--write']))"
    )
    command = [sys.executable, "-c", program, str(root)]
    started = [
        subprocess.Popen([*command, f"k.py:double_{i}"], cwd=here, stderr=subprocess.PIPE)
        for i in (3, 17)
    ]
    errors = [process.communicate()[1].decode() for process in started]
    assert [process.returncode for process in started] == [0, 0], errors
    assert file.read_text().count("x + x") == 2


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_link_and_its_target_are_one_file(run: Any, here: Path) -> None:
    write("z/real.py")
    Path("a.py").symlink_to(here / "z" / "real.py")
    for paths in (["."], ["a.py", "z"], ["a.py", "z/real.py:double"]):
        code, out, err = run(*paths, "--passes", "double-to-add")
        assert code == 0 and out.count("--- a/z/real.py") == out.count("--- ") == 1
        assert err.count("double-to-add") == 1
    assert run(".", "--passes", "double-to-add", "--write")[0] == 0
    assert Path("a.py").is_symlink() and Path("z/real.py").read_text() == DOUBLED


def test_select_ignore_and_quiet(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write("k.py")
    named = (file, "--passes", "double-to-add")
    diff = run(*named)[1]
    assert run(*named, "--quiet") == (0, diff, "")
    assert run(*named, "--select", "double", "-q") == (0, diff, "")
    assert run(*named, "--ignore", "double", "-q") == (0, "", "")
    code, _, err = run(file, "--select", "double")
    assert code == 2 and "none of these passes would run" in err
    # A diff is for other programs, whatever color there is.
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    code, out, err = run(*named)
    assert (code, out) == (0, diff)
    assert "\x1b[36mdouble-to-add" in err
