"""What a pass writes: free names, the file's own spelling, the first iteration of a loop."""

from __future__ import annotations

import ast
import importlib

import pytest

from tests.facts.support import body as body_of
from tritonopt import facts, source
from tritonopt.emit.writing import (
    FirstIteration,
    NotExpressible,
    Writer,
    block_of,
    first_iteration,
)

HEAD = "import triton\nimport triton.language as tl\n"
HELPER = """
@triton.jit
def at(p):
    return tl.load(p)
"""


def read(body: str, head: str = HEAD, jit: str = "@triton.jit") -> facts.KernelFacts:
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    text = f"{head}\n\n{jit}\ndef kernel(X, Y, N, BLOCK: tl.constexpr):\n{lines}\n"
    return facts.of(source.read(text).kernels[-1])


def first_tile(body: str, guards: tuple[str, ...] = (), head: str = HEAD) -> FirstIteration:
    """The first iteration of the value of `tile`, which the loop's last statement reads."""
    known = read(body, head)
    loop = known.loops[0]
    last = loop.node.body[-1]
    wanted = next(n for n in ast.walk(last) if isinstance(n, ast.Name) and n.id == "tile")
    return first_iteration(Writer(known), [loop], last, wanted, guards=guards)


LOOP = """
total = 0.0
for start in range(0, N, BLOCK):
    cols = start + tl.arange(0, BLOCK)
    tile = tl.load(X + cols, mask=cols < N, other=0.0)
    total += tl.sum(tile)
"""


def test_the_first_iteration_has_names_of_its_own() -> None:
    assert first_tile(LOOP) == FirstIteration(
        (
            "first_cols = tl.arange(0, BLOCK)",
            "first_tile = tl.load(X + first_cols, mask=first_cols < N, other=0.0)",
        ),
        "first_tile",
    )


def test_guards_mask_every_load() -> None:
    written = first_tile(LOOP.replace(", mask=cols < N, other=0.0", ""), ("N > 0",))
    assert written.statements[-1] == "first_tile = tl.load(X + first_cols, mask=N > 0)"
    written = first_tile(LOOP, ("N > 0",))
    assert "mask=(first_cols < N) & (N > 0)" in written.statements[-1]


def test_a_load_of_a_helper_cannot_be_guarded() -> None:
    body = LOOP.replace("tl.load(X + cols, mask=cols < N, other=0.0)", "at(X + cols)")
    assert first_tile(body, head=HEAD + HELPER).statements[-1] == "first_tile = at(X + first_cols)"
    with pytest.raises(NotExpressible, match="helper"):
        first_tile(body, ("N > 0",), head=HEAD + HELPER)


def test_a_number_has_no_methods_and_no_hints() -> None:
    body = LOOP.replace("cols = start", "cols = tl.multiple_of(start, BLOCK).to(tl.int64)")
    assert first_tile(body).statements[0] == (
        "first_cols = tl.cast(0, tl.int32).to(tl.int64) + tl.arange(0, BLOCK)"
    )


def test_what_was_updated_in_place_is_written_as_an_assignment() -> None:
    body = LOOP.replace("    total", "    tile *= 2.0\n    total")
    assert first_tile(body).statements[-1] == "first_tile_2 = first_tile * 2.0"


CHOSEN = """
total = 0.0
for start in range(0, N, BLOCK):
    CHOICE
    tile = tl.load(p + start)
    total += tl.sum(tile)
"""
MAY_BE_Y = "if BLOCK > 4:\n    p = Y"
ZERO = "tl.cast(0, tl.int32)"
TILE = f"first_tile = tl.load(first_p + {ZERO})"


@pytest.mark.parametrize(
    ("choice", "written"),
    [
        (f"{MAY_BE_Y}\nelse:\n    p = X", "if BLOCK > 4:\n    first_p = Y\nelse:\n    first_p = X"),
        # X stays what it is.
        (f"p = X\n{MAY_BE_Y}", "first_p = X\nif BLOCK > 4:\n    first_p = Y"),
        (
            f"p = X\n{MAY_BE_Y}\nelse:\n    p = X + 1",
            "if BLOCK > 4:\n    first_p = Y\nelse:\n    first_p = X + 1",
        ),
        (f"p = X + 1\n{MAY_BE_Y}", "first_p = X + 1\nif BLOCK > 4:\n    first_p = Y"),
        (
            f"p = X + 1\n{MAY_BE_Y}\n    p += 2",
            "first_p = X + 1\nif BLOCK > 4:\n    first_p = Y\n    first_p = first_p + 2",
        ),
    ],
)
def test_what_a_configuration_chooses_has_names_of_its_own(choice: str, written: str) -> None:
    body = CHOSEN.replace("CHOICE", choice.replace("\n", "\n    "))
    assert "\n".join(first_tile(body).statements) == f"{written}\n{TILE}"


