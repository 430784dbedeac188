"""What the facts know of `triton.language`: which functions compute, which touch memory.

A function that is not named here is a call with unknown effects. Adding a name
is a claim that it is pure, so it is added only where Triton documents it so.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from tritonopt.facts.operations import Op

LANGUAGE = "triton.language."

ELEMENTWISE = frozenset(
    ["abs", "ceil", "clamp", "cos", "div_rn", "erf", "exp", "exp2", "fdiv", "floor"]
    + ["fma", "log", "log2", "rsqrt", "sigmoid", "sin", "sqrt", "sqrt_rn", "umulhi"]
)
"""Pure and lane by lane; the result has the broadcast shape of the arguments."""

OPERATORS: Mapping[str, Op] = {"minimum": Op.MINIMUM, "maximum": Op.MAXIMUM, "where": Op.WHERE}
"""Functions that are operations of values; all others are "elementwise"."""

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
    ["broadcast", "cat", "interleave", "join", "permute", "ravel", "reshape", "split"]
    + ["trans", "view", "flip", "gather"]
)
"""Pure, with a result whose shape the facts do not follow."""

REDUCTIONS = frozenset(["sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce", "reduce_or"])

SCANS = frozenset(["associative_scan", "cumprod", "cumsum", "sort", "histogram", "softmax", "topk"])

MATRIX = frozenset(["dot", "dot_scaled"])

RANDOM = frozenset(
    ["rand", "rand4x", "randint", "randint4x", "randn", "randn4x", "philox"]
    + ["pair_uniform_to_normal"]
)
"""Pure functions of a seed and an offset."""

_DESCRIPTOR = ("base", "shape", "strides", "block_shape", "padding_option")
BLOCK_POINTERS = {
    "make_block_ptr": ("base", "shape", "strides", "offsets", "block_shape", "order"),
    "advance": ("base", "offsets"),
    "make_tensor_descriptor": _DESCRIPTOR,
    "_experimental_make_tensor_descriptor": _DESCRIPTOR,
}
"""What makes or moves one, and the names of its parameters."""

ACCESSES = {
    "load": (
        *("pointer", "mask", "other", "boundary_check", "padding_option"),
        *("cache_modifier", "eviction_policy", "volatile"),
    ),
    "store": ("pointer", "value", "mask", "boundary_check", "cache_modifier", "eviction_policy"),
}
"""The names of the parameters of what loads and stores."""

HINTS = frozenset(["multiple_of", "max_contiguous", "max_constancy"])
"""The first argument, with a promise about it."""

COMPILE_TIME = frozenset(["static_assert", "static_print"])

ATOMICS = frozenset(
    f"atomic_{name}" for name in ["add", "and", "cas", "max", "min", "or", "xchg", "xor"]
)

BARRIERS = frozenset(["debug_barrier"])

GRID_ORDER = frozenset(
    f"extra.cuda.{module}{name}"
    for module in ("", "gdc.")
    for name in ("gdc_wait", "gdc_launch_dependents")
)
"""Where a kernel waits for the one launched before it, or lets the next one start.

What a load finds before such a wait and after it may differ, whoever writes to the buffer.
"""

DESCRIPTOR_LOADS = frozenset(["load_tensor_descriptor", "_experimental_descriptor_load"])
DESCRIPTOR_STORES = {
    "store_tensor_descriptor": (2, "value"),
    "_experimental_descriptor_store": (1, "value"),
}
"""Where the descriptor is the first argument, and which argument is stored."""

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
    "int1": "int1",
} | {f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (64, 32, 16, 8)}

LOOP_CALLS = frozenset({"range", "triton.language.range", "triton.language.static_range"})
COMPILE_TIME_DECORATORS = frozenset(
    ["triton.constexpr_function", "triton.language.constexpr_function"]
    + ["triton.language.core.constexpr_function", "triton.runtime.jit.constexpr_function"]
)

_COMPILE_TIME_FUNCTIONS = frozenset(
    ["triton.next_power_of_2", "triton.language.next_power_of_2", "triton.language.dtype"]
    + ["triton.language.pointer_type", "float", "int", "len"]
    + [f"{LANGUAGE}{home}_log2" for home in ("", "standard.", "core.")]
)

_QUESTIONS_OF_TYPE = frozenset(
    ["is_block", "is_bool", "is_const", "is_floating", "is_int", "is_int_signed", "is_ptr"]
    + ["is_int_unsigned", "is_standard_floating", "is_bf16", "is_fp16", "is_fp32", "is_fp64"]
    + ["is_fp8", "is_fp8e4b15", "is_fp8e4b8", "is_fp8e4nv", "is_fp8e5", "is_fp8e5b16"]
    + [f"is_{sign}int{bits}" for sign in ("", "u") for bits in (1, 8, 16, 32, 64)]
    + ["get_int_max_value", "get_int_min_value"]
)

CEILING_DIVISIONS = frozenset({"triton.language.cdiv", "triton.cdiv"})


def function(dotted: str) -> str:
    """The name below `triton.language`, without namespaces that only re-export; else ""."""
    if not dotted.startswith(LANGUAGE):
        return ""
    name = dotted[len(LANGUAGE) :]
    for prefix in ("standard.", "core."):
        name = name.removeprefix(prefix)
    return name


def is_compile_time(dotted: str) -> bool:
    """Whether a function is one of Python's, which the compiler runs on what it knows."""
    return dotted in _COMPILE_TIME_FUNCTIONS or dotted.startswith("math.")


def is_question_of_type(method: str) -> bool:
    """Whether a method of a type only asks what type it is: `x.dtype.is_fp8()`."""
    return method in _QUESTIONS_OF_TYPE


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
    return name.startswith(MATH_MODULES)


def arguments_of(
    call: ast.Call, names: Sequence[str], *receiver: ast.expr
) -> dict[str, ast.expr] | None:
    """What a call passes, by the names of the parameters; None where it is not all seen."""
    values = [*receiver, *call.args]
    given = dict(zip(names, values, strict=False))
    given |= {k.arg: k.value for k in call.keywords if k.arg is not None and k.arg in names}
    spread = any(isinstance(value, ast.Starred) for value in values)
    return None if spread or len(given) != len(values) + len(call.keywords) else given
