"""CoNLL-U as Stanza writes it."""

from __future__ import annotations

import pytest

from corefine import Corpus
from corefine.errors import FormatError
from corefine.formats import Source, format_named
from corefine.formats.conllu import stanza
from tests.building.standoff_corpora import sample_files
from tests.building.text_corpora import make


def parsed(*cells: str) -> Corpus:
    lines = [
        f"{n}\tw\t_\t_\t_\t_\t{n - 1}\t_\t_\t{cell}\n" for n, cell in enumerate(cells, start=1)
    ]
    return format_named("stanza").corpus(Source("x.conllu", content="".join(lines).encode()))


def test_the_smallest_sample() -> None:
    (content,) = dict(sample_files(stanza.__doc__ or "", ["x.conllu"])).values()
    corpus = format_named("stanza").corpus(Source("x.conllu", content=content))
    assert corpus.to_dict() == {"": [[(0, 0), (2, 2)], [(2, 3)]]}
    assert corpus.warnings == ()


def test_a_file_without_chains_is_not_said_to_lack_entities() -> None:
    assert parsed("_", "SpaceAfter=No").warnings == ()


def test_names_of_older_versions_and_mentions_that_touch() -> None:
    corpus = parsed("ner=start-id0", "SpaceAfter=No|coref_chains=end-id0,start-id0", "ner=end-id0")
    assert corpus.to_dict() == {"": [[(0, 1), (1, 2)]]}
    assert [mention.head for mention in corpus[0].mentions] == [0, 1]


@pytest.mark.parametrize("cell", ["start-id0", "end-id0", "unit", "unit-id", "unit-id0,", "x-id0"])
def test_malformed_chains_are_refused_with_their_line(cell: str) -> None:
    with pytest.raises(FormatError) as refused:
        parsed("_", f"coref_chains={cell}")
    assert refused.value.where is not None
    assert refused.value.where.line == 2


def test_what_is_written_is_read_again() -> None:
    corpus = make({"d": ([["a", "b", " "], ["d"]], [(0, 0, 2), (0, 1, 1), (1, 1, 2), (0, 3, 3)])})
    content = b"".join(stanza.write(corpus))
    again = format_named("stanza").corpus(Source("x.conllu", content=content))
    assert {frozenset(entity) for entity in again.to_dict()["d"]} == {
        frozenset(entity) for entity in corpus.to_dict()["d"]
    }
    assert again[0].tokens == corpus[0].tokens
