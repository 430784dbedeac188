"""Loads and stores of every second or fourth element, which together touch all of them."""
