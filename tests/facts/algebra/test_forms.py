"""Index forms and masks: one form, however it was written."""

from __future__ import annotations

import pytest

from tests.facts.support import body, form, loads, same, value
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import Math, Truth, Undef

WHOLE = "cols = tl.arange(0, B)\nrow = tl.program_id(0)\n"


def address(facts: KernelFacts, number: int = 0) -> tuple[str | None, str]:
    pointer = loads(facts)[number].pointer
    assert pointer is not None
    base, offset = facts.forms.address(pointer)
    return base, offset.readable


# One address in many spellings


@pytest.mark.parametrize(
    "statements",
    [
        "a = tl.load(X + row * stride + cols)",
        "a = tl.load(X + (cols + stride * row))",
        "a = tl.load((X + cols) + row * stride)",
        "X += row * stride\na = tl.load(X + cols)",
        "X += row * stride\nX += cols\na = tl.load(X)",
        "X = X + row * stride\noffs = cols + 0\na = tl.load(X + offs)",
        "base = row * stride\nptrs = X + base + cols\na = tl.load(ptrs)",
        "base, step = row, stride\na = tl.load(X + base * step + cols)",
        "a = tl.load(X + row.to(tl.int64) * stride + cols)",
        "a = tl.load(X + tl.multiple_of(row * stride, 16) + cols)",
        "row_ptr = tl.broadcast_to(X + row * stride, (B,))\na = tl.load(row_ptr + cols)",
        "X = X - 1 + row * stride\na = tl.load(X + cols + 1)",
        "a = tl.load(pointer=X + row * stride + cols)",
        "a = tl.load(X + (row * stride + tl.arange(1, B + 1)) - 1)",
    ],
)
def test_one_address(statements: str) -> None:
    facts = body(WHOLE + statements)
    assert address(facts) == ("X", "program_id(0)*stride + arange(0, B)") or address(facts) == (
        "X",
        "program_id(0)*stride + arange(0, B)",
    )


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(0, N, B):\n    a = tl.load(X + i + cols)",
        "for i in range(tl.cdiv(N, B)):\n    a = tl.load(X + i * B + cols)",
        "for i in range(0, tl.cdiv(N, B)):\n    offs = i * B + cols\n    a = tl.load(X + offs)",
        "for i in tl.range(0, N, B, num_stages=2):\n    a = tl.load(X + i + cols)",
        "for i in tl.static_range(0, N, B):\n    a = tl.load(X + i + cols)",
        "offs = cols\nfor i in range(0, N, B):\n    a = tl.load(X + offs)\n    offs += B",
        "ptrs = X + cols\nfor i in range(0, N, B):\n    a = tl.load(ptrs)\n    ptrs += B",
        "for i in range(0, N, B):\n    a = tl.load(X + cols)\n    X += B",
        "k = 0\nfor i in range(0, N, B):\n    a = tl.load(X + k * B + cols)\n    k += 1",
        "for i in range((N + B - 1) // B):\n    a = tl.load(X + cols)\n    X = X + B",
    ],
)
def test_one_sweep(loop: str) -> None:
    facts = body(WHOLE + loop)
    assert address(facts) == ("X", "iteration0*B + arange(0, B)")
    count = facts.forms.trip_count(facts.loops[0])
    assert count is not None
    assert count.readable == "cdiv(N, B)"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cols[None, :]", "cols"),
        ("cols[:, None]", "tl.expand_dims(cols, 1)"),
        ("cols[None, :]", "tl.expand_dims(cols, 0)"),
        ("cols[None, :]", "tl.broadcast_to(cols[None, :], (4, B))"),
        ("cols[:, None] * stride", "(cols * stride)[:, None]"),
        ("cols[:, None] + cols[None, :]", "cols + tl.expand_dims(cols, -1)"),
        ("tl.sum(cols[:, None] + row, axis=0, keep_dims=True)", "tl.sum(cols + row, axis=0)"),
    ],
)
def test_broadcasting_changes_nothing(one: str, other: str) -> None:
    assert same(f"{WHOLE}a = {one}\nb = {other}")


def test_rows_are_not_columns() -> None:
    assert not same(f"{WHOLE}a = cols[:, None]\nb = cols[None, :]")
    assert not same(f"{WHOLE}a = cols\nb = tl.arange(0, 2 * B)")


