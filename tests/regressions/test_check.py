"""Replays of findings about ``check``, its repairs, and ``describe``."""

from __future__ import annotations

import json

import pytest

import corefine
from corefine import Corpus, Document, Mention
from corefine.cli import main
from corefine.errors import UsageError
from corefine.formats.sample import sample_path

HEALTHY = """# newdoc id = x
# global.Entity = eid-etype-head-other
# sent_id = x-1
# text = Anna saw her house.
1\tAnna\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person-1-)|Discourse=organization
2\tsaw\t_\t_\t_\t_\t_\t_\t_\t_
3\ther\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2-place-2-(e1-person-1-)
4\thouse\t_\t_\t_\t_\t_\t_\t_\tEntity=e2)|SpaceAfter=No
5\t.\t_\t_\t_\t_\t_\t_\t_\t_

"""


def test_no_file_is_called_like_an_option(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.conllu").write_text(HEALTHY)
    main(["check", "x.conllu", "--fix", "--in-place"])
    assert [path.name for path in tmp_path.iterdir()] == ["x.conllu"]


def test_ids_that_cross_documents_on_purpose_are_left_alone(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("document,mention,entity\na,x,Obama\nb,y,Obama\n")
    assert corefine.repair(file).log == ()


def test_relations_are_renamed_with_their_entities(tmp_path):
    file = tmp_path / "x.conllu"
    second = HEALTHY.replace("id = x", "id = y").replace("|Spa", "|SplitAnte=e1<e2,e3<e2|Spa")
    file.write_text(HEALTHY + second)
    corefine.repair(file, in_place=True)
    assert "SplitAnte=e1.2<e2.2,e3<e2.2" in file.read_text()


UA = (
    "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING\n"
    "# newdoc id = {}\n"
    "1\tA\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=m1|MarkableID=m1\t_\n"
    "2\tB\t_\t_\t_\t_\t_\t_\t_\t_\tm1)\t_\n\n"
)


def test_brackets_closed_by_the_id_of_a_markable_are_no_entity_ids(tmp_path):
    """The number was appended behind the bracket, ``m1).2``, and the file could not be read."""
    file = tmp_path / "x.ua"
    file.write_text(UA.format("a") + UA.format("b"))
    found = corefine.repair(file, in_place=True, scope="document")
    assert found.after.decode() == UA.format("a") + UA.format("b").replace("D=m1|", "D=m1.2|")
    assert found.checked.findings == ()


def test_new_ids_are_not_those_of_dangling_relations_or_open_brackets(tmp_path):
    file = tmp_path / "x.conllu"
    second = HEALTHY.replace("id = x", "id = y").replace("|Disc", "|Bridge=e1.2<e1|Disc")
    second = second.replace("_\n\n", "Entity=(e1.3-person-1-\n\n")
    file.write_text(HEALTHY + second)
    assert "Bridge=e1.2<e1.4|" in corefine.repair(file).after.decode()


def test_a_last_row_without_a_last_value_belongs_to_the_table(tmp_path):
    """Its entity was not renamed with the other rows of its document."""
    file = tmp_path / "labels.csv"
    file.write_text("document,mention,entity,note\na,x,E,\nb,y,E,\nb,z,E,")
    assert corefine.repair(file, scope="document").after.decode().endswith("b,y,E.2,\nb,z,E.2,")


def test_repairs_advise_the_option_that_the_command_has(tmp_path, capsys):
    file = tmp_path / "x.txt"
    file.write_text("No coreference here.\n")
    assert main(["check", str(file), "--fix"]) == 2
    assert "--key-format" not in capsys.readouterr().err


def test_lexical_diversity_is_that_of_the_page_and_has_no_order():
    texts = [["a", "b"] * 600, ["c"] * 1100, ["d", "e", "f"] * 300]
    documents = [Document(str(n), words, [Mention("e", [(0, 1)])]) for n, words in enumerate(texts)]
    cards = [
        corefine.describe(Corpus.from_documents(order)).cards["corpus"]
        for order in (documents, documents[::-1])
    ]
    tokens = sum(map(len, texts))
    assert [card["lexical diversity"] for card in cards] == [1000 * 6 / tokens] * 2


def test_same_head_is_not_same_last_word():
    document = Document("d", ["the", "dog"], [Mention("e", [(0, 2)])])
    assert "same head" not in corefine.describe(Corpus.from_documents([document])).cards["corpus"]


def test_messages_quote_at_most_sixty_characters(tmp_path):
    file = tmp_path / "x.conll"
    words = "\n".join(f"x 0 {n} word{n} -" for n in range(1, 2000))
    opening = "|".join(f"({n}" for n in range(200))
    closing = "|".join(f"{n})" for n in range(200))
    file.write_text(f"#begin document (x)\nx 0 0 A {opening}\n{words}\nx 0 2000 Z {closing}\n")
    (checked,) = corefine.check(file)
    assert len(checked.findings) == 199
    assert max(len(finding.message) for finding in checked.findings) < 150


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("head-other", "head-other ", ["CU103"]),
        ("head-other", "head-link-other", ["CU103"]),
        ("\t_\n3", "\tEntity=\n3", ["CU108"]),
        ("Entity=e2)", "_", ["CU201"]),
        ("Entity=(e2-place-2-(e1", "Bridge=e1<e2:X1|Entity=(e2-place-2-(e1", ["CU304"]),
        ("Bridge=e1", "Bridge=e7", ["CU309"]),
        ("Entity=e2)", "Entity=e2)|Entity=(e1-place-9-)", ["CU106"]),
        ("(e2-place-2-(e1-person-1-)", "(e2-pl ace-2-(e1-person-1-)", ["CU108"]),
        ("# global.Entity = eid-etype-head-other\n", "", ["CU101"]),
    ],
)
def test_what_the_validator_of_corefud_refuses_is_reported_once(old, new, codes, tmp_path):
    """Blanks after a declaration, a late ``other``, an empty value, a label with capitals.

    A relation at a mention that is never closed, or only closed, was called misplaced as well; a
    second Entity and the rest of a malformed one were read as if they were right.
    """
    file = tmp_path / "x.conllu"
    related = HEALTHY.replace("Entity=(e2-", "Bridge=e1<e2|Entity=(e2-")
    text = (HEALTHY if "X1" in new else related).replace(old, new, 1)
    file.write_text(text.replace("-)", "--more)") if codes == ["CU101"] else text)
    assert [one.code for one in corefine.check(file)[0].findings] == codes


