"""Answers of language models per document, found in files and extracted from surrounding text.

Records come from scripts, from the interfaces of OpenAI, Anthropic and Google, from vLLM, and from
the logs of Inspect and of lm-evaluation-harness. Records of the same document are chunks of it.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import PurePath
from typing import Any, NamedTuple

from corefine.errors import FormatError, Location
from corefine.formats.io.lines import read_text
from corefine.formats.io.records import decode_object, is_spread, read_records
from corefine.formats.io.sources import Source
from corefine.formats.tagged.listings import json_values

Record = Mapping[str, Any]
NAMES = (
    "doc_id", "doc_key", "document", "document_id", "custom_id", "key", "id", "sample_id",
    "request_id", "name",
)  # fmt: skip
"""Keys that name the document of a record."""
OUTPUTS = (
    "output", "response", "answer", "completion", "prediction", "predicted", "generated_text",
    "model_output", "model_response", "llm_output", "llm_response", "raw_output", "modelOutput",
    "result", "outputs", "filtered_resps", "resps", "choices", "candidates", "generations",
    "message", "content", "tool_calls", "function", "arguments", "parts", "input", "text",
    "refusal",
)  # fmt: skip
"""Keys of the answer, in order of precedence."""
_OTHERS = {
    "text", "input", "content", "parts", "message", "refusal", "tool_calls", "function",
    "arguments",
}  # fmt: skip
"""Keys that other records have too."""
_INSIDE = ("body", *OUTPUTS)
"""Keys inside of that, as in the batches of OpenAI and Anthropic."""
_ALTERNATIVES = frozenset(("choices", "candidates", "filtered_resps", "resps", "generations"))
"""Keys of lists of which the first element is the answer."""
_CHUNKS = ("chunk", "chunk_id", "window", "part", "segment", "chunk_index")
_PART = re.compile(
    r"(.{1,200}?)[-_.#:/ ]{0,9}(?:chunk|part|window|seg(?:ment)?)?[-_.#: ]{0,9}(\d{1,6})"
)
_ENDINGS = (".gz", ".txt", ".md", ".xml", ".out", ".tagged", ".answer", ".json")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one document; a text is None if it is missing."""

    text: str | None
    source: str
    more: tuple[str | None, ...] = ()
    """Answers to further chunks of the document."""
    repeated: Location | None = None
    """A further answer that is not numbered: a chunk, unless one of them is to all of the text."""

    def twice(self, document: str) -> FormatError:
        """The error for two answers to one document."""
        return FormatError(
            f"document {document!r} is answered twice",
            self.repeated,
            'Give one answer per document; number its chunks: {"doc_id": …, "chunk": 2, …}.',
        )


class Named(NamedTuple):
    """The answer of a record."""

    document: str
    text: str | None
    line: int | None
    chunk: int | None = None


def find_answers(sources: Sequence[Source], documents: Sequence[str]) -> dict[str, Answer]:
    """The answers by document: records with ids, files named after documents, or one per line."""
    named = (
        (one, source.where(one.line))
        for source in sources
        for one in _answers_of(source, documents, len(sources) > 1)
    )
    return by_document(named, documents)


def by_document(
    named: Iterable[tuple[Named, Location]], documents: Sequence[str]
) -> dict[str, Answer]:
    """Answers by document; several of one document, or of its parts, are chunks in order."""
    found: dict[str, list[tuple[int, Named, Location]]] = defaultdict(list)
    names = _names_of(documents)
    for number, (one, where) in enumerate(named):
        document, chunk = names.get(one.document), one.chunk
        part = _PART.fullmatch(one.document)
        if document is None and part is not None and part[1] in names:
            document, chunk = names[part[1]], int(part[2])
        if document is None:
            example = f", such as {documents[0]!r}" if documents else ""
            raise FormatError(
                f"document {one.document!r} is not in the key",
                where,
                f"Give answers to documents of the key{example}.",
            )
        place = number if chunk is None else chunk
        found[document].append((place, one._replace(chunk=chunk), where))
    answers = {}
    for document, chunks in found.items():
        repeated = next((where for _, one, where in chunks[1:] if one.chunk is None), None)
        texts = [one.text for _, one, _ in sorted(chunks, key=itemgetter(0))]
        answers[document] = Answer(texts[0], chunks[-1][2].source, tuple(texts[1:]), repeated)
    return answers


