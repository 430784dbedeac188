"""Loops that never take a second turn, and those of which it cannot be said."""

from __future__ import annotations

import textwrap

import pytest

from tests.facts.support import body, facts_of
from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.algebra.polynomial import Polynomial
from tritonopt.facts.algebra.turns import is_at_most, takes_one_turn

ALONE = {
    "one tile": ("for i in range(0, B, B):", True),
    "from anywhere": ("for i in range(M, M + B, B):", True),
    "less than a tile": ("for i in range(M, M + B - 1, B):", True),
    "more than a tile": ("for i in range(M, M + B + 1, B):", False),
    "all tiles": ("for i in range(0, N, B):", False),
    "the last tile": ("for i in range(tl.cdiv(N, B) * B - B, N, B):", True),
    "the last tile, named": ("p = last(N, B)\nfor i in range(p, N, B):", True),
    "the last two tiles": ("for i in range(tl.cdiv(N, B) * B - 2 * B, N, B):", False),
    "the last tile of another length": ("for i in range(tl.cdiv(N, M) * M - M, N, B):", False),
    "what a whole number of tiles leaves": ("for i in range(N // B * B, N, B):", True),
    "up to a whole number of tiles": ("for i in range(0, N // B * B, B):", False),
    "at most a tile": ("for i in range(0, min(N, B), B):", True),
    "at least a tile": ("for i in range(0, max(N, B), B):", False),
    "the smaller of two": ("for i in range(0, min(N, M), B):", False),
    "tiles of what is at most one": ("for i in range(tl.cdiv(min(N, B), B)):", True),
    "downwards": ("for i in range(N, 0, -B):", False),
    "one": ("for i in range(1):", True),
    "two": ("for i in range(2):", False),
    "while": ("i = 0\nwhile i < B:", False),
}
_LAST = "@triton.jit\ndef last(a, b):\n    return tl.cdiv(a, b) * b - b\n\n\n"


@pytest.mark.parametrize("name", ALONE)
def test_from_the_kernel_alone(name: str) -> None:
    head, expected = ALONE[name]
    facts = body(f"{head}\n    i += 0\n    tl.store(X + tl.arange(0, B), i)", before=_LAST)
    assert takes_one_turn(facts, facts.loops[0]) is expected


AT_LAUNCHES = {
    "grows with the size": ("triton.next_power_of_2(n)", True),
    "grows, and is never small": ("max(16, triton.next_power_of_2(n))", True),
    "grows up to a limit": ("min(4096, triton.next_power_of_2(n))", False),
    "grows with something else": ("triton.next_power_of_2(m)", False),
    "is given": ("64", False),
    "comes from elsewhere": ("settings(n)", False),
}


@pytest.mark.parametrize("tiles", ["range(0, N, B)", "range(tl.cdiv(N, B))"])
@pytest.mark.parametrize("name", AT_LAUNCHES)
def test_from_the_launches(name: str, tiles: str) -> None:
    block, expected = AT_LAUNCHES[name]
    text = f"""
        @triton.jit
        def kernel(X, N, B: tl.constexpr):
            for i in {tiles}:
                tl.store(X + i + tl.arange(0, B), 0.0)

        def run(x):
            m, n = x.shape
            kernel[(m,)](x, n, B={block})
    """
    facts = facts_of(text)
    assert takes_one_turn(facts, facts.loops[0]) is expected
    # Of several launches every one has to show it.
    more = "\n        def other(x):\n            kernel[(1,)](x, x.shape[0], B=32)\n"
    facts = facts_of(text.rstrip() + "\n" + more)
    assert not takes_one_turn(facts, facts.loops[0])


def test_a_limit_that_the_launcher_checks() -> None:
    text = """
        @triton.jit
        def kernel(X, N, K, B: tl.constexpr):
            for i in range(0, N, B):
                tl.store(X + i + tl.arange(0, B), 0.0)
            for i in range(K):
                tl.store(X + i + tl.arange(0, B), 0.0)

        def run(x):
            n = x.shape[0]
            if n > 1024:
                raise ValueError("too large")
            kernel[(1,)](x, n, 1, B=1024)
    """
    facts = facts_of(text)
    assert all(takes_one_turn(facts, loop) for loop in facts.loops)
    facts = facts_of(text.replace("n > 1024", "n > 1025").replace("n, 1, B", "n, 2, B"))
    assert not any(takes_one_turn(facts, loop) for loop in facts.loops)


_LOOP = """
@triton.jit
def kernel(X, N, B: tl.constexpr):
    for i in range(0, N, B):
        tl.store(X + i + tl.arange(0, B), 0.0)

"""


