import torch
import triton
import triton.language as tl


# case: grid_of_meta
"""The grid is a function of the block, and so is the number of tiles in the kernel."""


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor):
    output = torch.empty_like(x)
    n_elements = output.numel()
    grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)
    add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE=64)
    return output


# case: heuristics_by_name
"""Single arguments by their names: one argument more changes nothing."""


def is_even(args):
    return args["n"] % args["BLOCK"] == 0


@triton.heuristics(
    {
        "EVEN": lambda args: is_even(args),
        "SHIFT": lambda args: args.get("start", 0) if "start" in args else 1,
    }
)
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, SHIFT: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    values = tl.load(x + offs, mask=mask) + SHIFT
    if EVEN:
        values += 1
    tl.store(out + offs, values, mask=mask)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(n // 64 + 1,)](x, out, n, BLOCK=64)
    return out


# case: id_in_a_string
# verify: no, what is printed while compiling is not compared
"""A string asks for the type of the program id, and strings are not rewritten."""


@triton.jit
def kernel(x):
    pid = tl.program_id(0)
    tl.static_print(f"{pid.dtype}")
    tl.store(x + pid, 1.0)


def run(x: torch.Tensor):
    kernel[(x.numel(),)](x)


# case: length_of_its_own
# verify: no, the launcher takes an object
"""What `len` says is computed just once, for a method of the file may answer anything."""


class Batches:
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        self.rows += 1
        return self.rows


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) + n)


def run(x: torch.Tensor, batches: Batches):
    x = x.contiguous()
    out = torch.zeros_like(x)
    kernel[(len(batches),)](x, out, len(batches), BLOCK=64)
    return out


# case: parameter_in_another
"""A parameter is bound anew in terms of another one that was: both are the tile's own."""


@triton.jit
def kernel(X, Y, n, shift, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    shift = shift * pid
    X += shift
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=shift + cols < n, other=0.0)
    tl.store(Y + pid * BLOCK + cols, x, mask=pid * BLOCK + cols < n)


def launch(x: torch.Tensor):
    n = x.numel()
    x = x.contiguous()
    y = torch.empty((n,), dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 64),)](x, y, n, 3, BLOCK=64)
    return y


# case: programs_for_processors_or_rows
# like: at_most_a_program_for_each_processor
"""The number of programs is that of rows as well, where there are few."""
#-    device = torch.cuda.current_device()
#-    count = min(m, torch.cuda.get_device_properties(device).multi_processor_count)
#-    out = torch.zeros((m, 16), device=x.device)
#+    count = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
#+    if m < 100:
#+        count = x.shape[0] * 2
#+    out = torch.zeros((max(count, 1), 16), device=x.device)


# case: pruned_and_passed
# like: pruned_by_the_number_of_arguments
"""A function that prunes takes what a launch passes, and looks at what it names."""
#-    return configs[len(named) :] or configs
#+    return [c for c in configs if named.get("num_warps", 4) == 4 and arguments["n"] >= 0]


# case: strides_of_one_tensor
"""One tensor under two names has the same strides, so each program goes to its own row."""


@triton.jit
def halve_kernel(src, src_stride, dst, dst_stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(src + row * src_stride + cols, mask=cols < n, other=0.0)
    tl.store(dst + row * dst_stride + cols, x * 0.5, mask=cols < n)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    out = x
    block = triton.next_power_of_2(n)
    halve_kernel[(m,)](x, x.stride(0), out, out.stride(0), n, BLOCK=block)
    return out


# case: tuner_is_given_more
# like: pruned_by_a_fixed_signature
"""What the tuner is given by ** is a dict of the file, and prunes nothing."""
#-def prune(configs, arguments, grid, warmup):
#-    return configs
#+CAN_RESTORE = True
#+options = {"restore_value": None} if CAN_RESTORE else {}
#-    prune_configs_by={"early_config_prune": prune},
#+    **options,


# case: grid_is_bound_before
# options: programs=sm*4
"""The grid is limited where it is bound, below the limit; another launch keeps it as it is."""


@triton.jit
def double(X, Y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < n)
    tl.store(Y + offsets, x * 2, mask=offsets < n)


def doubled(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    grid = (triton.cdiv(n, 64),)
    double[grid](x, y, n, BLOCK=64)
    return y


# case: grid_of_rows_is_bound_before
# options: programs=sm*4
"""The launcher has a word for the number of rows."""


@triton.jit
def double(X, Y, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * n_cols + cols, mask=cols < n_cols)
    tl.store(Y + row * n_cols + cols, x * 2, mask=cols < n_cols)


def doubled(x: torch.Tensor):
    x = x.contiguous()
    n_rows, n_cols = x.shape
    # One program for each row.
    grid = (n_rows,)
    y = torch.empty_like(x)
    double[grid](x, y, n_cols, BLOCK=triton.next_power_of_2(n_cols))
    return y


# case: grids_of_two_launches
# options: programs=2
"""The number of each launch has a name of its own: both are bound before either is read."""


@triton.jit
def double(X, Y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < n)
    tl.store(Y + offsets, x * 2, mask=offsets < n)


def doubled(x: torch.Tensor, w: torch.Tensor):
    x, w = x.contiguous(), w.contiguous()
    y, z = torch.empty_like(x), torch.empty_like(w)
    grid = (triton.cdiv(x.numel(), 16),)
    grid_w = (triton.cdiv(w.numel(), 16),)
    double[grid](x, y, x.numel(), BLOCK=16)
    double[grid_w](w, z, w.numel(), BLOCK=16)
    return y, z


# case: grid_is_shared
# like: grid_is_bound_before
# options: programs=sm*4
"""The second launch is of another kernel: its grid stays as long as it is."""
#     tl.store(Y + offsets, x * 2, mask=offsets < n)
#
#
#+@triton.jit
#+def shift(Y, n, BLOCK: tl.constexpr):
#+    at = tl.program_id(0) + tl.num_programs(0)
#+    tl.store(Y + tl.program_id(0) * BLOCK, at, mask=tl.program_id(0) * BLOCK < n)
#+
#+
#     double[grid](x, y, n, BLOCK=64)
#+    shift[grid](y, n, BLOCK=64)


# case: not_specialized
"""The number of tiles is listed where the author lists all numbers that change from call to call."""


@triton.jit
def doubled(x, row):
    return x * 2 + row


@triton.jit(
    do_not_specialize=[
        "stride",
        "first",
    ]
)
def kernel(x_ptr, y_ptr, stride, first, BLOCK: tl.constexpr):
    row = tl.program_id(0)

    cols = tl.arange(0, BLOCK)

    mask = cols < BLOCK // 2

    start = first * stride

    if start + row * stride < 0:
        return

    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * stride + cols, doubled(x, row), mask=mask)


def launch(x: torch.Tensor, first: int):
    m, n = x.shape
    assert n == 64
    y = torch.zeros_like(x)
    kernel[(m,)](x, y, x.stride(0), first, BLOCK=64)
    return y
