"""``python -m corefine``."""

from __future__ import annotations

import sys

from corefine.cli import main

sys.exit(main())
