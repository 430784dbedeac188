"""What stood in a file before it was tuned, put back."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tritonopt import source
from tritonopt.source.files import locked
from tritonopt.tuning.applying.merging import merged
from tritonopt.tuning.applying.records import RecordError, path_of, recorded


def put_back(file: Path) -> list[str]:
    """Undo what the record of a file says, and remove the record; the launchers that it named.

    What else was changed in the file since stays. Raises SourceError and RecordError, and leaves
    the file as it is, where it was edited in the places that were tuned or cannot be written.
    """
    record = path_of(file)
    with locked(record):
        now = source.read_file(file)
        every = recorded(file, now.text)
        text = merged(now.text, [each.original for each in every])
        if text is None:
            names = ", ".join(each.launcher for each in every)
            raise RecordError(f"{record}: what was changed for {names} cannot be told apart")
        source.write_file(now, text)
        try:
            record.unlink()
        except OSError as error:
            message = f"cannot be removed: {error.strerror}; {file} is what it was before"
            raise source.SourceError(str(record), 0, 0, message) from None
    with suppress(OSError):  # there are records of other files in it
        record.parent.rmdir()
    return [each.launcher for each in every]