def test_a_block_whose_axes_are_not_known_is_not_moved() -> None:
    # Nobody knows along which axes a reshaped block varies, once it is broadcast.
    reshaped = WHOLE + "acc = tl.zeros([B], tl.float32)\nfor i in range(N):\n"
    reshaped += "    acc += tl.reshape(tl.load(X + cols), (B,))\n"
    assert not same(reshaped + "a = acc[:, None]\nb = acc[None, :]")
    given = WHOLE + "c = tl.broadcast_to(tl.reshape(cols, (B,)), (B,))\n"
    assert not same(given + "a = c[:, None]\nb = c[None, :]")


# Divisions


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(N + B - 1) // B", "tl.cdiv(N, B)"),
        ("(B + N - 1) // B", "tl.cdiv(N, B)"),
        ("N // B", "(N + 0) // B"),
        ("(N + N) % B", "(2 * N) % B"),
        ("tl.cdiv(1000, 64)", "16"),
        ("-7 // 2", "-4"),
        ("N // 1", "N"),
    ],
)
def test_equal_divisions(one: str, other: str) -> None:
    assert same(f"{WHOLE}a = {one}\nb = {other}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("N // B * B", "N"),
        ("(N * B) // B", "N"),
        ("(N - B) // B", "N // B - 1"),
        ("tl.cdiv(N - B, B)", "tl.cdiv(N, B) - 1"),
        ("(N - 1) // -1", "tl.cdiv(N, -1)"),
        ("N // M", "N // stride"),
        ("N % M", "M % N"),
        # Rounded down by Python, toward zero by compiled code.
        ("(row - row - 7) // 2", "-7 // 2"),
        ("(B - 100 + row - row) // 3", "(B - 100) // 3"),
        ("(B - 100 + row - row) % 3", "(B - 100) % 3"),
        ("tl.load(X) // 2", "tl.load(X) / 2"),
    ],
)
def test_divisions_that_differ_somewhere(one: str, other: str) -> None:
    assert not same(f"{WHOLE}a = {one}\nb = {other}")


def test_rounding_does_not_matter_where_nothing_is_negative() -> None:
    assert same(f"{WHOLE}a = (cols + 3) // 4\nb = (3 + cols) // 4")
    facts = body(f"{WHOLE}a = cols // 4")
    assert form(facts, "a").readable == "arange(0, B)//4"


# Masks


@pytest.mark.parametrize(
    "mask",
    [
        "cols < N",
        "N > cols",
        "cols <= N - 1",
        "N - 1 >= cols",
        "cols + 1 <= N",
        "~(cols >= N)",
        "cols - N < 0",
        "2 * cols < 2 * N - cols + cols",
        "(cols < N) & (cols < N)",
        "(cols < N) & True",
        "(cols < N).to(tl.int1)",
        "(N > 0) & (cols < N)",
    ],
)
def test_one_mask(mask: str) -> None:
    facts = body(f"{WHOLE}for i in range(N):\n    pass\na = cols < N\nb = {mask}")
    if mask.startswith(("2", "(N > 0)")):
        # True, but more than the facts see: it must only not be taken for another.
        assert form(facts, "b") != form(facts, "a")
    else:
        assert form(facts, "b") == form(facts, "a")
        assert form(facts, "b").sole_atom is not None


@pytest.mark.parametrize(
    "mask", ["cols <= N", "cols < N - 1", "cols < M", "N < cols", "cols != N", "cols < N + row"]
)
def test_other_masks(mask: str) -> None:
    assert not same(f"{WHOLE}for i in range(N):\n    pass\na = cols < N\nb = {mask}")


def test_masks_of_what_need_not_be_an_integer() -> None:
    # Nothing shows that M is an integer: cols <= M - 1 is then another mask than cols < M.
    assert not same(f"{WHOLE}a = cols < M\nb = cols <= M - 1")
    assert same(f"{WHOLE}a = cols < M\nb = M > cols")


def test_conditions_are_algebra() -> None:
    whole = WHOLE + "i = tl.program_id(1)\n"
    assert same(f"{whole}a = (cols < row) & (cols < i)\nb = (cols < i) & (cols < row)")
    assert same(f"{whole}a = ~((cols < row) & (cols < i))\nb = (cols >= row) | (cols >= i)")
    assert same(f"{whole}a = (cols < row) ^ (cols < row)\nb = cols < cols")
    assert same(f"{whole}a = row == i\nb = i == row")
    assert same(f"{whole}a = row != i\nb = ~(i == row)")
    assert same(f"{whole}a = row - i == 0\nb = i == row")
    assert not same(f"{whole}a = row == i\nb = row <= i")


