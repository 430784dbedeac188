"""What a launcher computes and checks; a name that is bound again is another value."""

from __future__ import annotations

import textwrap

import pytest

from tests.facts.support import facts_of
from tritonopt.facts.algebra.atoms import Param, ProgramId
from tritonopt.facts.algebra.divisibility import Divisibility
from tritonopt.facts.algebra.polynomial import Polynomial

KERNEL = """
LANES = 64

{decorator}
@triton.jit
def kernel(X, N, M, B: tl.constexpr, D: tl.constexpr = 32):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(X + offs % N, offs)

"""


def divides(divisor: str | int, name: str, launcher: str, decorator: str = "") -> bool:
    """Whether the launches show that a parameter is a multiple of another, or of a number."""
    head = KERNEL.format(decorator=decorator)
    facts = facts_of(head + textwrap.dedent(launcher), "kernel")
    by = Polynomial.constant(divisor) if isinstance(divisor, int) else _parameter(divisor)
    proof = Divisibility(facts).proof(by, _parameter(name))
    return proof is not None and not proof.is_arithmetic


def _parameter(name: str) -> Polynomial:
    return Polynomial.of(Param(name))


def run(
    body: str,
    divisor: str | int = 64,
    name: str = "N",
    parameters: str = "x, n, m, b",
    decorator: str = "",
) -> bool:
    launcher = f"def run({parameters}):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    return divides(divisor, name, launcher, decorator)


@pytest.mark.parametrize(
    "body",
    [
        "kernel[(1,)](x, 128, m, 64)",
        "kernel[(1,)](x, n * 64, m, 64)",
        "kernel[(1,)](x, LANES * n, m, 64)",
        "kernel[(1,)](x, triton.cdiv(n, 64) * 64, m, 64)",
        "kernel[(1,)](x, (n + 63) // 64 * 64, m, 64)",
        "kernel[(1,)](x, -(-n // 64) * 64, m, 64)",
        "kernel[(1,)](x, n - n % 64, m, 64)",
        "kernel[(1,)](x, n + (-n) % 64, m, 64)",
        "kernel[(1,)](x, max(64, triton.next_power_of_2(n)), m, 64)",
        "kernel[(1,)](x, 64 if n else 128, m, 64)",
        "n = triton.cdiv(n, 64)\nn = n * 64\nkernel[(1,)](x, n, m, 64)",
        "n, m = n * 64, m\nkernel[(1,)](x, n, m, 64)",
        "n: int = int(x.shape[0]) * 64\nkernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\nkernel[(1,)](x, n, m, 64)",
        "assert n % 192 == 0\nkernel[(1,)](x, n, m, 64)",
        "assert m > 3 and n % 64 == 0, 'no'\nkernel[(1,)](x, n, m, 64)",
        "assert not n % 64\nkernel[(1,)](x, n, m, 64)",
        "if n % 64:\n    raise ValueError\nkernel[(1,)](x, n, m, 64)",
        "if m < 0 or n % 64 != 0:\n    print(n)\n    raise ValueError\nkernel[(1,)](x, n, m, 64)",
        "if not n % 64 == 0:\n    return None\nkernel[(1,)](x, n, m, 64)",
        "if n % 64 == 0:\n    kernel[(1,)](x, n, m, 64)",
        "if n % 64 != 0:\n    pass\nelse:\n    kernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\nwith torch.cuda.device(0):\n    kernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\nfor i in range(m):\n    kernel[(1,)](x, n, i, 64)",
        "for n in (1, 2):\n    if n % 64:\n        continue\n    kernel[(1,)](x, n, m, 64)",
        "assert x.shape[0] % 64 == 0\nkernel[(1,)](x, x.size(0), m, 64)",
        "n, m = x.shape\nassert x.shape[0] % 64 == 0\nkernel[(1,)](x, n, m, 64)",
        "half = n // 2\nassert half % 32 == 0\nkernel[(1,)](x, 2 * half, m, 64)",
        "assert n % 64 == 0\nkernel[(1,)](x, n, m, 64)\nn = 3",
        "import torch\ntorch._check(n % 64 == 0)\nkernel[(1,)](x, n, m, 64)",
        "import sys\nif n % 64:\n    sys.exit(1)\nkernel[(1,)](x, n, m, 64)",
        "assert x.shape[0] % 64 == 0\nprepare(x.dtype, n)\nkernel[(1,)](x, x.size(0), m, 64)",
        "assert x.shape[0] % 64 == 0\nkernel[(1,)](x, x.size(0), m, 64)\nprepare(x)",
        "k = x.size(0)\nassert k % 64 == 0\nprepare(x)\nkernel[(1,)](x, k, m, 64)",
        "assert n % 64 == 0\nkernel[(1,)](x.clone(), n, prepare(m), 64)",
    ],
)
def test_shown(body: str) -> None:
    assert run(body)


