"""Several files as one program.

Which file is which module, what a name stands for that one file imports from another, and what
the others do with a kernel.
"""
