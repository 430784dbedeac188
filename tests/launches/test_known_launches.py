"""What a tuner makes of one more argument: pruning, keys, buffers that it restores."""

from __future__ import annotations

import ast

import pytest

from tests.facts.support import IMPORTS, facts_of
from tritonopt import source
from tritonopt.checks.condition import Declined
from tritonopt.launches.known_launches import check_pruning, in_tuner_keys, with_buffers
from tritonopt.source import apply

KERNEL = "@triton.jit\ndef kernel(X, N, B: tl.constexpr):\n    tl.store(X, N)\n"
HEAD = """\
import functools

NAMED = {"early_config_prune": any_name}
OPTIONS = {"prune_configs_by": {"top_k": 3}, "warmup": 5}
UNREAD = {"post_hook": any_name}
COUNTED = {"early_config_prune": any_name}
COUNT = len(COUNTED)

def any_name(configs, arguments, **kwargs):
    return [c for c in configs if kwargs["N"] > 4 or "M" in kwargs or kwargs.get("N", 0)]

def these_names(configs, arguments):
    return configs

def all_names(configs, arguments, **kwargs):
    return configs[:len(kwargs)]

def local_names(configs, arguments, **kwargs):
    return configs[:len(locals())]

@functools.cache
def decorated(configs, arguments, **kwargs):
    return configs

"""


def tuner(given: str) -> tuple[source.Module, ast.Call]:
    text = f"{IMPORTS}{HEAD}\n@triton.autotune([], ['N']{given})\n{KERNEL}"
    module = source.read(text)
    decorator = module.kernels[0].node.decorator_list[0]
    assert isinstance(decorator, ast.Call)
    return module, decorator


@pytest.mark.parametrize(
    "given",
    [
        "",
        ", None, warmup=3",
        ", prune_configs_by={'early_config_prune': any_name, 'top_k': 4}",
        ", prune_configs_by={'perf_model': lambda **kwargs: kwargs['N']}",
        ", prune_configs_by=NAMED",
        ", **OPTIONS",
        ", **({'warmup': 3} if FAST else {'rep': 4})",
    ],
)
def test_nothing_prunes_by_it(given: str) -> None:
    if given.startswith(", None"):
        pytest.raises(Declined, check_pruning, *tuner(given))  # the third is what prunes
        given = given.replace(" None,", "")
    check_pruning(*tuner(given))


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (", prune_configs_by={'early_config_prune': these_names}", "parameter-cannot-be-added"),
        (", prune_configs_by={'early_config_prune': all_names}", "parameter-cannot-be-added"),
        (", prune_configs_by={'early_config_prune': local_names}", "parameter-cannot-be-added"),
        (", prune_configs_by={'early_config_prune': decorated}", "parameter-cannot-be-added"),
        (", prune_configs_by={'early_config_prune': make()}", "parameter-cannot-be-added"),
        (", prune_configs_by={'perf_model': lambda N, B: N}", "parameter-cannot-be-added"),
        (", prune_configs_by=make()", "parameter-cannot-be-added"),
        (", prune_configs_by=COUNTED", "parameter-cannot-be-added"),
        (", *REST", "unknown-decorator"),
        (", **UNREAD", "unknown-decorator"),
        (", **make()", "unknown-decorator"),
        (", **{**OPTIONS}", "unknown-decorator"),
    ],
)
def test_it_may_be_pruned_by(given: str, reason: str) -> None:
    with pytest.raises(Declined) as declined:
        check_pruning(*tuner(given))
    assert declined.value.condition.reason == reason


@pytest.mark.parametrize(
    ("keys", "written"),
    [
        ("key=['N']", "key=['N', 'S']"),
        ('key=["N",]', 'key=["N", "S",]'),
        ("key=('N',)", "key=('N', 'S',)"),
        ("key=[]", 'key=["S"]'),
        ("['N']", "['N', 'S']"),
        ("key=NAMES", None),
        ("key=[*NAMES]", None),
    ],
)
def test_a_tuner_chooses_anew_for_each_value(keys: str, written: str | None) -> None:
    facts = facts_of(f"@triton.autotune([], {keys})\n{KERNEL}", "kernel")
    if written is None:
        with pytest.raises(Declined):
            list(in_tuner_keys(facts, "S"))
        return
    text = apply(facts.kernel.module, list(in_tuner_keys(facts, "S")))
    assert f"@triton.autotune([], {written})\n" in text


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("", ", restore_value=['X']"),
        (", restore_value=['Y']", ", restore_value=['Y', 'X']"),
        (", restore_value=NAMES", None),
        (", restore_value=[\n    'Y',\n]", None),
    ],
)
def test_a_tuner_restores_one_more_buffer(given: str, written: str | None) -> None:
    module, decorator = tuner(given)
    changes = with_buffers(module, decorator, "restore_value", ["X"])
    assert with_buffers(module, decorator, "restore_value", []) == []
    if written is None:
        assert changes is None
        return
    assert changes is not None
    text = apply(module, changes).replace('"X"', "'X'")
    assert f"@triton.autotune([], ['N']{written})\n" in text