def _names_of(documents: Sequence[str]) -> dict[str, str]:
    """The documents by the names under which answers may refer to them."""
    return {re.sub(r"[/\\]", "_", name): name for name in documents} | dict(
        zip(documents, documents, strict=True)
    )


def _answers_of(source: Source, documents: Sequence[str], several: bool) -> Iterator[Named]:
    """The answers of a file, which may be one of several."""
    names = _names_of(documents)
    records = _records_in(source, names)
    named = not several or any(name_of(record, names) for record, _ in records)
    if named and any(output_of(record) is not None for record, _ in records):
        yield from named_records(records, documents, source.where)
        return
    stem = PurePath(source.name).name
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    text = read_text(source).removeprefix("\ufeff")
    value = decode_object(text.encode()) if text.lstrip().startswith("{") else None
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != len(documents):
        lines = [line for line in lines if line.strip()]
    if several:
        yield Named(stem, text, None)
    elif value is not None and not names.keys().isdisjoint(value):
        yield from (Named(name, written(one), None) for name, one in value.items())
    elif len(documents) == 1:
        yield Named(documents[0], text, None)
    elif len(lines) == len(documents):
        yield from map(Named, documents, lines, range(1, len(lines) + 1))
    elif stem in names:
        yield Named(stem, text, None)
    else:
        raise FormatError(
            f"{len(lines):,} lines for {len(documents):,} documents: cannot tell which answer "
            f"belongs to which document; the file begins {text.strip()[:80]!r}",
            source.where(),
            'Write JSON lines {"doc_id": …, "output": …}, one file per document, or one '
            "document per line.",
        )


