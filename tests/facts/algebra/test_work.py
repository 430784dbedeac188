"""The work that is counted is a thread's own."""

from __future__ import annotations

import threading

from tritonopt.facts.algebra.polynomial import at_most, spend


def test_another_thread_has_work_of_its_own() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def little() -> None:
        with at_most(1):
            begun.set()
            go_on.wait(60)

    thread = threading.Thread(target=little)
    with at_most(3):
        thread.start()
        assert begun.wait(60)
        spend()
        spend()
    spend()  # as much as there is to do
    go_on.set()
    thread.join()
    for _ in range(5):
        spend()
