"""Files of public corpora: OntoNotes Normal Form, TEI of GerDraCor, KoCoNovel."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine.errors import FormatError
from tests.building.refusals import refused
from tests.fuzzing.samples import sample

SECTIONS = """\
Plain sentence:
---------------
    Ben sang.

Speaker information:
--------------------
    name: Speaker#1

Tree:
-----
    (TOP (S (NP-SBJ (NNP Ben))
            (VP (VBD sang))
            (. .)))

Coreference chains for section {section}:
---------------------------------

    Chain 3 (APPOS)
               HEAD       1.0-0      Ben

    Chain 4 (IDENT)
               {mention}
                          sang
"""


def onf(section: str = "12", mention: str = "1.0-1      Ben") -> str:
    first = sample("onf")["x.onf"].decode()
    return first + "=" * 40 + "\n" + SECTIONS.format(section=section, mention=mention)


def test_sections_of_onf_are_documents_and_appositions_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "cctv_0000.onf"
    path.write_text(onf())
    first, second = corefine.read(path)
    assert [first.name, second.name] == ["cctv_0000", "cctv_0000; part 12"]
    assert first.empty_nodes == [2]
    assert second.layers == {"pos": ["NNP", "VBD", "."], "speaker": ["Speaker#1"] * 3}
    assert [(one.entity, one.spans) for one in second.mentions] == [("4", [(0, 2)])]


@pytest.mark.parametrize("mention", ["0.0-0      Ben", "1.2-3      .", "2.0-0      Ben", "here"])
def test_mentions_of_onf_outside_their_section_are_refused(mention: str, tmp_path: Path) -> None:
    path = tmp_path / "x.onf"
    path.write_text(onf(mention=mention))
    with pytest.raises(FormatError) as error:
        corefine.read(path)
    assert error.value.where is not None
    assert error.value.where.line == len(onf().splitlines()) - 1


def test_tei_in_a_root_element_without_a_valid_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_bytes(b"<#root>" + sample("tei")["x.xml"] + b"</#root>")
    assert corefine.read(path).format == "tei"
    assert len(corefine.read(path).mentions) == 2


def test_the_label_chooses_the_annotation_of_koconovel(tmp_path: Path) -> None:
    for name, data in sample("koconovel").items():
        (tmp_path / name).write_bytes(data)
    path = tmp_path / "coref.jsonl"
    assert len(corefine.read(path).mentions) == 2
    with pytest.raises(FormatError, match="omniscent_separate"):
        corefine.read(path, "koconovel:reader_separate")
    with refused("usage"):
        corefine.read(path, "koconovel:speakers")
    (tmp_path / "text.jsonl").write_text('{"doc_id": "2_0", "text": "A"}\n')
    with refused("format", "coref.jsonl:1"):
        corefine.read(path)
    (tmp_path / "text.jsonl").unlink()
    with refused("format", "coref.jsonl"):
        corefine.read(path)
