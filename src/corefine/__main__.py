"""``python -m corefine`` and the script ``corefine``."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line; an interruption during imports ends it without a traceback."""
    try:
        from corefine.cli import main as run
    except KeyboardInterrupt:
        os.write(2, b"interrupted\n")
        return 130
    return run()


if __name__ == "__main__":
    sys.exit(main())
