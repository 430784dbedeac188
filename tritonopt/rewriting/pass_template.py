"""What `tritonopt new-pass` lays out: a pass that does something small, and its cases.

`{name}` and `{class_name}` are the new pass. As it stands it rewrites, declines, and has a page and
cases of both kinds, so that its author replaces one part after the other and stays at green.
"""

from __future__ import annotations

from collections.abc import Mapping

PASS = '''\
"""`tl.load(X + 0)` is `tl.load(X)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted
from tritonopt.emit.writing import comments_in
from tritonopt.facts import KernelFacts
from tritonopt.facts.language import function
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change, ReplaceExpression
from tritonopt.source.trees import walk


@dataclass(frozen=True)
class {class_name}(Pass):
    """Drop the `+ 0` in the address of a load or a store.

    ## What it does

    `tl.load(X + 0)` and `tl.store(X + 0, value)` are written without the `+ 0`.

    ## Why

    It reads better; the compiler drops it by itself.

    ## Conditions

    A name and the integer 0 are added where a load or a store takes its address, so the name is a
    pointer. No comment stands between them, and what gives the 0 does nothing else.

    ## Numerics

    Exact, and the same bits: the address is the same.

    ## Example

    ```python
    var = tl.load(X + 0)
    ```

    becomes

    ```python
    var = tl.load(X)
    ```

    ## Measured

    Not measured.
    """

    name: ClassVar[str] = "{name}"
    summary: ClassVar[str] = "drop the + 0 in the address of a load or a store"

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        for node in facts.kernel.nodes:
            if isinstance(node, ast.Call):
                match node.args:
                    case [ast.BinOp() as address, *_] if _is_address(facts, node, address):
                        yield _site(facts, address)


def _is_address(facts: KernelFacts, call: ast.Call, address: ast.BinOp) -> bool:
    """Whether a load or a store takes a name plus 0 for its address."""
    called = function(facts.kernel.module.resolve(call.func))
    added = facts.values.get(address.right)
    return (
        called in ("load", "store")
        and isinstance(address.left, ast.Name)
        and isinstance(address.op, ast.Add)
        and added is not None
        and type(added.constant) is int
        and added.constant == 0
    )


def _site(facts: KernelFacts, address: ast.BinOp) -> Site:
    """The site, with the conditions up to the first that does not hold."""
    attempt = Attempt()
    changes: tuple[Change, ...] = ()
    text = facts.kernel.module.text_of
    message = f"dropped the `+ 0` in `{{ast.unparse(address)}}`"
    with attempt:
        if comments_in(text(address)):
            lost = "a comment inside would be lost"
            raise refuted("nothing-else-is-lost", "comment-inside", lost)
        if not facts.effect_nodes.isdisjoint(walk(address.right)):
            # The call of a helper has the value of what the helper returns, whatever else it does.
            raise refuted("nothing-else-is-lost", "effect-inside", "what gives the 0 does more")
        attempt.prove("nothing-else-is-lost", "neither a comment nor an effect stands inside")
        changes = (ReplaceExpression(address, text(address.left)),)
    if attempt.failed is not None:
        message = f"kept `{{ast.unparse(address)}}`: {{attempt.failed.detail}}"
    return Site(address, attempt.conditions, message, changes=changes)
'''

_IMPORTS = """\
import torch
import triton
import triton.language as tl
"""

_CASE = '''

# case: {name}
{expectation}"""{sentence}"""

{helper}
@triton.jit
def kernel(X, Scale, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    scale = tl.load({address})
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + cols, x * scale, mask=cols < N)


# tritonopt: x: f32[n], scale: f32[1]
def run(x: torch.Tensor, scale: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, scale, y, n, BLOCK=32)
    return y
'''

_HELPER = """
@triton.jit
def marked(Y):
    tl.store(Y, 0.0)
    return 0

"""

_DIFFERENCE = """\
--- first_element
+++ first_element
@@ -10,3 +10,3 @@
     cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
-    scale = tl.load(Scale + 0)
+    scale = tl.load(Scale)
     x = tl.load(X + cols, mask=cols < N, other=0.0)
"""

CASES: Mapping[str, str] = {
    "rewritten.py": _IMPORTS
    + _CASE.format(
        name="first_element",
        expectation="",
        sentence="The scale is the first element of its tensor.",
        helper="",
        address="Scale + 0",
    ),
    "rewritten.diff": _DIFFERENCE,
    "not_applied.py": _IMPORTS
    + _CASE.format(
        name="comment_inside",
        expectation="# expect: not applied, comment-inside\n",
        sentence="Somebody says why the 0 is there.",
        helper="",
        address="\n        Scale  # the one for the whole tensor\n        + 0\n    ",
    )
    + _CASE.format(
        name="helper_stores",
        expectation="# expect: not applied, effect-inside\n",
        sentence="What returns the 0 stores something first.",
        helper=_HELPER,
        address="Scale + marked(Y)",
    ),
}
"""The suites of the pass by file name: a case that is rewritten, and two that are not."""
