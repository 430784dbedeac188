"""What launches show of the buffers they pass; everything doubtful shows nothing."""

from __future__ import annotations

import textwrap

import pytest

from tests.facts.support import IMPORTS, facts_of
from tritonopt import source
from tritonopt.facts.host.launch_evidence import Disjointness, LaunchEvidence
from tritonopt.facts.host.same_memory import may_be_one

KERNEL = """
@triton.jit
def kernel(X, Y, N):
    tl.store(Y, tl.load(X))

from elsewhere import other, prepare

TABLE = {}

def quiet(a, b):
    a.copy_(b)
    return torch.add(a, b)

def loud(a, b):
    a.data = b

"""


def evidence(launcher: str) -> LaunchEvidence:
    return facts_of(KERNEL + textwrap.dedent(launcher), "kernel").launches


def run(body: str, parameters: str = "x, out=None") -> LaunchEvidence:
    return evidence(f"def run({parameters}):\n" + textwrap.indent(textwrap.dedent(body), "    "))


def disjoint(body: str, parameters: str = "x, out=None") -> bool:
    found = run(body, parameters)
    forth, back = found.disjoint("X", "Y"), found.disjoint("Y", "X")
    assert isinstance(forth, Disjointness)
    assert forth.reason
    assert forth.disjoint == back.disjoint, "a relation of both"
    return forth.disjoint


@pytest.mark.parametrize(
    "body",
    [
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3)",
        # What happens to the memory later, or to another's, does not matter.
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3)\nprepare(y, x)",
        "prepare(x)\ny = torch.empty(3)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nprepare(y.shape, y.device, len(y))\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nquiet(y, x)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nother[(1,)](y, x)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\ny.zero_()\ny.copy_(x)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nboth = [y]\nkernel[(1,)](x, y, 3)\nprepare(both)",
        "y = torch.empty_like(x)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty_like(x)\nkernel[(1,)](X=x, N=3, Y=y)",
        "y = torch.zeros(3, device=x.device)\nkernel[(1,)](x, y, 3)",
        "y = x.new_empty(3)\nkernel[(1,)](x, y, 3)",
        "y = x.clone()\nkernel[(1,)](x, y, 3)",
        "y: torch.Tensor = torch.empty_like(x)\nkernel[(1,)](x, y, 3)",
        "kernel[(1,)](x, torch.empty_like(x), 3)",
        "x = x.contiguous()\ny = torch.empty_like(x)\nkernel[(1,)](x, y, 3)",
        "x = x.view(-1, 4)\ny = torch.empty_like(x)\nkernel[(1,)](x, y.view(-1), 3)",
        "y = torch.empty_like(x)\nz = y.t()\nkernel[(1,)](x, z, 3)",
        "y = torch.empty_like(x)\nw = torch.empty_like(x)\nkernel[(1,)](w, y, 3)",
        "y = torch.empty(3) if x.is_cuda else None\nkernel[(1,)](x, None, 3)",
        "a = prepare(x)\ny = torch.empty_like(x)\nkernel[(1,)](a, y, 3)",
        "a, b = x.shape\ny = torch.empty_like(x)\nkernel[(a,)](x, y, b)",
        "for i in range(3):\n    y = torch.empty_like(x)\n    kernel[(1,)](x, y, 3)",
    ],
)
def test_own_memory_overlaps_nothing_else(body: str) -> None:
    assert disjoint(body)


