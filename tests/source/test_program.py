"""Files that were given together: what names that are imported from one another stand for."""

from __future__ import annotations

import ast
import pickle
import textwrap
from pathlib import Path

import pytest

from tritonopt import source
from tritonopt.source import Module, Program
from tritonopt.source.launches import Elsewhere
from tritonopt.source.module import parse

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
HELPER = HEAD + "\n@triton.jit\ndef helper(x):\n    return x + 1\n"
KERNEL = HEAD + "\n@triton.jit\ndef k(X, Y, N):\n    tl.store(Y, tl.load(X))\n"


def program(tmp_path: Path, files: dict[str, str]) -> Program:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return Program([tmp_path / name for name in files])


def module(given: Program, path: Path) -> Module:
    return source.read(path.read_text(), str(path), given)


def read(tmp_path: Path, files: dict[str, str], name: str) -> Module:
    return module(program(tmp_path, files), tmp_path / name)


def last_call(found: Module) -> ast.expr:
    """What the last statement of the file calls."""
    statement = found.tree.body[-1]
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    return statement.value.func


def helper_of(tmp_path: Path, files: dict[str, str], name: str = "pkg/main.py") -> str | None:
    """Where the function that the last statement of a file calls is defined; None if unknown."""
    found = read(tmp_path, files, name)
    kernel = found.jit_function_elsewhere(last_call(found))
    if kernel is None:
        return None
    path = Path(kernel.module.path).relative_to(tmp_path)
    return f"{path.as_posix()}:{kernel.qualname}"


PACKAGE = {"pkg/__init__.py": "", "pkg/a.py": HELPER}


@pytest.mark.parametrize(
    "main",
    [
        "from pkg.a import helper\nhelper(1)\n",
        "from .a import helper\nhelper(1)\n",
        "from . import a\na.helper(1)\n",
        "from pkg import a as b\nb.helper(1)\n",
        "import pkg.a\npkg.a.helper(1)\n",
        "import pkg.a as b\nb.helper(1)\n",
        "from .a import helper as h\nh(1)\n",
        "from .a import *\nhelper(1)\n",
        "from .a import helper as h\ng = h\ng(1)\n",
        "try:\n    from .a import helper\nexcept ImportError:\n    helper = None\nhelper(1)\n",
        "if True:\n    from .a import (  # (one)\n        helper,\n    )\nhelper(1)\n",
        "from typing import TYPE_CHECKING\nfrom .a import helper\nhelper(1)\n",
    ],
)
def test_ways_to_import(tmp_path: Path, main: str) -> None:
    assert helper_of(tmp_path, {**PACKAGE, "pkg/main.py": main}) == "pkg/a.py:helper"


@pytest.mark.parametrize(
    "main",
    [
        # Another file of the same name, in no way this one.
        "from other.a import helper\nhelper(1)\n",
        "from .missing import helper\nhelper(1)\n",
        "from .a import other\nother(1)\n",
        # Bound again after it was imported.
        "from .a import helper\nhelper = print\nhelper(1)\n",
        "from .a import helper\ndef helper(x): ...\nhelper(1)\n",
        "if tl:\n    from .a import helper\nelse:\n    from .b import helper\nhelper(1)\n",
        "from .a import helper\ndef change():\n    global helper\n    helper = 1\nhelper(1)\n",
        "from .a import *\nfrom .b import *\nhelper(1)\n",
        "from .a import *\nfrom .missing import *\nhelper(1)\n",
        "from .a import *\nfrom numpy import *\nhelper(1)\n",
        "from .a import *\nhelper = print\nhelper(1)\n",
    ],
)
def test_what_is_not_sure_is_nothing(tmp_path: Path, main: str) -> None:
    files = {**PACKAGE, "pkg/b.py": HELPER, "pkg/main.py": main}
    assert helper_of(tmp_path, files) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (HELPER + "__all__ = ['helper']\n", True),
        (HELPER + "__all__ = ['other']\n", False),
        (HELPER + "__all__ = [] + []\n", False),
        (HELPER + "__all__ = ['helper']\n__all__ += ['x']\n", False),
        (HELPER.replace("def helper", "def _helper") + "\nhelper = _helper\n", True),
        (HELPER + "helper = triton.jit(helper)\n", False),
        (
            HEAD
            + "if tl:\n    @triton.jit\n    def helper(x): return x\nelse:\n    helper = None\n",
            True,
        ),
    ],
)
def test_what_a_star_brings(tmp_path: Path, text: str, found: bool) -> None:
    files = {**PACKAGE, "pkg/a.py": text, "pkg/main.py": "from .a import *\nhelper(1)\n"}
    assert (helper_of(tmp_path, files) is not None) == found


