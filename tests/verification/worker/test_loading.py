"""What a file needs to be loaded beside itself."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path
from typing import Any

import pytest

from tritonopt.verification.worker.loading import import_what_is_read, load


def test_modules_that_are_read_as_attributes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "package_of_lazy_parts"
    (folder / "inner").mkdir(parents=True)
    for name in ("__init__.py", "inner/__init__.py", "other.py"):
        (folder / name).write_text("")
    (folder / "inner" / "part.py").write_text("VALUE = 7")
    monkeypatch.syspath_prepend(str(tmp_path))
    text = "import package_of_lazy_parts as p\n\nf = package_of_lazy_parts.inner.part.VALUE\n"
    import_what_is_read(text, "package_of_lazy_parts")
    package = importlib.import_module("package_of_lazy_parts")
    assert package.inner.part.VALUE == 7
    assert "package_of_lazy_parts.other" not in sys.modules


def test_the_source_of_a_function_behind_a_form_feed(tmp_path: Path) -> None:
    text = "\f\nfirst = 1  # \u2028\n\f\ndef later():\n    return first\n"
    file = tmp_path / "subject_with_form_feeds.py"
    file.write_text(text)
    module = load(file, text, str(file))
    assert inspect.getsource(module.later) == "def later():\n    return first\n"


@pytest.mark.parametrize("name", ["kernels.v2.py", "my kernels-1.py", "2d.py"])
@pytest.mark.parametrize("package", [False, True])
def test_a_file_that_no_import_can_name(tmp_path: Path, name: str, package: bool) -> None:
    folder = tmp_path / f"unnamed_parts_{len(name)}"
    folder.mkdir()
    text = "VALUE = 7\n"
    if package:
        (folder / "__init__.py").write_text("")
        (folder / "part.py").write_text("OTHER = 7\n")
        text = "from .part import OTHER as VALUE\n"
    (folder / name).write_text(text)
    module: Any = load(folder / name, text, str(folder / name))
    assert module.VALUE == 7
