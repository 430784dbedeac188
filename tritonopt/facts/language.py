"""What the facts know of `triton.language`: which functions compute, which touch memory.

A function that is not named here is a call with unknown effects. Adding a name
is a claim that it is pure, so it is added only where Triton documents it so.
"""

from __future__ import annotations

LANGUAGE = "triton.language."

ELEMENTWISE = frozenset(
    [
        "abs",
        "ceil",
        "clamp",
        "cos",
        "div_rn",
        "erf",
        "exp",
        "exp2",
        "fdiv",
        "floor",
        "fma",
        "log",
        "log2",
        "rsqrt",
        "sigmoid",
        "sin",
        "sqrt",
        "sqrt_rn",
        "umulhi",
    ]
)
"""Pure and lane by lane; the result has the broadcast shape of the arguments."""

OPERATORS = {"minimum": "minimum", "maximum": "maximum", "where": "where"}

PARAMETERS = {
    "where": ("condition", "x", "y"),
    "minimum": ("x", "y"),
    "maximum": ("x", "y"),
    "clamp": ("x", "min", "max"),
    "fma": ("x", "y", "z"),
    "fdiv": ("x", "y"),
    "div_rn": ("x", "y"),
    "umulhi": ("x", "y"),
}
"""The operands of functions with several; those of all others are `x`."""

REDUCTION_PARAMETERS = {
    "sum": ("input", "axis", "keep_dims", "dtype"),
    "xor_sum": ("input", "axis", "keep_dims"),
    "reduce_or": ("input", "axis", "keep_dims"),
    "max": ("input", "axis", "return_indices", "return_indices_tie_break_left", "keep_dims"),
    "min": ("input", "axis", "return_indices", "return_indices_tie_break_left", "keep_dims"),
    "argmax": ("input", "axis", "tie_break_left", "keep_dims"),
    "argmin": ("input", "axis", "tie_break_left", "keep_dims"),
}

SHAPE_CHANGES = frozenset(
    [
        "broadcast",
        "cat",
        "interleave",
        "join",
        "permute",
        "ravel",
        "reshape",
        "split",
        "trans",
        "view",
        "flip",
        "gather",
    ]
)
"""Pure, with a result whose shape the facts do not follow."""

REDUCTIONS = frozenset(["sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce", "reduce_or"])

SCANS = frozenset(["associative_scan", "cumprod", "cumsum", "sort", "histogram", "softmax", "topk"])

MATRIX = frozenset(["dot", "dot_scaled"])

RANDOM = frozenset(
    [
        "rand",
        "rand4x",
        "randint",
        "randint4x",
        "randn",
        "randn4x",
        "philox",
        "pair_uniform_to_normal",
    ]
)
"""Pure functions of a seed and an offset."""

BLOCK_POINTERS = frozenset(
    ["make_block_ptr", "advance", "make_tensor_descriptor", "_experimental_make_tensor_descriptor"]
)

HINTS = frozenset(["multiple_of", "max_contiguous", "max_constancy"])
"""The first argument, with a promise about it."""

COMPILE_TIME = frozenset(["static_assert", "static_print"])

ATOMICS = frozenset(
    f"atomic_{name}" for name in ["add", "and", "cas", "max", "min", "or", "xchg", "xor"]
)

BARRIERS = frozenset(["debug_barrier"])

SOURCE_CHANGING_CALLS = frozenset(["device_print", "device_assert", "assume"])
"""No memory effect on tensors, but an order a reader can see."""

PINNED_ROUNDING = frozenset(["div_rn", "fdiv", "sqrt_rn"])
"""Chosen, as a rule, to match the bits of another library."""


MATH_MODULES = (
    "math.",
    "libdevice.",
    "extra.libdevice.",
    "extra.cuda.libdevice.",
    "extra.hip.libdevice.",
)

DTYPES = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float8e5": "fp8e5",
    "float8e4nv": "fp8e4nv",
    "int64": "int64",
    "int32": "int32",
    "int16": "int16",
    "int8": "int8",
    "int1": "int1",
    "uint64": "uint64",
    "uint32": "uint32",
    "uint16": "uint16",
    "uint8": "uint8",
}

LOOP_CALLS = frozenset({"range", "triton.language.range", "triton.language.static_range"})
CEILING_DIVISIONS = frozenset({"triton.language.cdiv", "triton.cdiv"})


def function(dotted: str) -> str:
    """The name below `triton.language`, without namespaces that only re-export; else ""."""
    if not dotted.startswith(LANGUAGE):
        return ""
    name = dotted[len(LANGUAGE) :]
    for prefix in ("standard.", "core."):
        name = name.removeprefix(prefix)
    return name


def is_method(name: str) -> bool:
    """Whether Triton offers a function of the language as a method of a tensor."""
    if name in ("to", "cast", "expand_dims", "broadcast_to", "associative_scan"):
        return True
    pure = ELEMENTWISE | REDUCTIONS | SCANS | SHAPE_CHANGES
    return name in pure or name in ATOMICS


def is_lane_by_lane(name: str) -> bool:
    """Whether a function below `triton.language` is pure and lane by lane."""
    if name in ELEMENTWISE:
        return True
    return any(name.startswith(module) for module in MATH_MODULES)
