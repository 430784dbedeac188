"""Torch, as launchers use it: what allocates, what gives views, what works in place, what casts.

Functions stand with their dotted names, methods of a tensor with the bare ones. What Triton's own
functions do is in `facts.language`. Every module that reads a launcher asks this one.
"""

from __future__ import annotations

# Sizes

EXTENTS = frozenset({"size", "stride", "numel"})
"""Methods that give the extents of a tensor, or its strides."""

SIZE_METHODS = EXTENTS | {"dim", "element_size", "nelement"}
SIZE_ATTRIBUTES = frozenset({"shape", "ndim", "itemsize"})

SIZES = SIZE_METHODS | SIZE_ATTRIBUTES
"""What a tensor says of its sizes, in numbers of Python's own."""

PROPERTIES = SIZES | {"dtype", "device", "is_cuda", "requires_grad", "layout", "data_ptr", "item"}
"""What is asked of a tensor that does not give away the tensor."""

# Allocations

_CONSTANT = ("zeros", "ones", "full")
_SIZED = ("empty", *_CONSTANT, "rand", "randn")
_RANDOM_IN_A_RANGE = "randint"

SIZED_ALLOCATIONS = frozenset(f"torch.{name}" for name in _SIZED)
"""Functions that give new memory of the sizes that they are called with first."""

ALLOCATIONS_LIKE = frozenset(f"torch.{name}_like" for name in (*_SIZED, _RANDOM_IN_A_RANGE))
"""Functions that give new memory of the sizes, and mostly the type, of the tensor they get."""

ALLOCATIONS = (
    SIZED_ALLOCATIONS
    | ALLOCATIONS_LIKE
    | {f"torch.{_RANDOM_IN_A_RANGE}", "torch.empty_strided", "torch.arange", "torch.tensor"}
)
"""Functions that give new memory, unless they are called with `out=`."""

NEW = frozenset(f"new_{name}" for name in ("empty", *_CONSTANT))
"""Methods that give new memory of the sizes that they are called with."""

ALLOCATING = NEW | {"new_tensor", "clone"}
"""Methods that give new memory."""

LEFT_UNWRITTEN = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")
"""Functions and methods, by their bare names, whose new memory holds anything."""

EMPTY = tuple(name for name in LEFT_UNWRITTEN if not name.endswith("strided"))
"""Those of them that are not told the strides: `zeros` or `full` in their names fills them."""

ZEROED = tuple(name.replace("empty", "zeros") for name in EMPTY)

FILLED = tuple(name.format(c) for c in _CONSTANT for name in ("{}", "{}_like", "new_{}"))
"""Those whose new memory holds one value."""

WITHOUT_TENSOR = frozenset(
    [*_SIZED, _RANDOM_IN_A_RANGE, "empty_strided", "Size", "arange", "linspace", "eye", "tensor"]
    + ["as_tensor", "scalar_tensor", "device", "get_default_dtype", "promote_types"]
)
"""Functions of torch, by their bare names, whose first argument is no tensor."""

# Types

DTYPES = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
    "bool": "bool",
} | {f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (64, 32, 16, 8)}
"""Triton's names of the types, by those of torch."""

DTYPE_ALIASES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "short": "int16",
    "int": "int32",
    "long": "int64",
}
"""Other names that torch has for a type."""

CASTS = {
    **{alias: DTYPES[name] for alias, name in DTYPE_ALIASES.items()},
    "bfloat16": "bf16",
    "bool": "bool",
}
"""Methods of a tensor that name the type of their result."""

JAXTYPING = {
    "Float16": "fp16",
    "BFloat16": "bf16",
    "Float32": "fp32",
    "Float64": "fp64",
    "Bool": "bool",
} | {
    f"{kind}{bits}": f"{kind.lower()}{bits}" for kind in ("Int", "UInt") for bits in (8, 16, 32, 64)
}
"""Annotations of jaxtyping that mean one type."""


def dtype_named(name: str) -> str | None:
    """Triton's name of a type of torch, `float16` or `half`; None for what is no type."""
    return DTYPES.get(DTYPE_ALIASES.get(name, name))


def letters(dtype: str) -> str:
    """The short name of a type, from Triton's: `f16`, `i32`."""
    return dtype.replace("fp", "f").replace("uint", "u").replace("int", "i")


# Views and copies

_OTHER_DIMENSIONS = frozenset(
    ["squeeze", "unsqueeze", "t", "transpose", "permute", "expand", "expand_as", "broadcast_to"]
    + ["moveaxis", "movedim", "swapaxes", "swapdims"]
)
VIEWS = _OTHER_DIMENSIONS | {"view", "view_as", "reshape", "flatten", "detach"}
"""Methods whose result begins where the tensor did. Some of them may copy."""

SLICES = frozenset(["narrow", "select", "chunk", "split", "tensor_split", "unbind"])
"""Methods whose result is a range of one dimension, or several."""

PARTS = SLICES | {"unfold", "diagonal", "as_strided"}
"""Methods whose result is a part of the tensor, or several."""

VIEW_ATTRIBUTES = frozenset({"T", "mT"})

STRIDED_VIEWS = _OTHER_DIMENSIONS | VIEW_ATTRIBUTES | {"diagonal", "narrow", "select"}
"""Functions, methods and attributes that give the same memory, always, with other dimensions."""

_MOVING = frozenset({"contiguous", "cpu", "cuda"})

MAY_BE_VIEWS = VIEWS | PARTS | {"contiguous"}
"""Methods whose result is memory of the tensor, all of it or a part, or a copy."""