def test_a_private_name_comes_with_no_star(tmp_path: Path) -> None:
    text = HELPER.replace("helper", "_helper")
    files = {**PACKAGE, "pkg/a.py": text, "pkg/main.py": "from .a import *\n_helper(1)\n"}
    assert helper_of(tmp_path, files) is None


def test_offered_again_by_a_package(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .ops import *\n",
        "pkg/ops/__init__.py": "from pkg.ops.helper import helper\n",
        "pkg/ops/helper.py": HELPER,
        "main.py": "import pkg\npkg.helper(1)\n",
    }
    assert helper_of(tmp_path, files, "main.py") == "pkg/ops/helper.py:helper"


def test_a_name_that_is_a_module_and_something_else(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .b import helper\n",
        "pkg/b.py": HELPER,
        "pkg/helper.py": "",
        "main.py": "import pkg\npkg.helper(1)\n",
    }
    assert helper_of(tmp_path, files, "main.py") is None  # whichever was imported last


def test_cycles_end(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "from .b import helper\nfrom .main import *\n",
        "pkg/b.py": "from .a import helper\nfrom .main import *\n",
        "pkg/main.py": "from .a import *\nfrom .b import *\nfrom .a import helper\nhelper(1)\n",
    }
    assert helper_of(tmp_path, files) is None


def test_a_cycle_with_a_definition_in_it(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .a import helper\nfrom . import main\n",
        "pkg/a.py": "from . import main\n" + HELPER,
        "pkg/main.py": "from pkg import helper\nhelper(1)\n",
    }
    assert helper_of(tmp_path, files) == "pkg/a.py:helper"


@pytest.mark.parametrize(
    ("files", "sure"),
    [
        ({"src/lib/__init__.py": "", "src/lib/a.py": HELPER}, True),
        ({"lib/a.py": HELPER}, True),  # a namespace package beside the file
        ({"one/lib/__init__.py": "", "one/lib/a.py": HELPER}, True),
        (
            {
                "one/lib/__init__.py": "",
                "one/lib/a.py": HELPER,
                "two/lib/__init__.py": "",
                "two/lib/a.py": HELPER,
            },
            False,
        ),
        # A plain directory that is nowhere above the file may be anything.
        ({"elsewhere/lib/a.py": HELPER}, False),
    ],
)
def test_where_a_package_begins(tmp_path: Path, files: dict[str, str], sure: bool) -> None:
    main = {"tests/main.py": "from lib.a import helper\nhelper(1)\n"}
    if "lib/a.py" in files:
        main = {"main.py": "from lib.a import helper\nhelper(1)\n"}
    found = helper_of(tmp_path, {**files, **main}, next(iter(main)))
    assert (found is not None) == sure


def test_two_files_of_one_name(tmp_path: Path) -> None:
    files = {
        "one/utils.py": HELPER,
        "two/utils.py": HELPER,
        "one/main.py": "from utils import helper\nhelper(1)\n",
        "main.py": "from utils import helper\nhelper(1)\n",
    }
    assert helper_of(tmp_path, files, "one/main.py") == "one/utils.py:helper"
    assert helper_of(tmp_path, files, "main.py") is None


def test_the_standard_library_is_not_a_file_of_its_name(tmp_path: Path) -> None:
    files = {"math.py": HELPER, "main.py": "from math import helper\nhelper(1)\n"}
    assert helper_of(tmp_path, files, "main.py") is None


