"""Names, branches and expressions of a kernel, and what is not understood."""

from __future__ import annotations

import ast

import pytest

from tests.facts.support import body, expression, facts_of, form, kinds, loads, same, value
from tritonopt.facts.operations import Op


def readable(statements: str, name: str = "a", **options: str) -> str:
    return form(body(statements, **options), name).readable  # type: ignore[arg-type]


# Names


@pytest.mark.parametrize(
    "statements",
    [
        "a = N\na = a + M",
        "a = N\na += M",
        "a_1 = N\na = a_1 + M",
        "t = N, M\nx, y = t\na = x + y",
        "x, y = N, M\nx, y = y, x\na = x + y",
        "[x, (y, z)] = N, (M, 0)\na = x + y + z",
        "a: tl.int32 = N + M",
        "x = y = M\na = N + (x + y) - x",
        "N += M\na = N",
        "a = N + M\nb: tl.constexpr",
        "a = (b := N) + M",
    ],
)
def test_def_use_in_every_spelling(statements: str) -> None:
    assert readable(statements) == "M + N"


def test_a_walrus_binds_its_name() -> None:
    assert readable("a = 1\nif (a := N) > 0:\n    tl.store(X, 0)") == "N"


def test_names_before_each_statement() -> None:
    facts = body("a = N\na = M\ntl.store(X, a)")
    first, second, third = facts.kernel.node.body
    assert "a" not in facts.before[first]
    assert facts.forms.of(facts.before[second]["a"]).readable == "N"
    assert facts.forms.of(facts.before[third]["a"]).readable == "M"


def test_an_unknown_pattern_of_unpacking_is_opaque() -> None:
    facts = body("a, b = foo(N)")
    assert value(facts, "a").op is Op.OPAQUE
    assert value(facts, "a") is not value(facts, "b")


def test_pointer_bumping_is_addition() -> None:
    facts = body("X += N * stride\nX += tl.arange(0, B)\nt = tl.load(X)")
    base, offset = facts.forms.address(expression(facts, "X"))
    assert (base, offset.readable) == ("X", "N*stride + arange(0, B)")


# Constants from outside


@pytest.mark.parametrize(
    "before",
    [
        "EPS = 3",
        "EPS = tl.constexpr(3)",
        "EPS: tl.constexpr = 3",
        "EPS: tl.constexpr = tl.constexpr(3)",
    ],
)
def test_module_constants_have_their_value(before: str) -> None:
    assert readable("a = N + EPS", before=before) == "N + 3"


@pytest.mark.parametrize(
    "before", ["EPS = 3\nEPS = 4", "EPS = f()", "from m import EPS", "EPS = tl.constexpr(f())"]
)
def test_other_globals_are_equal_to_themselves_only(before: str) -> None:
    facts = body("a = N + EPS\nb = EPS + N\nc = OTHER + N", before=before)
    assert form(facts, "a") == form(facts, "b")
    assert form(facts, "a") != form(facts, "c")
    assert form(facts, "a").readable == "EPS + N" or "EPS" in form(facts, "a").readable


def test_closures() -> None:
    facts = facts_of(
        """
        def make():
            SCALE = 2
            @triton.jit
            def kernel(X, N):
                a = SCALE * N
            return kernel
        """
    )
    assert form(facts, "a").readable == "2*N"


def test_one_name_in_two_closures_is_two_things() -> None:
    facts = facts_of(
        """
        def helpers(SIZE):
            @triton.jit
            def helper():
                return SIZE
            return helper

        SIZE = tl.constexpr(f())

        @triton.jit
        def kernel(X):
            a = SIZE
        """
    )
    inner = facts_of(
        """
        def make(SIZE):
            @triton.jit
            def kernel(X):
                a = SIZE
            return kernel
        """
    )
    assert form(facts, "a") != form(inner, "a")


def test_aliases_of_the_language() -> None:
    facts = facts_of(
        """
        from triton.language import arange as lanes, load
        language = tl

        @triton.jit
        def kernel(X, B: tl.constexpr):
            cols = lanes(0, B)
            a = load(X + cols)
            b = language.load(X + tl.arange(0, B))
        """
    )
    assert form(facts, "a") == form(facts, "b")


def test_a_parameter_may_hide_the_language() -> None:
    facts = body("a = tl.load(X)", "X, tl")
    assert kinds(facts) == ["call"]


