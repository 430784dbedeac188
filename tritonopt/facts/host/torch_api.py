"""What functions and methods of torch do to the tensors that a launcher holds."""

from __future__ import annotations

SIZES = frozenset(
    ["shape", "size", "numel", "stride", "dim", "ndim", "element_size", "itemsize", "nelement"]
)
"""What a tensor says of its sizes, in numbers of Python's own."""

PROPERTIES = SIZES | {"dtype", "device", "is_cuda", "requires_grad", "layout", "data_ptr", "item"}
"""What is asked of a tensor that does not give away the tensor."""

ALLOCATING = frozenset({"new_empty", "new_zeros", "new_ones", "new_full", "new_tensor", "clone"})
"""Methods whose result is new memory."""

RESHAPING = frozenset(
    ["as_strided_", "resize_", "resize_as_", "set_", "squeeze_", "swapaxes_", "swapdims_", "t_"]
    + ["transpose_", "unsqueeze_", "swap_tensors", "resize_as_sparse_", "sparse_resize_"]
    + ["sparse_resize_and_clear_"]
)
"""Methods after which a tensor has other sizes, or other memory."""

REPLACING = frozenset({"set_", "swap_tensors", "resize_", "resize_as_"})
"""Those after which it may have other memory."""

_ARITHMETIC = (
    *("abs", "add", "addmm", "ceil", "clamp", "cos", "cumsum", "div", "exp", "floor", "log", "mul"),
    *("neg", "pow", "relu", "round", "rsqrt", "sigmoid", "sign", "sin", "sqrt", "sub", "tanh"),
    *("masked_fill", "index_add", "index_copy", "index_fill", "scatter", "scatter_add"),
    *("bitwise_and", "bitwise_or", "logical_and", "logical_not", "logical_or", "eq", "ne", "lt"),
    *("le", "gt", "ge", "fmod", "remainder", "true_divide", "lerp", "tril", "triu"),
)
METHODS = (
    frozenset(_ARITHMETIC)
    | SIZES
    | frozenset(
        ["view", "reshape", "squeeze", "unsqueeze", "flatten", "unflatten", "t", "transpose"]
        + ["permute", "expand", "expand_as", "contiguous", "view_as", "reshape_as", "detach"]
        + ["narrow", "select", "clone", "to", "float", "half", "bfloat16", "double", "int", "long"]
        + ["short", "bool", "type", "cpu", "cuda", "item", "tolist", "is_contiguous", "data_ptr"]
        + ["new_empty", "new_zeros", "new_ones", "new_full", "new_tensor", "sum", "mean", "max"]
        + ["min", "amax", "amin", "argmax", "argmin", "any", "all", "prod", "var", "std", "norm"]
        + ["is_floating_point", "is_complex", "get_device", "storage_offset", "untyped_storage"]
        + ["broadcast_to", "chunk", "split", "unbind", "repeat", "repeat_interleave", "roll"]
        + ["flip", "gather", "index_select", "masked_select", "movedim", "swapaxes", "swapdims"]
        + ["as_strided", "unfold", "diagonal", "where", "sort", "argsort", "topk", "nonzero"]
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
