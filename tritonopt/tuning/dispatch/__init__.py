"""Where new code wins for some calls only: the original, untouched, beside it, and what decides."""