ARRANGING = frozenset(
    ["cat", "concat", "stack", "hstack", "vstack", "__getitem__", "index_select", "gather"]
    + ["flip", "roll", "repeat", "tile", "reshape", "flatten", "clone", "contiguous"]
)
"""Functions and methods, by their bare names, that put the numbers of tensors into new memory as
they are, or give a view of them."""

SAME_SHAPE = _MOVING | frozenset(CASTS) | {"clone", "detach", "to"}
"""Methods whose result has the sizes of the tensor."""

SAME_TYPE = (VIEWS - {"view"}) | PARTS | _MOVING | {"clone"}
"""Methods whose result has the type of the tensor; `view` may be called with another."""

# In place

RESHAPING = frozenset(
    ["as_strided_", "resize_", "resize_as_", "set_", "squeeze_", "swapaxes_", "swapdims_", "t_"]
    + ["transpose_", "unsqueeze_", "swap_tensors", "resize_as_sparse_", "sparse_resize_"]
    + ["sparse_resize_and_clear_"]
)
"""Methods after which a tensor has other sizes, or other memory."""

REPLACING = frozenset({"set_", "swap_tensors", "resize_", "resize_as_"})
"""Those after which it may have other memory."""


def is_in_place(method: str) -> bool:
    """Whether a method changes its tensor and gives it back, as all that end like `add_` do."""
    return method.endswith("_") and not method.startswith("_")


# What changes nothing

CHECKS = frozenset(
    ["torch._check", "torch._assert"]
    + [f"torch._check_{error}" for error in ("index", "not_implemented", "type", "value")]
)
"""Functions that raise an error unless their first argument holds."""

_ARITHMETIC = (
    *("abs", "add", "addmm", "ceil", "clamp", "cos", "cumsum", "div", "exp", "floor", "log", "mul"),
    *("neg", "pow", "relu", "round", "rsqrt", "sigmoid", "sign", "sin", "sqrt", "sub", "tanh"),
    *("masked_fill", "index_add", "index_copy", "index_fill", "scatter", "scatter_add"),
    *("bitwise_and", "bitwise_or", "logical_and", "logical_not", "logical_or", "eq", "ne", "lt"),
    *("le", "gt", "ge", "fmod", "remainder", "true_divide", "lerp", "tril", "triu"),
)
METHODS = (
    frozenset(_ARITHMETIC)
    | (SIZES | VIEWS | PARTS | SAME_SHAPE | ALLOCATING)
    | frozenset(
        ["unflatten", "reshape_as", "type", "item", "tolist", "is_contiguous"]
        + ["data_ptr", "sum", "mean", "max"]
        + ["min", "amax", "amin", "argmax", "argmin", "any", "all", "prod", "var", "std", "norm"]
        + ["is_floating_point", "is_complex", "get_device", "storage_offset", "untyped_storage"]
        + ["repeat", "repeat_interleave", "roll"]
        + ["flip", "gather", "index_select", "masked_select"]
        + ["where", "sort", "argsort", "topk", "nonzero"]
        + ["matmul", "mm", "bmm", "dot", "count_nonzero", "is_same_size", "type_as"]
        + ["save_for_backward", "mark_dirty", "mark_non_differentiable", "set_materialize_grads"]
    )
)
"""Methods of a tensor, and of the context of an autograd function, that change nothing."""

_FUNCTIONS_OF = frozenset({"torch", "torch.cuda", "torch.nn.functional", "torch.backends.cuda"})
_NOT_PLAIN = frozenset(
    ["compile", "vmap", "cond", "while_loop", "set_default_device", "set_default_dtype", "load"]
    + ["make_graphed_callables"]
)


def is_plain_function(name: str) -> bool:
    """Whether a dotted name is a function of torch or triton that changes no tensor it is given."""
    module, _, function = name.rpartition(".")
    if name in ("triton.cdiv", "triton.next_power_of_2") or module == "math":
        return True
    return module in _FUNCTIONS_OF and not function.endswith("_") and function not in _NOT_PLAIN


KEPT_VALUES = frozenset({
    "view", "reshape", "permute", "transpose", "t", "contiguous", "clone", "detach", "expand",
    "expand_as", "flatten", "unsqueeze", "squeeze", "narrow", "select", "split", "chunk", "unbind",
    "cat", "concat", "stack", "hstack", "vstack", "movedim", "moveaxis", "swapaxes", "swapdims",
    "view_as", "reshape_as", "unflatten", "__getitem__", "__setitem__", "copy_", "index_select",
    "gather", "as_strided", "to", "float", "double", "half", "bfloat16", "type", "type_as", "cuda",
    "cpu", "zero_", "fill_", "empty_like", "zeros_like", "ones_like", "full_like", "new_empty",
    "new_zeros", "new_ones", "new_full", "resize_", "flip", "roll", "repeat", "tile", "diagonal",
    "alias", "ravel", "isnan", "isinf", "broadcast_to", "broadcast_tensors",
})  # fmt: skip
"""What gives the numbers that it was given, and 0 or 1 beside them, or none of them."""

WITHOUT_ARITHMETIC = (
    "empty", "zeros", "ones", "full", "new_", "view", "reshape", "as_strided", "transpose",
    "permute", "expand", "slice", "select", "squeeze", "unsqueeze", "clone", "copy", "_to_copy",
    "contiguous", "detach", "alias", "fill", "zero", "_local_scalar_dense", "lift", "arange",
    "split", "unbind", "diagonal", "resize", "set_", "scalar_tensor", "is_", "item", "unfold",
    "_reshape", "_unsafe_view", "rand", "normal", "uniform",
)  # fmt: skip
"""How the names of operators begin that move, make or look at numbers, and compute none."""