@pytest.mark.parametrize(
    "body",
    [
        "kernel[(1,)](x, out, 3)",
        "kernel[(1,)](x, x, 3)",
        "kernel[(1,)](x, x.view(-1), 3)",
        "y = x.view(-1)\nkernel[(1,)](x, y, 3)",
        "y = x\nkernel[(1,)](x, y, 3)",
        "y = torch.empty_like(x)\nz = y.view(-1)\nkernel[(1,)](z, y, 3)",
        "y = torch.empty_like(x)\nx = y\nkernel[(1,)](x, y, 3)",
        "y = torch.empty_like(x)\nx = y[1:]\nkernel[(1,)](x, y, 3)",
        "y = out if out is not None else torch.empty_like(x)\nkernel[(1,)](x, y, 3)",
        "if out is None:\n    out = torch.empty_like(x)\nkernel[(1,)](x, out, 3)",
        "y = torch.empty_like(x)\nif N:\n    y = x\nkernel[(1,)](x, y, 3)",
        "y = z = torch.empty_like(x)\nkernel[(1,)](z, y, 3)",
        "y = torch.empty(3, out=x)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3, **options)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty_like(x)\ny += 1\nkernel[(1,)](x, y, 3)",
        "y = get(x)\nkernel[(1,)](x, y, 3)",
        "y = self.buffer\nkernel[(1,)](x, y, 3)",
        "y = torch.empty_like(x)\nself.y = y\nkernel[(1,)](self.y, y, 3)",
        "y = torch.empty_like(x)\nboth = [y]\nkernel[(1,)](both[0], y, 3)",
        "y = torch.empty_like(x)\na = wrap(y)\nkernel[(1,)](a, y, 3)",
        "y = torch.empty_like(x)\nx.data = y\nkernel[(1,)](x, y, 3)",
        "y = torch.empty_like(x)\nx.set_(y)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty_like(x)\nwith c() as y:\n    kernel[(1,)](x, y, 3)",
        "y = torch.empty_like(x)\nfor y in x:\n    kernel[(1,)](x, y, 3)",
        "y = torch.empty_like(x)\na = x\nfor i in 1, 2:\n    kernel[(1,)](a, y, 3)\n    a = y",
        "global y\ny = torch.empty_like(x)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty_like(x)\n(y := x)\nkernel[(1,)](x, y, 3)",
        "y = x.empty_like()\nkernel[(1,)](x, y, 3)",
        "y = torch.as_strided(x, (3,), (1,))\nkernel[(1,)](x, y, 3)",
        "y = torch.empty_like(x)\nkernel[(1,)](x, y, 3)\nkernel[(1,)](x, x, 3)",
        "kernel[(1,)](x, N=3)",
        # Code that is not known may put other memory behind it.
        "y = torch.empty(3)\nprepare(y, x)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nloud(y, x)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nx.prepare(y)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nTABLE[x](y)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nz = y\nprepare(z)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nz = y\nprepare(y)\nkernel[(1,)](x, z, 3)",
        "y = torch.empty(3)\nboth = [y]\nprepare(both)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nx.y = y\nprepare()\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nprepare(lambda: y)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nwith prepare(y):\n    kernel[(1,)](x, y, 3)",
        "kernel[(1,)](x, y := torch.empty(3), prepare(y))",
        "y = torch.empty(3)\nkernel[(1,)](x, y, prepare(y))",
        "y = torch.empty(3)\nfor i in range(3):\n    kernel[(1,)](x, y, 3)\n    prepare(y)",
        "y = torch.empty(3)\nyield y\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\ny.resize_as_(x)\nkernel[(1,)](x, y, 3)",
    ],
)
def test_what_may_overlap(body: str) -> None:
    assert not disjoint(body)


@pytest.mark.parametrize(
    "body",
    [
        "y, z = torch.empty_like(x), 3\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3)\ny = x",
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3)\ny = y.sum(0)\nreturn y",
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3)\ny += 1",
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3)\ny, z = x, y",
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3)\ndel y",
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3); y = x",
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3)\nfor y in x:\n    pass",
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3)\nx = y",
        "y = x\ny = torch.empty(3)\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nz = y\ny = torch.empty(3)\nkernel[(1,)](z, y, 3)",
        "if N:\n    y = torch.empty(3)\n    kernel[(1,)](x, y, 3)\nelse:\n    y = x",
        "if N:\n    y = x\nelse:\n    y = torch.empty(3)\n    kernel[(1,)](x, y, 3)",
        "match N:\n    case 1:\n        y = x\n    case _:\n        y = torch.empty(3)\n"
        "        kernel[(1,)](x, y, 3)",
        "if N:\n    y = torch.empty(3)\nelse:\n    y = torch.ones(3)\nkernel[(1,)](x, y, 3)\ny = x",
        "for i in x:\n    y = torch.empty(3)\n    kernel[(1,)](x, y, 3)\n    y = x",
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3)\nfor i in range(3):\n    y = x",
        "try:\n    y = torch.empty(3)\n    kernel[(1,)](x, y, 3)\nfinally:\n    y = x",
        "y = torch.empty(3)\ntry:\n    kernel[(1,)](x, y, 3)\nexcept E:\n    y = x",
        "with c():\n    y = torch.empty(3)\n    kernel[(1,)](x, y, 3)\ny = x",
        "a, b = x\nfor i in out:\n    y = torch.empty(3)\n    kernel[(1,)](a, y, 3)\n    y = a",
        "try:\n    a = prepare(x)\nexcept E:\n    raise E()\ny = torch.empty(3)\n"
        "kernel[(1,)](a, y, 3)",
    ],
)
def test_what_a_name_holds_after_the_launch_does_not_matter(body: str) -> None:
    assert disjoint(body)