# Branches


def test_branches_merge() -> None:
    facts = body("if N > 0:\n    a = M\nelse:\n    a = stride")
    spelled = body("a = tl.where(N > 0, M, stride)")
    assert form(facts, "a") == form(spelled, "a")


def test_a_branch_that_changes_nothing() -> None:
    assert readable("a = M\nif N > 0:\n    b = 1") == "M"
    assert readable("if N > 0:\n    a = M\nelse:\n    a = M") == "M"


def test_a_name_of_one_branch_is_what_the_branch_binds() -> None:
    facts = body("if N > 0:\n    a = M")
    assert form(facts, "a").readable == "M"
    # It is not there to be used wherever M is.
    assert value(facts, "a") is not value(facts, "M")
    assert "a" not in body("for i in range(N):\n    a = M").interpretation.after


def reads_of_a(statements: str) -> list[str]:
    """What the name `a` is, wherever it is read: a parameter, or what some branch has bound."""
    facts = body(statements)
    nodes = [n for n in facts.values if isinstance(n, ast.Name) and n.id == "a"]
    reads = sorted((n for n in nodes if isinstance(n.ctx, ast.Load)), key=lambda n: n.lineno)
    return [facts.values[n].op.value for n in reads]


@pytest.mark.parametrize(
    ("statements", "read"),
    [
        ("if N > 0:\n    a = M\nif N > 0:\n    b = a", ["param"]),
        ("if N > 0:\n    a = M\nif N > 1:\n    b = a", ["in_branch"]),
        ("if N > 0:\n    a = M\nif not N > 0:\n    b = a", ["in_branch"]),
        ("if N > 0:\n    a = M\nfor i in range(N):\n    if N > 0:\n        b = a", ["param"]),
        ("if N > 0:\n    a = M\nif N > 0:\n    b = a\nelse:\n    b = a", ["param", "in_branch"]),
        (
            "if N > 0:\n    b = 1\nelse:\n    a = M\nif N > 0:\n    b = a\nelse:\n    b = a",
            ["in_branch", "param"],
        ),
        ("if N > 0:\n    a = M\nif N > 0:\n    b = a\nb = a", ["param", "in_branch"]),
        ("if N > 0:\n    if M > 0:\n        a = stride\nif M > 0:\n    b = a", ["in_branch"]),
        (
            "if N > 0:\n    if M > 0:\n        a = stride\nif M > 0:\n    if N > 0:\n        b = a",
            ["param"],
        ),
        ("if N > 0:\n    a = M\nN = N + 1\nif N > 0:\n    b = a", ["in_branch"]),
    ],
)
def test_a_name_of_one_branch_where_the_same_is_asked_again(
    statements: str, read: list[str]
) -> None:
    assert reads_of_a(statements) == read


def test_a_name_of_one_branch_that_is_bound_again() -> None:
    facts = body("if N > 0:\n    a = M\nif N > 0:\n    a = stride\nif N > 0:\n    b = a")
    assert facts.forms.of(value(facts, "b")).readable == "stride"


def test_a_name_of_one_branch_that_the_module_binds_too_is_opaque() -> None:
    facts = body("if N > 0:\n    a = M", before="a = 1\n")
    assert value(facts, "a").op is Op.OPAQUE


def test_an_early_return_leaves_the_rest_to_the_other_branch() -> None:
    facts = body("a = M\nif N > 0:\n    a = 1\n    return\ntl.store(X, a)")
    assert form(facts, "a").readable == "M"
    assert kinds(facts) == ["exit", "store"]


def test_what_follows_a_return_does_not_run() -> None:
    assert kinds(body("return\ntl.store(X, 0)")) == ["exit"]
    assert kinds(body("if N > 0:\n    return\nelse:\n    return\ntl.store(X, 0)")) == ["exit"] * 2


def test_a_last_return_is_no_exit() -> None:
    assert kinds(body("tl.store(X, 0)\nreturn")) == ["store"]


def test_guards_say_when_an_effect_happens() -> None:
    facts = body(
        """
        if N > 0:
            tl.store(X, 0)
        else:
            if M > 0:
                tl.store(Y, 0)
        tl.store(X, 1)
        """
    )
    shown = [
        [(g.holds, facts.forms.condition(g.condition)) for g in e.guards] for e in facts.effects
    ]
    first, second, third = shown
    assert [holds for holds, _ in first] == [True]
    assert [holds for holds, _ in second] == [False, True]
    assert first[0][1] == second[0][1]
    assert third == []