@pytest.mark.parametrize(
    "body",
    [
        "kernel[(1,)](x, n, m, 64)",
        "kernel[(1,)](x, n * 32, m, 64)",
        "kernel[(1,)](x, n * 64 + 1, m, 64)",
        "kernel[(1,)](x, triton.next_power_of_2(n), m, 64)",
        "kernel[(1,)](x, min(64, triton.next_power_of_2(n)), m, 64)",
        "kernel[(1,)](x, max(64, n), m, 64)",
        "kernel[(1,)](x, 64 if n else m, m, 64)",
        "kernel[(1,)](x, int(n * 64), m, 64)",
        "kernel[(1,)](x, n * 64 // 3, m, 64)",
        "assert m % 64 == 0\nkernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 1\nkernel[(1,)](x, n, m, 64)",
        "assert n % 64\nkernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0 or m\nkernel[(1,)](x, n, m, 64)",
        "if n % 64 and m:\n    raise ValueError\nkernel[(1,)](x, n, m, 64)",
        "if n % 64:\n    print(n)\nkernel[(1,)](x, n, m, 64)",
        "if n % 64:\n    raise ValueError\nelse:\n    n = 3\nkernel[(1,)](x, n, m, 64)",
        "if n % 64:\n    kernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\nn = n + 1\nkernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\nn += 1\nkernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\nn, m = m, n\nkernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\nif m:\n    n = m\nkernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\nfor n in range(m):\n    kernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\nfor i in range(m):\n    kernel[(1,)](x, n, m, 64)\n    n = i",
        "assert n % 64 == 0\nwhile n := n - 1:\n    kernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\nwith open(m) as n:\n    kernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\ntry:\n    n = m\nexcept E:\n    kernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\n(n := m)\nkernel[(1,)](x, n, m, 64)",
        "assert n % 64 == 0\ndef f():\n    nonlocal n\n    n = 3\nf()\nkernel[(1,)](x, n, m, 64)",
        "assert x.shape[0] % 64 == 0\nx = x[1:]\nkernel[(1,)](x, x.shape[0], m, 64)",
        "assert x.shape[1] % 64 == 0\nkernel[(1,)](x, x.shape[0], m, 64)",
        "assert x.shape[0] % 64 == 0\nx.t_()\nkernel[(1,)](x, x.shape[0], m, 64)",
        "assert x.numel() % 64 == 0\nx.data = m\nkernel[(1,)](x, x.numel(), m, 64)",
        # Code that is not known, or another name of it, may give it another shape.
        "assert x.shape[0] % 64 == 0\nprepare(x)\nkernel[(1,)](x, x.shape[0], m, 64)",
        "assert x.shape[0] % 64 == 0\nx.prepare()\nkernel[(1,)](x, x.shape[0], m, 64)",
        "assert x.shape[0] % 64 == 0\ny = x\ny.t_()\nkernel[(1,)](x, x.shape[0], m, 64)",
        "assert x.shape[0] % 64 == 0\nprepare([x])\nkernel[(1,)](x, x.shape[0], m, 64)",
        "assert x.shape[0] % 64 == 0\nfor y in (x, m):\n    y.t_()\n"
        "kernel[(1,)](x, x.shape[0], m, 64)",
        "assert x.shape[0] % 64 == 0\nfor i in range(m):\n    kernel[(1,)](x, x.shape[0], m, 64)\n"
        "    prepare(x)",
        "assert x.shape[0] % 64 == 0\nkernel[(1,)](x.unsqueeze_(0), x.shape[0], m, 64)",
        "assert x.shape[0] % 64 == 0\nkernel[(1,)](prepare(x), x.shape[0], m, 64)",
        "assert n % 64 == 0\nkernel[(1,)](n := 3, n, m, 64)",
        "global size\nassert size % 64 == 0\nkernel[(1,)](prepare(), size, m, 64)",
        "global size\nsize = n\nassert size % 64 == 0\nreset()\nkernel[(1,)](x, size, m, 64)",
        "for i in x:\n    assert n % 64 == 0\nkernel[(1,)](x, n, m, 64)",
        "if m:\n    assert n % 64 == 0\nkernel[(1,)](x, n, m, 64)",
        "kernel[(1,)](x, n, m, 64)\nassert n % 64 == 0",
        "assert n % 64 == 0\nkernel[(1,)](x, n, m, 64)\nkernel[(1,)](x, m, m, 64)",
        "assert n % 64 == 0\nkernel[(1,)](x, n, m, 64)\nkeep(kernel)",
        "assert n % 64 == 0\nkernel[(1,)](*x, n, m, 64)",
        "assert n % 64 == 0\nreturn lambda n: kernel[(1,)](x, n, m, 64)",
    ],
)
def test_not_shown(body: str) -> None:
    assert not run(body)


