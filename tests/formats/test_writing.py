"""Writing: what comes back, what gets lost and is told before, and files that appear whole."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefine import Document, Kind, Mention
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats import (
    all_formats,
    capabilities_of,
    format_named,
    losses,
    read,
    write,
)
from corefine.formats import registry as registry_module
from corefine.formats.conll import CONLL
from corefine.formats.losses import differences, read_back
from corefine.formats.writing import format_of_target
from tests.building.refusals import refused
from tests.building.text_corpora import make


def test_the_file_as_it_looks() -> None:
    document = Document("a/b; part 2", ["Anna", "saw", "her", "New York", "Ah"], starts=[0, 4])
    document.mentions = [Mention(7, [(0, 1)]), Mention(8, [(2, 4)]), Mention(7, [(2, 3)])]
    document.layers = {
        "pos": ["NNP", "VBD", "PRP", "", "UH"],
        "parse": ["(S*", "*", "*", "*)", "*"],
        "speaker": ["Bo"] * 5,
    }
    assert CONLL.write is not None
    written = b"".join(CONLL.write(Corpus.from_documents([document])))
    assert written.decode().replace("\t", " ") == (
        "#begin document (a/b); part 002\n"
        "a/b 2 0 Anna NNP (S* - - - Bo * (1)\n"
        "a/b 2 1 saw VBD * - - - Bo * -\n"
        "a/b 2 2 her PRP * - - - Bo * (2|(1)\n"
        "a/b 2 3 New York - *) - - - Bo * 2)\n"
        "\n"
        "a/b 2 0 Ah UH * - - - Bo * -\n"
        "\n"
        "#end document\n"
    )


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["e-1", "ü"], ["ü", "e-1"]),
        (["(1)", "x"], ["2", "1"]),
        (["a b", "x"], ["2", "1"]),
        (["", "x"], ["2", "1"]),
    ],
)
def test_ids_are_kept_where_they_can_be(names: list[str], expected: list[str]) -> None:
    mentions = [Mention(names[0], [(0, 1)]), Mention(names[1], [(0, 2)])]
    corpus = Corpus.from_documents([Document("d", ["a", "b"], mentions)])
    assert list(read_back(corpus, CONLL)[0].entities) == expected


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("corpus", ["craft", "gum", "litbank", "ontogum", "openboek-nl"])
def test_real_files_come_back_byte_for_byte(data: Path, corpus: str) -> None:
    path = data / corpus / "key.conll"
    assert CONLL.write is not None
    assert b"".join(CONLL.write(read(path))) == path.read_bytes()


# --- what gets lost -----------------------------------------------------------------------------


def categories(lost: Iterable[str]) -> list[str]:
    """Losses without counts and examples."""
    return [re.sub(r" \([0-9,]+(?:, such as .*)?\)$", "", loss, flags=re.DOTALL) for loss in lost]


def one_document(**changes: Any) -> Corpus:
    document = Document(
        "d", ["a", "b", "c", "d"], [Mention("x", [(0, 2)]), Mention("x", [(3, 4)]),
                                    Mention("y", [(1, 2)])], topic="t",
    )  # fmt: skip
    return Corpus.from_documents([replace(document, **changes)])


@pytest.mark.parametrize(
    ("changes", "category"),
    [
        ({"name": "e"}, "document names"),
        ({"topic": None}, "topics"),
        ({"tokens": ["a", "b", "c", "e"]}, "words"),
        ({"tokens": None}, "the text"),
        ({"mentions": [Mention("x", [(0, 2)]), Mention("y", [(1, 2)])]}, "mentions"),
        ({"mentions": [Mention("x", [(0, 2)]), Mention("y", [(3, 4)]), Mention("y", [(1, 2)])]},
         "entities"),
        ({"mentions": [Mention("x", [(0, 2)]), Mention("z", [(3, 4)]), Mention("y", [(1, 2)])]},
         "entities"),
    ],
)  # fmt: skip
def test_each_difference_is_named(changes: dict[str, Any], category: str) -> None:
    assert categories(differences(one_document(), one_document(**changes))) == [category]


def test_added_facts_are_no_losses() -> None:
    plain = one_document()
    (document,) = plain
    for mention in document.mentions:
        mention.kind, mention.type, mention.head = Kind.NAME, "PER", mention.spans[0][0]
        mention.attributes["a"] = "b"
    rich = Corpus.from_documents([document])
    assert differences(plain, rich) == []
    assert categories(differences(rich, plain)) == [
        "mention kinds",
        "heads",
        "types",
        "the mention attribute a",
    ]


def test_names_of_entities_that_documents_share_are_kept_or_lost() -> None:
    """JSON lines have no entity ids, so ``--scope corpus`` would be impossible afterwards."""
    documents = [Document(name, ["a"], [Mention("anna", [(0, 1)])]) for name in "xy"]
    shared = Corpus.from_documents(documents)
    assert losses(shared, CONLL) == []
    assert categories(losses(shared, format_named("e2e"))) == [
        "names of entities that documents share"
    ]


def test_what_cannot_be_read_back_is_a_loss() -> None:
    broken = replace(CONLL, write=lambda corpus: [b"#begin document (d);\nd 0 0 a (1\n"])
    (loss,) = losses(one_document(topic=None), broken)
    assert "read again" in loss


def test_a_corpus_without_text_is_refused_by_formats_of_texts(tmp_path: Path) -> None:
    corpus = Corpus.from_entities([["a", "b"]])
    for format in all_formats():
        if "text" in capabilities_of(format) and format.write:
            with refused("needs-text"):
                write(corpus, tmp_path / "out", format.name, lossy=True)
    assert list(tmp_path.iterdir()) == []


# --- files --------------------------------------------------------------------------------------

SMALL = make({"d": ([["a", "b"]], [(0, 0, 0), (0, 1, 1)])})


@pytest.mark.parametrize(
    ("name", "own", "expected"),
    [
        ("a.conll", None, "conll"),
        ("a.conll", "conllu", "conll"),
        ("a.conllu.gz", None, "conllu"),
        ("a.semeval", "conll", "semeval"),
        ("a.jsonl", None, "e2e"),
        ("a.jsonl", "conll", "e2e"),
        ("a.jsonl", "wl-coref", "wl-coref"),
        ("a.csv", None, "labels"),
        ("a", "conllu", "conllu"),
        ("-", "semeval", "semeval"),
        ("folder", "brat", "brat"),
    ],
)
def test_the_suffix_tells_the_format(name: str, own: str | None, expected: str) -> None:
    assert format_of_target(name, own).name == expected


@pytest.mark.parametrize("name", ["a", "-", "a.doc", "a.1"])
def test_a_suffix_that_tells_nothing_is_refused(name: str) -> None:
    with refused("unknown-format"):
        write(SMALL, name)


def test_gzip_by_the_name_of_the_target_and_standard_output(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "out.conll.gz"
    write(SMALL, path)
    write(SMALL, "-", "conll")
    assert gzip.decompress(path.read_bytes()) == capfdbinary.readouterr().out
    assert differences(SMALL, read(path)) == []


def test_formats_of_several_files_are_written_to_a_new_directory(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write(SMALL, target, "brat", lossy=True)
    assert sorted(os.listdir(target)) == ["d.ann", "d.txt"]
    for place in (target, "-"):
        with pytest.raises(UsageError):
            write(SMALL, place, "brat", lossy=True)
    assert os.listdir(tmp_path) == ["out"]


def test_formats_that_are_only_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_module, "_formats", {"conll": replace(CONLL, write=None)})
    with refused("read-only-format"):
        write(SMALL, tmp_path / "out.conll", "conll")