@pytest.mark.parametrize(
    "patch",
    [
        "import pkg.a\npkg.a.helper = print\n",
        "from pkg import a\na.helper = print\n",
        "from pkg import a as module\ndel module.helper\n",
        "from pkg import a\nsetattr(a, 'helper', print)\n",
        "from pkg import a\nfor m in [a]:\n    patch(m)\n",
        "import pkg.main\npkg.main.helper = print\n",
        "def f():\n    from pkg import main\n    main.helper: object = print\n",
        "import pkg.main as m\nm.helper, other = 1, 2\n",
        "import pkg.main as m\n(m.helper, other) = (1, 2)\n",
        "import pkg.main as m\nm.__dict__['helper'] = print\n",
        "import pkg\npkg.a.__setattr__('helper', print)\n",
        "import sys\nsys.modules['pkg.a'].helper = print\n",
        "import sys\nsys.modules['pkg.a'] = sys\n",
        "import importlib\nfound = importlib.import_module('pkg.a')\n",
        "import importlib\nimportlib.import_module('pkg.main').helper = print\n",
        "from unittest import mock\nmock.patch('pkg.main.helper', print).start()\n",
        "def test(monkeypatch):\n    monkeypatch.setattr('pkg.main.helper', print)\n",
        "from pkg.names import module\nmodule.helper = print\n",
        "from pkg.names import module\nsetattr(module, 'helper', print)\n",
        "from pkg import names\nsetattr(names.module, 'helper', print)\n",
        "from pkg.names import *\nsetattr(module, 'helper', print)\n",
        "import pkg\nsetattr(pkg.a, 'helper', print)\n",
        "import pkg as p\nsetattr(p.a, 'helper', print)\n",
        "import pkg.a; m = [pkg.a]\n",
        "import pkg.a\npkg.a.helper \\\n = print\n",
        "import pkg.a\n[1 for pkg.a.helper in [print]]\n",
        "import pkg.a\npkg.a.__class__ = print\n",
        "import pkg.a\nexec('pkg.a.helper = print')\n",
        "exec('import pkg.a\\npkg.a.helper = print')\n",
        "import pkg.a\nimport builtins as b\nb.exec('pkg.a.helper = print')\n",
        "from pkg import a\nexec(open('patch').read())\n",
        "from pkg import a\nrun = exec\nrun(open('patch').read())\n",
        "from pkg.a import f\nf.__globals__['helper'] = print\n",
        "from pkg.a import f\nf.__globals__.update(helper=print)\n",
        "from pkg.a import f\nf.__globals__ |= {'helper': print}\n",
        "from pkg.a import f\ninside = f.__globals__\ninside[name] = print\n",
        "from pkg.a import f\ngetattr(f, '__globals__')['helper'] = print\n",
        "from pkg.a import f\nexec('helper = print', f.__globals__)\n",
        "import sys\nsys._getframe(1).f_globals['helper'] = print\n",
        "import sys\nfrom pkg.a import f\nsys.modules[f.__module__].helper = print\n",
        "import sys\nfrom pkg.a import f\nm = sys.modules[f.__module__]\nm.helper = print\n",
        "import inspect\nfrom pkg.a import f\nsetattr(inspect.getmodule(f), 'helper', print)\n",
        "import sys\nsys.modules.update({'pkg.a': sys})\n",
        "from unittest import mock\nmock.patch.multiple('pkg.a', helper=print).start()\n",
        "from unittest import mock\nmock.patch.dict('sys.modules', {'pkg.a': mock}).start()\n",
        "from unittest.mock import patch\npatch.dict('pkg.a.__dict__', helper=print).start()\n",
        "import sys\ndef test(monkeypatch):\n    monkeypatch.setitem(sys.modules, 'pkg.a', sys)\n",
        "def test(monkeypatch):\n    monkeypatch.delattr('pkg.a.helper')\n",
        "from pkg import a\nx = a\n(1, 2)\n",
        "from pkg import a\nx = a\n...\n",
        "from pkg import(a)\nprint(a)\n",
        "# to import (all\nfrom pkg import a\nprint(a)\n#)\n",
        "from pkg \\\n  import \\\n  a\nprint(a)\n",
    ],
)
def test_a_name_that_another_file_replaces(tmp_path: Path, patch: str) -> None:
    main = {"pkg/main.py": "from .a import helper\nhelper(1)\n"}
    main["pkg/names.py"] = "from . import a as module\n"
    assert helper_of(tmp_path, {**PACKAGE, **main}) is not None
    assert helper_of(tmp_path, {**PACKAGE, **main, "patch.py": patch}) is None