@pytest.mark.parametrize(
    "body",
    [
        # A later statement of a loop comes before the launch of the next iteration.
        "y = torch.empty(3)\nfor i in x:\n    kernel[(1,)](x, y, 3)\n    y = x",
        "y = torch.empty(3)\nwhile N:\n    kernel[(1,)](x, y, 3)\n    if out:\n        y = x",
        "y = torch.empty(3)\nwhile kernel[(1,)](x, y, 3):\n    y = x",
        "for i in x:\n    y = torch.empty(3)\n    for j in x:\n        kernel[(1,)](x, y, 3)\n"
        "        y = x",
        "for i in x:\n    if i:\n        y = torch.empty(3)\n    else:\n        y = x\n"
        "    kernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nfor i in x:\n    if i:\n        y = x\n    else:\n"
        "        kernel[(1,)](x, y, 3)",
        "a = x\nfor i in x:\n    y = torch.empty(3)\n    kernel[(1,)](a, y, 3)\n    a = y",
        "for i in x:\n    y = torch.empty(3)\n    kernel[(1,)](a, y, 3)\n    a = y",
        "a, b = torch.empty(3), x\na, b = b, a\nkernel[(1,)](x, a, 3)",
        # What may have run before the launch, and may not.
        "y = torch.empty(3)\nif N:\n    y = x\nkernel[(1,)](x, y, 3)\ny = torch.empty(3)",
        "try:\n    y = x\n    prepare()\n    y = torch.empty(3)\nexcept E:\n"
        "    kernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\ntry:\n    y = x\nfinally:\n    kernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\ntry:\n    prepare()\nexcept E:\n    y = x\nkernel[(1,)](x, y, 3)",
        "y = x\ntry:\n    prepare()\n    y = torch.empty(3)\nexcept E:\n    pass\n"
        "kernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nkernel[(1,)](x, y, 3) if (y := x) else None",
        "kernel[(1,)](x, y, 3) if (y := x) else None\ny = torch.empty(3)",
        "y = torch.empty(3)\nz = [y := x]\nkernel[(1,)](x, y, 3)",
        "y = torch.empty(3)\nwith prepare(x) as y:\n    kernel[(1,)](x, y, 3)",
        # In place, it is what it was.
        "y = x\ny += 1\nkernel[(1,)](x, y, 3)",
        "y = x\nz = torch.empty(3)\nkernel[(1,)](x, y, 3)\ny = z",
        "y = torch.empty(3)\nz = y\ny = torch.zeros(3)\nkernel[(1,)](z, z, 3)",
        "y = torch.empty(3)\nz = y\nif N:\n    y = torch.zeros(3)\nkernel[(1,)](z, y, 3)",
        # An inner function may run before the launch.
        "y = torch.empty(3)\ndef swap():\n    nonlocal y\n    y = x\nswap()\nkernel[(1,)](x, y, 3)",
        "def swap():\n    nonlocal y\n    y = x\ny = torch.empty(3)\nswap()\n"
        "kernel[(1,)](x, y, 3)\ny = torch.empty(3)",
    ],
)
def test_what_a_name_may_hold_at_the_launch_does(body: str) -> None:
    assert not disjoint(body)


def test_a_name_that_is_rebound_by_somebody_else() -> None:
    assert (
        not evidence(
            """
        WORK = None

        def change(y):
            global WORK
            WORK = y

        def run(x):
            y = torch.empty_like(x)
            change(y)
            kernel[(1,)](WORK, y, 3)
        """
        )
        .disjoint("X", "Y")
        .disjoint
    )


