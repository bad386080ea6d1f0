"""coval (Moosavi & Strube 2016), for CoNLL files.

- Mentions are met in the order in which they end.
- A mention that is given several times counts for each of its entities, and is found in the last.
- An entity that gives one mention twice is not a singleton.
"""

from __future__ import annotations

from corefine.scoring.scorers.profile import ScorerProfile

PROFILE = ScorerProfile(
    "coval", ("mentions", "muc", "b3", "ceafe", "lea", "conll"), duplicates="every"
)