@pytest.mark.parametrize(
    "patch",
    [
        "import pkg.a\npkg.a.helper.fn = print\n",
        "import pkg.a as m\nm.helper.anything = print\n",
        "from pkg.a import helper\nhelper.fn = print\n",
        "from pkg.main import helper as h\ndel h.fn\n",
        "from pkg.a import helper\nhelper.fn.__code__ = print.__code__\n",
        "from pkg.a import helper\nfor helper.fn in [print]: pass\n",
        "from pkg.a import helper\nwith open('f') as helper.fn: pass\n",
        "from pkg.a import helper\nhelper.__class__ = print\n",
        "from pkg.a import helper\nhelper.__dict__['fn'] = print\n",
        "from pkg.a import helper\nhelper.__init__(print)\n",
        "from pkg.a import helper\nhelper._unsafe_update_src('text')\n",
        "from pkg.a import helper\nvars(helper)['fn'] = print\n",
        "from pkg.a import helper\nsetattr(helper, 'fn', print)\n",
        "from pkg.a import helper\nput = setattr\nput(helper, 'fn', print)\n",
        "from pkg.a import helper\nfunctools.partial(setattr, helper)('fn', print)\n",
        "from pkg.a import helper\ngetattr(helper, '__dict__').update(fn=print)\n",
        "from pkg.a import helper\nobject.__setattr__(helper, 'fn', print)\n",
        "from pkg.a import helper\nmock.patch.object(helper, 'fn', print).start()\n",
        "from pkg.a import helper\nh = helper\nh.fn = print\n",
        "from pkg.a import helper\nfor h in [helper]:\n    h.fn = print\n",
        "from pkg.a import helper\nd = dict(h=helper)\nd['h'].fn = print\n",
        "from pkg.a import helper\nd = []\nd.append(helper)\nd[0].fn = print\n",
        "from pkg.a import helper\nclass A:\n    h = helper\nA.h.fn = print\n",
        "from pkg.a import helper\ndef f(h):\n    h.fn = print\nf(helper)\n",
        "from pkg.a import helper\nf = lambda h: setattr(h, 'fn', print)\nf(helper)\n",
        "from pkg.a import helper\nmatch helper:\n    case h:\n        h.fn = print\n",
        "from pkg.a import helper\ndef get():\n    return helper\nget().fn = print\n",
        "from pkg.again import other\nother.fn = print\n",
        "import pkg.again\npkg.again.other.fn = print\n",
    ],
)
@pytest.mark.parametrize("where", ["patch.py", "pkg/main.py"])
def test_a_function_that_is_changed_inside(tmp_path: Path, patch: str, where: str) -> None:
    files = {**PACKAGE, "pkg/main.py": "from .a import helper\n"}
    files["pkg/again.py"] = "from . import a\nother = a.helper\n"
    files[where] = files.get(where, "") + patch
    files["pkg/main.py"] += "helper(1)\n"
    assert helper_of(tmp_path, files) is None


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("BLOCK = tl.constexpr(64)\n", True),
        ("BLOCK = tl.constexpr(64)\nprint(BLOCK.value)\n", True),
        ("BLOCK = tl.constexpr(64)\nclass A:\n    def f(self, c):\n        self.value = c\n", True),
        ("BLOCK = tl.constexpr(64)\nBLOCK.value = 32\n", False),
        ("BLOCK = tl.constexpr(64)\nfor b in (BLOCK,):\n    b.value *= 2\n", False),
        ("BLOCK = tl.constexpr(64)\nobject.__setattr__(BLOCK, 'value', 32)\n", False),
        ("BLOCK = tl.constexpr(64)\nimport builtins\nbuiltins.exec('BLOCK = 32')\n", False),
        ("BLOCK = tl.constexpr(64)\nfrom builtins import globals as g\ng()['BLOCK'] = 1\n", False),
    ],
)
def test_a_constant_that_its_own_file_changes(tmp_path: Path, text: str, is_known: bool) -> None:
    found = read(tmp_path, {"a.py": HEAD + text}, "a.py")
    assert found.is_replaced("BLOCK") != is_known
    files = {"a.py": HEAD + text, "main.py": "from a import BLOCK\nuse(BLOCK)\n"}
    found = read(tmp_path, files, "main.py")
    assert (found.bound_elsewhere(ast.Name("BLOCK", ast.Load())) is not None) == is_known


@pytest.mark.parametrize(
    "patch",
    [
        "import triton.language as tl\ntl.exp = print\n",
        "from triton import language\nsetattr(language, 'exp', print)\n",
        "from unittest import mock\nmock.patch('triton.language.exp', print).start()\n",
        "import a\na.f.__globals__['tl'] = print\n",
    ],
)
def test_a_function_of_the_language_that_is_replaced(tmp_path: Path, patch: str) -> None:
    files = {"a.py": HEAD + "def f(): pass\ntl.exp(1)\n"}
    found = read(tmp_path, files, "a.py")
    assert found.resolve(last_call(found)) == "triton.language.exp"
    found = read(tmp_path, {**files, "patch.py": patch}, "a.py")
    assert found.resolve(last_call(found)) == ""