def looped(launcher: str) -> KernelFacts:
    """Of a kernel with one loop, and a launcher of it."""
    return facts_of(_LOOP + textwrap.dedent(launcher))


UNDER_A_TEST = {
    # By name: a tile, a test of it, whether one tile is enough where it holds, and where not.
    "below the limit": ("min(1024, triton.next_power_of_2(n))", "block <= 512", True, False),
    "up to the limit": ("min(1024, triton.next_power_of_2(n))", "block < 1024", True, False),
    "the limit itself": ("min(1024, triton.next_power_of_2(n))", "block <= 1024", False, True),
    "above something": ("min(1024, triton.next_power_of_2(n))", "block >= 512", False, True),
    "of something else": ("min(1024, triton.next_power_of_2(n))", "m <= 512", False, False),
    "two limits": ("min(1024, 2048, triton.next_power_of_2(n))", "block <= 512", True, False),
    "no more than it is": ("min(m, triton.next_power_of_2(n))", "block <= 512", False, False),
    "less than it is": ("min(m, triton.next_power_of_2(n))", "block < m", True, False),
    "the larger of two": ("max(m, triton.next_power_of_2(n))", "block <= 512", True, True),
    "limited by less": ("min(64, triton.next_power_of_2(m))", "block <= 32", False, False),
}


@pytest.mark.parametrize("name", UNDER_A_TEST)
def test_where_a_test_of_the_tile_holds(name: str) -> None:
    block, test, *expected = UNDER_A_TEST[name]
    text = f"""
        def run(x):
            m, n = x.shape
            block = {block}
            if {test}:
                kernel[(m,)](x, n, B=block)
    """
    otherwise = text.replace(
        "kernel[(m,)]", "pass\n            else:\n                kernel[(m,)]"
    )
    found = map(looped, (text, otherwise))
    assert [takes_one_turn(facts, facts.loops[0]) for facts in found] == expected
    # Of a tile that is another one by then it says nothing.
    another = text.replace("kernel[(m,)]", "block = 16\n                kernel[(m,)]")
    facts = looped(another)
    assert not takes_one_turn(facts, facts.loops[0])


_CHECKED_TILES = {
    # By name: what is checked, the tile of rows so checked, and whether it is at most 512.
    "asserted": ("assert n <= 512", "triton.next_power_of_2(n)", True),
    "asserted below": ("assert n < 513", "triton.next_power_of_2(n)", True),
    "raised": ("if n > 512:\n    raise ValueError", "triton.next_power_of_2(n)", True),
    "returned": ("if n > 512:\n    return", "triton.next_power_of_2(n)", True),
    "one too long": ("assert n <= 513", "triton.next_power_of_2(n)", False),
    "far below": ("assert n <= 300", "triton.next_power_of_2(n)", True),
    "of a sum": ("assert n <= 500", "triton.next_power_of_2(n + 12)", True),
    "of a longer sum": ("assert n <= 500", "triton.next_power_of_2(n + 13)", False),
    "twice": ("assert n <= 256", "triton.next_power_of_2(n) * 2", True),
    "twice too long": ("assert n <= 257", "triton.next_power_of_2(n) * 2", False),
    "never small": ("assert n <= 512", "max(16, triton.next_power_of_2(n))", True),
    "of what is never small": ("assert n <= 512", "triton.next_power_of_2(max(n, 16))", True),
    "never small enough": ("assert n <= 512", "max(1024, triton.next_power_of_2(n))", False),
    "the smaller": ("assert m > 0", "min(512, triton.next_power_of_2(n))", True),
    "of the smaller": ("assert m > 0", "triton.next_power_of_2(min(n, 512))", True),
    "of something else": ("assert m <= 512", "triton.next_power_of_2(n)", False),
    "of two": ("assert n <= 512 and m <= 4", "triton.next_power_of_2(n * m)", False),
}


@pytest.mark.parametrize("name", _CHECKED_TILES)
def test_a_power_of_two_that_a_check_limits(name: str) -> None:
    check, block, expected = _CHECKED_TILES[name]
    body = f"m, n = x.shape\n{check}\nblock = {block}\nkernel[(m,)](x, n, B=block)"
    facts = looped("def run(x):\n" + textwrap.indent(body, "    "))
    tile = Polynomial.of(Param("B"))
    assert is_at_most(facts, tile, 512) is expected
    assert is_at_most(facts, tile, 511) is False


