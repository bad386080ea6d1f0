"""Universal Anaphora: CoNLL-U Plus with a column for each sort of anaphora ("exploded").

The smallest valid file (columns are separated by tabs; here blanks stand for them)::

    # global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING …
    # newdoc id = x
    1 Anna _ _ _ _ _ _ _ _ (EntityID=1|MarkableID=m_1|Min=1|ElementOf=3) _ _ _ _

IDENTITY holds mentions: ``(EntityID=1|…`` opens one and ``)`` closes the one that opened last.
``ElementOf`` names the entities that this one is an element of: split antecedents. An ``EntityID``
that ends in ``-Pseudo`` marks an expression that refers to nothing. BRIDGING leads from a markable
to its antecedent, DISCOURSE_DEIXIS has mentions and entities of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from corefine.corpus.columns import Entities, Mentions, Relation, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import FormatError, Location
from corefine.formats.building.mention_rows import MentionRows, Span
from corefine.formats.conllu.lines import begun_name
from corefine.formats.conllu.markables import NOTHING, Column, Markable, fields_of
from corefine.formats.conllu.universal_anaphora_writing import COLUMNS, LAYERS, losses, write
from corefine.formats.input.lines import check_text, line_blocks, shown
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, DocumentMark, Format, register
from corefine.formats.text.numerals import LONGEST

_HEADER = re.compile(r"#\s*global\.columns\s*=\s*(.*)", re.IGNORECASE)
_COMMENT = re.compile(r"#\s*(sent_id|speaker_id|speaker)\s*=\s*(.*)")
_SNIFFED = re.compile(rb"^#[ \t]*global\.columns[ \t]*=.*\bIDENTITY\b", re.MULTILINE)


def _is_number(cell: str) -> bool:
    return cell.isdecimal() and len(cell) <= LONGEST


@dataclass(slots=True)
class Reader:
    """Reads a file line by line."""

    source: Source
    layers: frozenset[str] | None
    names: list[str | None] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    empty: list[bool] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    columns: dict[str, int] = field(default_factory=dict)
    values: dict[str, list[str]] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    identity: Column = field(default_factory=lambda: Column("IDENTITY"))
    deixis: Column = field(default_factory=lambda: Column("DISCOURSE_DEIXIS"))
    bridging: list[tuple[str, Location]] = field(default_factory=list)
    links: list[Relation] = field(default_factory=list)
    warnings: dict[str, int] = field(default_factory=dict)
    sentence_base: int = 0

    def read(self) -> Corpus:
        """The corpus of the whole file."""
        self._header(self.source.carried.decode("utf-8", "replace") or COLUMNS_LINE, None)
        wanted = {*LAYERS, "sent_id", "speaker"}
        if self.layers is not None:
            wanted &= {*self.layers, "sent_id"}
        self.values = {name: [] for name in wanted}
        for number, line in self._numbered_lines():
            self._line(line.rstrip("\r"), self.source.where(number))
        if not self.words and not self.names:
            raise FormatError(
                "the file has no documents",
                self.source.where(),
                "Check that this is the right file.",
            )
        self._finish()
        return self._corpus()

    def _numbered_lines(self) -> Iterator[tuple[int, str]]:
        number = 0
        for block in line_blocks(self.source):
            check_text(block, self.source, number + 1)
            for line in block.tobytes().decode().removesuffix("\n").split("\n"):
                number += 1
                yield number, line

    def _line(self, line: str, where: Location) -> None:
        if not line.strip():
            self.comments = {}
            self.sentence_base = -1
            return
        if line.startswith("#"):
            self._comment(line, where)
            return
        if not self.names:
            if self.words:
                return self._token(line, where)
            self.names.append(None)
            self.offsets.append(0)
        self._token(line, where)

    def _comment(self, line: str, where: Location) -> None:
        name = begun_name(line.encode())
        if name is not None:
            self._finish()
            self.names.append(name or None)
            self.offsets.append(len(self.words))
            self.comments, self.sentence_base = {}, -1
        elif _HEADER.match(line):
            self._header(line, where)
        elif found := _COMMENT.match(line):
            self.comments[found[1].partition("_")[0]] = found[2].strip()

    def _header(self, line: str, where: Location | None) -> None:
        found = _HEADER.match(line)
        names = [] if found is None else found[1].split()
        if not {"ID", "FORM", "IDENTITY"} <= set(names) or len(set(names)) < len(names):
            raise FormatError(
                "the header must name the columns ID, FORM and IDENTITY exactly once",
                where,
                f"Write # global.columns = {' '.join(COLUMNS)}",
            )
        self.columns = {name: place for place, name in enumerate(names)}

    def _token(self, line: str, where: Location) -> None:
        cells = line.split("\t")
        if len(cells) != len(self.columns):
            cells = line.split()  # as files have it whose columns are aligned with blanks
        if not self.columns["IDENTITY"] < len(cells) <= len(self.columns):
            raise FormatError(
                f"{len(cells)} columns where the header has {len(self.columns)}",
                where,
                "Every word line needs one cell per column, with '_' for missing values.",
            )
        number = cells[self.columns["ID"]]
        whole, dot, node = number.partition(".")
        if re.fullmatch("[0-9]+-[0-9]+", number):
            return  # a multiword token is no word
        if not _is_number(whole) or (dot and not _is_number(node)):
            raise FormatError(
                f"{shown(number)!r} is not a word number", where, "Number the words from 1."
            )
        if self.sentence_base < 0 or len(self.words) == self.offsets[-1]:
            self.sentence_base = int(whole) - 1 + bool(dot)
            self.sentences.append(len(self.words))
        token = len(self.words) - self.offsets[-1]
        self.words.append(cells[self.columns["FORM"]])
        self.lines.append(where.line or 0)
        self.empty.append(bool(dot))
        self._layers(cells)
        for name, column in (("IDENTITY", self.identity), ("DISCOURSE_DEIXIS", self.deixis)):
            cell = self._cell(cells, name)
            if cell:
                column.cell(cell, token, where)
        bridging = self._cell(cells, "BRIDGING")
        if bridging:
            self.bridging.append((bridging, where))

    def _cell(self, cells: list[str], name: str) -> str:
        place = self.columns.get(name, len(cells))
        return "" if place >= len(cells) or cells[place] == "_" else cells[place].strip()

    def _layers(self, cells: list[str]) -> None:
        first = self.sentences[-1] == len(self.words) - 1
        for name, column in self.values.items():
            if name == "sent_id":
                column.append(self.comments.get("sent", "") if first else "")
            elif name == "speaker":
                column.append(self.comments.get("speaker", "") or "_")
            else:
                value = self._cell(cells, LAYERS[name]) or "_"
                if name == "head" and _is_number(value):
                    # Numbers of words run through the document; heads are told in the sentence.
                    value = str(max(int(value) - self.sentence_base, 0)) if int(value) else "0"
                column.append(value)

    def _finish(self) -> None:
        """End the document that is being read, if one is."""
        if not self.names:
            if self.words:
                raise FormatError(
                    "a word outside a document",
                    self.source.where(self.lines[0]),
                    "Add '# newdoc id = name' before it.",
                )
            return
        document = len(self.names) - 1
        name = self.names[-1] or str(document + 1)
        markables, wrong = self.identity.finish(document, name, self.source)
        _, wrong_deixis = self.deixis.finish(document, name, self.source)
        self._warn("minimum spans are not inside their mention: ignored", wrong + wrong_deixis)
        for cell, where in self.bridging:
            self._bridge(document, cell, where, markables)
        self.bridging = []

    def _warn(self, what: str, count: int = 1) -> None:
        if count:
            self.warnings[what] = self.warnings.get(what, 0) + count

    def _bridge(
        self, document: int, cell: str, where: Location, markables: Mapping[str, Markable]
    ) -> None:
        for part in cell.split("("):
            text = part.strip().removesuffix("@").removesuffix(")")
            if not text:
                continue
            fields = fields_of(text, where)
            anaphor = markables.get(fields.get("MarkableID", ""))
            antecedent = markables.get(fields.get("MentionAnchor", ""))
            target = fields.get("EntityAnchor", "")
            if antecedent is not None:
                target = antecedent.fields["EntityID"]
            if anaphor is None or not target or (antecedent is None and "MentionAnchor" in fields):
                self._warn("bridging links refer to markables missing from IDENTITY: ignored")
                continue
            self.links.append(
                Relation(
                    "bridge",
                    document,
                    _name(anaphor.fields["EntityID"]),
                    _name(target),
                    fields.get("Rel", ""),
                    (anaphor.start, anaphor.stop),
                    None if antecedent is None else (antecedent.start, antecedent.stop),
                )
            )

    def _corpus(self) -> Corpus:
        stem = self.source.stem
        unnamed = 0
        names = []
        for name in self.names:
            unnamed += name is None
            names.append(name or (stem if len(self.names) == 1 else str(unnamed)))
        layers = {
            name: Strings.from_list(column)
            for name, column in self.values.items()
            if any(value not in ("", "_") for value in column)
        }
        tokens = Tokens(
            Strings.from_list(self.words),
            np.array([*self.offsets, len(self.words)], np.int64),
            np.array(self.sentences, np.int64),
            layers,
            np.array(self.empty) if any(self.empty) else None,
            np.array(self.lines, np.int64),
        )
        unknown = self.identity.without_unknown() + self.deixis.without_unknown()
        self._warn(
            "values of ElementOf name entities without mentions, or stand at non-referring "
            "expressions: ignored",
            unknown,
        )
        entities, mentions = _columns(
            self.identity.rows, self.identity.attributes, self.identity.minimum
        )
        corpus = Corpus(
            tuple(names),
            entities,
            mentions,
            tokens,
            relations=(*self.identity.relations, *self.links),
            sources=(self.source.name,) * len(names),
            format="ua",
        )
        annotations = {}
        nothing = self.identity.nothing, self.identity.nothing_attributes
        if len(self.identity.nothing.entity):
            columns = _columns(*nothing, self.identity.nothing_minimum)
            annotations["nonreferring"] = Corpus(corpus.documents, *columns)
        if len(self.deixis.rows.entity):
            columns = _columns(self.deixis.rows, self.deixis.attributes, self.deixis.minimum)
            annotations["deixis"] = Corpus(
                corpus.documents, *columns, relations=tuple(self.deixis.relations)
            )
        self._warn(
            "mentions of DISCOURSE_DEIXIS have no antecedent: ignored",
            len(self.deixis.nothing.entity),
        )
        warnings = tuple(
            f"{self.source.name}: {count:,} {what}" for what, count in self.warnings.items()
        )
        if not self.source.part and not len(mentions):
            warnings += (f"{self.source.name}: IDENTITY has no mentions",)
        return replace(corpus, annotations=annotations, warnings=warnings)


COLUMNS_LINE = f"# global.columns = {' '.join(COLUMNS)}"


def _name(entity: str) -> str:
    """The name of an entity in the corpus; what refers to nothing has none."""
    return "" if entity.endswith(NOTHING) else entity


def _columns(
    rows: MentionRows, attributes: list[dict[str, str]], minimum: list[Span]
) -> tuple[Entities, Mentions]:
    names = Strings.from_list([str(name) for _, name in rows.entities])
    low, high = np.array(minimum, np.int64).reshape(-1, 2).T
    fields = dict.fromkeys(key for one in attributes for key in one)
    mentions = replace(
        rows.mentions(),
        type=None,
        minimum=(low, high) if (low >= 0).any() else None,
        attributes={
            key: Strings.from_list([one.get(key, "") for one in attributes]) for key in fields
        },
    )
    return replace(rows.all_entities(), names=names), mentions


def read(source: Source, layers: frozenset[str] | None = None) -> Corpus:
    """The documents of a source."""
    return Reader(source, layers).read()


def sniff(head: bytes, name: str) -> float:
    """Sure where the header names the column IDENTITY."""
    return 0.97 if _SNIFFED.search(head) else 0.0


UA = register(
    Format(
        name="ua",
        title="Universal Anaphora (CoNLL-U Plus)",
        suffixes=(".ua", ".conllua"),
        sniff=sniff,
        read_columns=read,
        capabilities=Capabilities(
            layers=frozenset({*LAYERS, "sent_id", "speaker"}),
            minimum_spans=True,
            discontinuous=True,
            zeros=True,
            relations=True,
            attributes=True,
            annotations=True,
        ),
        write=write,
        document_mark=DocumentMark(
            ord("#"), begun_name, carried=lambda line: _SNIFFED.match(line) is not None
        ),
        losses=losses,
        documentation="docs/formats/universal_anaphora.md",
    )
)
