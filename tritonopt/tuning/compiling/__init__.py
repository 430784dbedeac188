"""Variants that are compiled: ahead of being timed, or where nothing can be timed."""
