"""Same answer? Two versions of a kernel file, run on inputs that nobody chose.

    from tritonopt.verification import verify
    verdict = verify(Path("kernel.py"), Path("rewritten.py"))

Importing this needs neither torch, triton nor hypothesis; verifying does.
"""

from tritonopt.verification.api import verify
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.run import Progress
from tritonopt.verification.verdict import Answer, Timing, Verdict

__all__ = ["Answer", "Progress", "Timing", "VerificationError", "Verdict", "verify"]