def test_a_name_with_two_readers_is_not_chosen_for_both() -> None:
    body = CHOSEN.replace("CHOICE", "p = X + 1\n    q = p\n    if BLOCK > 4:\n        p = Y")
    body = body.replace("tl.load(p + start)", "tl.load(p + start) + tl.load(q + start)")
    assert "\n".join(first_tile(body).statements) == (
        "first_p = X + 1\nfirst_p_2 = first_p\nif BLOCK > 4:\n    first_p_2 = Y\n"
        f"first_tile = tl.load(first_p_2 + {ZERO}) + tl.load(first_p)"
    )


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        (MAY_BE_Y, "binds p in one branch only"),
        ("p = X\nif BLOCK > 4:\n    start = 3", "binds start, which is an induction variable"),
        ("if N > 4:\n    p = Y\nelse:\n    p = X", "is not a plain assignment"),
        ("a = p = X", "is not a plain assignment"),
    ],
)
def test_what_is_not_written_again(choice: str, why: str) -> None:
    with pytest.raises(NotExpressible, match=why):
        first_tile(CHOSEN.replace("CHOICE", choice.replace("\n", "\n    ")))


@pytest.mark.parametrize(
    ("given", "guarded"),
    [
        ("cols < N, 0.0", "(first_cols < N) & ((N > 0) & (M > 0)), 0.0"),
        ("mask=None", "mask=(N > 0) & (M > 0)"),
        ("mask=cols < N", "mask=(first_cols < N) & ((N > 0) & (M > 0))"),
    ],
)
def test_two_guards_join_a_mask(given: str, guarded: str) -> None:
    body = LOOP.replace("mask=cols < N, other=0.0", given)
    written = first_tile(body, ("N > 0", "M > 0")).statements[-1]
    assert written == f"first_tile = tl.load(X + first_cols, {guarded})"


def test_a_mask_that_is_a_parameter_may_be_none() -> None:
    with pytest.raises(NotExpressible, match="may be None"):
        first_tile(LOOP.replace("mask=cols < N, other=0.0", "mask=N"), ("N > 0",))


def test_an_annotation_is_kept() -> None:
    written = first_tile(LOOP.replace("cols = start", "cols: tl.tensor = start")).statements[0]
    assert written == "first_cols: tl.tensor = tl.arange(0, BLOCK)"


def test_a_loop_begins_where_its_first_argument_says() -> None:
    written = first_tile(LOOP.replace("range(0, N", "range(N - 3, N")).statements[0]
    assert written == "first_cols = N - 3 + tl.arange(0, BLOCK)"
    with pytest.raises(NotExpressible, match="the start of the loop in line 8 has no expression"):
        first_tile(LOOP.replace("range(0, N, BLOCK)", "tl.range(arg1=N, arg2=N * 2)"))


def test_a_counter_that_is_not_read_has_no_number() -> None:
    written = first_tile(LOOP.replace("X + cols, mask=cols < N, other=0.0", "X"))
    assert written.statements == ("first_tile = tl.load(X)",)


def test_a_loop_over_two_names_is_not_written_again() -> None:
    with pytest.raises(NotExpressible, match="does not have one induction variable"):
        first_tile(LOOP.replace("start in range(0, N, BLOCK)", "start, x in zip(Y, Y)"))


def test_constants_keep_their_spelling() -> None:
    body = LOOP.replace("other=0.0", 'other=0., eviction_policy="evict_last"')
    assert first_tile(body).statements[-1].endswith('other=0., eviction_policy="evict_last")')


def test_what_is_bound_under_a_condition_is_not_written_again() -> None:
    body = LOOP.replace("    tile = ", "    if N > 3:\n        cols = cols + 1\n    tile = ")
    with pytest.raises(NotExpressible, match="not a plain assignment"):
        first_tile(body)


def test_names_are_free() -> None:
    writer = Writer(read("shift = 1\nshift_2 = 2\ntl.store(Y, shift + shift_2)"))
    assert [writer.fresh("shift"), writer.fresh("shift"), writer.fresh("N", "n")] == [
        "shift_3",
        "shift_4",
        "n",
    ]