def _records_in(source: Source, known: Collection[str]) -> list[tuple[Record, int]]:
    """Records with an answer: one per line, an array, one object, or the samples of a log.

    Records that are answers themselves are named after documents of the key.
    """
    if not source.head().removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[")):
        return []
    rows: list[tuple[Record, int]] = []
    try:
        rows += read_records(source, dict[str, Any])
    except FormatError:
        # A file whose first line is an answer has records; other text is an answer itself.
        if is_answer(decode_object(source.head().lstrip().partition(b"\n")[0])):
            raise
        return []
    if len(rows) == 1 and isinstance(rows[0][0].get("samples"), list):
        rows = [(one, rows[0][1]) for one in rows[0][0]["samples"] if isinstance(one, dict)]
    named = all(name_of(record, known) in known for record, _ in rows)
    return rows if named or any(is_answer(record) for record, _ in rows) else []


def is_answer(record: object) -> bool:
    """True if a record has an answer under one of the usual keys."""
    return isinstance(record, Mapping) and any(key in record for key in OUTPUTS)


def describes_mentions(record: Record) -> bool:
    """True if the mentions of a record are objects, as in an answer in JSON."""
    listed = (record.get(key) for key in ("clusters", "entities", "chains"))
    found = (one for several in listed if isinstance(several, list) for one in several)
    return any(
        isinstance(mention, Mapping)
        for one in found
        for mention in (one if isinstance(one, list) else [one])
    )


def named_records(
    records: Sequence[tuple[Record, int]], documents: Sequence[str], where: Any
) -> Iterator[Named]:
    """Answers of records with the names of their documents; without names they are in order."""
    known = _names_of(documents)
    named = [name_of(record, known) for record, _ in records]
    numbers = [n for n in named if n.isdecimal() and len(n) < 10 and n not in known]
    if len(numbers) == len(named) == len(documents) and len(set(numbers)) == len(numbers):
        first = min(map(int, numbers))
        if {int(name) - first for name in numbers} == set(range(len(documents))):
            named = [documents[int(name) - first] for name in named]
    if not any(named) and len(records) == len(documents):
        named = list(documents)
    for (record, line), name in zip(records, named, strict=True):
        if not name:
            raise FormatError(
                f"the document id is missing, in one of {len(records):,} answers for "
                f"{len(documents):,} documents",
                where(line),
                'Give every record a document id: {"doc_id": …, "output": …}.',
            )
        chunk = next((record[key] for key in _CHUNKS if isinstance(record.get(key), int)), None)
        yield Named(name, output_of(record), line, chunk)


def output_of(record: Record) -> str | None:
    """The answer of a record at any depth, which may be the record itself; None if it has none."""
    if not is_answer(record):
        own = {key: one for key, one in record.items() if key not in (*NAMES, *_CHUNKS)}
        return written(own) if any(isinstance(one, dict | list) for one in own.values()) else None
    output = next((record[key] for key in OUTPUTS if record.get(key) is not None), None)
    text = _inside(output, _DEEPEST)
    return written(output) if text is None and isinstance(output, dict | list) and output else text


def written(value: object) -> str | None:
    """An answer as text: a structure is written as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _inside(value: object, depth: int) -> str | None:
    if isinstance(value, str) or not depth:
        return value if isinstance(value, str) else None
    if isinstance(value, Mapping):
        if value.get("type") in ("thinking", "reasoning", "redacted_thinking"):
            return None
        for key in _INSIDE:
            one = value.get(key)
            if key == "input" and isinstance(one, dict | list):
                return written(one)
            if key in _ALTERNATIVES and isinstance(one, list):
                one = one[:1]
            text = None if one is None else _inside(one, depth - 1)
            if text is not None:
                return text
        return None
    if isinstance(value, list):
        texts = [text for one in value if (text := _inside(one, depth - 1)) is not None]
        plain = all(isinstance(one, str) for one in value)
        return None if not texts or (plain and len(value) > 1) else "".join(texts)
    return None


def name_of(record: Record, known: Collection[str]) -> str:
    """The name of a record's document: a known one if any key has it."""
    inner = record.get("doc") or record.get("metadata")
    both = (record, inner) if isinstance(inner, Mapping) else (record,)
    given = [str(one[key]) for one in both for key in NAMES if isinstance(one.get(key), str | int)]
    return next((name for name in given if name in known), given[0] if given else "")


def is_records(head: bytes) -> bool:
    """True if a file that begins like this has records of answers, on lines or in an array."""
    opening = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    first = opening.removeprefix(b"[").lstrip()
    if not first.startswith(b"{"):
        return False
    shown = first if is_spread(opening) else first.partition(b"\n")[0]
    keys = {key.decode() for key in re.findall(rb'"([A-Za-z_]+)"\s*:', shown)}
    return bool({*OUTPUTS, "samples"} & keys - _OTHERS)


# --- text around an answer ------------------------------------------------------------------------

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"<(?P<end>/?)think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(
    r"^[ \t]*(?P<fence>```|~~~)[^\n`]*\n(.*?)(?:^[ \t]*(?P=fence)[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_CUT_JSON = re.compile(
    r'(?:\{\s*"[^"\\]{0,80}"\s*:\s*|\[\s*)?"([^"\\]*(?:\\.[^"\\]*)*)(?:\\(?:u\w{0,3})?)?', re.DOTALL
)
"""A JSON string that is never closed, perhaps the first value of an object or array."""
_MARKUP = re.compile(r"(?:\*\*|__)(?=[\[<{(])|(?<=[\])}>])(?:\*\*|__)|\\[A-Za-z]{1,20}(?=\{)")
"""Markdown around brackets that are tags, and commands of LaTeX before them."""
_ESCAPED = re.compile(r"\\([\[\](){}_#|<>*])")
_CELL = re.compile(r"[-_*O]|[()\d|]+|[BIESLU]-\w*\d\w*")
"""The last column of a word: brackets as in CoNLL files, or a tag such as B-1 or I-1."""
_CANDIDATES = 8
"""Number of parts of an answer that are compared with the source, the longest ones."""
_REFUSAL = re.compile(
    r"\W*(?:i['\u2019]?m sorry|i am sorry|sorry\b|i can(?:['\u2019]t|not)\b|i could ?n['\u2019]?t\b"
    r"|i['\u2019]?m (?:unable|not able)|i am (?:unable|not able)"
    r"|as an? (?:ai|large language|language)\b|i apologi[sz]e"
    r"|unfortunately\b|i won['\u2019]t\b|i (?:must|have to) decline)",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """True if an answer begins as refusals do."""
    return _REFUSAL.match(text) is not None


def parts_of(answer: str) -> list[str]:
    """The answer and the parts of it that may be what was asked for.

    Parts are the answer without thoughts, the content of fences and of JSON, and text without
    escapes. The longest parts are kept.
    """
    first = _THOUGHT.search(answer)
    plain = answer
    if first is not None:  # the beginning of the thoughts may be missing
        plain = _THOUGHTS.sub("", answer[first.end() :] if first["end"] else answer)
    inner = sorted(dict.fromkeys(_unwrapped(plain)), key=len, reverse=True)[:_CANDIDATES]
    return list(dict.fromkeys([plain, *inner]))


def _unwrapped(text: str) -> Iterator[str]:
    """Content of fences and of JSON in an answer."""
    fenced = [found.group(2) for found in _FENCE.finditer(text)]
    yield from fenced
    if len(fenced) > 1:
        yield "\n".join(fenced)
    for piece in (text, *fenced):
        if '"' in piece or "'" in piece:
            yield from _strings(json_values(piece)[0], _DEEPEST)
            cut = _CUT_JSON.fullmatch(piece.strip())
            if cut is not None:
                yield from _strings(json_values(f'["{cut[1]}"]')[0], _DEEPEST)
        if "&lt;" in piece or "&quot;" in piece:
            yield html.unescape(piece)
        if _MARKUP.search(piece):
            yield _MARKUP.sub("", piece)
        if "\\" in piece:
            yield _ESCAPED.sub(r"\1", piece)
        lines = [
            line.replace(" | ", " ").strip("| ").replace("\\|", "|").split()
            for line in piece.split("\n")
        ]
        rows = [cells for cells in lines if len(cells) > 1 and _CELL.fullmatch(cells[-1])]
        if len(rows) > 2 and 2 * len(rows) > len(lines):
            tags = list(_word_tags([cells[-1] for cells in rows]))
            for columns in zip(*(cells[:-1] for cells in rows), strict=False):
                yield " ".join(map("".join, zip(columns, tags, strict=True)))


def _word_tags(columns: Sequence[str]) -> Iterator[str]:
    """The tag of each word: its cell in a column of brackets, or a tag such as B-1 or I-1."""
    for column, after in zip(columns, [*columns[1:], "O"], strict=True):
        kind, _, label = column.partition("-")
        tags = re.findall(r"\(?\d+\)?", column)
        if label:
            ends = after not in (f"I-{label}", f"E-{label}", f"L-{label}")
            tags = ["(" * (kind in "BSU") + label + ")" * ends]
        marked = [
            tag.replace("(", "[e") if "(" in tag else f"e{tag}"
            for tag in tags
            if "(" in tag or ")" in tag
        ]
        yield "|" + ",".join(marked).replace(")", "]") if marked else ""


def _strings(value: object, depth: int) -> Iterator[str]:
    """The strings in a JSON value; the strings of a list form one text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth:
        for one in value.values():
            yield from _strings(one, depth - 1)
    elif isinstance(value, list) and depth:
        columns: dict[str, list[str]] = {}
        for one in value:
            yield from _strings(one, depth - 1)
            for key, cell in one.items() if isinstance(one, Mapping) else [("", one)]:
                if isinstance(cell, str):
                    columns.setdefault(key, []).append(cell)
        yield from ("\n".join(cells) for cells in columns.values())
