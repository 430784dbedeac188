"""What a file needs to be loaded beside itself."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from tritonopt.verification.worker.loading import import_what_is_read


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
