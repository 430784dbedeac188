"""What can go wrong between a file and its new text."""

from __future__ import annotations


class SourceError(Exception):
    """A file cannot be read, parsed or written. Lines and columns count from 1; 0 is "no place"."""

    def __init__(self, path: str, line: int, column: int, message: str) -> None:
        super().__init__(path, line, column, message)
        self.path = path
        self.line = line
        self.column = column
        self.message = message

    def __str__(self) -> str:
        if self.line == 0:
            return f"{self.path}: {self.message}"
        return f"{self.path}:{self.line}:{self.column}: {self.message}"


class EditConflict(ValueError):
    """Changes contradict each other, or the result would not be what they ask for."""