def test_from_a_test_that_no_size_passes_nothing_follows() -> None:
    # G is counted by a loop and so taken to be at least 1; this launch passes 0.
    text = """
        @triton.jit
        def kernel(X, N, G, B: tl.constexpr):
            for i in range(0, N, B):
                tl.store(X + i + tl.arange(0, B), 0.0)
            for g in range(G):
                tl.store(X + g + tl.arange(0, B), 1.0)

        def run(x, groups):
            n = x.shape[0]
            if groups <= 0:
                kernel[(1,)](x, n, min(groups, n), B=min(64, triton.next_power_of_2(n)))
    """
    facts = facts_of(text)
    assert not takes_one_turn(facts, facts.loops[0])


WALRUSES = {
    "of the tile in its test": """
            block = min(16384, triton.next_power_of_2(n))
            tile = block
            if (block := block // 4) >= 0 and block < 16384:
                kernel[(m,)](x, n, B=tile)
    """,
    "of the length in an assertion": """
            k = n
            assert (n := n // 100) >= 0 and n <= 512
            kernel[(m,)](x, k, B=512)
    """,
    "in a tuple": """
            t, k = (n := 4096), n
            kernel[(m,)](x, k, B=triton.next_power_of_2(x.shape[1]))
    """,
}


@pytest.mark.parametrize("name", WALRUSES)
def test_a_name_that_is_bound_on_the_way_is_two_things(name: str) -> None:
    text = f"""
        def run(x):
            m, n = x.shape
            {WALRUSES[name].strip()}
    """
    facts = looped(text)
    assert facts.launches.bindings
    assert not takes_one_turn(facts, facts.loops[0])


def test_many_limits_are_asked_about_once_each() -> None:
    # With every case of every limit on its own this took minutes.
    names = [f"a{number}" for number in range(6)]
    limits = "\n            ".join(f"{n} = min(max({n}, 0), n)" for n in names)
    text = f"""
        def run(x, {", ".join(names)}):
            n = x.shape[0]
            {limits}
            assert {" and ".join(f"{n} > 0" for n in names)}
            kernel[(1,)](x, {" + ".join(names)}, B=min(1024, triton.next_power_of_2(n)))
    """
    facts = looped(text)
    assert not takes_one_turn(facts, facts.loops[0])


PRUNERS = {
    "takes some of them": ("return [c for c in configs if c.kwargs['B'] >= 16]", True),
    "makes another one": ("return [triton.Config({'B': 64})]", False),
    "changes one": ("configs[0].kwargs['B'] = 64\n            return configs", False),
    "updates one": ("configs[0].kwargs.update(B=64)\n            return configs", False),
    "changes one by another name": (
        "kw = configs[0].kwargs\n            kw['B'] = 64\n            return configs",
        False,
    ),
    "sets an attribute": (
        "setattr(configs[0], 'kwargs', {'B': 64})\n            return configs",
        False,
    ),
    "looks into one": ("return [c for c in configs if c.kwargs.get('B') > 1]", True),
    "calls another": ("return shrunk(configs)", False),
}


@pytest.mark.parametrize("name", PRUNERS)
def test_what_a_function_that_prunes_configurations_adds(name: str) -> None:
    body, expected = PRUNERS[name]
    tuned = f"""
        def shrunk(configs):
            configs[0].kwargs["B"] = 64
            return configs

        def pruned(configs, arguments, **others):
            {body}

        @triton.autotune([triton.Config({{"B": 512}})], ["N"],
                         prune_configs_by={{"early_config_prune": pruned}})
    """
    launcher = """
        def run(x):
            m, n = x.shape
            assert n <= 512
            kernel[(m,)](x, n)
    """
    facts = facts_of(textwrap.dedent(tuned).rstrip() + _LOOP + textwrap.dedent(launcher))
    assert takes_one_turn(facts, facts.loops[0]) is expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("{'perf_model': cost, 'top_k': 2}", True),
        ("{'early_config_prune': lambda configs, a, **o: configs[:1]}", True),
        ("{'early_config_prune': functools.partial(first, 1)}", True),
        ("{'early_config_prune': functools.partial(elsewhere, 1)}", False),
        ("{'early_config_prune': elsewhere}", False),
        ("elsewhere", False),
        ("None", True),
    ],
)
def test_who_prunes_configurations(given: str, expected: bool) -> None:
    tuned = f"""
        import functools
        from somewhere import cost, elsewhere

        def first(count, configs, arguments, **others):
            return configs[:count]

        @triton.autotune([triton.Config({{"B": 512}})], ["N"], prune_configs_by={given})
    """
    launcher = """
        def run(x):
            m, n = x.shape
            assert n <= 512
            kernel[(m,)](x, n)
    """
    facts = facts_of(textwrap.dedent(tuned).rstrip() + _LOOP + textwrap.dedent(launcher))
    assert takes_one_turn(facts, facts.loops[0]) is expected
