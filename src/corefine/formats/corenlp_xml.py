"""CoreNLP XML: sentences of tokens, and coreference chains of mentions.

The smallest valid file::

    <root>
     <document>
      <docId>x</docId>
      <sentences>
       <sentence id="1">
        <tokens>
         <token id="1"><word>Anna</word></token>
         <token id="2"><word>slept</word></token>
        </tokens>
       </sentence>
       <sentence id="2">
        <tokens>
         <token id="1"><word>She</word></token>
        </tokens>
       </sentence>
      </sentences>
      <coreference>
       <coreference>
        <mention><sentence>1</sentence><start>1</start><end>2</end><head>1</head></mention>
        <mention><sentence>2</sentence><start>1</start><end>2</end><head>1</head></mention>
       </coreference>
      </coreference>
     </document>
    </root>

Mentions name their sentence by its id; tokens count from 1, ``end`` is exclusive. A file may have
several documents. Lemmas, tags and named entities are read as
layers. CoreNLP writes no singletons.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corefine.corpus.document import Document, Mention, Span
from corefine.formats.io.sources import Source, document_name
from corefine.formats.io.xml_files import has_root, parsed, refuse_element
from corefine.formats.registry import Format, register

LAYERS = {"lemma": "lemma", "pos": "POS", "ner": "NER"}
_REMEDY = "Ids of sentences are unique numbers, tokens count from 1, and the end is exclusive."


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    root = parsed(source)
    given = root.findall("./document")
    file = document_name(source, ".xml")
    for number, element in enumerate(given, 1):
        own = (element.findtext("docId") or "").strip()
        yield _document(element, own or (file if number == 1 else f"{file}:{number}"), source)


def _document(element: Any, name: str, source: Source) -> Document:
    document = Document(name, [], source=source.name)
    bounds = _read_sentences(element, document, source)
    for number, chain in enumerate(element.iterfind("./coreference/coreference")):
        for mention in chain.iterfind("mention"):
            sentence, start, end, head = (
                _number(mention, key) for key in ("sentence", "start", "end", "head")
            )
            first, stop = bounds.get(sentence, (0, 0))
            if not 0 < start < end <= stop - first + 1:
                message = f"no tokens {start} to {end} in sentence {sentence}"
                refuse_element(mention, source, message, _REMEDY)
            found = Mention(number, [(first + start - 1, first + end - 1)])
            found.head = first + head - 1 if mention.findtext("head") else None
            found.quoted = mention.findtext("text")
            found.where = source.where(mention.sourceline or 1)
            document.mentions.append(found)
    return document


def _read_sentences(element: Any, document: Document, source: Source) -> dict[int, Span]:
    """Add the tokens to the document, and return the bounds of sentences by id."""
    words: list[str] = []
    layers: dict[str, list[str]] = {layer: [] for layer in LAYERS}
    bounds: dict[int, Span] = {}
    for position, sentence in enumerate(element.iterfind("./sentences/sentence"), 1):
        first = len(words)
        for place, token in enumerate(sentence.iterfind("./tokens/token"), 1):
            if token.get("id", str(place)) != str(place):
                message = f"token {token.get('id')[:20]!r} where token {place} is expected"
                refuse_element(token, source, message, _REMEDY)
            words.append(token.findtext("word") or "")
            document.lines.append(token.sourceline or 1)
            for layer, tag in LAYERS.items():
                layers[layer].append(token.findtext(tag) or "")
        id = sentence.get("id", str(position))
        if not id.isdecimal() or len(id) > 9 or int(id) in bounds:
            message = f"the id {id[:20]!r} of a sentence, which is repeated or no number"
            refuse_element(sentence, source, message, _REMEDY)
        bounds[int(id)] = (first, len(words))
    document.tokens = words
    document.starts = [first for first, stop in bounds.values() if first < stop]
    document.layers = {layer: values for layer, values in layers.items() if any(values)}
    return bounds


def _number(mention: Any, key: str) -> int:
    """A number in an element of a mention; 0 if it has none."""
    text = mention.findtext(key, "").strip()
    return int(text) if text.isdecimal() and len(text) < 10 else 0


register(
    Format(
        "corenlp-xml",
        "CoreNLP XML",
        (".xml",),
        read,
        has_root(rb"<\?xml-stylesheet[^>]*>\s*<root>\s*<document\b|<root>\s*<document\b"),
    )
)
