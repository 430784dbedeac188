"""What a loop carries from iteration to iteration: reductions, and how they are written."""

from tritonopt.facts.recurrences.kinds import Kind

__all__ = ["Kind"]
