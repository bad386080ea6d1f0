"""OntoNotes Normal Form: sentences with their trees, and coreference chains by section.

The smallest valid file::

    Plain sentence:
    ---------------
        Anna wants to sleep.

    Tree:
    -----
        (TOP (S (NP-SBJ (NNP Anna))
                (VP (VBZ wants)
                    (S (NP-SBJ (-NONE- *PRO*))
                       (VP (TO to)
                           (VP (VB sleep)))))
                (. .)))

    Coreference chains for section 0:
    ---------------------------------

        Chain 12 (IDENT)
                   0.0-0      Anna
                   0.2-2      *PRO*

Tokens, tags and traces, which are empty nodes, are those of the trees. A mention of a chain has the
number of its sentence in the file, from 0, its first and last token, and its words. Chains of the
type ``IDENT`` are entities; appositions (``APPOS``) are skipped. Each section is a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corefine.corpus.document import Document, Mention
from corefine.formats.io.lines import begins_with, text_lines
from corefine.formats.io.sources import Source, document_name
from corefine.formats.registry import Format, register

_SENTENCE, _SPEAKER, _TREE = "Plain sentence:", "Speaker information:", "Tree:"
_CHAINS = re.compile(r"Coreference chains for section ([0-9]+):")
_LEAF = re.compile(r"\(([^()\s]+) ([^()\s]+)\)")
_CHAIN = re.compile(r"Chain (\S+) \((\w+)\)")
_MENTION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})-([0-9]{1,9})(?:\s+(.*))?")
_TRACE = "-NONE-"
_COREFERENCE = "Coreference chains"
_REMEDY = "Write 'Coreference chains for section 0:', and chains as 'Chain 12 (IDENT)'."


def read(source: Source) -> Iterator[Document]:
    """The documents of a file, one per section."""
    name = document_name(source, ".onf")
    document, section, heading, speaker = _empty(name, source), "", "", ""
    earlier = 0  # sentences of earlier sections
    depth = 0  # brackets of the tree that are open
    chain: str | None = ""
    for number, line in text_lines(source):
        text = line.strip()
        if text and not line[0].isspace():
            if text[0] in "-=":
                continue
            if (section or heading == _TREE) and not text.endswith(":"):
                message = f"{text[:60]!r} is neither indented nor a heading"
                raise source.error(message, number, "Indent trees and mentions.")
            if depth:
                message = "the tree before this line has a bracket too many or too few"
                raise source.error(message, number, "Check that the file is whole.")
            heading = text
            if heading == _SENTENCE:
                speaker = ""
                if section:
                    yield document
                    earlier += len(document.starts)
                    document, section = _empty(name, source), ""
            elif heading == _TREE:
                document.starts.append(len(document.lines))
            elif heading.startswith(_COREFERENCE):
                found = _CHAINS.fullmatch(heading)
                if found is None:
                    raise source.error(f"the heading {heading[:60]!r}", number, _REMEDY)
                section, chain = found[1], ""
                part = section.lstrip("0")
                document.name = f"{name}; part {part}" if part else name
        elif heading == _SPEAKER and text.startswith("name:"):
            speaker = text.removeprefix("name:").strip()
        elif heading == _TREE:
            depth += text.count("(") - text.count(")")
            _add_words(document, text, speaker, number)
        elif section and text:
            if found := _CHAIN.fullmatch(text):
                repeated = any(found[1] == mention.entity for mention in document.mentions)
                if repeated or found[2] not in ("IDENT", "APPOS"):
                    what = "a second chain" if repeated else "a chain of another type"
                    raise source.error(f"{what}: {text[:60]!r}", number, _REMEDY)
                chain = found[1] if found[2] == "IDENT" else None
            elif chain == "" or text.startswith("Chain "):
                raise source.error(f"not a chain: {text[:60]!r}", number, _REMEDY)
            elif chain is not None:
                _add_mention(document, chain, text, earlier, source, number)
    if not document.starts:
        raise source.error("no tree of a sentence", None, "Check that the file is whole.")
    if not section:
        what = "no coreference chains follow the last sentences"
        document.warnings.append(f"{source.name}: {what}")
    yield document


def _empty(name: str, source: Source) -> Document:
    return Document(name, [], layers={"pos": [], "speaker": []}, source=source.name)


def _add_words(document: Document, tree: str, speaker: str, line: int) -> None:
    assert document.tokens is not None
    for tag, word in _LEAF.findall(tree):
        if tag == _TRACE:
            document.empty_nodes.append(len(document.tokens))
        document.tokens.append(word)
        document.layers["pos"].append(tag)
        document.layers["speaker"].append(speaker)
        document.lines.append(line)


def _add_mention(
    document: Document, chain: str, text: str, earlier: int, source: Source, line: int
) -> None:
    """Add the mention on a line, or the rest of the words of the previous mention."""
    found = _MENTION.fullmatch(text)
    if found is None:
        if document.mentions:
            document.mentions[-1].quoted = f"{document.mentions[-1].quoted} {text}"
            return
        raise source.error(
            f"not a mention: {text[:60]!r}",
            line,
            "A mention is SENTENCE.FIRST-LAST and its words, such as 0.3-4 the house.",
        )
    sentence, first, last = (int(found[group]) for group in (1, 2, 3))
    bounds = [*document.starts, len(document.lines)]
    row = sentence - earlier
    if not (0 <= row < len(bounds) - 1 and first <= last < bounds[row + 1] - bounds[row]):
        raise source.error(
            f"no tokens {first} to {last} in sentence {sentence}",
            line,
            f"The sentences of this section are {earlier} to {earlier + len(bounds) - 2}; "
            "sentences and tokens count from 0.",
        )
    span = (bounds[row] + first, bounds[row] + last + 1)
    mention = Mention(chain, [span], quoted=found[4], where=source.where(line))
    document.mentions.append(mention)


ONF = register(
    Format(
        name="onf",
        title="OntoNotes Normal Form",
        suffixes=(".onf",),
        read=read,
        detect=begins_with(rb"[-=\s]*Plain sentence:\r?\n-+\r?\n"),
    )
)