@pytest.mark.parametrize(
    "text",
    [
        "# The patch: calling language.exp'd functions raises.\n",
        'def install():\n    """Patch `triton.language.exp`, \'triton.language.exp\'."""\n',
        "print('no patch of triton.language.expm1')\n",
    ],
)
def test_a_function_of_the_language_that_is_spoken_of(tmp_path: Path, text: str) -> None:
    files = {"a.py": HEAD + "tl.exp(1)\n", "patch.py": text}
    found = read(tmp_path, files, "a.py")
    assert found.resolve(last_call(found)) == "triton.language.exp"


@pytest.mark.parametrize(
    "name", ["triton.next_power_of_2", "torch.empty_like", "math.ceil", "builtins.max"]
)
def test_a_function_of_a_library_that_is_replaced(tmp_path: Path, name: str) -> None:
    home, _, last = name.partition(".")
    spelled = last if home == "builtins" else name
    text = f"import triton, torch, math, builtins\nimport triton.language as tl\n{spelled}(1)\n"
    found = read(tmp_path, {"a.py": text}, "a.py")
    assert (found.resolve(last_call(found)) or found.builtin(last_call(found))).endswith(last)
    for patch in (f"{name} = print\n", f"setattr({home}, {last!r}, print)\n"):
        found = read(
            tmp_path, {"a.py": text.replace(f"{spelled}(1)", f"{patch}{spelled}(1)")}, "a.py"
        )
        assert found.resolve(last_call(found)) == found.builtin(last_call(found)) == ""
        if home != "builtins":
            files = {"a.py": text, "patch.py": f"import {home}\n{patch}"}
            found = read(tmp_path, files, "a.py")
            assert found.resolve(last_call(found)) == ""


@pytest.mark.parametrize(
    "patch",
    [
        "import importlib\nimportlib.import_module('a').helper = print\n",
        "import sys\nsys.modules['a'].helper = print\n",
        "import sys\nsys.modules.get('a').helper = print\n",
        "__import__('a').helper = print\n",
    ],
)
def test_a_module_that_is_found_by_its_name_in_a_string(tmp_path: Path, patch: str) -> None:
    files = {"a.py": HELPER, "main.py": "from a import helper\nhelper(1)\n"}
    harmless = "import importlib\nimportlib.import_module('a')\n"
    assert helper_of(tmp_path, {**files, "patch.py": harmless}, "main.py") is not None
    assert helper_of(tmp_path, {**files, "patch.py": patch}, "main.py") is None


@pytest.mark.parametrize("patch", ["globals()['helper'] = print", "vars()['helper'] = print"])
def test_an_import_that_is_replaced_by_its_name(tmp_path: Path, patch: str) -> None:
    files = {"a.py": HELPER, "main.py": f"from a import helper\n{patch}\nhelper(1)\n"}
    assert helper_of(tmp_path, files, "main.py") is None


@pytest.mark.parametrize(
    "other",
    [
        "class A:\n    def f(self):\n        self.helper = 1\n",
        "from pkg import b\nb.helper = 1\n",
        "from pkg.a import helper\nprint(helper)\n",
        "from pkg import a\nprint(a.helper)\n",
        "from pkg import a\nexec('x = 1')\n",
        "from pkg.a import helper\nclass A:\n    def f(self, fn):\n        self.fn = fn\n",
        "from pkg.a import helper\ndef f(tensor):\n    tensor.grad = helper.fn\n",
        "from pkg.a import f\nprint(f.__globals__['helper'])\n",
        "import sys\nprint('pkg.a' in sys.modules)\n",
    ],
)
def test_other_files_may_use_it(tmp_path: Path, other: str) -> None:
    main = {"pkg/main.py": "from .a import helper\nhelper(1)\n", "pkg/b.py": ""}
    assert helper_of(tmp_path, {**PACKAGE, **main, "other.py": other}) is not None


@pytest.mark.parametrize(
    ("shim", "resolved"),
    [
        ("from triton.language import exp\n", "triton.language.exp"),
        ("import triton.language as tl\nexp = tl.exp\n", "triton.language.exp"),
        ("from triton.language.extra import libdevice\nexp = libdevice.exp\n", "libdevice.exp"),
        (
            "import triton.language as tl\nfrom triton.language.extra import libdevice\n"
            "if hasattr(tl, 'x'):\n    exp = libdevice.exp\nelse:\n    exp = tl.exp\n",
            "exp",
        ),
        ("import triton.language as tl\nexp = tl.exp if tl else tl.exp2\n", "shim.exp"),
        ("import triton.language as tl\nexp = tl.exp\nexp = tl.log\n", "shim.exp"),
        ("from numpy import exp\n", "shim.exp"),
    ],
)
def test_other_names_for_functions_of_the_language(
    tmp_path: Path, shim: str, resolved: str
) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/shim.py": shim,
        "pkg/main.py": "from .shim import exp\nexp(1)",
    }
    found = read(tmp_path, files, "pkg/main.py")
    assert found.resolve(last_call(found)).endswith(resolved)


