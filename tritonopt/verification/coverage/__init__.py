"""What must have run for a yes.

Where two versions differ, which lines, outcomes of tests and turns of loops that makes necessary,
and the sizes that reach them.
"""
