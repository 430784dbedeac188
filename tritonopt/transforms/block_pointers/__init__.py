"""Block pointers written as tiles of ordinary pointers."""
