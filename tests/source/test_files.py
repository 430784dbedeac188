"""Files are read without losing a byte and replaced whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tritonopt import source
from tritonopt.source import SourceError, find_python_files, read_file, write_file

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions and links")
not_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read and write everything"
)


@pytest.mark.parametrize(
    ("data", "encoding", "bom"),
    [
        (b"x = 1\n", "utf-8", False),
        (b"", "utf-8", False),
        ("x = 'é😀'\n".encode(), "utf-8", False),
        ("\ufeffx = 'é'\n".encode(), "utf-8", True),
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "iso-8859-1", False),
        ("#!/bin/sh\n# vim: set fileencoding=cp1252 :\n'€'\n".encode("cp1252"), "cp1252", False),
        ("# coding: shift_jis\nx = '日本'\n".encode("shift_jis"), "shift_jis", False),
        (b"\xef\xbb\xbf# coding: utf-8\nx\n", "utf-8", True),
        (b"a\r\nb\r\nc", "utf-8", False),
        (b"a\nb\r\nc\rd\n\r", "utf-8", False),
        (b"a\x0cb\n", "utf-8", False),
    ],
)
def test_every_byte_survives(tmp_path: Path, data: bytes, encoding: str, bom: bool) -> None:
    path = tmp_path / "file.py"
    path.write_bytes(data)
    file = read_file(path)
    assert (file.encoding, file.bom) == (encoding, bom)
    assert not file.text.startswith("\ufeff")
    write_file(file, file.text + "# end")
    assert path.read_bytes() == data + b"# end"
    write_file(read_file(path), file.text)
    assert path.read_bytes() == data
    assert os.listdir(tmp_path) == ["file.py"]


@pytest.mark.parametrize(
    ("data", "line", "column", "words"),
    [
        (b"x = 1\ny = '\xe9'\n", 2, 6, ["UTF-8", "0xe9", "declare its encoding"]),
        ("a = 'ü'\r\nb = '€'; c = '".encode() + b"\xff'\n", 2, 15, ["UTF-8", "0xff"]),
        (b"a\rb\rc = '\xe9'", 3, 6, ["0xe9"]),
        (b"'\xe9'\n", 1, 2, ["UTF-8"]),
        (b"# coding: ascii\nx = '\xc3\xa9'\n", 2, 6, ["ASCII", "declared"]),
        (b"# coding: klingon\n", 1, 1, ["klingon", "declare"]),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, 1, ["utf-8"]),
        ("x = 1\n".encode("utf-16"), 1, 1, ["UTF-16", "convert"]),
    ],
)
def test_what_does_not_decode_says_where_and_what_to_do(
    tmp_path: Path, data: bytes, line: int, column: int, words: list[str]
) -> None:
    path = tmp_path / "file.py"
    path.write_bytes(data)
    with pytest.raises(SourceError) as caught:
        read_file(path)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"{path}:{line}:{column}: ")
    for word in words:
        assert word in caught.value.message


def test_an_encoding_that_would_not_come_back_the_same_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    path.write_bytes(b"# coding: utf-7\nx = '+AGE-'\n")
    with pytest.raises(SourceError, match="convert the file to UTF-8"):
        read_file(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        read_file(tmp_path / "none.py")
    with pytest.raises(SourceError, match="is a directory"):
        read_file(tmp_path)


@posix
def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to("none.py")
    with pytest.raises(SourceError, match=r"is a link to none\.py, which does not exist"):
        read_file(tmp_path / "link.py")
    (tmp_path / "circle.py").symlink_to("circle.py")
    with pytest.raises(SourceError, match="cannot be read"):
        read_file(tmp_path / "circle.py")
    assert not list(find_python_files([tmp_path]))


@posix
@not_root
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    path.write_text("x")
    path.chmod(0)
    with pytest.raises(SourceError, match="Permission denied"):
        read_file(path)


def test_a_character_that_the_encoding_lacks_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    path.write_bytes(b"# coding: latin-1\nx\n")
    file = read_file(path)
    with pytest.raises(SourceError, match="'€' does not exist in iso-8859-1") as caught:
        write_file(file, file.text + "'€'")
    assert caught.value.line == 3
    assert path.read_bytes() == b"# coding: latin-1\nx\n"


@posix
@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o666])
def test_the_mode_is_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file.py"
    path.write_text("x")
    path.chmod(mode)
    write_file(read_file(path), "y")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "y"


@posix
def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "file.py"
    target.write_text("x")
    link = tmp_path / "link.py"
    link.symlink_to(Path("real") / "file.py")
    write_file(read_file(link), "y")
    assert link.is_symlink()
    assert target.read_text() == "y"
    assert not target.is_symlink()


@posix
@not_root
def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    path.write_text("x")
    path.chmod(0o444)
    with pytest.raises(SourceError, match="read-only"):
        write_file(read_file(path), "y")
    assert path.read_text() == "x"


def test_the_same_text_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    path.write_text("x")
    before = path.stat()
    write_file(read_file(path), "x")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, SystemExit])
def test_an_interruption_leaves_the_old_file_and_nothing_else(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    error: type[BaseException],
) -> None:
    path = tmp_path / "file.py"
    path.write_text("old")
    file = read_file(path)

    def fails(*args: object) -> None:
        raise error

    monkeypatch.setattr(os, step, fails)
    with pytest.raises(SourceError if error is OSError else error):
        write_file(file, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.py"]


def test_the_new_text_is_whole_before_it_takes_the_name_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.py"
    path.write_text("old")
    seen: list[tuple[str, str]] = []
    real = os.replace

    def watched(new: str, old: Path) -> None:
        seen.append((Path(new).read_text(), old.read_text()))
        assert Path(new).parent == tmp_path
        real(new, old)

    monkeypatch.setattr(os, "replace", watched)
    write_file(read_file(path), "new" * 100_000)
    assert seen == [("new" * 100_000, "old")]


@posix
def test_a_process_that_is_killed_leaves_the_old_file(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    path.write_text("old")
    program = (
        "import os, sys, signal\n"
        "from pathlib import Path\n"
        "from tritonopt.source import read_file, write_file\n"
        "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_file(read_file(Path(sys.argv[1])), 'new')\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], cwd=root)
    assert done.returncode == -9
    assert path.read_text() == "old"
    assert list(find_python_files([tmp_path])) == [path]


# Finding


def tree(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def found(*paths: Path, root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in find_python_files(paths)]


def test_directories_are_searched_in_order(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/z.py", "a/b/c.py", "a.py", "a/note.txt", "a/stub.pyi", "A.py")
    assert found(tmp_path, root=tmp_path) == ["A.py", "a/b/c.py", "a/z.py", "a.py", "b.py"]


def test_hidden_directories_and_environments_are_skipped(tmp_path: Path) -> None:
    tree(
        tmp_path,
        ".git/hook.py",
        ".venv/a.py",
        "env/pyvenv.cfg",
        "env/lib/b.py",
        "__pycache__/c.py",
        "node_modules/d.py",
        "venv/e.py",
        ".hidden.py",
    )
    assert found(tmp_path, root=tmp_path) == [".hidden.py", "venv/e.py"]


def test_files_come_as_they_are_given_whatever_is_ignored(tmp_path: Path) -> None:
    tree(tmp_path, "script", ".venv/a.py", "out/b.py")
    (tmp_path / ".gitignore").write_text("*\n")
    named = [tmp_path / "script", tmp_path / ".venv/a.py", tmp_path / "out/b.py"]
    assert list(find_python_files(named)) == named


def test_each_file_comes_once(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py", "b.py")
    paths = [tmp_path / "b.py", tmp_path / "a", tmp_path, tmp_path / "a" / ".." / "a" / "x.py"]
    assert found(*paths, root=tmp_path) == ["b.py", "a/x.py"]


@posix
def test_links(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "same.py").symlink_to(tmp_path / "a" / "x.py")
    (tmp_path / "a" / "dangling.py").symlink_to(tmp_path / "none.py")
    assert found(tmp_path, root=tmp_path) == ["a/x.py"]  # to which a diff can be applied


def test_paths_that_do_not_exist_are_left_to_the_reader(tmp_path: Path) -> None:
    assert list(find_python_files([tmp_path / "none"])) == [tmp_path / "none"]


IGNORE = {
    ".gitignore": "*.gen.py\n/build/\nout\n!keep.gen.py\n# no\n\nsub/deep/*\n!sub/deep/back.py\n",
    "sub/.gitignore": "local.py\n!out\n!special.gen.py\n/anchored.py\n",
    "sub/inner/.gitignore": "!local.py\n*\n!*.py\n",
    "only/.gitignore": "/*\n!/src/\n",
    "crlf/.gitignore": "gone.py\r\n",
}
FILES = [
    "a.py",
    "a.gen.py",
    "keep.gen.py",
    "build/a.py",
    "lib/build/a.py",
    "out/a.py",
    "sub/out/a.py",
    "sub/local.py",
    "sub/special.gen.py",
    "sub/other.gen.py",
    "sub/anchored.py",
    "sub/low/anchored.py",
    "sub/low/local.py",
    "sub/inner/local.py",
    "sub/inner/x.py",
    "sub/inner/dir/x.py",
    "sub/deep/x.py",
    "sub/deep/back.py",
    "only/x.py",
    "only/src/x.py",
    "only/src/deep/x.py",
    "only/lib/x.py",
    "crlf/gone.py",
    "crlf/here.py",
]


def ignoring(root: Path) -> None:
    tree(root, *FILES)
    for name, text in IGNORE.items():
        (root / name).write_bytes(text.encode())


def test_gitignore_files_are_respected(tmp_path: Path) -> None:
    ignoring(tmp_path)
    assert set(found(tmp_path, root=tmp_path)) == {
        "a.py",
        "keep.gen.py",
        "lib/build/a.py",
        "sub/out/a.py",
        "sub/special.gen.py",
        "sub/low/anchored.py",
        "sub/inner/local.py",
        "sub/inner/x.py",
        "sub/deep/back.py",
        "only/src/x.py",
        "only/src/deep/x.py",
        "crlf/here.py",
    }


@pytest.mark.skipif(shutil.which("git") is None, reason="asks git")
def test_git_sees_the_same_files(tmp_path: Path) -> None:
    ignoring(tmp_path)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    command = ["git", "-C", str(tmp_path), "ls-files", "-o", "--exclude-per-directory=.gitignore"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    expected = {name for name in listed.splitlines() if name.endswith(".py")}
    assert set(found(tmp_path, root=tmp_path)) == expected
    for start in ("sub", "sub/inner", "only/src", "lib"):
        inside = {name for name in expected if name.startswith(f"{start}/")}
        assert set(found(tmp_path / start, root=tmp_path)) == inside


def test_rules_above_hold_only_in_a_repository(tmp_path: Path) -> None:
    ignoring(tmp_path)
    assert "sub/other.gen.py" in found(tmp_path / "sub", root=tmp_path)
    (tmp_path / ".git").mkdir()
    assert "sub/other.gen.py" not in found(tmp_path / "sub", root=tmp_path)


def test_a_directory_that_is_named_is_searched_though_it_is_ignored(tmp_path: Path) -> None:
    ignoring(tmp_path)
    (tmp_path / ".git").mkdir()
    tree(tmp_path, "build/lib/b.py", "build/.gitignore")
    (tmp_path / "build" / ".gitignore").write_text("a.py\n")
    assert found(tmp_path / "build", root=tmp_path) == ["build/lib/b.py"]
    assert found(tmp_path / "build" / "lib", root=tmp_path) == ["build/lib/b.py"]


def test_relative_paths_stay_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ignoring(tmp_path)
    monkeypatch.chdir(tmp_path / "sub")
    assert Path("low/anchored.py") in set(find_python_files([Path()]))
    assert Path("../a.py") in set(find_python_files([Path("..")]))


@posix
@not_root
def test_a_directory_that_cannot_be_listed_is_an_error_of_its_own(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.py", "b.py")
    (tmp_path / "a").chmod(0)
    try:
        assert found(tmp_path, root=tmp_path) == ["a", "b.py"]
        with pytest.raises(source.SourceError, match="Permission denied"):
            read_file(tmp_path / "a")
    finally:
        (tmp_path / "a").chmod(0o755)
