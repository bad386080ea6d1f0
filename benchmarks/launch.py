"""Runs a command and writes what it cost, as JSON, to a pipe: seconds of CPU and peak memory.

    python -I -S launch.py DESCRIPTOR COMMAND…

The kernel counts into the peak of a process that of the process which started it. This one stays
tiny (with -I -S it imports next to nothing), so that what it reports is the command's own.
"""

import os
import sys

pipe = int(sys.argv[1])
pid = os.fork()
if pid == 0:
    os.close(pipe)
    os.execvp(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
os.write(pipe, b'{"cpu": %f, "peak": %d}' % (usage.ru_utime + usage.ru_stime, peak))
sys.exit(1 if status else 0)
