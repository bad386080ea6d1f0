"""CoNLL-U with CorefUD's Entity: mentions, empty nodes, relations, malformed files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.formats import Source, conllu, read
from corefine.formats.conllu import write
from corefine.scoring.drivers.streaming import cut, indexed
from corefine.scoring.sides import File
from tests.building.conllu_reference import as_plain, plain_mentions
from tests.building.format_files import place_of_error

HEADER = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"


def line(
    number: int | str, misc: str = "_", word: str = "w", head: str = "_", deps: str = "_"
) -> str:
    return f"{number}\t{word}\t_\t_\t_\t_\t{head}\t_\t{deps}\t{misc}\n"


def words(*miscs: str) -> str:
    """One sentence, with an Entity at each word."""
    return "".join(
        line(number, f"Entity={misc}" if misc else "_")
        for number, misc in enumerate(miscs, start=1)
    )


def parsed(text: str | bytes, **options: object) -> Corpus:
    data = text.encode() if isinstance(text, str) else text
    source = Source("x.conllu", Path("x.conllu"), content=data)
    return conllu.read(source, **options)  # type: ignore[arg-type]


def mentions(text: str) -> list[tuple[object, ...]]:
    """Mentions as (entity, words, head, type, minimum, other fields)."""
    return [mention for document in parsed(text) for mention in plain_mentions(document)]


def test_brackets_with_the_type_first_need_no_header() -> None:
    text = words("(person-1", "(place-2)person-1)", "(person-1)")
    corpus = parsed(text)
    assert corpus.to_dict(ends="inclusive") == {"x": [[(0, 1), (2, 2)], [(1, 1)]]}
    assert corpus.types == ("person", "place")
    assert len(corpus.warnings) == 1
    assert mentions(line(1, "Entity=(e1-person-1-)"))[0][0] == "e1"


def test_dependencies_of_empty_nodes() -> None:
    text = (
        HEADER
        + line("0.1", "Entity=(z-person-1-)", word="I", deps="2:nsubj")
        + line("1-2", word="cannot")
        + line(1, word="can")
        + line(2, "Entity=(a--2-", word="not")
        + line("2.1", deps="1:obj")
        + line("2.2", "Entity=a)", deps="2:obj")
        + "\n"
        + line(1)
    )
    (document,) = parsed(text)
    assert document.layers["deps"] == ["2:nsubj", "_", "_", "1:obj", "2:obj", "_"]
    (document,) = parsed(text, layers=frozenset())
    assert document.layers["deps"] == ["2:nsubj", "", "", "1:obj", "2:obj", ""]


@pytest.mark.parametrize("block", [1, 40, 1 << 20])
def test_empty_nodes_whose_numbers_are_left_out_stand_where_they_say(block: int) -> None:
    """A response that lost the empty node 1.1 still has 1.2, not 1.1."""
    last = line(2, "Entity=(e--1-)")
    key = parsed(HEADER + line(1) + line("1.1") + line("1.2", "Entity=(e--1-)") + last)
    for number, recall in (("1.2", 1), ("1.1", 1 / 2)):
        theirs = parsed(HEADER + line(1) + line(number, "Entity=(e--1-)") + last, block_size=block)
        assert corefine.score(key, theirs, "mentions", zeros="linear")["mentions"].recall == recall
        assert f"\n{number}\t".encode() in b"".join(write(theirs))
        nodes = concatenate([key, replace(theirs, documents=("e",))]).tokens
        assert nodes is not None
        assert ("2" in nodes.layers.get("node", [])) == (number == "1.2")


LONG = "x" * 5000
FIELDED = "# global.Entity = eid-minspan\n"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *((HEADER + words(*cells.replace("_", "").split(" ")), number) for cells, number in (
            ("(a--1- _", 3), ("_ a)", 4), ("(a[1/2]--1-)", 3), ("(a[1/3]) _ (a[3/3])", 5),
            ("(a[2/2])", 3), ("(a[3/2])", 3), ("(a[0/2])", 3), ("(a[1/2](a[2/2]) a[1/2])", 3),
            ("(a--2-)", 3), ("(a--0-)", 3), ("(a--x-)", 3), ("_ a", 4), ("()", 3),
            ("(a[1/2]--4- a[1/2]) _ (a[2/2]--4-)", 3), ("(-person-1-)", 3),
            ("(a[1/99999999999])", 3), ("(a[x/2])", 3), ("(a[/])", 3), (f"(a[1/{'9' * 5000}])", 3),
            (f"({LONG}", 3), (f"({LONG}-y-2-)", 3), (f"({LONG}[1/2])", 3), (LONG, 3),
        )),
        *((FIELDED + words(f"(a-{value}", "a)"), 2) for value in ("3", "0", "1,x", "2,3")),
        *((HEADER + line(1, misc), 3) for misc in (
            "Entity=", "Entity=(a b)", "Entity=(a)|Entity=(b)", "Bridge=e1", "SplitAnte=e1<,e2<e1",
            f"Bridge={LONG}",
        )),
        *((HEADER + line(number), 3) for number in (
            "1a", "1-", "12345678901", "x", "2", "1.1", LONG, f"1{LONG}",
        )),
        *((HEADER + line(1) + line(number), 4) for number in (
            "1.x", "3", "1", "2.1", "1.0", "1.1000",
        )),
        *((HEADER + line(1) + line(one) + line("1.1"), 5) for one in ("1.1", "1.2")),
        *((f"# global.Entity = {header}\n{line(1)}", 1) for header in (
            "etype-head", "eid-eid", "eid-GRP", "eid--x", "", LONG,
            f"eid-{'-'.join(map(str, range(80)))}",
        )),
        ("".join(f"# global.Entity = eid-{n}\n" for n in range(70)) + line(1), 65),
        (HEADER + words("(a--1-") + "\n# newdoc id = e\n" + words("a)"), 3),
        (HEADER + line("1-2", "Entity=(a)") + line(1) + line(2), 3),
        (HEADER + "1\tw\n", 3),
        (HEADER + "1 w _ _ _ _ _ _ _ _\n", 3),
        (HEADER + line(1).replace("\n", "\t_\n"), 3),
        (line(1) + "\n# newdoc id = a\n" + line(1), 1),
        (HEADER + words("(m-x") + "\x00", 4),
        ((HEADER + line(1)).encode() + b"2\t\xff\n", 4),
        (HEADER + line(1, word="w" * (1 << 20)), 3),
        ("", None),
        ("# a comment\n\n", None),
        # Mentions that would be lost in silence.
        *((HEADER + line(1, "Entity=(a)") + written, 4) for written in (
            line(2, " Entity=(a)"), line(2, "SpaceAfter=No| Entity=(a)"), line(2, "entity=(a)"),
            line(2, "Entity =(a)"), line(2, "Entity=(a)|(b)"), line(2, "Entity:(a)"),
            line(2, "Entities=(a)"), line(2, "Entity(a)"),
            line(2, "(a-person-1-)"), line(2, "SpaceAfter=No;Entity=(a)"),
            line(2, "Entity\u2028=(a)"), line(2, "\u00a0Entity=(a)"),
            "# Newdoc id = e\n" + line(2), "# newdoc_id = e\n" + line(2),
            "# newdoc id: e\n" + line(2),
        )),
    ],
    ids=lambda value: str(value)[:20],
)  # fmt: skip
def test_malformed_files_are_refused_with_their_line(text: str | bytes, number: int | None) -> None:
    place = "x.conllu" if number is None else f"x.conllu:{number}"
    assert place_of_error(parsed, text) == place


@pytest.mark.data
def test_heads_from_the_tree_are_those_that_the_field_gives(data: Path) -> None:
    native, converted = (read(data / "gum" / f"key.{kind}conllu") for kind in ("gum-native.", ""))
    assert native.relations
    assert native.mentions.minimum is not None
    assert corefine.score(converted, native, match="head")["mentions"].f1 == 1.0


# --- documents one by one -------------------------------------------------------------------------


def document(name: str, *cells: str) -> str:
    return f"# newdoc id = {name}\n# sent_id = {name}-1\n" + words(*cells) + "\n"


FIRST = "# newdoc id = a\n# global.Entity = etype-eid-head\n" + words("(p-x-2", "x)") + "\n"


def test_documents_are_streamed_with_the_header_of_the_first(tmp_path: Path) -> None:
    others = [document(name, "(p-x", "(q-y)", "x)") for name in ("b", "c", "d")]
    key, response = tmp_path / "key.conllu", tmp_path / "response.conllu"
    key.write_text("# a comment\n" + FIRST + "".join(others))
    response.write_text(FIRST + "".join(reversed(others)))
    ours, theirs = indexed(File(str(key), "key")), indexed(File(str(response), "response"))
    assert ours is not None
    assert theirs is not None
    assert ours[1].names == ("a", "b", "c", "d")
    pieces = [(w.key.read(frozenset()), w.response.read(frozenset())) for w in cut(ours, theirs, 1)]
    assert len(pieces) == 4
    whole = as_plain(read(key, layers=()))
    assert [plain for piece, _ in pieces for plain in as_plain(piece)] == whole
    theirs_plain = [plain for _, piece in pieces for plain in as_plain(piece)]
    assert [plain[6:] for plain in theirs_plain] == [plain[6:] for plain in whole]


@pytest.mark.parametrize(
    "text",
    [
        FIRST + "# newdoc\n" + words("(p-x)"),
        FIRST + document("b", "(x)").replace("# sent", "# global.Entity = eid\n# sent"),
        document("a", "(x)") + document("b", "(x)") + document("c", "(x)").replace(
            "# sent", "# global.Entity = eid-etype-head-other\n# sent"
        ),
        words("(x)"),
    ],
)  # fmt: skip
def test_documents_that_depend_on_others_are_not_streamed(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(text)
    assert indexed(File(str(path), "key")) is None


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (FIRST + document("b", "(p-x-3)") + document("c", "(p-x") + document("d", "(p-x-1)"),
         [8, 12]),
        # A header that is not UTF-8 ended in a traceback.
        ("# global.Entity = eid-\xab\n" + document("a", "(a-p)") + document("b", "(a-p)"), [1]),
        ("# global.Entity = eid-\xab\n" + document("a", "(a-p") + document("b", "(a-p)"), [4]),
    ],
)  # fmt: skip
def test_a_check_names_the_errors_of_all_documents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, lines: list[int]
) -> None:
    path = tmp_path / "x.conllu"
    path.write_bytes(content.encode("latin-1"))
    # A file that is not UTF-8 cannot be read at all.
    assert main(["check", str(path)]) == (2 if "\xab" in content else 1)
    shown = capsys.readouterr()
    assert all(f"{path}:{number}: " in shown.out + shown.err for number in lines)
