"""Plain readings of text that a language model tagged."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.fuzzing.readings.plain import Files, Plain, UnclearError, arranged
from tests.fuzzing.readings.records import records
from tests.fuzzing.samples import SOURCE

TAGS = {
    "markdown": re.compile(r"(?P<open>\[)|\]\(#(?P<close>\w+)\)"),
    "brackets": re.compile(r"(?P<open>\[)|\]_(?P<close>\w+)"),
    "xml-m": re.compile(r"(?P<open><m>)|</m>#(?P<close>\w+)"),
    "seq2seq": re.compile(r"(?P<open><m>) |\| (?P<close>\w+) </m>"),
}
# Where nothing closes an id, words of scripts without blanks may follow it at once.
OPEN_END = re.compile(r"[0-9]+|\d+|[A-Za-z_][A-Za-z0-9_]*")
IDS = {
    "markdown": re.compile(r"\w{1,80}"),
    "brackets": OPEN_END,
    "xml-m": OPEN_END,
    "seq2seq": re.compile(r"\w{1,80}"),
}


def tagged(dialect: str) -> Callable[[Files], Plain]:
    """An answer whose words are those of the source: tags stand around them."""
    pattern = TAGS[dialect]

    def read(files: Files) -> Plain:
        try:
            found = records(files)
        except (ValueError, RecursionError):
            raise UnclearError("an answer without a record") from None
        if (
            len(found) != 1
            or found[0].get("doc_id") != "x"
            or set(found[0]) != {"doc_id", "output"}
        ):
            raise UnclearError("another record")
        answer = found[0]["output"]
        if not isinstance(answer, str):
            raise UnclearError("no text")
        assert SOURCE.tokens is not None
        words = SOURCE.tokens.words.tolist()
        if pattern.sub(" ", answer).split() != words:
            raise UnclearError("no copy")
        entities: dict[str, list[tuple[int, int]]] = {}
        opened: list[int] = []
        for tag in pattern.finditer(answer):
            before = len(pattern.sub(" ", answer[: tag.end()]).split())
            if tag["open"]:
                opened.append(before)
            elif not opened:
                raise UnclearError("nothing is open")
            else:
                start = opened.pop()
                if start >= before:
                    raise UnclearError("nothing inside")
                label = IDS[dialect].match(tag["close"])
                if label is None:
                    continue  # dropped, and told among the malformed tags
                entities.setdefault(label.group(), []).append((start, before - 1))
        if opened or any(len(set(spans)) < len(spans) for spans in entities.values()):
            raise UnclearError("open, or twice")
        return {"x": arranged(entities.values())}

    return read
