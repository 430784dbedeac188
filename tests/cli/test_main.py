"""What every command has in common: how it starts, and how it ends."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import tritonopt
from tests import toys
from tritonopt.cli import main as command_line
from tritonopt.cli.main import main
from tritonopt.rewriting import groups

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def copy(X, Y, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(Y + offsets, tl.load(X + offsets))
"""

# A run with the toy passes in a process of its own.
WITH_TOYS = """\
import sys
import pytest
from tests import toys
toys.install(pytest.MonkeyPatch())
from tritonopt.cli.main import main
sys.exit(main())
"""


def python(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, **options
    )  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([option])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"tritonopt {tritonopt.__version__}\n"


@pytest.mark.parametrize(
    "command", [[], ["rewrite"], ["suggest"], ["explain"], ["verify"], ["passes"], ["facts"]]
)
def test_help(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([*command, "--help"])
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith(" ".join(["usage: tritonopt", *command]))


@pytest.mark.parametrize(
    "arguments",
    [[], ["rewrit"], ["rewrite"], ["rewrite", "x.py", "--wrote"], ["rewrite", "x", "--format=xml"]],
)
def test_arguments_that_mean_nothing_are_exit_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert "usage: tritonopt" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("rewrit", "did you mean rewrite?"),
        ("chekc", "did you mean check?"),
        ("kernels", "tritonopt suggest kernels"),
        ("xyzzy", "the commands are rewrite, suggest,"),
    ],
)
def test_a_command_that_there_is_not(
    command: str,
    advice: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "kernels").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main([command, "a.py"])
    assert left.value.code == 2
    assert f"there is no command '{command}'; " in (err := capsys.readouterr().err)
    assert advice in err


def test_check_is_suggest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kernel.py").write_text("")
    assert main(["check", str(tmp_path)]) == 0
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    assert capsys.readouterr().out.startswith("usage: tritonopt suggest")


def test_abbreviated_options_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    # A script that leans on `--pass` would break with the next option that begins so.
    with pytest.raises(SystemExit) as left:
        main(["rewrite", "x.py", "--pass", "all"])
    assert left.value.code == 2


