"""`tritonopt` as a process, with planted times in place of a GPU, see `planted_server`.

    TRITONOPT_PLANTED=PLAN.json TRITON_INTERPRET=1 python -m tests.tuning.planted_command tune ...

Whatever calls the command can be tried with it.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

SERVERS = {"server": "tests.tuning.planted_server", "verifier": "tests.tuning.yes_server"}


def main() -> int:
    from tritonopt.cli import tune
    from tritonopt.cli.main import main as command
    from tritonopt.tuning.applying import checking

    usual = tune._requests

    def requests(arguments: Any) -> tuple[list[Any], bool]:
        found, wrong = usual(arguments)
        return [replace(request, **SERVERS) for request in found], wrong

    tune._requests = requests
    module: Any = import_module("tritonopt.tuning.bench")  # `bench` is a function there
    module.check_gpu = lambda: None
    checks: Any = partial(checking.checks_of, server=SERVERS["server"])
    checking.checks_of = checks
    return command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