def test_a_ternary_guards_its_sides() -> None:
    facts = body("a = tl.load(X) if N > 0 else tl.load(Y)")
    assert [[g.holds for g in e.guards] for e in loads(facts)] == [[True], [False]]
    spelled = body("if N > 0:\n    a = tl.load(X)\nelse:\n    a = tl.load(Y)")
    assert form(facts, "a") == form(spelled, "a")


# Expressions


def test_chained_comparisons() -> None:
    assert same("a = tl.where(0 <= N < M, 1, 2)\nb = tl.where((0 <= N) & (N < M), 1, 2)")
    assert not same("a = tl.where(0 <= N < M, 1, 2)\nb = tl.where((0 <= N) & (0 < M), 1, 2)")


def test_boolean_operators_of_scalars() -> None:
    whole = "i = tl.program_id(0)\nj = tl.program_id(1)\n"
    assert same(whole + "a = 1 if i > 0 and j > 0 else 2\nb = 1 if not (i <= 0 or j <= 0) else 2")
    # Of NaN, neither N > 0 nor N <= 0 is true.
    assert not same("a = 1 if N > 0 and M > 0 else 2\nb = 1 if not (N <= 0 or M <= 0) else 2")
    assert not same("a = 1 if N > 0 and M > 0 else 2\nb = 1 if N > 0 or M > 0 else 2")


def test_bits_of_integers_are_no_conditions() -> None:
    assert not same("a = tl.where(N & M, 1, 0)\nb = tl.where((N != 0) & (M != 0), 1, 0)")


def test_a_sum_of_conditions_is_not_a_condition() -> None:
    both = "c = (N > 0).to(tl.int32) + (M > 0).to(tl.int32)\n"
    facts = body(both + "a = tl.where(c, stride, 0)")
    assert form(facts, "a") != form(body("a = ((N > 0).to(tl.int32) + (M > 0)) * stride"), "a")
    assert "stride*" not in form(facts, "a").readable.replace("stride*holds", "")


def test_conditions_add_as_bits() -> None:
    # True + True is False in a tensor of int1, and True - True too; as int32 they are numbers.
    assert not same("a = (N > 0) + (N > 0)\nb = ((N > 0).to(tl.int32)) * 2")
    assert same("a = (N > 0) + 1\nb = 1 + (N > 0).to(tl.int32)")
    assert same("a = (N > 0) * (M > 0)\nb = (N > 0) & (M > 0)")


