"""What counts as equal.

Outcomes are compared bit for bit or within rounding, against the kernel's own copy in float64.
A search over drawn calls makes a counterexample small, and a script shows it again.
"""
