"""What shows that accesses are disjoint is told whole: facts that were given, and launches."""

from __future__ import annotations

from tests.facts.support import facts_of
from tritonopt.checks.attempt import Attempt
from tritonopt.transforms.disjoint_accesses import DisjointAccesses

KERNEL = """
@triton.jit
def kernel(x_ptr, y_ptr, z_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes)
    y = tl.load(y_ptr + lanes)
    tl.store(z_ptr + lanes, x + y)

def launch(x, given):
    made = torch.empty_like(x)
    kernel[(1,)](x, given, made, BLOCK=16)
"""


def test_launches_count_beside_facts_that_are_used_twice() -> None:
    facts = facts_of(KERNEL, assume=["disjoint(x_ptr, y_ptr)"])
    x, y, z = facts.effects
    accesses, attempt = DisjointAccesses(facts), Attempt()
    assert accesses.are_disjoint(x, y)
    assert accesses.are_disjoint(y, x)
    assert accesses.are_disjoint(x, z)
    accesses.prove(attempt, "data-is-unchanged", "nothing")
    claim, launches = attempt.conditions
    assert (claim.claim, launches.claim) == ("data-is-unchanged", "no-other-launches")
    assert "given: " in claim.detail and "; " in claim.detail


def test_what_may_be_one_buffer_is_not_disjoint() -> None:
    facts = facts_of(KERNEL.replace("torch.empty_like(x)", "x.view(-1)"))
    x, y, z = facts.effects
    accesses, attempt = DisjointAccesses(facts), Attempt()
    assert not accesses.are_disjoint(x, z)
    assert not accesses.are_disjoint(x, y)
    accesses.prove(attempt, "data-is-unchanged", "nothing")
    assert [(c.claim, c.detail) for c in attempt.conditions] == [("data-is-unchanged", "nothing")]