def test_the_language_is_spelled_as_in_the_file() -> None:
    assert Writer(read("pass")).language("where") == "tl.where"
    head = "import triton\nfrom triton.language import where as choose, constexpr\n"
    body = "return choose(N, X, Y)"
    text = f"{head}\n\n@triton.jit\ndef kernel(X, Y, N, BLOCK: constexpr):\n    {body}\n"
    writer = Writer(facts.of(source.read(text).kernels[0]))
    assert writer.language("where") == "choose"
    with pytest.raises(NotExpressible):
        writer.language("zeros")
    assert writer.minimum == "min"


def test_a_name_that_is_rebound_no_longer_means_the_same() -> None:
    known = read("a = N + 1\nb = a * 2\na = N\ntl.store(Y, b)")
    second, last = known.kernel.node.body[1], known.kernel.node.body[-1]
    assert isinstance(second, ast.Assign)
    writer = Writer(known)
    assert writer.means_the_same(second.value, known.before[second])
    assert not writer.means_the_same(second.value, known.before[last])


@pytest.mark.parametrize(
    ("expression", "before", "code"),
    [
        ("N * M", "", "(M * N)"),
        ("N * N * M", "", "(M * N * N)"),
        ("N - M", "", "(N - M)"),
        ("N * M - stride", "", "((M * N) - stride)"),
        ("N + 1", "k = N + 1", "k"),
        ("N * M", "k = M * N", "k"),
        ("N + M", "", None),
        ("2 * N", "", None),
        ("-N - M", "", None),
        ("N // M", "", None),
        ("tl.load(Y) * N", "", None),
    ],
)
def test_code_for_a_form(expression: str, before: str, code: str | None) -> None:
    known = body_of(f"{before}\nw = {expression}\ntl.store(X, w)")
    after = known.interpretation.after
    environment = {name: value for name, value in after.items() if name != "w"}
    form, writer = known.forms.of(after["w"]), Writer(known)
    if code is None:
        with pytest.raises(NotExpressible, match="has no name here"):
            writer.find_form(form, environment, [])
    else:
        assert writer.find_form(form, environment, []) == code


@pytest.mark.parametrize(
    ("condition", "before", "code"),
    [
        ("cols < N", "", "cols < N"),
        ("cols < N", "m = cols < N", "m"),
        ("(cols < N) & (cols < M)", "", "(cols < M) & (cols < N)"),
        ("(cols < N) & (cols + 3 < M)", "k = cols + 3", "(k < M) & (cols < N)"),
        ("(cols < N) & (N < M)", "", None),
        ("cols < tl.load(Y)", "", None),
        ("cols < N * M + 1", "", None),
        ("cols.to(tl.float32) < 3.5", "", None),
    ],
)
def test_code_for_a_mask(condition: str, before: str, code: str | None) -> None:
    text = f"cols = tl.arange(0, B)\n{before}\nc = {condition}\ntl.store(X + cols, cols, mask=c)"
    known = body_of(text)
    after = known.interpretation.after
    environment = {name: value for name, value in after.items() if name != "c"}
    ((monomial, _),) = known.forms.condition(after["c"]).terms.items()
    indicators = [indicator for indicator, _ in monomial]
    if code is None:
        with pytest.raises(NotExpressible, match="has no expression there"):
            Writer(known).find_mask(indicators, environment, [])
    else:
        assert ast.unparse(Writer(known).find_mask(indicators, environment, [])) == code


def test_code_for_a_reduction() -> None:
    writer = Writer(read("pass"))
    assert writer.sum("x", (0, 1), 2) == "tl.sum(x)"
    assert writer.sum("x", (0,), 2) == "tl.sum(x, axis=0)"
    kept = "tl.sum(tl.sum(x, axis=1, keep_dims=True), axis=0, keep_dims=True)"
    assert writer.sum("x", (0, 1), 2, keep_dims=True) == kept
    assert writer.reduced("max", "x", (0,), 1) == "tl.max(x, axis=0)"


def test_a_statement_of_another_function_is_in_no_block() -> None:
    with pytest.raises(NotExpressible, match="is not in a block"):
        block_of(read("pass").kernel.node, ast.parse("z = 1").body[0])


def test_its_former_name_is_deprecated() -> None:
    with pytest.warns(DeprecationWarning, match="tritonopt.emit.writing"):
        importlib.reload(importlib.import_module("tritonopt.transforms"))
        former = importlib.import_module(".writing", "tritonopt.transforms")
    assert former.Writer is Writer
