"""How a launcher is called.

Its parameters: as its annotations and code say, as a user writes them in the argument language, or
as pyproject.toml has them; and the launcher that is written for a kernel that has none.
"""
