"""How long tiles are: the places in a kernel's text that say it.

A tile with one element along an axis shows nothing of what the code does along that axis: the
element may be broadcast over any other, or reduced over the wrong one, and the result is the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_SHAPES = {
    "zeros": (0, "shape"),
    "full": (0, "shape"),
    "make_block_ptr": (4, "block_shape"),
    "make_tensor_descriptor": (3, "block_shape"),
}
"""Where functions of Triton's language are told the shape of a tile: the argument's place and name.
"""


def extents_of(call: ast.Call) -> Iterator[ast.expr]:
    """The lengths of the tile that a call makes, as far as they are not written as numbers."""
    name = ast.unparse(call.func).rpartition(".")[2]
    if name == "arange":
        from_zero = len(call.args) == 2 and ast.unparse(call.args[0]) == "0"
        shapes = call.args[1:] if from_zero else []
    else:
        place, keyword = _SHAPES.get(name, (len(call.args), ""))
        shapes = [k.value for k in call.keywords if k.arg == keyword and keyword]
        shapes += call.args[place : place + 1]
    for shape in shapes[:1]:
        lengths = shape.elts if isinstance(shape, (ast.List, ast.Tuple)) else [shape]
        yield from (n for n in lengths if not isinstance(n, (ast.Constant, ast.Starred)))
