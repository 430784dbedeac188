"""Files taken apart: what an excerpt shows, which files have none, and how much work that saves."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import layers
from tritonopt import facts, source
from tritonopt.facts import kernel_facts
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.source import module as module_of
from tritonopt.source.editing import apart

HEADER = '"""Many."""\nimport torch\nimport triton\nimport triton.language as tl\n\nWIDE = 4\n'
LAUNCHED = Path(__file__).parents[2] / "examples" / "layer_norm.py"


def kernel(name: str, line: str = "tl.store(X + tl.arange(0, 4), 1.0)") -> str:
    return f"\n\n@triton.jit\ndef {name}(X):\n    # of {name[:1]}\n    {line}\n    # below\n"


def excerpts(text: str) -> list[apart.Excerpt]:
    return list(apart.excerpts(source.read(text)))


def names(text: str) -> list[list[str]]:
    return [[k.name for k in excerpt.module.kernels] for excerpt in excerpts(text)]


def test_an_excerpt_has_the_lines_of_the_file() -> None:
    text = HEADER + "".join(kernel(f"k{i}", "tl.store(X, WIDE)") for i in range(30))
    module = source.read(text)
    found = excerpts(text)
    assert [excerpt.module.kernels[0].name for excerpt in found] == [f"k{i}" for i in range(30)]
    for excerpt, whole in zip(found, module.kernels, strict=True):
        (own,) = excerpt.module.kernels
        assert ast.dump(own.node, include_attributes=True) == ast.dump(
            whole.node, include_attributes=True
        )
        assert excerpt.module.text_of(own.node) == module.text_of(whole.node)
        assert excerpt.module.text.startswith(HEADER)
        for (start, end), (here, there) in zip(excerpt.own, excerpt.shown, strict=True):
            assert module.text[start:end] == excerpt.module.text[here:there]
    parts = [span for excerpt in found for span in excerpt.own]
    assert "".join(text[start:end] for start, end in parts) == text[len(HEADER) :]


def test_lines_between_gaps_are_counted_as_in_any_text() -> None:
    lines = ["a = 1", *[""] * 70, "b = 2; c = 'x'", *[""] * 200, "d = 3", ""]
    text = "\n".join(lines)
    found = source.read(text).lines
    starts = [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]
    assert found.count == len(starts)
    assert [found.start(n + 1) for n in range(len(starts) + 1)] == [*starts, len(text)]
    assert [found.line(i) for i in range(len(text) + 1)] == [
        text.count("\n", 0, i) + 1 for i in range(len(text) + 1)
    ]
    attributes = {"include_attributes": True}
    for inside in (text, f"x = '''{text}'''\n", f"if x:\n    y = ({' ' * 3}\n{lines[1]}1)\n{text}"):
        tree = source.read(inside).tree
        assert ast.dump(tree, **attributes) == ast.dump(ast.parse(inside), **attributes)


@pytest.mark.parametrize(
    "more",
    [
        "\n\ndef launch(x):\n    a[(1,)](x)\n    b[(1,)](x)\n",
        "\n\ndef launch(x):\n    a[(1,)](x)\n\n\ndef other(x):\n    launch(x)\n    b[(1,)](x)\n",
        "\nTABLE = [a, b]\n",
        "\nTABLE = {1: a}\nTABLE[2] = b\n",
        "\n\ndef found(x):\n    return globals()[x]\n",
        "\na.fn = 3\n",
        "\ntl.exp = tl.log\n",
        "\n\ndef change(x):\n    global WIDE\n    WIDE = 5\n",
        "\n\ndef change(x):\n    setattr(x, 'fn', 3)\n",
        "\n\n# a and b\ndef nothing():\n    pass\n",
        kernel("wide", "tl.store(X + tl.program_id(0).to(tl.int64), 1.0)"),
        "\n\ndef capture(x):\n    with torch.cuda.graph(x):\n        pass\n",
    ],
)
def test_what_may_have_to_do_with_each_other_stays_together(more: str) -> None:
    assert names(HEADER + kernel("a") + kernel("b")) == [["a"], ["b"]]
    assert names(HEADER + kernel("a") + kernel("b") + more) == []
    assert names(HEADER + kernel("a") + kernel("b", "a(X)") + kernel("c")) == [["a", "b"], ["c"]]


def test_a_buffer_of_a_tuned_kernel_may_be_named_in_a_text() -> None:
    text = HEADER + kernel("a").replace("@triton.jit", "@triton.autotune([], [])\n@triton.jit")
    text += kernel("b")
    assert names(text) == [["a"], ["b"]]
    assert names(text + "\n\ndef ask(x):\n    return x['X'], 'b'\n") == []


def test_a_kernel_is_seen_with_those_that_launch_it() -> None:
    text = HEADER + kernel("a") + kernel("b")
    text += "\n\ndef of_b(x):\n    b[(1,)](x)\n\n\ndef of_a(x):\n    a[(1,)](x)\n"
    assert [[launch.kernel.name for launch in e.module.launches] for e in excerpts(text)] == [
        ["a"],
        ["b"],
    ]


def many(count: int) -> str:
    text = LAUNCHED.read_text(encoding="utf-8")
    tree = ast.parse(text)
    (jitted,) = (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.decorator_list)
    lines = text.splitlines(keepends=True)
    first = jitted.decorator_list[0].lineno - 1
    code = "".join(lines[first : jitted.end_lineno])
    copies = (code.replace(jitted.name, f"norm_{i}") for i in range(count))
    return "import triton\nimport triton.language as tl\n" + "".join(f"\n\n{c}" for c in copies)


@pytest.mark.parametrize("passes", layers.few(["rows", "licm", "all"], 0))
def test_work_grows_with_the_kernels(passes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of facts, and of nodes in what is parsed; counted, for a clock would not tell on its own."""
    counts: Counter[str] = Counter()
    parsed, interpreted = module_of.parsed, kernel_facts.interpret

    def parse(text: str, path: str) -> ast.Module:
        tree = parsed(text, path)
        counts["nodes"] += sum(1 for _ in ast.walk(tree))
        return tree

    def interpret(of: source.Kernel, as_tiles: bool = False) -> object:
        counts["facts"] += 1
        return interpreted(of, as_tiles)

    monkeypatch.setattr(module_of, "parsed", parse)
    monkeypatch.setattr(kernel_facts, "interpret", interpret)

    def work(count: int) -> Iterator[int]:
        counts.clear()
        assert not rewrite_source(many(count), passes).failed
        yield from (counts["facts"], counts["nodes"])

    few, twice = tuple(work(2)), tuple(work(4))
    assert twice[0] == 2 * few[0] > 0
    assert twice[1] <= 2 * few[1]


def test_the_same_is_said_and_done_as_on_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    text = many(3)
    assert len(excerpts(text)) == 3
    found = rewrite_source(text, "rows,fuse-stats")
    monkeypatch.setattr(apart, "excerpts", lambda _: iter(()))
    assert rewrite_source(text, "rows,fuse-stats") == found
    assert found.changed
    assert facts.of(source.read(found.text).kernels[2]).loops