def test_a_file_that_stands_alone_is_as_before(tmp_path: Path) -> None:
    found = source.read("from .shim import exp\nexp(1)\n", "main.py")
    assert found.resolve(last_call(found)) == ".shim.exp"
    assert found.bound_elsewhere(last_call(found)) is None


def test_a_file_that_does_not_parse_offers_nothing(tmp_path: Path) -> None:
    files = {**PACKAGE, "pkg/a.py": "def (", "pkg/main.py": "from .a import helper\nhelper(1)\n"}
    assert helper_of(tmp_path, files) is None


def test_in_another_process_it_is_the_same(tmp_path: Path) -> None:
    given = program(tmp_path, {**PACKAGE, "pkg/main.py": "from .a import helper\nhelper(1)\n"})
    there = pickle.loads(pickle.dumps(given))
    found = module(there, tmp_path / "pkg/main.py")
    assert found.jit_function_elsewhere(last_call(found)) is not None


def test_files_are_as_they_were_given(tmp_path: Path) -> None:
    program(tmp_path, {**PACKAGE, "pkg/main.py": "from .a import helper\nhelper(1)\n"})
    given = Program(sorted(tmp_path.rglob("*.py")), keep=True)
    (tmp_path / "pkg/a.py").write_text("helper = 1\n")
    found = module(given, tmp_path / "pkg/main.py")
    assert found.jit_function_elsewhere(last_call(found)) is not None


def test_a_file_is_parsed_once(tmp_path: Path) -> None:
    given = program(tmp_path, {**PACKAGE, "pkg/main.py": "from .a import helper\nhelper(1)\n"})
    looked_at = module(given, tmp_path / "pkg/a.py")
    asked_about = given.module(str(tmp_path / "pkg/a.py"))
    assert asked_about is not None
    assert asked_about.tree is looked_at.tree
    # What others ask of it is not what it asks of others.
    assert asked_about is not looked_at
    changed = source.read(HELPER + "\nx = 1\n", looked_at.path, given)
    assert changed.tree is not looked_at.tree


@pytest.mark.parametrize(
    ("other", "parsed"),
    [
        ("from numpy import k\nk[(1,)](x, y, 1)\n", False),
        ("from pkg.b import k\nk[(1,)](x, y, 1)\n", False),
        ("from pkg.a import k\nk[(1,)](x, y, 1)\n", True),
        ("from pkg.again import k\nk[(1,)](x, y, 1)\n", True),
        ("from numpy import a\nprint(a)\n", False),
        ("from pkg import a\na.other(1)\n", False),
        ("from pkg import a\nprint(a)\n", True),
    ],
)
def test_a_file_is_parsed_where_its_imports_lead_here(
    tmp_path: Path, other: str, parsed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"pkg/a.py": KERNEL, "pkg/b.py": KERNEL, "pkg/again.py": "from .a import k\n"}
    given = program(tmp_path, {"pkg/__init__.py": "", **files, "other.py": other})
    found = module(given, tmp_path / "pkg/a.py")
    seen: list[str] = []

    def parse_and_note(text: str, path: str, inside: Program) -> Module:
        seen.append(path)
        return parse(text, path, inside)

    monkeypatch.setattr("tritonopt.source.project.program.parse", parse_and_note)
    found.uses_elsewhere(found.kernels[0])
    assert (str(tmp_path / "other.py") in seen) == parsed


# What other files do with a kernel


def elsewhere(tmp_path: Path, other: str, more: dict[str, str] | None = None) -> Elsewhere:
    files = {"pkg/__init__.py": "", "pkg/k.py": KERNEL, "pkg/other.py": other, **(more or {})}
    found = read(tmp_path, files, "pkg/k.py")
    return found.uses_elsewhere(found.kernels[0])


