"""Errors and warnings: the problem, its place, and the remedy.

Every problem that a user can cause or cure is a :class:`CorefineError`: one sentence on what is
wrong, the file and line where that is known, and a remedy. The command line prints it on one line
and exits with status 2; no score is printed after it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

LONGEST_MESSAGE = 1000
"""Characters of a message, of a place or of a remedy; what is longer is shortened in the middle."""
# Characters that command a terminal or change the direction of text, and code points without one.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def escaped(text: str) -> str:
    """The text in one line, with control characters as a program would write them.

    >>> print(escaped("red \\x1b[31m"))
    red \\x1b[31m
    """
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def printable(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """Text of a file or a user for a message: escaped, shortened in the middle."""
    if len(text) > longest:
        text = f"{text[: longest * 3 // 5]}…{text[-longest * 2 // 5 :]}"
    return escaped(text)


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a source: a file name and, if known, a line counted from 1."""

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


class CorefineError(Exception):
    """Base of all errors that corefine raises on purpose.

    >>> error = CorefineError("two mentions overlap", Location("key.conll", 7), "Remove one.")
    >>> print(error)
    key.conll:7: two mentions overlap. Remove one.

    ``code`` names the problem for programs and tests, like the code of a warning; an error that is
    raised without one has the code of its class.

    >>> error.code
    'error'
    """

    default_code: ClassVar[str] = "error"

    def __init__(
        self,
        message: str,
        where: Location | None = None,
        remedy: str | None = None,
        others: tuple[CorefineError, ...] = (),
        code: str | None = None,
    ) -> None:
        self.message = message
        self.where = where
        self.remedy = remedy
        self.others = others
        """Further problems that were found at the same time, for those who want them all."""
        self.code = code or self.default_code
        super().__init__(message, where, remedy, others, code)

    def __str__(self) -> str:
        text = printable(self.message)
        if self.where is not None:
            text = f"{printable(str(self.where))}: {text}"
        if self.remedy is None:
            return text
        stop = "" if text.endswith(("?", "!")) else "."
        return f"{text.rstrip('.')}{stop} {printable(self.remedy)}"


class FormatError(CorefineError):
    """A file does not follow its format."""

    default_code = "format"


MOST_PROBLEMS = 100
"""Largest number of problems of one sort that are reported for a document."""


def with_others(problems: Sequence[FormatError]) -> FormatError:
    """The first of several problems; its ``others`` are the rest."""
    first, *others = problems
    return FormatError(first.message, first.where, first.remedy, tuple(others), first.code)


class AlignmentError(CorefineError):
    """Key and response are not annotations of the same text."""

    default_code = "alignment"


class UsageError(CorefineError):
    """An argument, an option or a metric's name is not one that exists or fits."""

    default_code = "usage"


class MissingExtraError(CorefineError):
    """A feature needs a package that is not installed."""

    default_code = "missing-extra"

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs the package {package}, which is not installed",
            None,
            f"Install it with: pip install 'corefine[{extra}]'",
        )
        self._arguments = (feature, package, extra)

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        return type(self), self._arguments


class CorefineWarning(UserWarning):
    """A warning about data or scores, with a code in brackets at its end.

    >>> import warnings
    >>> warnings.simplefilter("error", CorefineWarning)  # treat warnings as errors
    >>> warnings.filterwarnings("ignore", r".*\\[duplicate-mention\\]", CorefineWarning)
    """

    def __init__(self, message: str, code: str = "other") -> None:
        super().__init__(f"{message} [{code}]")
        self.message = message
        self.code = code


class Caution(str):
    """The text of a warning, with a code for programs and the data that it is about.

    >>> caution = Caution("document 'a' is missing", "missing-documents", documents=["a"])
    >>> caution.code, caution.data
    ('missing-documents', {'documents': ['a']})
    """

    code: str
    data: dict[str, Any]

    def __new__(cls, text: str, code: str = "other", **data: Any) -> Caution:
        caution = super().__new__(cls, text)
        caution.code, caution.data = code, data
        return caution


def reworded(warning: str, text: str) -> str:
    """A warning in other words, with the same code and data."""
    return Caution(text, warning.code, **warning.data) if isinstance(warning, Caution) else text


def code_of(warning: str) -> str:
    """The code of a warning; ``other`` for plain text."""
    return warning.code if isinstance(warning, Caution) else "other"


NOTES = frozenset({"gold-mentions"})
"""Codes of warnings that are only notes: nothing is wrong."""
MOST_SHOWN = 3
"""Warnings that are shown; further ones are only counted."""


def shown(warnings: Iterable[str]) -> list[str]:
    """The warnings to show: the first three, in their order, and how many more there are.

    >>> shown("abcde")
    ['a', 'b', 'c', 'and 2 more warnings']
    """
    found = list(warnings)
    more = len(found) - MOST_SHOWN
    if more <= 0:
        return found
    text = f"and {more:,} more warning{'s' if more > 1 else ''}"
    return [*found[:MOST_SHOWN], Caution(text, "more-warnings")]


def emit(cautions: Iterable[str], stacklevel: int = 2) -> None:
    """Emit the first warnings as :class:`CorefineWarning`, as from the caller of the caller.

    Notes are not emitted: the ``warnings`` of a result have all warnings and notes.
    """
    for text in shown(text for text in cautions if code_of(text) not in NOTES):
        warnings.warn(CorefineWarning(text, code_of(text)), stacklevel=stacklevel + 1)


def emitting(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Decorate a function to emit the ``warnings`` of its result when it returns."""

    @wraps(function)
    def emits(*arguments: Arguments.args, **options: Arguments.kwargs) -> Answer:
        result = function(*arguments, **options)
        emit(getattr(result, "warnings", ()))
        return result

    return emits


def closest(word: str, allowed: Iterable[str], most: int = 1) -> str:
    """A hint such as " Did you mean 'lea'?", or nothing where no allowed word is near."""
    from difflib import get_close_matches  # costs more to import than most runs have errors

    near = get_close_matches(word.lower(), list(allowed), n=most, cutoff=0.6)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def missing_attribute(owner: object, name: str, others: Mapping[str, str]) -> AttributeError:
    """The error for a missing attribute; ``others`` says what to use instead of common names.

    >>> print(missing_attribute([], "shape", {"shape": "len(things)"}))
    list has no attribute 'shape'; use len(things)
    """
    known = f"; use {others[name]}" if name in others else ""
    text = f"{type(owner).__name__} has no attribute {name!r}{known}"
    return AttributeError(text, name=name, obj=owner)


def choose(what: str, word: object, allowed: tuple[str, ...]) -> str:
    """The word itself if it is one of the allowed ones, otherwise an error that lists them."""
    if isinstance(word, str) and word in allowed:
        return word
    raise UsageError(
        f"{what} cannot be {word!r}",
        remedy=f"Use one of: {', '.join(allowed)}.{closest(str(word), allowed)}",
        code="unknown-value",
    )
