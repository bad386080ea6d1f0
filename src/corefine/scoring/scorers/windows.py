"""Windows of long documents as other scorers cut them.

corefine cuts a document of n words into [0, w), [w, 2w), …, and the last window has what is left.
BookCoref's scorer takes the words strictly between (i−1)·w and i·w for each whole window, so that
mentions at its first word are dropped, and adds one more, strictly between n − w and n, whose words
the window before it may have had already. A document with less than one window is not cut.
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import first_words
from corefine.matching.token_windows import TokenWindows
from corefine.scoring.scorers.profiles import ScorerProfile


def window_names(windows: TokenWindows, tool: ScorerProfile) -> tuple[str, ...]:
    """The windows by name, in order."""
    if not tool.last_window_overlaps:
        return windows.names
    return tuple(
        name
        for document, end in enumerate(windows.lengths.tolist())
        for name in (
            *windows.names[windows.offsets[document] :][: end // windows.width],
            f"{windows.documents[document]} ({end - windows.width}, {end})".strip(),
        )
    )


def windows_of(
    windows: TokenWindows, corpus: Corpus, mentions: IntArray, tool: ScorerProfile
) -> tuple[IntArray, IntArray]:
    """Which of the mentions, given by number, stand in which window; some in none or in two."""
    document = corpus.mentions.document[mentions]
    start, length = first_words(corpus)[mentions], windows.lengths[document]
    width = windows.width
    number, first = start // width, windows.offsets[document]
    kept = np.full(len(mentions), True)
    if tool.drops_first_tokens:
        kept = (start % width > 0) | (length < width)
    if not tool.last_window_overlaps:
        return mentions[kept], (first + number)[kept]
    whole = length // width
    # Documents whose length is a multiple of the width have a window more than corefine cuts.
    extra = (windows.lengths // width + 1) - np.diff(windows.offsets)
    first = first + np.append(0, np.cumsum(extra))[document]
    kept &= number < whole
    last = start > length - width
    return (
        np.concatenate([mentions[kept], mentions[last]]),
        np.concatenate([(first + number)[kept], (first + whole)[last]]),
    )
