"""Wording: an error in words, with entities called by their best names."""

from __future__ import annotations

from corefine.explaining.diagnosis import ErrorType
from corefine.explaining.error_analysis import Error
from corefine.matching.matched import Matched

QUOTED = 3
"""Mentions that are quoted before the others are only counted."""


def error_in_words(error: Error, matched: Matched) -> str:
    """What went wrong, as in ``“the keeper” merged with “Brandt”``."""
    key = [matched.key.text_of(mention) for mention in error.key_mentions]
    response = [matched.response.text_of(mention) for mention in error.response_mentions]
    name = error.key_name or ""
    match error.type:
        case ErrorType.SPAN:
            return f"{_quoted(key[0])} found as {_quoted(response[0])}"
        case ErrorType.MERGED:
            other = "another entity" if error.other_name is None else _quoted(error.other_name)
            return f"{_listed(response)}{_of(name, response)} merged with {other}"
        case ErrorType.SPLIT:
            rest = error.other_text if name in response and error.other_text else name
            return f"{_listed(response)} split off {_quoted(rest)}"
        case ErrorType.MISSING_MENTION:
            return f"{_quoted(key[0])} missing from {_quoted(_other(name, key, error))}"
        case ErrorType.EXTRA_MENTION:
            return f"{_quoted(response[0])} wrongly added to {_quoted(error.other_name or '')}"
        case ErrorType.MISSING_ENTITY:
            return f"{_quoted(name)} missing{_counted(len(key))}"
        case ErrorType.EXTRA_ENTITY:
            return f"{_listed(response)} not an entity of the key"


def _other(name: str, key: list[str], error: Error) -> str:
    """The entity's name or, where it is the mention itself, another mention of it."""
    return error.other_text if name in key and error.other_text else name


def _of(name: str, texts: list[str]) -> str:
    return "" if name in texts else f" ({name})"


def _quoted(text: str) -> str:
    return f"“{text}”"


def _listed(texts: list[str]) -> str:
    distinct = list(dict.fromkeys(texts))
    shown = ", ".join(map(_quoted, distinct[:QUOTED]))
    more = len(texts) - min(len(distinct), QUOTED)
    return f"{shown} and {more:,} more" if more else shown


def _counted(mentions: int) -> str:
    return f" ({mentions:,} mentions)" if mentions > 1 else ""