def test_a_defect_of_ours_is_exit_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def crash(_: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(command_line, "import_module", crash)
    assert main(["passes"]) == 2
    assert "ZeroDivisionError" in (err := capsys.readouterr().err)
    assert "please report it" in err


def test_python_m(root: Path) -> None:
    done = python("-m", "tritonopt", "--version", cwd=root)
    assert (done.returncode, done.stdout) == (0, f"tritonopt {tritonopt.__version__}\n")


def test_the_catalog(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    toys.install(monkeypatch)
    assert main(["passes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert names == [*sorted(toy.name for toy in toys.PASSES), *groups.GROUPS]
    place = next(i for i, line in enumerate(lines) if line.startswith("rounding-double-to-add "))
    assert lines[place].endswith(f"  {toys.DoubleToAdd.summary}")
    assert lines[place + 1].strip() == "runs if named; safety rounding"
    assert "{spelling=...} plain, tight; default plain" in map(str.strip, lines)


def test_a_pass_that_cannot_be_loaded_does_not_hide_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    toys.install(monkeypatch)
    monkeypatch.delattr(toys, "Crash")
    assert main(["passes"]) == 2
    out, err = capsys.readouterr()
    assert "double-to-add " in out
    assert "the pass 'crash' (tests.toys:Crash) cannot be loaded" in err


# How it starts.

STARTED = """\
import sys, time
from tritonopt.cli.main import main
code = main(["rewrite", *sys.argv[1:]])
heavy = {"torch", "triton", "hypothesis", "numpy", "libcst", "rich"} & set(sys.modules)
assert not heavy, heavy
sys.exit(code)
"""
FINDS_NOTHING = """\
import sys
from tritonopt.cli.main import main
assert main(["rewrite", *sys.argv[1:], "--passes", "licm,contiguity-hints"]) == 0
ours = ("tritonopt.emit.", "tritonopt.passes.")
print(*sorted(name for name in sys.modules if name.startswith(ours)))
"""

IMPORTED = """\
import sys
from pathlib import Path
bare = set(sys.modules)
from tritonopt.cli.main import main
assert main(["rewrite", *sys.argv[1:]]) == 0
new = {name: module for name, module in sys.modules.items() if name not in bare}
ours = {name: module for name, module in new.items() if name.partition(".")[0] == "tritonopt"}
size = sum(Path(module.__file__).stat().st_size for module in ours.values())
bound = [c for name, m in ours.items() for c in vars(m).values() if isinstance(c, type)]
made = {c for c in bound if c.__module__ in ours and "__dataclass_fields__" in vars(c)}
print(len(ours), size, len(made), len(new) - len(ours))
"""


def test_nothing_heavy_is_imported_when_nothing_changes(tmp_path: Path, root: Path) -> None:
    (tmp_path / "k.py").write_text(KERNEL)
    done = python("-c", STARTED, str(tmp_path / "k.py"), "--passes", "all", cwd=root)
    assert done.returncode == 0, done.stderr
    assert "1 file, 1 kernel" in done.stderr


def test_what_only_a_finding_needs_is_not_imported(tmp_path: Path, root: Path) -> None:
    # Of passes that do not run nothing, and of those that do what looks for sites.
    (tmp_path / "k.py").write_text(KERNEL)
    done = python("-c", FINDS_NOTHING, str(tmp_path / "k.py"), cwd=root)
    assert done.returncode == 0, done.stderr
    looking = {"emit.loop_invariants", "emit.writing", "passes.licm", "passes.loop_unswitch"}
    hints = ("hints", "counterexamples", "wrapped_offsets")
    looking |= {"passes.contiguity_hints", *(f"passes.contiguity_hints.{name}" for name in hints)}
    looking |= {"passes.licm.invariant_loads", "passes.loop_unswitch.invariant_branches"}
    names = {name.removeprefix("tritonopt.") for name in done.stdout.split()}
    assert names <= looking, f"import where a site was found: {names - looking}"


def test_a_cold_start_costs_little(tmp_path: Path, root: Path) -> None:
    # The promise is 0.4 s above a bare interpreter on a machine of today. A start imports and does
    # little else, so what it imports is counted: that is the same on a slow or a busy machine.
    (tmp_path / "k.py").write_text(KERNEL)
    done = python("-c", IMPORTED, str(tmp_path / "k.py"), "--passes", "all", cwd=root)
    assert done.returncode == 0, done.stderr
    modules, size, dataclasses, others = map(int, done.stdout.split())
    assert modules > 100, "nothing of it was counted"
    assert modules <= 260, "import what only a finding needs where a site was found"
    assert size <= 2_090_000, f"{size} bytes of source"
    assert dataclasses <= 290, "each is made by compiling: half of what a start costs"
    assert others <= 200, "of the standard library"


# How it ends.


def test_ctrl_c_is_130(tmp_path: Path, root: Path) -> None:
    # The file is a pipe: opening its other end waits until the run has begun to read it, and
    # the run then waits for what is never written.
    pipe = tmp_path / "k.py"
    os.mkfifo(pipe)
    with (
        subprocess.Popen(
            [sys.executable, "-c", WITH_TOYS, "rewrite", str(pipe)],
            cwd=root,
            stderr=subprocess.PIPE,
            text=True,
            # A shell starts what runs in the background with this signal ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process,
        open(pipe, "wb"),
    ):
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.endswith("tritonopt: interrupted; no file was left half written\n")


def test_a_reader_that_leaves_is_no_error(tmp_path: Path, root: Path) -> None:
    # More than a pipe holds, so that the end is noticed while writing.
    body = "".join(f"    x{n} = X * 2\n" for n in range(40))
    for n in range(60):
        text = KERNEL + body + "# " + "long " * 400 + "\n"
        (tmp_path / f"k{n}.py").write_text(text)
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-c", WITH_TOYS, "rewrite", str(tmp_path), "--passes=double-to-add"],
            cwd=root,
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(write)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr and "Broken" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_an_error_and_no_defect(tmp_path: Path, root: Path) -> None:
    (tmp_path / "k.py").write_text(KERNEL + "    x = X * 2\n")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", WITH_TOYS, "rewrite", str(tmp_path), "--passes=double-to-add"],
            cwd=root,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "tritonopt: error: [Errno 28] No space left on device\n"


def test_stdout_may_be_closed(tmp_path: Path, root: Path) -> None:
    (tmp_path / "k.py").write_text(KERNEL)
    command = f'exec "{sys.executable}" -m tritonopt passes >&-'
    assert subprocess.run(["sh", "-c", command], cwd=root, check=False).returncode == 0


def test_what_stdout_cannot_show_is_escaped(root: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    code = "import sys, tritonopt.cli.main as m; m.main = lambda: print('caf\u00e9'); m.entry()"
    done = python("-c", code, cwd=root, env=environment)
    assert (done.returncode, done.stdout) == (0, "caf\\xe9\n")


def on_a_terminal(*command: str, cwd: Path, **variables: str) -> str:
    """What a command prints when stdout and stderr are a terminal."""
    master, terminal = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=cwd,
        stdout=terminal,
        stderr=terminal,
        env={**environment, "TERM": "xterm", **variables},
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not piece:
            break
        shown += piece
    process.wait()
    os.close(master)
    return shown.decode()


def test_color_on_a_terminal_only(tmp_path: Path, root: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(KERNEL + "    x = X * 2\n")
    command = ("-c", WITH_TOYS, "rewrite", str(file), "--passes", "double-to-add")
    shown = on_a_terminal(*command, cwd=root)
    assert "\x1b[32m+    x = X + X\x1b[0m" in shown
    assert "\x1b[36mdouble-to-add\x1b[0m [exact]:" in shown
    assert "\x1b" not in on_a_terminal(*command, cwd=root, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(*command, cwd=root, TERM="dumb")
    piped = python(*command, cwd=root)
    assert "\x1b" not in piped.stdout + piped.stderr


def test_a_long_run_shows_a_bar_on_a_terminal(tmp_path: Path, root: Path) -> None:
    for n in range(8):
        (tmp_path / f"k{n}.py").write_text(KERNEL + ("    x = X * 2\n" if n == 6 else ""))
    impatient = WITH_TOYS.replace(
        "from tritonopt.cli.main",
        "from tritonopt.cli import progress\nprogress.PATIENCE = 0.0\nfrom tritonopt.cli.main",
    )
    command = ("-c", impatient, "rewrite", str(tmp_path), "--passes", "double-to-add")
    shown = on_a_terminal(*command, cwd=root)
    assert "rewriting" in shown and re.search(r"\d/8", shown)
    # The bar is gone before anything else is printed: the diff begins on a line of its own.
    assert re.search(r"(\r|\n|\x1b\[2K)(\x1b\[[0-9;?]*[A-Za-z])*\x1b\[1m--- a", shown)
    assert "rewriting" not in python(*command, cwd=root).stderr


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_has_every_command_and_its_options(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--print-completion", shell])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in command_line._COMMANDS)
    assert "--fail-on" in shown and "--budget" in shown
    if shell == "bash":
        asked = "COMP_WORDS=(tritonopt suggest --no-c); COMP_CWORD=2; _shtab_tritonopt"
        script = f"{shown}\n{asked}; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout == "--no-cache\n"


def test_completion_without_shtab(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    with pytest.raises(SystemExit):
        main(["--print-completion", "bash"])
    assert "[completion]'" in capsys.readouterr().err