def test_python_inverts_constants_by_its_own_rules() -> None:
    # ~True is -2, which is true.
    lanes = "cols = tl.arange(0, B)\n"
    assert not same(lanes + "a = 1 if ~(B > 4) else 0\nb = 1 if B <= 4 else 0")
    assert same(lanes + "a = 1 if not (B > 4) else 0\nb = 1 if B <= 4 else 0")
    assert same(lanes + "a = tl.where(~(cols > 4), 1, 0)\nb = tl.where(cols <= 4, 1, 0)")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tl.clamp(N, min=M, max=stride)", "tl.clamp(N, max=M, min=stride)"),
        ("tl.maximum(N, y=M)", "tl.maximum(N, y=stride)"),
        ("tl.where(N > 0, x=M, y=stride)", "tl.where(N > 0, y=M, x=stride)"),
        ("tl.reduce(tl.arange(0, B), 0, f)", "tl.reduce(tl.arange(0, B), 0, g)"),
        ("tl.cumsum(tl.arange(0, B), 0)", "tl.cumsum(tl.arange(0, B)[None, :], 0)"),
        ("tl.reshape(tl.arange(0, 16), (4, 4))", "tl.reshape(tl.arange(0, 16), (2, 8))"),
        ("tl.max(tl.arange(0, B), 0)", "tl.min(tl.arange(0, B), 0)"),
        ("tl.rand(N, M)", "tl.rand(M, N)"),
        ("tl.cast(N, tl.int8)", "tl.cast(N, tl.int32)"),
        ("(N - 1).to(tl.uint32)", "N - 1"),
        ("N.to(tl.int1).to(tl.int32)", "N"),
        ("tl.load(X).to(tl.float16)", "tl.load(X)"),
        ("tl.load(X).to(tl.float16, 'rtz')", "tl.load(X).to(tl.float16)"),
        ("tl.load(X).to(tl.int32, bitcast=True)", "tl.load(X).to(tl.int32)"),
        ("tl.full([B], 1.5, tl.int32)", "tl.full([B], 1.5, tl.float32)"),
        ("tl.full([B], 1000.5, tl.float16)", "tl.full([B], 1000.5, tl.float32)"),
        ("tl.load(X).to(tl.int32)", "tl.load(X)"),
        ("N / M", "N // M"),
        ("tl.exp(N)", "tl.exp2(N)"),
        ("N >> M", "N << M"),
        ("foo(N)", "foo(N)"),
    ],
)
def test_different_things_have_different_forms(one: str, other: str) -> None:
    assert not same(f"pid = tl.program_id(0)\na = {one}\nb = {other}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tl.where(N > 0, x=M, y=stride)", "tl.where(x=M, condition=N > 0, y=stride)"),
        ("tl.maximum(N, M)", "tl.maximum(M, y=N)"),
        ("tl.minimum(N, M)", "min(M, N)"),
        ("tl.cdiv(N, M)", "triton.cdiv(N, M)"),
        ("tl.fma(N, M, stride)", "stride + M * N"),
        ("tl.load(X).to(tl.float32)", "tl.cast(tl.load(X), tl.float32)"),
        ("tl.exp(N + M)", "tl.exp(M + N)"),
        ("tl.multiple_of(N, 8) + M", "M + N"),
        ("tl.sum(tl.arange(0, B), 0)", "tl.arange(0, B).sum(axis=0)"),
        ("tl.zeros([B], tl.float16) + N", "N + tl.full([B], 0, tl.float16)"),
        ("N ** 2", "N * N"),
        ("-(N - M)", "M - N"),
        ("(N + 0) * 1", "+N"),
    ],
)
def test_the_same_thing_in_two_spellings(one: str, other: str) -> None:
    assert same(f"a = {one}\nb = {other}")


@pytest.mark.parametrize(
    "text",
    [
        "tl.where(N > 0)",
        "tl.maximum(N)",
        "tl.sum()",
        "tl.sum(N, axis=7)",
        "tl.arange(B)",
        "tl.load()",
        "tl.zeros()",
        "tl.expand_dims(N, axis=9)",
        "tl.program_id()",
        "N[0]",
        "(N, M)[5]",
        "[i for i in range(3)]",
        "{1: N}",
        "(lambda: N)()",
        "f'{N}'",
        "N if M else None",
        "N @ M",
        "X.dtype.element_ty",
        "tl.no_such_function(N)",
        "b'bytes'",
        "...",
        "N is None",
        "N in (1, 2)",
        "max(N)",
        "tl.cdiv(x=N, div=M)",
        "tl.sum(*N)",
        "tl.load(*N, **M)",
        "X[None]",
        "1e999",
        "N ** M",
        "not_bound_anywhere",
    ],
)
def test_nothing_raises_on_what_is_odd(text: str) -> None:
    facts = body(f"a = {text}\ntl.store(X, a)")
    facts.forms.of(value(facts, "a"))
    facts.forms.condition(value(facts, "a"))


# What is not understood


@pytest.mark.parametrize(
    "statement",
    [
        "foo(X)",
        "a = foo(X)",
        "tl.no_such_function(X)",
        "tl.load(*arguments)",
        "X.foo = 1",
        "X[0] = 1",
        "with foo():\n    a = 1",
        "try:\n    a = 1\nfinally:\n    a = 2",
        "a = [tl.load(X + i) for i in range(3)]",
        "match N:\n    case 1:\n        a = 1",
        "for i in things(X):\n    a = i",
        "tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', [N], tl.int32, False, 1)",
        "tl.inline_asm_elementwise('mov.u32 $0, %ctaid.x;', '=r', [N], tl.int32, True, 1)",
        "tl.inline_asm_elementwise('ld.global.b32 $0, [$1];', '=r,l', [X], tl.int32, True, 1)",
        "tl.inline_asm_elementwise('{ .reg .b32 a; bar.sync 0; }', '', [N], tl.int32, True, 1)",
        "tl.inline_asm_elementwise(ASM, '=r,r', [N], tl.int32, True, 1)",
        "tl.inline_asm_elementwise('', '', [N], tl.int32, N, 1)",
        "tl.extra.cuda.globaltimer()",
        "X.dtype.is_anything()",
    ],
)
def test_what_is_not_understood_may_do_anything(statement: str) -> None:
    facts = body(f"a = N\n{statement}")
    assert "call" in kinds(facts)


