"""What a launcher is called with.

Calls are recipes: small, hashable, and the same everywhere. They are drawn by hypothesis, made on
purpose for edge cases, or kept from past failures.
"""
