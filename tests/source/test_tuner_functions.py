"""What tuners and heuristics call with all arguments of a launch: one more must not matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt import source
from tritonopt.source import Program
from tritonopt.source.tuner_functions import counting_use

HEAD = """import triton
from elsewhere import SETTINGS, check, settings

def by_name(args):
    return args["N"] % 16 == 0

def all_of_it(args):
    return len(args)

@check
def decorated(args):
    return args["N"]

TABLE = {"EVEN": by_name}

"""


def counted(decorator: str) -> str:
    """Whether an argument more is counted: "seen", "unseen", or "" for no."""
    (kernel,) = source.read(f"{HEAD}@{decorator}\n@triton.jit\ndef k(X, N): pass\n").kernels
    return said(kernel)


def said(kernel: source.Kernel) -> str:
    use = counting_use(kernel)
    return "" if use is None else "seen" if use.is_seen else "unseen"


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ("triton.heuristics({'EVEN': by_name, 'C': lambda args: args.get('C', 1)})", ""),
        ("triton.heuristics(TABLE)", ""),
        ("triton.heuristics(values={**TABLE, 'C': by_name})", ""),
        ("triton.heuristics({'EVEN': lambda args: by_name(args)})", ""),
        ("triton.heuristics({'C': all_of_it})", "seen"),
        ("triton.heuristics({'C': lambda args: all_of_it(args)})", "seen"),
        ("triton.heuristics({'C': lambda *args: len(args[0])})", "seen"),
        ("triton.heuristics({'C': check, 'D': all_of_it})", "seen"),
        ("triton.heuristics({'C': check})", "unseen"),
        ("triton.heuristics({'C': decorated})", "unseen"),
        ("triton.heuristics({'C': partial(by_name)})", "unseen"),
        ("triton.heuristics(SETTINGS)", "unseen"),
        ("triton.heuristics({**SETTINGS, 'EVEN': by_name})", "unseen"),
        ("triton.heuristics(settings('k'))", "unseen"),
        ("triton.autotune([triton.Config({})], key=['N'], pre_hook=None)", ""),
        ("triton.autotune([triton.Config({}, pre_hook=all_of_it)], key=['N'])", "seen"),
        ("triton.autotune([triton.Config({}, pre_hook=check)], key=['N'])", "unseen"),
    ],
)
def test_functions_of_a_tuner(decorator: str, expected: str) -> None:
    assert counted(decorator) == expected


@pytest.mark.parametrize(
    ("function", "expected"), [("args['N'] > 8", ""), ("len(args)", "seen"), ("f(args)", "seen")]
)
def test_functions_of_a_file_that_was_given(tmp_path: Path, function: str, expected: str) -> None:
    table = tmp_path / "settings.py"
    table.write_text(f"TABLE = {{'C': lambda args: {function}}}\n")
    path = tmp_path / "main.py"
    path.write_text(
        "import triton\nfrom settings import TABLE\n\n"
        "@triton.heuristics(TABLE)\n@triton.jit\ndef k(X, N): pass\n"
    )
    given = Program([path, table])
    (kernel,) = source.read(path.read_text(), str(path), given).kernels
    assert said(kernel) == expected