def test_a_name_of_an_inner_function() -> None:
    assert (
        not evidence(
            """
        def run(x):
            a = x
            def swap():
                nonlocal a
                a = y
            y = torch.empty_like(x)
            swap()
            kernel[(1,)](a, y, 3)
        """
        )
        .disjoint("X", "Y")
        .disjoint
    )


def test_another_torch() -> None:
    assert (
        not evidence(
            """
        def run(x, torch):
            y = torch.empty_like(x)
            kernel[(1,)](x, y, 3)
        """
        )
        .disjoint("X", "Y")
        .disjoint
    )


def test_every_launch_must_show_it() -> None:
    good = "def f(x):\n    y = torch.empty_like(x)\n    kernel[(1,)](x, y, 3)\n"
    bad = "def g(x, y):\n    kernel[(1,)](x, y, 3)\n"
    assert evidence(good + good.replace("f(x)", "h(x)")).disjoint("X", "Y").disjoint
    assert not evidence(good + bad).disjoint("X", "Y").disjoint
    assert not evidence(bad + good).disjoint("X", "Y").disjoint


@pytest.mark.parametrize(
    ("launcher", "why"),
    [
        ("", "no launch"),
        ("def run(x):\n    kernel[(1,)](*x)\n", "hides its arguments"),
        ("def run(x):\n    kernel[(1,)](**x)\n", "hides its arguments"),
        ("y = torch.empty(3)\nkernel[(1,)](y, y, 3)\n", "outside of any function"),
        ("def run(x, y):\n    kernel[(1,)](x, y, 3)\n\nALL = [kernel]\n", "is not only launched"),
        (
            "def run(x, y):\n    kernel[(1,)](x, y, 3)\n    return kernel\n",
            "is not only launched",
        ),
        ("def run(x, y):\n    kernel[(1,)](x, y, 3)\n    go(kernel)\n", "is not only launched"),
        (
            "k = triton.autotune([], [])(kernel)\n"
            "def run(x):\n    y = torch.empty(3)\n    k[(1,)](x, y, 3)\n",
            "chooses arguments",
        ),
        ("def run(x):\n    return lambda y: kernel[(1,)](x, y, 3)\n", "lambda"),
    ],
)
def test_why_there_is_no_evidence(launcher: str, why: str) -> None:
    found = evidence(launcher)
    assert why in found.unknown
    assert not found.disjoint("X", "Y").disjoint
    assert found.disjoint("X", "Y").reason == found.unknown
    assert not found.equal("X", "Y")


@pytest.mark.parametrize(
    ("body", "equal"),
    [
        ("kernel[(1,)](x, x, 3)", True),
        ("kernel[(1,)](self.x, self.x, 3)", False),
        ("kernel[(1,)](x, x, 3)\nkernel[(2,)](out, out, 3)", True),
        ("kernel[(1,)](x, out, 3)", False),
        ("kernel[(1,)](x, x, 3)\nkernel[(2,)](x, out, 3)", False),
        ("kernel[(1,)](f(x), f(x), 3)", False),
        ("kernel[(1,)](x.view(-1), x.view(-1), 3)", False),
        ("kernel[(1,)](x, N=3)", False),
        ("kernel[(1,)](x, x, x := out)", False),
        ("kernel[(1,)](x.shape[0], x.shape[0], 3)", True),
        ("kernel[(1,)](x.shape[0], x.shape[0], x.t_())", False),
        ("kernel[(1,)](x.shape[0], x.shape[0], prepare(x))", False),
        ("kernel[(1,)](x, x, prepare(x))", True),
    ],
)
def test_the_same_tensor_twice(body: str, equal: bool) -> None:
    assert run(body).equal("X", "Y") is equal


def test_launches_of_other_kernels_say_nothing() -> None:
    found = evidence(
        """
        @triton.jit
        def other(X, Y, N):
            kernel(X, Y, N)

        def run(x):
            other[(1,)](x, x, 3)
        """
    )
    assert found.launches == ()
    assert found.unknown


def test_a_kernel_that_is_a_helper_too() -> None:
    # A rewrite of it changes what the other kernel does, with buffers that nobody looked at.
    found = evidence(
        """
        @triton.jit
        def other(X, N):
            kernel(X, X, N)

        def run(x):
            y = torch.empty_like(x)
            kernel[(1,)](x, y, 3)
            other[(1,)](x, 3)
        """
    )
    assert "other also calls kernel" in found.unknown


