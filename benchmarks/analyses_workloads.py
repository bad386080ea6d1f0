"""The work of the section ``analyses``, in a process of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence

from benchmarks.measuring import cpu_medians

SYSTEMS = 8


def analyses(key: str, response: str, names: Sequence[str], repeats: int) -> dict[str, float]:
    """Each analysis from two paths to its result, and one scoring, in turns."""
    import corefine

    systems = {f"system {number}": response for number in range(1, SYSTEMS + 1)}
    tasks: dict[str, Callable[[], object]] = {
        "score": lambda: corefine.score(key, response),
        "explain": lambda: corefine.explain(key, response),
        "report": lambda: corefine.report(key, response),
        "audit": lambda: corefine.audit(key, response),
        "compare, 8 systems": lambda: corefine.compare(key, systems),
        "all metrics, mention kinds by parts of speech": lambda: corefine.score(
            key, response, metrics="all"
        ),
        "all metrics, mention kinds guessed": lambda: corefine.score(
            key, response, metrics="all", kinds="guess"
        ),
    }
    return cpu_medians(repeats, **{name: tasks[name] for name in ("score", *names)})


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](**json.loads(sys.argv[2]))))
