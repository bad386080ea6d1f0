"""Languages with lists of closed classes of words, for texts without parts of speech."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Language:
    """Word lists and properties of a language; ``data/languages.toml`` explains each."""

    name: str
    head_first: bool
    usual: float
    pronouns: frozenset[str]
    openers: frozenset[str]
    function_words: frozenset[str]
    genitives: bool = False
    referring: frozenset[str] = _NONE
    indefinite: frozenset[str] = _NONE
    acronyms: frozenset[str] = _NONE
    labels: frozenset[str] = _NONE
    quantifiers: frozenset[str] = _NONE
    determiners: frozenset[str] = _NONE
    ones: frozenset[str] = _NONE
    months: frozenset[str] = _NONE
    noun_endings: frozenset[str] = frozenset({"s"})
    subjects: frozenset[str] = _NONE
    auxiliaries: frozenset[str] = _NONE


@cache
def languages() -> tuple[Language, ...]:
    """All languages with word lists."""
    import tomllib

    text = files("corefine.kinds").joinpath("data/languages.toml").read_text("utf-8")
    found = []
    for name, fields in tomllib.loads(text).items():
        lists: dict[str, Any] = {
            field: frozenset(value.split()) if isinstance(value, str) else value
            for field, value in fields.items()
        }
        lists["function_words"] |= lists["pronouns"] | lists["openers"]
        found.append(Language(name, **lists))
    return tuple(found)


def is_content_word(word: str) -> bool:
    """True if a word has a letter or a digit and is not a function word of any language.

    A language without word lists has only content words.

    >>> [word for word in "The mayor of Kraków 's 2 dogs".split() if is_content_word(word)]
    ['mayor', 'Kraków', '2', 'dogs']
    """
    if any(word.lower() in language.function_words for language in languages()):
        return False
    return any(sign.isalnum() for sign in word)
