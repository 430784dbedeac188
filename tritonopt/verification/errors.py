"""What a user can do wrong, said in a way that tells what to do instead."""

from __future__ import annotations


class VerificationError(Exception):
    """The verification could not be started; the message says what to write.

    Never raised for what the kernels do: that is a verdict.
    """

    fault = "environment"


class CandidateError(VerificationError):
    """The rewritten file cannot be called in the original's place; that is its own fault."""

    fault = "candidate"


class NothingRunsError(VerificationError):
    """This machine lacks what both versions need: no verdict, and no fault of theirs."""