def test_where_is_algebra() -> None:
    whole = WHOLE + "m = cols < row\nx = tl.load(X + cols)\n"
    assert same(f"{whole}a = tl.where(m, x, 0.0)\nb = x * m.to(tl.float32)")
    assert same(f"{whole}a = tl.where(m, tl.where(m, x, 1.0), 2.0)\nb = tl.where(m, x, 2.0)")
    assert same(f"{whole}a = tl.where(~m, 0.0, x)\nb = tl.where(m, x, 0.0)")
    assert not same(f"{whole}a = tl.where(m, x, 0.0)\nb = x")


def test_masked_loads_are_algebra() -> None:
    whole = WHOLE + "m = cols < row\n"
    masked = "a = tl.load(X + cols, mask=m, other=0.0)\n"
    assert same(f"{whole}{masked}b = tl.where(m, tl.load(X + cols), 0.0)")
    assert same(f"{whole}{masked}b = tl.load(X + cols, m, 0)")
    assert not same(f"{whole}{masked}b = tl.load(X + cols, mask=m)")
    assert not same(f"{whole}{masked}b = tl.load(X + cols, mask=m, other=1.0)")
    assert same(f"{whole}{masked}b = tl.where(m, a, 0.0)")


def test_what_a_masked_load_leaves_undefined_is_undefined_in_each_lane() -> None:
    facts = body(f"{WHOLE}a = tl.load(X + cols, mask=cols < row)\nb = tl.sum(a * cols, axis=0)")
    undefined = {leaf for leaf in form(facts, "b").leaves() if isinstance(leaf, Undef)}
    assert undefined
    # It stays inside of the sum: another lane, another rubbish.
    assert not any(isinstance(a, Undef) for m in form(facts, "b").terms for a, _ in m)


def test_nothing_is_known_of_volatile_loads() -> None:
    assert not same("a = tl.load(X, volatile=True)\nb = tl.load(X, volatile=True)")
    assert not same("a = tl.load(X, cache_modifier='.cv')\nb = tl.load(X, cache_modifier='.cv')")
    assert same("a = tl.load(X, cache_modifier='.ca')\nb = tl.load(X, eviction_policy='')")


def test_floats_are_compared_as_they_are() -> None:
    # inf - inf is NaN, and 1e30 + 1 == 1e30.
    whole = WHOLE + "x = tl.load(X).to(tl.float32)\ny = tl.load(Y).to(tl.float32)\n"
    assert not same(f"{whole}a = x < y\nb = x - y < 0.0")
    assert not same(f"{whole}a = x < y\nb = ~(x >= y)")
    assert same(f"{whole}a = x < y\nb = y > x")


def test_rounding_to_sixteen_bits_is_seen() -> None:
    whole = WHOLE + "x = tl.load(X + cols)\n"
    assert not same(f"{whole}a = x.to(tl.float16).to(tl.float32)\nb = x.to(tl.float32)")
    assert same(f"{whole}a = x.to(tl.float32).to(tl.float64)\nb = x")


def test_a_condition_of_many_parts_is_given_up() -> None:
    many = " | ".join(f"(cols < row + {i})" for i in range(12))
    facts = body(f"{WHOLE}a = {many}\nb = tl.load(X + cols, mask=a)")
    assert facts.forms.condition(value(facts, "a")) is not None
    assert facts.forms.of(value(facts, "b")) is not None


@pytest.mark.parametrize("text", ["(N < M) & 1", "2 | (cols < N)", "(N < M) ^ True ^ 1"])
def test_a_bit_combined_with_a_number_is_no_condition(text: str) -> None:
    facts = body(f"{WHOLE}a = {text}")
    atom = form(facts, "a").sole_atom
    assert atom is not None and isinstance(atom, Math)
    assert facts.forms.condition(value(facts, "a")) == Polynomial.of(Truth(form(facts, "a")))


def test_forms_without_memory() -> None:
    facts = body("a = tl.load(X)\ntl.store(X, 0)\nb = tl.load(X)")
    assert form(facts, "a") != form(facts, "b")
    ignoring = facts.forms_ignoring_memory
    assert ignoring.of(value(facts, "a")) == ignoring.of(value(facts, "b"))
