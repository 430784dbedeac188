"""The worker that verifies, saying yes to everything but what a plan names as `wrong`."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from tritonopt.measurement.tuned import Evidence
from tritonopt.tuning.proving.verifying_server import Question
from tritonopt.verification.worker.server import answer_requests


class YesServer:
    def evidence(self, asked: Question) -> Evidence:
        plan = json.loads(Path(os.environ["TRITONOPT_PLANTED"]).read_text())
        with open(os.environ["TRITONOPT_PLANTED"] + ".log", "a", encoding="utf-8") as log:
            log.write("evidence\n")
        # The interpreter does not look at what is for the compiler.
        text = asked.text if asked.backend == "cuda" else re.sub(r"num_warps=\d+", "", asked.text)
        if any(re.search(pattern, text) for pattern in plan.get("wrong", ())):
            return Evidence("counterexample", "planted", 1, "another function, as planted")
        if any(re.search(pattern, asked.text) for pattern in plan.get("ends", ())):
            os._exit(3)
        return Evidence("identical", "planted", asked.examples, args=asked.args or "")


def serve(descriptor: int) -> None:
    answer_requests(descriptor, YesServer())
