"""WebAnno TSV 3: chains, relations, parts of tokens, and damaged files."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefine.corpus.corpus import Corpus
from corefine.formats import read, write
from tests.building.format_files import parse, place_of_error
from tests.building.refusals import refused

CHAINS = (
    "#FORMAT=WebAnno TSV 3.3\n"
    "#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|"
    "referenceRelation\n\n\n"
)
RELATIONS = (
    "#FORMAT=WebAnno TSV 3.2\n#T_SP=webanno.custom.Referent|entity|infstat|identity\n"
    "#T_RL=webanno.custom.{layer}|type|BT_webanno.custom.Referent\n\n\n"
    "#Text=Two roads split . I took one .\n"
    "1-1\t0-3\tTwo\tplace[1]\tnew[1]\t_\t_\t_\t\n"
    "1-2\t4-9\troads\tplace[1]\tnew[1]\t_\t_\t_\t\n"
    "1-3\t10-15\tsplit\t_\t_\t_\t_\t_\t\n"
    "1-4\t16-17\t.\t_\t_\t_\t_\t_\t\n\n#Text=\n"
    "2-1\t18-19\tI\tperson\tacc\t_\t{label}\t2-3[0_0]\t\n"
    "2-2\t20-24\ttook\t_\t_\t_\t_\t_\t\n"
    "2-3\t25-28\tone\tplace[3]|person\tacc[3]|giv\tA[3]\tbridge\t1-1[1_3]\t\n"
)


def tokens(*rows: str) -> str:
    return CHAINS + "#Text=\n" + "".join(f"{row}\t\n" for row in rows)


def parsed(text: str, format: str = "webanno") -> Corpus:
    return parse(text, format, "x.tsv")


def test_relations_make_entities() -> None:
    document = parsed(LINKED)[0]
    texts = [list(map(document.words_of, mentions)) for mentions in document.entities.values()]
    assert texts == [["Two roads"], ["I", "one"], ["one"]]
    assert [mention.type for mention in document.mentions] == ["place", "person", "place", "person"]
    assert document.mentions[0].attributes == {"infstat": "new"}
    (relation,) = document.relations
    assert (relation.kind, relation.label) == ("bridge", "bridge")
    assert (relation.anaphor, relation.antecedent) == ((0, 2), (6, 7))


def test_labels_of_other_relation_layers_decide() -> None:
    with refused("format", "x.tsv"):
        parsed(RELATIONS.format(layer="Link", label="likes"))
    same = parsed(RELATIONS.format(layer="Link", label="same as"))
    named = parsed(RELATIONS.format(layer="Link", label="likes"), "webanno:likes")
    assert same.to_dict(ends="inclusive") == named.to_dict(ends="inclusive")


def test_parts_of_tokens_are_split_and_points_are_empty_nodes() -> None:
    text = tokens(
        "1-1\t0-4\tThis\t_\t_", "1-1.1\t1-3\thi\t*[1]\t*->1-1", "1-2\t5-7\t😊\t*[1]\t*->1-3",
        "1-3\t8-10\tis\t_\t_", "1-3.1\t9-9\t\t*[1]\t*->1-2",
    )  # fmt: skip
    document = parsed(text)[0]
    assert document.tokens == ["T", "hi", "s", "😊", "i", "_", "s"]
    assert document.empty_nodes == [5]
    assert sorted(mention.spans for mention in document.mentions) == [[(1, 2)], [(3, 4)], [(5, 6)]]


LINKED = RELATIONS.format(layer="Coref", label="ana")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        *((tokens(row), 6) for row in (
            "1-1\t0-1\ta\t*[1]|*[2]\t*->1-1", "1-1\t0-1\ta\t*[1]\t*->1-1|*->2-1",
            "1-1\t0-1\ta\t*[1]|*[1]\t*->1-1|*->1-1", "1-1\t0-1\ta\t*[1]\t*->2-1",
            "1-1\t0-2\ta\t_\t_", "1-1\t0-1\ta\t_",
        )),
        (tokens("1-1\t0-1\ta\t_\t_", "1-1.1\t2-3\tb\t_\t_"), 7),
        (tokens("1-1\t0-1\ta\t*[1]\t*->1-1", "1-2\t2-3\tb\t_\t_",
                "1-3\t4-5\tc\t*[1]\t*->1-1"), 8),
        (LINKED.replace("1-1[1_3]", "x"), 15),
        (LINKED.replace("\tbridge\t", "\ta|b\t"), 15),
    ],
)  # fmt: skip
def test_damaged_chains_and_relations_are_refused(text: str, line: int) -> None:
    """Mentions were lost or joined if types, relations or numbers were missing or repeated."""
    assert place_of_error(parsed, text) == f"x.tsv:{line}"


def test_relations_with_missing_annotations_are_a_warning() -> None:
    """Files of AMALGUM have such relations."""
    (warning,) = parsed(LINKED.replace("1-1[1_3]", "1-1[9_3]")).warnings
    assert ":15: " in warning


def test_one_document_is_written_to_the_file_that_is_named(tmp_path: Path) -> None:
    """A directory of the name ``x.tsv`` was made."""
    corpus = parsed(tokens("1-1\t0-1\ta\tPER[1]\t*->1-1", "1-2\t2-3\tb\tPER[1]\t*->1-2"))
    write(corpus, tmp_path / "y.tsv", "webanno")
    assert (tmp_path / "y.tsv").is_file()
    assert read(tmp_path / "y.tsv").to_dict(ends="inclusive") == {"y": [[(0, 0), (1, 1)]]}