def test_a_relation_with_another_label_is_not_removed(tmp_path):
    """The second label was lost, though the log said that the relation is there twice."""
    file = tmp_path / "x.conllu"
    file.write_text(HEALTHY.replace("Entity=(e2-", "Bridge=e1<e2:part,e1<e2:set|Entity=(e2-"))
    assert corefine.repair(file).log == ()


def test_sarif_names_files_by_uris(tmp_path):
    file = tmp_path / "ä b.conll"
    file.write_text("#begin document (x)\nx 0 0 Anna (1\n#end document\n")
    (result,) = corefine.check(file).to_sarif()["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"].endswith("/%C3%A4%20b.conll")


def test_types_before_ids_are_read_as_the_reader_does(tmp_path):
    """Without a declaration, ``place-103`` is entity 103, and not an entity called place."""
    file = tmp_path / "x.conllu"
    words = ("(place-103(person-4)", "place-103)", "(place-103)")
    lines = [f"{n}\tw" + "\t_" * 7 + f"\tEntity={value}" for n, value in enumerate(words, 1)]
    file.write_text("\n".join(["# newdoc id = x", *lines, "", ""]))
    assert [one.code for one in corefine.check(file)[0].findings] == ["CU101"]


@pytest.mark.parametrize(
    ("clusters", "code"),
    [([[[0, 2]], [[1, 3]]], "CU210"), ([[[0, 2], [1, 3]]], "CU209"), ([], "CU004")],
)
def test_words_of_mentions_in_json_are_looked_at(clusters, code, tmp_path):
    """Crossing mentions and documents without mentions were not reported."""
    file = tmp_path / "x.jsonl"
    record = {"doc_key": "d", "sentences": [["a", "b", "c", "d"]], "clusters": clusters}
    file.write_text(json.dumps(record) + "\n")
    (checked,) = corefine.check(file)
    assert [(one.code, one.line) for one in checked.findings] == [(code, 1)]


@pytest.mark.parametrize("function", [corefine.check, corefine.repair])
@pytest.mark.parametrize(
    "thing", [corefine.read(sample_path("key")), {"d": [[1, 2]]}, [[1, 2]], None]
)
def test_what_is_no_file_is_refused(function, thing):
    """A corpus raised TypeError: expected str, bytes or os.PathLike object."""
    with pytest.raises(UsageError, match=r"reads files.*corefine\.describe"):
        function(thing)


def test_dependencies_without_heads_are_no_appositions(tmp_path):
    """A column of heads without a value is not read: KeyError: 'head'."""
    file = tmp_path / "x.conllu"
    file.write_text(HEALTHY.replace("_\t_\t_\tEntity=(e1", "_\tappos\t_\tEntity=(e1"))
    assert corefine.check(file, select="CU6")[0].findings == ()


@pytest.mark.parametrize("asked", ["--output=csv", "--tables=repairs"])
def test_a_form_that_repairs_do_not_have_is_refused_before_a_file_is_changed(asked, tmp_path):
    """The file was repaired, and then the form was refused; tables were ignored."""
    file = tmp_path / "x.conllu"
    broken = HEALTHY.replace("Entity=(e1-person-1-)|", "Entity=(e1-person-1-)(e1-person-1-)|")
    file.write_text(broken)
    assert main(["check", str(file), "--fix", asked]) == 2
    assert file.read_text() == broken
    assert main(["check", str(file), "--fix"]) == 0
    assert file.read_text() == HEALTHY


def test_a_mention_at_the_last_multiword_token_without_words_is_checked(tmp_path):
    file = tmp_path / "x.conllu"
    last = "6-7\tdon't\t_\t_\t_\t_\t_\t_\t_\tEntity=(e3-person-1-)\n\n"
    file.write_text(HEALTHY.rstrip("\n") + "\n" + last)
    (checked,) = corefine.check(file)
    assert checked.problems