@pytest.mark.parametrize(
    "asm",
    [
        "cvt.rn.satfinite.e4m3x2.f32 $0, $2, $1;",
        "{\\n .reg .pred p;\\n setp.lt.f32 p, $1, 0f00000000; // below 0\\n@p mov.b32 $0, $2;\\n}",
    ],
)
def test_assembly_that_only_computes(asm: str) -> None:
    call = f"tl.inline_asm_elementwise('{asm}', '=r,r,r', [N, M], tl.int32, True, 1)"
    facts = body(f"a = {call}\nb = {call}")
    assert kinds(facts) == []
    assert form(facts, "a") == form(facts, "b")


@pytest.mark.parametrize(
    "statement",
    [
        "with foo():\n    a = 1",
        "match N:\n    case a:\n        pass",
        "try:\n    pass\nexcept E as a:\n    pass",
        "del a",
        "def a():\n    pass",
        "import a",
        "from m import b as a",
    ],
)
def test_a_name_bound_in_an_unknown_way_is_unknown(statement: str) -> None:
    facts = body(f"a = N\n{statement}\nb = a + 0")
    assert form(facts, "b").readable != "N"


@pytest.mark.parametrize("text", ["len(X)", "tl.static_assert(N > 0)", "tl.static_print(N)"])
def test_harmless_calls(text: str) -> None:
    assert kinds(body(text)) == []


def test_visible_but_not_to_memory() -> None:
    facts = body("tl.device_print('a', N)\ntl.device_assert(N > 0)\nassert N > 0")
    assert kinds(facts) == ["print"] * 3


# Conditions that are known to hold


def test_under_its_condition_a_choice_is_one_side() -> None:
    facts = body(
        """
        if FLAG:
            p = X + tl.arange(0, B)
        else:
            p = Y
        for i in range(N):
            if FLAG:
                a = tl.load(p)
            else:
                b = tl.load(p)
        c = tl.load(p)
        """,
        "X, Y, N, FLAG: tl.constexpr, B: tl.constexpr",
    )
    first, second, third = facts.effects
    assert [facts.bases(e) for e in facts.effects] == [{"X"}, {"Y"}, {"X", "Y"}]
    assert [e.pointer and e.pointer.rank for e in (first, second, third)] == [1, 0, None]


def test_another_condition_of_the_same_name_decides_nothing() -> None:
    facts = body("p = X if N > 0 else Y\nN -= 1\nif N > 0:\n    a = tl.load(p)")
    assert facts.bases(facts.effects[0]) == {"X", "Y"}


@pytest.mark.parametrize(
    ("statements", "number", "when"),
    [
        ("a = (B - 5) // 3", None, "static"),
        ("w = B - 5\na = w // 3", None, "runtime"),
        ("w = B - 5\na = (w + 1) % 3", None, "runtime"),
        ("w = B\nw -= 5\na = tl.cdiv(w, 3)", None, "runtime"),
        ("w: tl.constexpr = B - 5\na = w // 3", None, "static"),
        ("a = tl.minimum(B, 1) // 3", None, "either"),
        ("w = -5\na = w // 3", -1, "runtime"),
        ("w: tl.constexpr = -5\na = w // 3", -2, "static"),
        ("w = -5\nw //= 3\na = w", -1, "runtime"),
        ("a = halved(B - 5)", None, "either"),
    ],
)
def test_an_assigned_number_is_a_tensor_and_divided_toward_zero(
    statements: str, number: int | None, when: str
) -> None:
    helper = "@triton.jit\ndef halved(x):\n    return x // 2\n\n\n"
    facts = body(statements, before=helper)
    assert facts.binding_times.of(value(facts, "a")) == when
    assert form(facts, "a").constant_value == number


def test_a_number_and_a_name_for_it_have_other_quotients() -> None:
    assert not same("w = B - 5\na = w // 3\nb = (B - 5) // 3")
    assert same("c = tl.arange(0, B)\nw = B * 2\na = w // 3\nb = (B * 2) // 3")
