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

Sentences and tokens count from 1, ``end`` is exclusive. Lemmas, tags and named entities are read as
layers. CoreNLP writes no singletons.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corefine.corpus.document import Document, Mention
from corefine.formats.input.sources import Source, document_name
from corefine.formats.input.xml_files import has_root, parsed, refuse_element
from corefine.formats.registry import Capabilities, Format, register

LAYERS = {"lemma": "lemma", "pos": "POS", "ner": "NER"}
_REMEDY = "Sentences and tokens are whole numbers from 1, and the end is exclusive."


def read(source: Source) -> Iterator[Document]:
    """The document of a file."""
    root = parsed(source)
    name = (root.findtext("./document/docId") or "").strip() or document_name(source, ".xml")
    document = Document(name, [], source=source.name)
    words: list[str] = []
    bounds: list[int] = []
    layers: dict[str, list[str]] = {layer: [] for layer in LAYERS}
    for sentence in root.iterfind("./document/sentences/sentence"):
        bounds.append(len(words))
        for token in sentence.iterfind("./tokens/token"):
            words.append(token.findtext("word") or "")
            document.lines.append(token.sourceline or 1)
            for layer, tag in LAYERS.items():
                layers[layer].append(token.findtext(tag) or "")
    document.tokens = words
    document.sentences = [start for start in bounds if start < len(words)]
    document.layers = {layer: values for layer, values in layers.items() if any(values)}
    bounds.append(len(words))
    for number, chain in enumerate(root.iterfind("./document/coreference/coreference")):
        for mention in chain.iterfind("mention"):
            sentence, start, end, head = (
                _number(mention, key) for key in ("sentence", "start", "end", "head")
            )
            base = bounds[sentence - 1] - 1 if 0 < sentence < len(bounds) else 0
            if not (0 < sentence < len(bounds) and 0 < start < end <= bounds[sentence] - base):
                message = f"no tokens {start} to {end} in sentence {sentence}"
                refuse_element(mention, source, message, _REMEDY)
            where = source.where(mention.sourceline or 1)
            found = Mention(number, [(base + start, base + end)], where=where)
            found.head = base + head if start <= head < end else None
            document.mentions.append(found)
    yield document


def _number(mention: Any, key: str) -> int:
    """A number in an element of a mention; 0 if it has none."""
    text = mention.findtext(key, "").strip()
    return int(text) if text.isdecimal() and len(text) < 10 else 0


CORENLP_XML = register(
    Format(
        name="corenlp-xml",
        title="CoreNLP XML",
        suffixes=(".xml",),
        read=read,
        detect=has_root(rb"<\?xml-stylesheet[^>]*>\s*<root>\s*<document\b|<root>\s*<document\b"),
        capabilities=Capabilities(layers=frozenset(LAYERS), entity_names=False, heads=True),
        documentation="docs/formats/xml.md",
    )
)
