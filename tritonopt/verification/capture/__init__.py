"""Launches that a user's own command makes.

Each is recorded with the memory that it finds, and made again by both versions; from those that
were seen, others like them are drawn.
"""
