"""What a loop carries from iteration to iteration: reductions, and how they are written."""

from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.facts.recurrences.reading import Recurrence, plain_update, recurrences

__all__ = ["Kind", "Recurrence", "plain_update", "recurrences"]
