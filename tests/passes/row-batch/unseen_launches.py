import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)


# case: arguments_in_a_list_that_grows
# expect: not applied, unseen-launches
"""A list that something else is done with may hold any number of arguments."""
# shared: kernel


def centered(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    sizes = [x.stride(0)]
    sizes.append(n)
    kernel[(m,)](x, y, *sizes, BLOCK=triton.next_power_of_2(n))
    return y


# case: called_by_a_kernel
# expect: not applied, unseen-launches
"""Another kernel calls it, with a row of its own."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


@triton.jit
def twice(X, Y, stride, N, BLOCK: tl.constexpr):
    kernel(X, Y, stride, N, BLOCK)
    kernel(Y, Y, stride, N, BLOCK)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


def run_twice(x: torch.Tensor):
    y = torch.empty_like(x)
    twice[(x.shape[0],)](x, y, x.stride(0), x.shape[1], BLOCK=64)
    return y


# case: default_in_a_dict
# expect: not applied, unseen-launches
"""A dictionary may hold another value for a parameter that has a default."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr = 64):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)


def centered(x: torch.Tensor, options: dict):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, **options)
    return y


# case: kernel_of_an_object_handed_on
# expect: not applied, unseen-launches
"""An object keeps the kernel, and whoever asks for it gets it."""
# shared: kernel


class Centering:
    def __init__(self):
        self.kernel = kernel

    def forward(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        self.kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y


def kernel_of(centering):
    return centering.kernel


# case: kernel_of_an_object_or_another
# expect: not applied, unseen-launches
"""An object keeps the kernel, or another one."""
# shared: kernel


@triton.jit
def other_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    tl.store(Y + tl.program_id(0), tl.load(X + tl.program_id(0) * stride))


class Centering:
    def __init__(self, plain):
        self.kernel = kernel
        if plain:
            self.kernel = other_kernel

    def forward(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        self.kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y


# case: size_in_a_tuple_that_is_old
# expect: not applied, unseen-launches
"""A size that was put aside before the tensor got another shape is not the one of later."""
# shared: kernel


def centered(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    sizes = (x.stride(0), x.shape[1])
    x.resize_(m, 2 * n)
    kernel[(m,)](x, y, *sizes, BLOCK=64)
    return y


# case: tile_in_a_dict_that_changes
# expect: not applied, unseen-launches
"""How long a tile is stands in a dictionary, or in what is written into it later."""
# shared: kernel


def centered(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    meta = {"BLOCK": 16}
    if n > 16:
        meta["BLOCK"] = 64
    kernel[(m,)](x, y, x.stride(0), n, **meta)
    return y
