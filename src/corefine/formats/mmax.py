"""MMAX2: a file of words, and files of markables that refer to them (ARRAU, ParCorFull, SoNaR).

The smallest valid document is two files. ``x_words.xml``, in the same folder or in ``Basedata``::

    <words>
     <word id="word_1">Anna</word>
     <word id="word_2">saw</word>
     <word id="word_3">her</word>
     <word id="word_4">house</word>
    </words>

``x_coref_level.xml``::

    <markables xmlns="www.eml.org/NameSpaces/coref">
     <markable id="markable_1" span="word_1" coref_class="set_1"/>
     <markable id="markable_2" span="word_3" coref_class="set_1"/>
     <markable id="markable_3" span="word_3..word_4" coref_class="set_2"/>
    </markables>

``span`` lists words and ranges of words, separated by commas. Markables with the same
``coref_class`` (or ``coref_set``) are an entity; one without a class, or of the class ``empty``, is
a singleton. Without any class, entities are made of pointers: ``anaphor_antecedent`` (or
``antecedent``) names the markable before, or several for a split antecedent. ``min_ids`` is the
minimum span (ARRAU). The level ``x_sentence_level.xml`` gives the sentences. A project file
``x.mmax`` is read with the paths of ``common_paths.xml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from corefine.corpus.columns import Relation
from corefine.corpus.document import Document, Mention, Span, connected_components, merged
from corefine.formats.io.sources import Source, companion, document_name, stem
from corefine.formats.io.xml_files import by_id, has_root, parsed, refuse_element, tag_of
from corefine.formats.registry import Format, register

LEVEL, WORDS, SENTENCES = "_coref_level.xml", "_words.xml", "_sentence_level.xml"
PROJECT = ".mmax"
_CLASSES = ("coref_class", "coref_set", "set")
_POINTERS = ("anaphor_antecedent", "antecedent", "coref_antecedent")
_NONE = (None, "", "empty")
_TARGETS = re.compile(r"(?:\w+:)?markable_\w+(?:[;,] *(?:\w+:)?markable_\w+)*")


def read(source: Source) -> Iterator[Document]:
    """The document of a file of markables, or of a project, with its words."""
    name, base = document_name(source, PROJECT, LEVEL, ".xml"), stem(source, PROJECT, LEVEL, ".xml")
    if stem(source).endswith(PROJECT):
        source, words = _files_of_project(source)
    else:
        found = companion(source, (base + WORDS,), ("Basedata", "basedata", "words"))
        if found is None:
            raise source.error(
                f"the words, {base + WORDS}, are missing",
                None,
                "Put the file next to the markables, or into the folder Basedata beside theirs.",
            )
        words = found
    document = Document(name, [], source=words.name)
    numbers = _read_words(words, document)
    sentences = companion(source, (base + SENTENCES,))
    if sentences is not None:
        listed = [_span(one, "span", numbers, sentences) for one in _markables(sentences).values()]
        document.starts = sorted({0, *(span[0][0] for span in listed if span)})
    markables = _markables(source)
    for markable in markables.values():
        spans = _span(markable, "span", numbers, source)
        if not spans:
            refuse_element(markable, source, "a markable without words", "Give it a span.")
        minimum = _span(markable, "min_ids", numbers, source)
        document.mentions.append(
            Mention(
                "",
                spans,
                minimum=(minimum[0][0], minimum[-1][1]) if minimum else None,
                where=source.where(markable.sourceline or 1),
            )
        )
    _set_entities(document, markables, source)
    yield document


def _files_of_project(source: Source) -> tuple[Source, Source]:
    """The files of markables and of words that a project file names."""
    name, folder = stem(source, PROJECT), (source.path or Path()).parent
    words = (parsed(source).findtext("words") or "").strip() or name + WORDS
    level, paths = "$" + LEVEL, {"basedata_path": "Basedata", "markable_path": "Markables"}
    common = companion(source, ("common_paths.xml",))
    if common is not None:
        root = parsed(common)
        paths = {key: (root.findtext(key) or "").strip() or "." for key in paths}
        levels = {one.get("name", ""): (one.text or "").strip() for one in root.iter("level")}
        chosen = [file for called, file in levels.items() if "coref" in called.lower()]
        if levels and len(chosen) != 1:
            raise common.error(
                f"{len(chosen)} levels of coreference among: {', '.join(levels)[:60]}",
                None,
                "Read the file of the level by itself.",
            )
        level = chosen[0] if chosen else level
    files = []
    for key, file in (("markable_path", level.replace("$", name)), ("basedata_path", words)):
        found = companion(Source("", folder / paths[key] / file), (Path(file).name,))
        found = found or companion(source, (Path(file).name,))
        if found is None:
            message = f"the file {paths[key]}/{file} of the project is missing"
            raise source.error(message, None, "Check the paths in common_paths.xml.")
        files.append(found)
    return files[0], files[1]


def _set_entities(document: Document, markables: Mapping[str, Any], source: Source) -> None:
    """Set the entities of mentions by class or, if no markable has one, by pointers."""
    classes = {
        id: next((one.get(key) for key in _CLASSES if one.get(key) not in _NONE), None)
        for id, one in markables.items()
    }
    row = {id: number for number, id in enumerate(markables)}
    if any(classes.values()):
        for id, entity in classes.items():
            document.mentions[row[id]].entity = entity or f"{document.name}:{id}"
        return
    targets = {id: _targets(one, markables, source) for id, one in markables.items()}
    pairs = [(row[id], row[found[0]]) for id, found in targets.items() if len(found) == 1]
    ids = list(markables)
    roots = connected_components(len(ids), pairs)
    entities = {id: f"{document.name}:{ids[root]}" for id, root in zip(ids, roots, strict=True)}
    for id, found in targets.items():
        document.mentions[row[id]].entity = entities[id]
        if len(found) > 1:
            elements = dict.fromkeys(entities[one] for one in found)
            document.relations += [Relation("split", 0, entities[id], one) for one in elements]


def _targets(markable: Any, known: Mapping[str, Any], source: Source) -> Sequence[str]:
    """Ids of the markables that a markable points at."""
    for name, value in markable.attrib.items():
        if name in ("id", "span", "min_ids") or not _TARGETS.fullmatch(value):
            continue
        if name not in _POINTERS:
            refuse_element(
                markable,
                source,
                f"pointers {name!r} to other markables, but no {_CLASSES[0]}",
                f"Name coreference {_POINTERS[0]}, or give all mentions of an entity its class.",
            )
        found = [one.strip().rpartition(":")[2] for one in re.split("[;,]", value)]
        for one in found:
            if one not in known:
                message = f"a pointer to the unknown markable {one[:60]!r}"
                refuse_element(markable, source, message, "Point at markables of the same file.")
        return found
    return ()


def _read_words(source: Source, document: Document) -> dict[str, int]:
    """Add the words to the document, and return their numbers by id."""
    words = by_id(parsed(source).iter("word"), "id", source, "Give each word its own id.")
    document.tokens = [(word.text or "").strip() for word in words.values()]
    document.lines = [word.sourceline or 1 for word in words.values()]
    return {id: number for number, id in enumerate(words)}


def _markables(source: Source) -> dict[str, Any]:
    """The markables of a file by id."""
    markables = (one for one in parsed(source) if tag_of(one) == "markable")
    return by_id(markables, "id", source, "Give each markable its own id.")


def _span(markable: Any, key: str, numbers: dict[str, int], source: Source) -> list[Span]:
    """Token spans of a list of words and ranges; empty if the attribute is missing."""
    spans: list[Span] = []
    for part in filter(None, (markable.get(key) or "").split(",")):
        first, _, last = part.strip().partition("..")
        if first not in numbers or (last and last not in numbers):
            refuse_element(
                markable,
                source,
                f"a markable of unknown words {part[:60]!r}",
                "Words are ids of the file of words, or ranges such as word_1..word_3.",
            )
        if numbers[last or first] < numbers[first]:
            message = f"a range that runs backwards, {part[:60]!r}"
            refuse_element(markable, source, message, "Write the first word of a range first.")
        spans.append((numbers[first], numbers[last or first] + 1))
    return merged(spans)


register(
    Format(
        "mmax",
        "MMAX2: words and markables (ARRAU, ParCorFull, SoNaR)",
        (LEVEL,),
        read,
        has_root(rb"<(?:markables|mmax_project)\b"),
        companions=(WORDS, SENTENCES, "_level.xml", PROJECT, ".bak", "common_paths.xml"),
    )
)