@pytest.mark.parametrize(
    "other",
    [
        "from .k import k\n\ndef run(x):\n    k[(1,)](x, x, 3)\n",
        "from pkg.k import k as kernel\n\ndef run(x):\n    kernel[(1,)](x, x, 3)\n",
        "from . import k as m\n\ndef run(x):\n    m.k[(1,)](x, x, 3)\n",
        "import pkg.k\n\ndef run(x):\n    pkg.k.k[(1,)](x, x, 3)\n",
        "from .k import *\n\ndef run(x):\n    k[(1,)](x, x, 3)\n",
        "def run(x):\n    from .k import k\n    k[(1,)](x, x, 3)\n",
        "from .k import k\nlaunch = k\n\ndef run(x):\n    launch[(1,)](x, x, 3)\n",
        "from .k import k\n\ndef run(x):\n    k.run(x, x, 3, grid=(1,))\n",
        "if x:\n    from .k import k\nelse:\n    k = None\n\ndef run(x):\n    k[(1,)](x, x, 3)\n",
    ],
)
def test_launches_elsewhere(tmp_path: Path, other: str) -> None:
    found = elsewhere(tmp_path, other)
    assert not found.escapes
    (launch,) = found.launches
    assert launch.is_elsewhere
    assert Path(launch.module.path).name == "other.py"
    assert launch.launcher is not None
    assert sorted(launch.arguments) == ["N", "X", "Y"]


@pytest.mark.parametrize(
    "other",
    [
        "from .k import k\ntable = {'k': k}\n",
        "from .k import k\nrun(k)\n",
        "from . import k as m\nm.k = decorate(m.k)\n",
        "from . import k as m\nregister(m)\n\ndef f(a):\n    a.b.k[(1,)](1, 2, 3)\n",
        "from . import k as m\nregister(m)\n\ndef f(a):\n    getattr(a, 'k')[(1,)](1, 2, 3)\n",
        "from . import k as m\nregister(m)\n\ndef f(a, n):\n    getattr(a, n)[(1,)](1, 2, 3)\n",
        "from . import k as m\nregister(m)\n\ndef f(a):\n    return [*vars(a).values()]\n",
        "from . import k as m\nregister(m)\n\ndef f(a):\n    return a.__dict__\n",
        "from . import k as m\nfor n in dir(m):\n    getattr(m, n)[(1,)](1, 2, 3)\n",
        "from . import k as m\ngetattr(m, 'k')[(1,)](1, 2, 3)\n",
        "from .k import k\nk = decorate(k)\n\ndef run(x):\n    k[(1,)](x, x, 3)\n",
        "if x:\n    from .k import k\nelse:\n    from .j import k\n\ndef f():\n    k[(1,)](1)\n",
        "from .missing import k\n\ndef f():\n    k[(1,)](1, 2, 3)\n",
        "from .k import *\nfrom .missing import *\n\ndef f():\n    k[(1,)](1, 2, 3)\n",
        "from .k import k\nclass A:\n    kernel = staticmethod(k)\n",
        "from .k import k\nk.cache.clear()\n",
        "from .k import k\nk.fn = print\n",
        "from .k import run\nrun.__globals__['k'] = print\n",
        "exec('from .k import run\\nk[(1,)](1, 2, 3)')\n",
    ],
)
def test_escapes_elsewhere(tmp_path: Path, other: str) -> None:
    assert elsewhere(tmp_path, other).escapes


@pytest.mark.parametrize(
    "other",
    [
        "def k(x): ...\nk(1)\nrun(k)\n",
        "from .j import k\nrun(k)\n",
        "from numpy import k\nrun(k)\n",
        "from .k import k\n",
        "from .k import k\n__all__ = ['k']\n",
        "x.k = 1\n",
        "from . import k as m\nregister(m)\n",
        "from . import k as m\nspace = Namespace(utils=m)\n",
        "import torch\nfrom . import k as m\nuse(m)\nprint(getattr(torch, name))\n",
        "from .k import k\nprint(len(k.configs), k.fn.__name__, k.best_config.kwargs['B'])\n",
        "def run(k):\n    k[(1,)](1)\n",
    ],
)
def test_what_has_nothing_to_do_with_it(tmp_path: Path, other: str) -> None:
    assert elsewhere(tmp_path, other, {"pkg/j.py": "k = 1\n"}) == Elsewhere()


def test_offered_again_by_another_name(tmp_path: Path) -> None:
    more = {
        "pkg/__init__.py": "from .k import k as copy\n",
        "user.py": "from pkg import copy as c\n\ndef run(x):\n    c[(1,)](x, x, 3)\n",
    }
    (launch,) = elsewhere(tmp_path, "", more).launches
    assert Path(launch.module.path).name == "user.py"


def test_jit_code_elsewhere_calls_it(tmp_path: Path) -> None:
    other = HEAD + "from .k import k\n\n@triton.jit\ndef outer(X):\n    k(X, X, 1)\n"
    found = elsewhere(tmp_path, other)
    assert not found.escapes
    assert found.caller is not None
    assert found.caller.name == "outer"