def test_one_parameter_is_a_multiple_of_another() -> None:
    assert run("kernel[(1,)](x, triton.cdiv(n, b) * b, m, b)", "B")
    assert run("assert n % b == 0\nkernel[(1,)](x, n, m, B=b)", "B")
    assert run("kernel[(1,)](x, n * m, m, b)", "M")
    assert not run("n = n * b\nb = b + 1\nkernel[(1,)](x, n, m, b)", "B")
    assert not run("assert b % n == 0\nkernel[(1,)](x, n, m, b)", "B")


def test_what_is_not_passed_has_its_default() -> None:
    assert run("kernel[(1,)](x, n, m, 64)", 32, "D")
    assert not run("kernel[(1,)](x, n, m, 64, D=m)", 32, "D")
    # Who knows what a decorator of somebody else's fills in.
    assert not run("kernel[(1,)](x, n, m, 64)", 32, "D", decorator="@tuned_elsewhere()")


TUNED = "@triton.autotune(configs=[{}], key=[])"
CONFIG = 'triton.Config({{"B": {}}})'


@pytest.mark.parametrize(
    ("configs", "shown"),
    [
        (CONFIG.format(64), True),
        (f"{CONFIG.format(64)}, {CONFIG.format(128)}", True),
        (f"{CONFIG.format(64)}, {CONFIG.format(32)}", False),
        (CONFIG.format("SIZE"), False),
        ("*more()", False),
        ("make()", False),
    ],
)
def test_every_configuration_counts(configs: str, shown: bool) -> None:
    body = "kernel[lambda meta: (n, )](x, n, m)"
    assert run(body, 64, "B", decorator=TUNED.format(configs)) == shown


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ('{"B": lambda args: 64}', True),
        ('{"B": lambda args: args["N"] * 64}', True),
        ('{"B": lambda args: args["N"]}', False),
        ('{"B": lambda args: triton.next_power_of_2(args["N"])}', False),
        ('{"B": choose}', False),
        ("TABLE", False),
    ],
)
def test_a_heuristic_overrules_what_is_passed(values: str, shown: bool) -> None:
    decorator = f"@triton.heuristics({values})"
    assert run("kernel[(1,)](x, n, m, 64)", 64, "B", decorator=decorator) == shown


@pytest.mark.parametrize(
    ("grid", "programs"),
    [
        ("(n, 3)", "host parameter('n')"),
        ("lambda meta: (meta['M'],)", "host parameter('m')"),
        ("lambda meta: (meta['M'] * 2,)", "2*host parameter('m')"),
        ("grid", "host parameter('m')"),
        ("named", "cdiv(host parameter('n'), host parameter('b'))"),
        ("x.shape", None),
        ("more", None),
    ],
)
def test_the_grid(grid: str, programs: str | None) -> None:
    launcher = f"""
    def run(x, n, m, b):
        def grid(meta):
            return (meta["M"],)
        @twice
        def more(meta):
            return (meta["M"],)
        named = (triton.cdiv(n, b), 7)
        kernel[{grid}](x, n, m, b)
    """
    facts = facts_of(KERNEL.format(decorator="") + textwrap.dedent(launcher), "kernel")
    (binding,) = facts.launches.bindings
    found = binding.programs(ProgramId(Polynomial.constant(0)))
    assert (None if found is None else found.key) == programs
