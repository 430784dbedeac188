"""Dividing a kernel in two, each with what it needs of the statements and parameters."""
