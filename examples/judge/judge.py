"""Judge a folder of candidates: python judge.py REFERENCE FOLDER [SECONDS FOR EACH]"""

import sys
from pathlib import Path

from tritonopt.verification import Options, VerificationError, verify


def main(reference, folder, budget="60"):
    kept = {}  # what the reference gives is computed once
    options = Options(require="kernel", budget=float(budget), remembered=kept)
    for candidate in sorted(Path(folder).glob("*.py")):
        try:
            found = verify(reference, candidate, options)
        except VerificationError as error:
            sys.exit(str(error))  # the reference, or this command
        accepted = found.verdict in ("identical", "equivalent")
        why = ", ".join(c.name for c in found.cheats) or found.reason or found.counterexample or ""
        name = why.strip().splitlines()[0][:60] if why else ""
        print(f"{candidate.name:24} {'yes' if accepted else 'no':4} {found.verdict:15} {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
