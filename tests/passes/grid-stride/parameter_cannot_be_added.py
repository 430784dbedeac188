import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(n // 64 + 1,)](x, out, n)
    return out


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64})],
    key=["n"],
    prune_configs_by={"early_config_prune": prune},
)
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


# case: heuristic_counts_arguments
# expect: not applied, parameter-cannot-be-added
"""One argument more would choose another constant."""


@triton.heuristics({"OFFSET": lambda args: len(args)})
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, OFFSET: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + OFFSET, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(n // 64 + 1,)](x, out, n, BLOCK=64)
    return out


# case: heuristic_hands_arguments_on
# expect: not applied, parameter-cannot-be-added
"""What the heuristic hands its arguments to looks at each of them."""


def pick(named):
    return sum(value is None for value in named.values())


def choose(args):
    return pick(args) if "BLOCK" in args else 0


TABLE = {"OFFSET": choose}


@triton.heuristics(TABLE)
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, OFFSET: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + OFFSET, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(n // 64 + 1,)](x, out, n, BLOCK=64)
    return out


# case: heuristic_is_not_seen
# expect: not applied, parameter-cannot-be-added
"""One argument more might choose another constant: the function is in another file."""
from settings import shift


@triton.heuristics({"SHIFT": shift})
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, SHIFT: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + SHIFT, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(n // 64 + 1,)](x, out, n, BLOCK=64)
    return out


# case: hook_takes_all_arguments
# expect: not applied, parameter-cannot-be-added
"""The hook sees every argument, the number of tiles too."""

seen = []


def note(arguments):
    seen.append(sorted(arguments))


CONFIGS = [triton.Config({"BLOCK": 64}, pre_hook=note)]


@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)
# shared: run


# case: pruned_by_a_dict_that_changes
# expect: not applied, parameter-cannot-be-added
"""The functions that prune are bound apart, and changed."""


def prune(configs, arguments, **named):
    return configs


def prune_more(configs, arguments, grid, warmup):
    return configs


pruning = {"early_config_prune": prune}
pruning.update(early_config_prune=prune_more)


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64})],
    key=["n"],
    prune_configs_by=pruning,
)
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)
# shared: run


# case: pruned_by_a_fixed_signature
# expect: not applied, parameter-cannot-be-added
"""A function of the user's is called with the arguments of the launch, and takes no other."""


def prune(configs, arguments, grid, warmup):
    return configs
# shared: kernel
# shared: run


# case: pruned_by_place
# like: pruned_by_a_fixed_signature
# expect: not applied, parameter-cannot-be-added
"""What prunes the configurations is given by its place."""
#-    configs=[triton.Config({"BLOCK": 64})],
#-    key=["n"],
#-    prune_configs_by={"early_config_prune": prune},
#+    [triton.Config({"BLOCK": 64})],
#+    ["n"],
#+    {"early_config_prune": prune},


# case: pruned_by_the_number_of_arguments
# expect: not applied, parameter-cannot-be-added
"""A function counts the arguments of the launch."""


def prune(configs, arguments, **named):
    return configs[len(named) :] or configs
# shared: kernel
# shared: run
