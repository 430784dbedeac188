"""The store: what is kept, by several processes at once, and what is wrong with a file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tritonopt.tuning import store as store_room
from tritonopt.tuning.store import VERSION, Key, Store, StoreError, digest

KEY = Key(digest("def kernel(): ..."), "licm", "m=1024, n=*", "NVIDIA H200", "triton 3.6.0")

WRITER = """
import sys
from pathlib import Path
from tritonopt.tuning.store import Key, Store
store = Store(Path(sys.argv[1]))
for number in range(25):
    store.put(Key("kernel", sys.argv[2], str(number), "gpu", "1"), {"number": number})
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "store.sqlite"


def test_what_was_found_is_kept_for_the_next_process(path: Path) -> None:
    Store(path).put(KEY, {"ratio": [1.1, 1.05, 1.15], "said": ""})
    assert Store(path).get(KEY) == {"ratio": [1.1, 1.05, 1.15], "said": ""}


@pytest.mark.parametrize("column", ["kernel", "variant", "shape", "gpu", "versions"])
def test_an_entry_is_of_nothing_else(path: Path, column: str) -> None:
    store = Store(path)
    store.put(KEY, {"ratio": 2})
    other = replace(KEY, **{column: "another"})
    assert store.get(other) is None
    store.put(other, {"ratio": 3})
    assert store.get(KEY) == {"ratio": 2}


def test_what_is_found_anew_replaces_what_was_known(path: Path) -> None:
    store = Store(path)
    for ratio in (1, 2):
        store.put(KEY, {"ratio": ratio})
    assert store.of_kernel(KEY.kernel) == {KEY: {"ratio": 2}}
    assert not store.of_kernel("another")


def test_several_processes_write_at_once(path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, name]) for name in ("a", "b", "c", "d")]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0, 0]
    found = Store(path).of_kernel("kernel")
    assert len(found) == 100
    assert all(entry == {"number": int(key.shape)} for key, entry in found.items())


def test_a_process_that_dies_while_it_writes_leaves_the_rest(path: Path) -> None:
    store = Store(path)
    store.put(KEY, {"ratio": 1})
    dies = "import os, sys, sqlite3\nfile = sqlite3.connect(sys.argv[1])\n"
    dies += "file.execute('DELETE FROM entries')\nos._exit(1)\n"
    subprocess.run([sys.executable, "-c", dies, str(path)], check=False)
    assert store.get(KEY) == {"ratio": 1}


def test_a_store_of_another_version_is_left_alone(path: Path) -> None:
    Store(path).put(KEY, {"ratio": 1})
    with sqlite3.connect(path) as file:
        file.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="written by another version"):
        Store(path)
    assert path.read_bytes() == before


def test_a_database_of_something_else_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE theirs (a)")
    with pytest.raises(StoreError, match="another kind of database"):
        Store(path)


def test_a_file_that_is_none_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("these are notes of somebody's, " * 100)
    with pytest.raises(StoreError, match="is not a database"):
        Store(path)
    assert path.read_text().startswith("these are notes")


def test_a_folder_that_cannot_be_made_is_said(path: Path) -> None:
    path.parent.write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="cannot be made"):
        Store(path)


def test_a_full_disk_is_said_and_loses_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(path)
    store.put(KEY, {"ratio": 1})
    usual = sqlite3.connect

    def small(*given: object, **named: object) -> sqlite3.Connection:
        file = usual(*given, **named)  # type: ignore[arg-type]
        (pages,) = file.execute("PRAGMA page_count").fetchone()
        file.execute(f"PRAGMA max_page_count = {pages}")  # sqlite's own error of a full disk
        return file

    monkeypatch.setattr(store_room.sqlite3, "connect", small)
    with pytest.raises(StoreError, match="the disk is full"):
        store.put(replace(KEY, variant="another"), {"text": "x" * 100_000})
    assert store.get(KEY) == {"ratio": 1}
