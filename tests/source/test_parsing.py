"""Several threads may parse at once."""

from __future__ import annotations

import ast
import gc
import threading
from pathlib import Path

from tritonopt import source


def test_a_text_is_parsed_while_another_thread_parses_one() -> None:
    text = "\n".join(f"x = f(a[{i}] + 1)" for i in range(2000))
    begun, ended = threading.Event(), threading.Event()

    def other() -> None:
        assert begun.wait(60)
        source.read("y = 2", "other.py")
        ended.set()

    def between(phase: str, info: object) -> None:
        """In the midst of a tree, as a finalizer would let other threads in."""
        if threading.current_thread() is threading.main_thread() and not begun.is_set():
            begun.set()
            ended.wait(0.5)

    thread = threading.Thread(target=other)
    thread.start()
    # What is to be collected next is what the parser makes.
    gc.collect()
    gc.callbacks.append(between)
    try:
        module = source.read(text, "this.py")
    finally:
        gc.callbacks.remove(between)
        begun.set()
        thread.join()
    assert len(module.tree.body) == 2000


def test_all_of_it_goes_through_one_place(root: Path) -> None:
    """`ast.parse` alone, in a thread, spoils what another thread is parsing."""
    files = [*(root / "tritonopt").rglob("*.py"), *(root / "passes").glob("*.py")]
    calls = [
        f"{path.name}:{node.lineno}"
        for path in files
        if path.name != "parsing.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "ast.parse"
    ]
    assert not calls, "write `parsed`, of tritonopt.source.parsing"