def test_a_kernel_of_a_class(tmp_path: Path) -> None:
    member = KERNEL.replace(
        "@triton.jit\ndef k", "class A:\n  @staticmethod\n  @triton.jit\n  def k"
    )
    files = {
        "k.py": member.replace("    tl.store", "      tl.store"),
        "other.py": "from k import A\n\ndef run(x):\n    A.k[(1,)](x, x, 3)\n",
    }
    found = read(tmp_path, files, "k.py")
    assert found.uses_elsewhere(found.kernels[0]).escapes


IN_BRANCHES = (
    HEAD
    + "if tl:\n    @triton.jit\n    def helper(x):\n        return x + 1\n"
    + "else:\n    helper = tl.exp\n"
)


def alternatives_of(tmp_path: Path, files: dict[str, str]) -> list[str]:
    """The functions one of which the last statement of the main file calls."""
    given = {"pkg/__init__.py": "", "pkg/a.py": IN_BRANCHES, **files}
    found = read(tmp_path, given, "pkg/main.py")
    assert found.jit_function_elsewhere(last_call(found)) is None  # it is none of them surely
    callees = found.alternative_callees(last_call(found))
    return [c if isinstance(c, str) else c.qualname for c in callees]


@pytest.mark.parametrize(
    "files",
    [
        {"pkg/main.py": "from .a import helper\nhelper(1)\n"},
        {"pkg/main.py": "from pkg.a import helper as h\ng = h\ng(1)\n"},
        {"pkg/main.py": "from . import a\na.helper(1)\n"},
        {"pkg/main.py": "from .b import h\nh(1)\n", "pkg/b.py": "from .a import helper as h\n"},
        {"pkg/main.py": "from .b import *\nhelper(1)\n", "pkg/b.py": "from .a import helper\n"},
        {
            "pkg/main.py": "try:\n    from .a import helper\nexcept E:\n    helper = None\n"
            "helper(1)\n"
        },
        {"pkg/main.py": IN_BRANCHES + "helper(1)\n"},
    ],
)
def test_one_of_the_branches_of_a_statement(tmp_path: Path, files: dict[str, str]) -> None:
    assert alternatives_of(tmp_path, files) == ["helper", "triton.language.exp"]


USE = {"pkg/main.py": "from .a import helper\nhelper(1)\n"}


@pytest.mark.parametrize(
    "files",
    [
        {**USE, "pkg/a.py": IN_BRANCHES + "helper = print\n"},
        {**USE, "pkg/a.py": IN_BRANCHES + "def f():\n    global helper\n    helper = print\n"},
        {**USE, "pkg/a.py": IN_BRANCHES.replace("tl.exp", "print")},
        {**USE, "pkg/a.py": IN_BRANCHES + "from .b import *\n", "pkg/b.py": "helper = 1\n"},
        {**USE, "pkg/b.py": "from . import a\na.helper = print\n"},
        {**USE, "pkg/b.py": "from . import main\nmain.helper = print\n"},
        {**USE, "pkg/b.py": "from . import a\nf(a)\n"},
        {"pkg/main.py": "from .a import helper\nhelper = print\nhelper(1)\n"},
        {"pkg/main.py": "from .a import helper\nfor helper in x: pass\nhelper(1)\n"},
        {"pkg/main.py": IN_BRANCHES + "del x\nhelper += 1\nhelper(1)\n"},
        {**USE, "pkg/a.py": HEAD + "class helper: ...\n"},
    ],
)
def test_what_is_more_than_the_branches_of_a_statement(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert alternatives_of(tmp_path, files) == []


def test_that_it_is_one_of_several_is_no_answer_to_other_questions(tmp_path: Path) -> None:
    given = {"pkg/__init__.py": "", "pkg/a.py": IN_BRANCHES, **USE}
    found = read(tmp_path, given, "pkg/main.py")
    call = last_call(found)
    assert found.alternatives(call) is not None
    assert found.program is not None
    assert found.program.meaning(call, found).only is None
    assert found.bound_elsewhere(call) is None


def test_local_names_that_stand_for_one_another(tmp_path: Path) -> None:
    text = """
        def run(helper, count):
            first = helper
            second = first
            if count:
                first = second
            first(count)
    """
    found = read(tmp_path, {"pkg/__init__.py": "", "pkg/main.py": text}, "pkg/main.py")
    (call,) = (node for node in ast.walk(found.tree) if isinstance(node, ast.Call))
    assert found.program is not None
    assert found.program.meaning(call.func, found).only is None