@pytest.mark.parametrize(
    "passed",
    [
        "x[1:], x[:-1]",
        "x, x[1:]",
        "x[0], x",
        "x[:n], x[m:]",
        "x[:2], x[1:3]",
        "x[-1], x[1]",
        "x[0], x[None, 1]",
        "x[..., :n], x[n:, ...]",
        "x.view(-1)[1:], x",
        "x.narrow(0, 1, n), x",
        "x.chunk(2)[1], x.T",
        "a, x",
        "a, b",
        "c, x[:-1]",
        "x.cache[1:], x.cache[:-1]",
        "x.cache['k'][1:], x.cache['k']",
    ],
)
def test_parts_of_one_tensor_may_overlap(passed: str) -> None:
    made = "a = x[1:]\nb = x[:-1]\nc = a if n else a.view(-1)\nc = a\n"
    found = run(f"{made}kernel[(1,)]({passed}, 3)", "x, n, m")
    assert found.overlap("X", "Y") == found.overlap("Y", "X") == "line 26"
    assert not found.disjoint("X", "Y").disjoint
    assert "passes parts of one tensor for both" in found.disjoint("X", "Y").reason


@pytest.mark.parametrize(
    "passed",
    [
        "x, x",
        "x, x.view(-1)",
        "x, x.T",
        "x[0], x[1]",
        "x[:, -1], x[:, -2]",
        "x[:n], x[n:]",
        "x[..., :4], x[..., 4:]",
        "x.chunk(2)[0], x.chunk(2)[1]",
        "x.cache['k'], x.cache['v']",
        "x.keys[1:], x.values[1:]",
        "x[1:], y[:-1]",
        "a, a",
        "a, torch.empty_like(x)",
    ],
)
def test_one_buffer_or_parts_that_share_nothing(passed: str) -> None:
    made = "a = x[1:]\n"
    assert not run(f"{made}kernel[(1,)]({passed}, 3)", "x, y, n").overlap("X", "Y")


@pytest.mark.parametrize(
    ("made", "passed", "one"),
    [
        ("", "x, x", True),
        ("", "x, n", False),
        ("", "x if n else m, x", True),
        ("", "(n or x), x", True),
        ("", "(y := x), x", True),
        ("", "x.data, x", True),
        ("", "x.grad, x", False),
        ("", "x.add_(1), x", True),
        ("", "torch.reshape(x, (3,)), x", True),
        ("", "torch.add(x, n), x", False),
        ("", "prepare(x), x", False),
        ("", "x[0], x", True),
        ("", "x['a'], x", False),
        ("d = {'a': x, 'b': n}", "d['a'], x", True),
        ("d = {'a': x, 'b': n}", "d['b'], x", False),
        ("d = {**n, 'b': m}", "d['c'], n", True),
        ("d = {}; d['a'] = x", "d['a'], x", True),
        ("d = dict(a=x, b=n)", "d['a'], x", True),
        ("d = dict(a=x, b=n)", "d['b'], x", False),
        ("d = [x, n]", "d[-2], x", True),
        ("d = [x, n]", "d[1], x", False),
        ("d = [x, n]", "d[m], x", True),
        ("m.y = x", "m.y, x", True),
        ("m.y = x", "m.z, x", False),
        ("y = torch.empty(3); z = y", "y, z", True),
    ],
)
def test_two_arguments_that_may_come_from_one_tensor(made: str, passed: str, one: bool) -> None:
    text = f"{IMPORTS}{KERNEL}def run(x, n, m):\n    {made}\n    kernel[(1,)]({passed}, 3)\n"
    launch = source.read(text).launches[-1]
    mine, theirs = launch.call.args[:2]
    assert may_be_one(launch, mine, theirs) is may_be_one(launch, theirs, mine) is one


def test_what_the_file_itself_launches_is_named_alike_or_not() -> None:
    module = source.read(f"{IMPORTS}{KERNEL}kernel[(1,)](A, A, 3)\nkernel[(1,)](A, B, 3)\n")
    same, other = (may_be_one(a, *a.call.args[:2]) for a in module.launches[-2:])
    assert same and not other
