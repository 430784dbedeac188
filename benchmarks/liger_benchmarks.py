"""What Liger-Kernel's own benchmark scripts launch, as a program for `library_speed.py`.

    PYTHONPATH=. python benchmarks/library_speed.py BEFORE AFTER --most 12 -- \\
        benchmarks/liger_benchmarks.py SCRIPTS SECONDS NAME...

SCRIPTS is the folder `benchmark/scripts` of Liger-Kernel. Each `benchmark_NAME.py` is run with its
own setup and its own sizes, but only Liger's side of it, for speed and not for memory, and without
the trial that finds the largest size which fits: powers of two up to 8192 tokens are taken, of
which the smallest, one in the middle and the largest run. What a script would time is called once,
for the calls are all that is wanted, and a tuner takes its first configuration. Nothing is written.
What would begin after SECONDS is left out, and named.

Some scripts take what they compare with from tests, whose helpers import transformers. Where that
is not installed the helpers do nothing. A script that needs transformers itself fails, and says so.
"""

from __future__ import annotations

import importlib.util
import runpy
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

TOKENS = 8192
BYTES_FOR_EACH_TOKEN = 2**22
"""What the trial is taken to have found; it sets the largest size."""


def only_launched(utils: Any, deadline: float) -> Callable[..., None]:
    """A `run_benchmarks` that runs Liger's side at three sizes, and keeps no figures."""

    def run_benchmarks(
        bench_test_fn: Callable[[Any], Any],
        kernel_name: str,
        metric_name: str,
        x_values: list[Any],
        kernel_providers: list[str],
        kernel_operation_modes: list[str],
        extra_benchmark_configs: list[dict[str, Any]],
        **_: Any,
    ) -> None:
        if metric_name != "speed":
            return
        chosen = dict.fromkeys((x_values[0], x_values[len(x_values) // 2], x_values[-1]))
        for config in extra_benchmark_configs:
            for provider in (name for name in kernel_providers if name.startswith("liger")):
                for mode in kernel_operation_modes:
                    for x in chosen:
                        if time.monotonic() > deadline:
                            print(f"{kernel_name} {provider} {mode} {x}: left out, no time is left")
                            continue
                        try:
                            bench_test_fn(
                                utils.SingleBenchmarkRunInput(
                                    x=x,
                                    kernel_provider=provider,
                                    kernel_operation_mode=mode,
                                    extra_benchmark_config=config,
                                )
                            )
                        except Exception as error:
                            print(f"{kernel_name} {provider} {mode} {x}: {error!r}"[:300])

    return run_benchmarks


def called_once(
    function: Callable[[], Any], *_: Any, quantiles: list[float] | None = None, **__: Any
) -> Any:
    """In place of `triton.testing.do_bench`, which calls a hundred times and more."""
    function()
    return [0.0 for _ in quantiles] if quantiles else 0.0


class Helpers(MetaPathFinder, Loader):
    """Gives the module of helpers of the tests, in which every function does nothing."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name == "test.utils" else None

    def exec_module(self, module: ModuleType) -> None:
        from liger_kernel.utils import infer_device

        names = {"infer_device": infer_device, "__getattr__": lambda name: lambda *_, **__: None}
        module.__dict__.update(names)


def main() -> None:
    scripts, seconds, names = Path(sys.argv[1]).resolve(), float(sys.argv[2]), sys.argv[3:]
    deadline = time.monotonic() + seconds
    sys.path[:0] = [str(scripts), str(scripts.parent.parent)]
    # Both are modules of that folder, which the scripts import by these names.
    import benchmark_model_configs as configs
    import triton.testing
    import utils
    from triton.runtime.autotuner import Autotuner

    triton.testing.do_bench = called_once
    if importlib.util.find_spec("transformers") is None:
        sys.meta_path.insert(0, Helpers())
    utils.run_benchmarks = only_launched(utils, deadline)
    Autotuner.prune_configs = lambda tuner, *_, **__: tuner.configs[:1]
    configs.estimate_kernel_peak_memory = lambda probe_fn: BYTES_FOR_EACH_TOKEN * TOKENS
    configs.compute_seq_len_sweep_config = lambda model, **_: configs.SeqLenSweepConfig(
        batch_size=1, seq_len=TOKENS
    )
    for name in names:
        if time.monotonic() > deadline:
            print(f"{name}: left out, no time is left")
            continue
        sys.argv = [f"benchmark_{name}.py"]
        print(f"{name}:", flush=True)
        try:
            runpy.run_path(str(scripts / sys.argv[0]), run_name="__main__")
        except (Exception, SystemExit):
            traceback.print_exc()


if __name__ == "__main__":
    main()
