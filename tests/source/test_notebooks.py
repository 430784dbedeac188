"""Notebooks: read as one text, and written back cell by cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_suggest import HEAD, SOFTMAX
from tritonopt.cli.main import main
from tritonopt.source import SourceError, read, read_file, write_file
from tritonopt.source.notebooks import Notebook, NotebookError

MAGICS = (
    "%load_ext autoreload\n!ls -la\nfiles = !ls\nx = 7\nprint?\nif x:\n    %time x\ny = (x\n  % 2)"
)


def cell(source: str | list[str], kind: str = "code") -> dict[str, Any]:
    own = {"execution_count": 3, "outputs": [{"text": ["é 1\n"]}]} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {"a": [1, {}]}, **own, "source": source}


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def written(*cells: dict[str, Any], **layout: Any) -> str:
    whole = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, **{"indent": 1, "ensure_ascii": False, **layout}) + "\n"


@pytest.fixture
def kernels() -> str:
    return written(
        cell(["# Title\n", "a"], "markdown"),
        cell(lines(HEAD.rstrip("\n"))),
        cell([]),
        cell(lines(MAGICS)),
        cell(lines("%%bash\nfor x in *; do\n  ls $x\ndone")),
        cell(lines(SOFTMAX.strip("\n"))),
    )


def test_all_cells_are_one_text_of_python(kernels: str) -> None:
    notebook = Notebook(kernels)
    text = notebook.text
    module = read(text)
    assert len(module.kernels) == 1 and notebook.changed(text) == kernels
    assert text.count("_ipython_line(") == 5 + 4 and "\n    _ipython_line(4)\n" in text
    assert "y = (x\n  % 2)\n" in text, "no magic: an operator"
    sources = [MAGICS, "%%bash"]
    assert not any(line in text for source in sources for line in source.split("\n")[:2])
    shown = text[text.index("_ipython_cell(3)") :].split("_ipython_cell(4)")[0]
    assert shown.count("\n") == MAGICS.count("\n") + 2, "as many lines"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("layout", [{}, {"indent": None}, {"ensure_ascii": True}, {"indent": "\t"}])
def test_only_what_changes_is_written(layout: dict[str, Any], newline: str) -> None:
    sources = ["a = 1\nb = 'é'", "%time c\nd = 'ü'\ne", "f\n"]
    text = written(*(cell(lines(source)) for source in sources), **layout)
    text = text.replace("\n", newline)
    notebook = Notebook(text)
    new = notebook.changed(notebook.text.replace("d = 'ü'", "d = 'ü'\ng = 2"))
    sources[1] = sources[1].replace("d = 'ü'", "d = 'ü'\ng = 2")
    assert new == written(*(cell(lines(source)) for source in sources), **layout).replace(
        "\n", newline
    )


def test_a_source_that_is_one_text() -> None:
    notebook = Notebook(written(cell("a\nb\n")))
    assert notebook.changed(notebook.text.replace("\nb\n", "\nc\n")) == written(cell("a\nc\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no notebook"),
        ("[]", "an object is missing"),
        ('{"cells": [], "metadata": {}}', "no nbformat"),
        ('{"nbformat": 3, "worksheets": []}', "no cells"),
        ('{"nbformat": 4, "cells": [1]}', "an object is missing"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["a" "b"]}]}', "no notebook"),
    ],
)
def test_what_is_no_notebook(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(NotebookError, match=message):
        Notebook(text)
    (tmp_path / "n.ipynb").write_text(text)
    with pytest.raises(SourceError, match="n.ipynb: is no notebook"):
        read_file(tmp_path / "n.ipynb")


def test_code_that_leaves_its_cell_is_refused(tmp_path: Path, kernels: str) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(kernels)
    file = read_file(path)
    for new in (
        file.text.replace("_ipython_cell(3)\n", ""),
        file.text.replace("_ipython_line(2)", "pass"),
    ):
        with pytest.raises(SourceError, match="cells that cannot be separated"):
            write_file(file, new)
    assert path.read_text() == kernels


def test_rewritten_in_place(
    tmp_path: Path, kernels: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(kernels)
    assert main(["rewrite", "--write", "--passes", "online-softmax,row-batch", str(path)]) == 0
    err = capsys.readouterr().err
    assert "online-softmax [rounding]: merged" in err and "cells run in any order" in err
    assert "row-batch [contract]: not applied, unseen-launches" in err
    before, after = json.loads(kernels), json.loads(path.read_text())
    changed = [
        a["source"] != b["source"] for a, b in zip(before["cells"], after["cells"], strict=True)
    ]
    assert changed == [False] * 5 + [True]
    old = "".join(before["cells"][5].pop("source"))
    new = "".join(after["cells"][5].pop("source"))
    assert before == after and not new.endswith("\n")
    rest = [line for line in path.read_text().splitlines() if line not in kernels.splitlines()]
    assert rest and all(json.loads(line.strip().rstrip(",")) in lines(new) for line in rest)
    compile(new, "cell", "exec")
    assert new != old


def test_it_is_not_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(written(cell("x")))
    assert main(["rewrite", "--verify", str(path)]) == 2
    assert "not stdin or notebooks" in capsys.readouterr().err
