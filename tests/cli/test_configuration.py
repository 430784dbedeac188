"""`[tool.tritonopt]`: what holds for which file, and what is said of mistakes in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import toys
from tests.cli.test_rewrite import KERNEL, write
from tritonopt.cli.configuration import ConfigurationError, Configurations, Settings
from tritonopt.cli.main import main
from tritonopt.source.decorators import JIT_VARIABLE


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    toys.install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def command(*arguments: str) -> tuple[int, str, str]:
        code = main(["rewrite", *arguments])
        return code, *capsys.readouterr()

    return command


def configure(text: str, where: str = ".") -> None:
    write(f"{where}/pyproject.toml", text)


def settings(file: str, **options: Any) -> Settings:
    found = Configurations(**options).of(Path(file))
    return Settings() if found is None else found.settings(Path(file))


def test_the_nearest_file_with_a_table_counts() -> None:
    configure("[tool.tritonopt]\npasses = 'outer'\n")
    configure("[tool.tritonopt]\npasses = ['a', 'b{c=d}']\n", "near")
    configure("[tool.other]\nname = 'tritonopt'\n", "near/without")
    assert settings("k.py").passes == "outer"
    assert settings("far/k.py").passes == "outer"
    assert settings("near/k.py").passes == "a,b{c=d}"
    assert settings("near/without/k.py").passes == "a,b{c=d}"
    assert settings("near/k.py", isolated=True) == Settings()
    assert settings("near/k.py", config=Path("pyproject.toml")).passes == "outer"


def test_a_byte_order_mark_is_skipped() -> None:
    configure("\ufeff[tool.tritonopt]\npasses = 'a'\n")
    assert settings("k.py").passes == "a"


def test_tables_for_some_files() -> None:
    configure(
        """\
[tool.tritonopt]
safety = ["rounding", "contract"]
assume = ["N > 0"]
ignore = ["a"]

[[tool.tritonopt.per-file]]
files = ["norm/*.py", "!norm/not.py"]
safety = "exact"
assume = ["N % 2 == 0"]

[[tool.tritonopt.per-file]]
files = ["norm/"]
ignore = ["b"]
"""
    )
    assert settings("k.py").safety == ("rounding", "contract")
    one = settings("norm/k.py")
    assert (one.safety, one.assume, one.ignore) == ((), ("N > 0", "N % 2 == 0"), {"a", "b"})
    assert one.place("safety") == "pyproject.toml:8:1"
    assert settings("norm/not.py").safety == ("rounding", "contract")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.tritonopt]\n\npases = 'x'\n", "3:1: there is no key 'pases' here; did you mean pa"),
        ("[tool.tritonopt]\nzzz = 1\n", "2:1: there is no key 'zzz' here; there are passes, "),
        ("tool.tritonopt.x.y = 1", "1:16: there is no key 'x' here"),
        ("[tool]\ntritonopt = {pass = 1}\n", "2:14: there is no key 'pass' here"),
        ("[tool.tritonopt]\npasses = 1\n", "2:1: passes: must be a string as after --passes"),
        ("[tool.tritonopt]\nassume = 'N > 0'\n", "2:1: assume: must be a list of expressions"),
        ("[tool.tritonopt]\nexclude = 'x'\n", "2:1: exclude must be a list of patterns"),
        (
            "[tool.tritonopt]\nassume = [\n  'a',\n]\nsafety = [\n 'round',\n]\n",
            "5:1: safety: 'round' is not a safety level; legal: exact, ",
        ),
        (
            "[tool.tritonopt.per-file]\nfiles = []\n",
            "1:17: write it as [[tool.tritonopt.per-file]]",
        ),
        ("[[tool.tritonopt.per-file]]\npasses = 'a'\n", "1:18: `files` is missing"),
        (
            "[[tool.tritonopt.per-file]]\nfiles = []\n\n[[tool.tritonopt.per-file]]\n"
            "files = []\nexclude = []\n",
            "6:1: there is no key 'exclude' here",
        ),
        ("[tool.tritonopt]\npasses = \n", "2:10: Invalid value"),
        (
            "[tool.tritonopt]\njit-decorators = ['jit']\n",
            "2:1: jit-decorators must be a list of dotted names, such as 'our_package.jit'",
        ),
        ("tool = {tritonopt = 3}\n", "1:9: [tool.tritonopt] must be a table"),
    ],
)
def test_a_mistake_is_told_with_its_place(run: Any, text: str, message: str) -> None:
    write("k.py")
    configure(text)
    code, out, err = run("k.py")
    assert (code, out) == (2, "")
    assert err.startswith(f"tritonopt: error: pyproject.toml:{message}"), err


def test_names_of_passes_are_checked_where_they_are_written(run: Any) -> None:
    write("k.py")
    configure("[tool.tritonopt]\npasses = ['double-to-ad']\n")
    code, _, err = run("k.py")
    assert code == 2
    assert "pyproject.toml:2:1: there is no pass 'double-to-ad'; did you mean double-to-add" in err
    for key in ("ignore", "select"):
        configure(f"[tool.tritonopt]\n{key} = ['doubel']\n")
        assert "pyproject.toml:2:1: there is no pass 'doubel'" in run("k.py")[2]
    configure("[tool.tritonopt]\nassume = ['N +']\n")
    assert "pyproject.toml:2:1: " in run("k.py")[2]


def test_what_verify_reads_is_its_own(run: Any) -> None:
    write("k.py")
    configure("[tool.tritonopt.verify]\nanything = {at = 'all'}\n")
    assert run("k.py")[0] == 0


def test_a_flag_wins(run: Any) -> None:
    write("k.py")
    configure("[tool.tritonopt]\npasses = ['double-to-add']\n")
    assert "1 rewrite applied" in run("k.py")[2]
    assert "0 rewrites applied" in run("k.py", "--isolated")[2]
    configure("[tool.tritonopt]\npasses = 'nonsense'\n")
    assert "1 rewrite applied" in run("k.py", "--passes", "double-to-add")[2]


def test_a_configuration_that_is_none(run: Any) -> None:
    write("k.py")
    write("other.toml", "[tool.ruff]\n")
    assert "other.toml: has no table [tool.tritonopt]" in run("k.py", "--config", "other.toml")[2]
    assert "cannot be read: No such file" in run("k.py", "--config", "missing.toml")[2]


def test_excluded_files(run: Any) -> None:
    for path in ("k.py", "generated/k.py", "sub/x_pb.py", "sub/x.py"):
        write(path, KERNEL)
    configure("[tool.tritonopt]\npasses = 'double-to-add'\nexclude = ['/generated', '*_pb.py']\n")
    assert "2 rewrites applied" in run(".")[2]
    code, out, err = run("generated/k.py")
    assert (code, out) == (0, "")
    assert err.startswith("note: generated/k.py: excluded by ") and "pyproject.toml" in err


def test_the_error_type_is_public() -> None:
    with pytest.raises(ConfigurationError):
        Configurations(Path("nowhere.toml"))


@pytest.mark.parametrize("command", ["rewrite", "facts"])
def test_decorators_that_make_kernels(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(JIT_VARIABLE, "")
    write(
        "k.py",
        KERNEL.replace("@triton.jit", "@ours.jit").replace("import", "import ours\nimport", 1),
    )
    main([command, "k.py"])
    without = capsys.readouterr()
    configure("[tool.tritonopt]\njit-decorators = ['ours.jit']\n")
    main([command, "k.py"])
    known = capsys.readouterr()
    write("l.py", KERNEL)
    main([command, "l.py"])
    plain = capsys.readouterr()
    assert without != known
    assert known.out.count("\n") == plain.out.count("\n")
