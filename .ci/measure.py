"""Runs a command and writes what it cost: `measure.py FILE COMMAND...`.

FILE gets one line: processor seconds (user and system) of the command and of every process below it. As their
"subreaper" (prctl(2)), this process also inherits, and so counts, those whose parent has ended, such as a browser's.
"""

import ctypes
import os
import resource
import subprocess
import sys

PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
status = subprocess.run(sys.argv[2:]).returncode
try:
    while os.waitpid(-1, os.WNOHANG) != (0, 0):
        pass
except ChildProcessError:
    pass
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    file.write(f"{usage.ru_utime + usage.ru_stime:.0f}\n")
sys.exit(status if status >= 0 else 128 - status)
