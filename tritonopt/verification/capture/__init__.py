"""Launches that a user's own command makes.

Each is shadowed by the rewritten kernel where it happens; from those that were seen, others like
them are drawn.
"""
