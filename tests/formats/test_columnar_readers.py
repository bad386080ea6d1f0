"""The readers of CoNLL and CoNLL-U against plain ones, at any size of block."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.errors import CorefineError
from corefine.formats import Source, read
from corefine.formats.conll import read as read_conll
from corefine.formats.conllu import read as read_conllu
from tests.building import conll_reference, conllu_reference
from tests.building.conll_reference import RefusedError
from tests.conftest import RealCorpora

WORDS = ["a", "the", "New York", "-", "(", ")", "|", "*", "_", "#", "#tag", "1)", "(1", "é", "語"]
MARKS = ["#begin document ({}); part 000", "# begin document {}", "#begin document ({});part 3"]
BETWEEN = ["", "  ", "\t", "\x0c", "# comment -", "#\tx y\tz", "#end", "#\u00e9"]
FIELDS = ["person", "", "new", "x:y,z:%2C", "Anne_Marie", "é"]
HEADERS = [
    "eid-etype-head-other", "eid-etype-head-minspan-identity", "GRP-etype-infstat", "etype-eid",
]  # fmt: skip
COMMENTS = ["# text = a b", "# sent_id = s{}", "#sent_id = s {} ", "# x", "#", "# newpar id = 3"]


def joined(rng: random.Random, lines: list[str]) -> bytes:
    """Lines with one of the usual ends, with or without a byte order mark and a last newline."""
    end = rng.choice(["\n", "\n", "\r\n"])
    last = rng.choice([end, "", end + end])
    return (rng.choice(["", "", "\ufeff"]) + end.join(lines) + last).encode()


def random_conll(rng: random.Random) -> bytes:
    """A valid file that takes every liberty of the format."""
    lines: list[str] = []
    by_tabs = rng.random() < 0.5
    for number in range(rng.randint(1, 4)):
        name = rng.choice(["x", "bc/y (z)", "d; e", "ü"]) + str(number)
        lines.append(rng.choice(MARKS).format(name))
        lines += conll_lines(rng, conll_cells(rng, rng.randint(0, 14)), by_tabs)
        if rng.random() < 0.5:
            lines.append("#end document")
    return joined(rng, lines)


def conll_cells(rng: random.Random, size: int) -> list[list[str]]:
    """Brackets at each of so many tokens, balanced, nested and crossing."""
    cells: list[list[str]] = [[] for _ in range(size)]
    still_open: list[str] = []
    for cell in cells:
        while still_open and rng.random() < 0.4:
            cell.append(still_open.pop(rng.randrange(len(still_open))) + ")")
        for _ in range(rng.choice([0, 0, 1, 2])):
            entity = rng.choice(["1", "2", "13", "007", "7", "e-1", "ß", "Long_Name_Of_Entity"])
            single = rng.random() < 0.5
            cell.append(f"({entity})" if single else f"({entity}")
            if not single:
                still_open.append(entity)
    if cells:
        cells[-1] += [entity + ")" for entity in still_open]
    return cells


def conll_lines(rng: random.Random, cells: list[list[str]], by_tabs: bool) -> list[str]:
    lines: list[str] = []
    columns = rng.choice([2, 3, 4, 5, 6, 12])
    for brackets in cells:
        separator = "\t" if by_tabs else " " * rng.randint(1, 3)
        word = rng.choice(WORDS)
        if not by_tabs:
            word = word.replace(" ", "_")
            if columns == 2:
                word = word.replace("#", "n")
        cell = "".join(
            bracket if bracket.startswith("(") and rng.random() < 0.3 else "|" + bracket
            for bracket in brackets
        ).removeprefix("|")
        row = ["n"] * (columns - 2) + [word, cell or rng.choice(["-", "_", "*"])]
        if columns > 4:
            row[3], row[-2] = word, word if columns == 5 else "n"
        lines.append(separator.join(row) + rng.choice(["", "", " ", "\t"]))
        if rng.random() < 0.2:
            lines.append(rng.choice(BETWEEN))
    return lines


def random_conllu(rng: random.Random) -> bytes:
    """A valid file that takes every liberty of the format."""
    lines: list[str] = []
    unmarked = rng.random() < 0.1
    for number in range(1 if unmarked else rng.randint(1, 4)):
        if not unmarked:
            mark = rng.choice(["# newdoc id = d{}", "#newdoc id = d {}", "# newdoc"])
            lines.append(mark.format(number))
        header = rng.choice(HEADERS)
        lines.append(f"# global.Entity = {header}")
        lines += conllu_sentences(rng, header.split("-"))
    return joined(rng, lines)


def conllu_sentences(rng: random.Random, header: list[str]) -> list[str]:
    sizes = [rng.randint(0, 6) for _ in range(rng.randint(0, 3))]
    empties = [[rng.choice([0, 0, 0, 1, 2]) for _ in range(size + 1)] for size in sizes]
    total = sum(sizes) + sum(map(sum, empties))
    cells = iter(conllu_cells(rng, total, header))
    lines: list[str] = []
    for size, nodes in zip(sizes, empties, strict=True):
        lines += [c.format(rng.randint(1, 99)) for c in rng.choices(COMMENTS, k=rng.randint(0, 3))]
        for word in range(size + 1):
            if word:
                if rng.random() < 0.1:
                    lines.append(f"{word}-{word + 1}\tab" + "\t_" * 8)
                lines.append(conllu_line(rng, str(word), next(cells), size))
            for node in range(nodes[word]):
                lines.append(conllu_line(rng, f"{word}.{node + 1}", next(cells), size))
        lines.append(rng.choice(["", "", " "]))
    return lines


def conllu_cells(rng: random.Random, size: int, header: list[str]) -> list[str]:
    """Brackets at each of so many tokens: nested, crossing and discontinuous."""
    brackets: list[tuple[list[str], list[str], list[str]]] = [([], [], []) for _ in range(size)]
    for number in range(rng.randint(0, size)):
        entity = rng.choice(["e1", "2", "13", "e007", f"doc_long_name{number}", "ß"])
        start = rng.randrange(size)
        bounds = sorted(rng.sample(range(start, size), min(size - start, rng.choice([1, 2, 2, 4]))))
        if len(bounds) % 2:
            bounds = sorted([*bounds, bounds[-1]])
        parts = list(zip(bounds[0::2], bounds[1::2], strict=True))
        if len(parts) > 1:
            entity = f"x{number}"
        length = sum(last - first + 1 for first, last in parts)
        minimum = sorted(rng.sample(range(1, length + 1), rng.randint(1, length)))
        given = {"head": str(rng.randint(1, length)), "minspan": ",".join(map(str, minimum))}
        for place, (first, last) in enumerate(parts, start=1):
            name = f"{entity}[{place}/{len(parts)}]" if len(parts) > 1 else entity
            values = [
                name if field in ("eid", "GRP")
                else "" if rng.random() < 0.2
                else given.get(field) or rng.choice(FIELDS)
                for field in header
            ]  # fmt: skip
            opening = "(" + "-".join(values)
            while opening.endswith("-") and rng.random() < 0.7:
                opening = opening[:-1]
            if first == last:
                brackets[first][1].append(opening + ")")
            else:
                brackets[last][0].append(f"{name})")
                brackets[first][2].append(opening)
    return ["".join(closing + single + opening) for closing, single, opening in brackets]


def conllu_line(rng: random.Random, number: str, cell: str, size: int) -> str:
    columns = [rng.choice(["_", "a", "b c", "Entity=(x)", "A=B|C=D"]) for _ in range(8)]
    columns[5] = rng.choice(["_", "0", str(rng.randint(1, size + 1)), "x"])
    attributes = [f"Entity={cell}"] if cell else []
    if rng.random() < 0.3:
        attributes.append(rng.choice(["SpaceAfter=No", "Gloss=(e1)", "Bridge=e1<e2:part,e3<e2"]))
    if rng.random() < 0.1:
        attributes.append("SplitAnte=e1<e2,e3<e2")
    rng.shuffle(attributes)
    return "\t".join([number, *columns, "|".join(attributes) or "_"])


SEEDS = st.integers(0, 2**32).map(random.Random)
RANDOM: dict[str, Callable[[random.Random], bytes]] = {
    "conll": random_conll,
    "conllu": random_conllu,
}
every_reader = pytest.mark.parametrize("format", RANDOM)


def found(format: str, data: bytes, block_size: int = 1 << 20) -> object:
    """The plain contents that the reader finds, or the word "refused"."""
    name = f"file.{format}"
    source = Source(name, path=Path(name), content=data)
    try:
        if format == "conll":
            return conll_reference.as_plain(read_conll(source, frozenset(), block_size))
        return conllu_reference.as_plain(read_conllu(source, None, block_size))
    except CorefineError as error:
        return "refused" if str(error).startswith(name) else f"no place: {error}"


def expected(format: str, data: bytes, stem: str = "file") -> object:
    try:
        if format == "conll":
            return conll_reference.plainly_read(data)
        return conllu_reference.plainly_read(data, stem)
    except RefusedError:
        return "refused"


@every_reader
@given(rng=SEEDS, block_size=st.integers(1, 120))
def test_random_files_are_read_as_line_by_line(
    format: str, rng: random.Random, block_size: int
) -> None:
    data = RANDOM[format](rng)
    whole = found(format, data)
    assert whole == expected(format, data)
    assert found(format, data, block_size) == whole


BEGIN = "#begin document (x); part 000\n"
PLAIN = BEGIN + "x 0 0 a - (1)\nx 0 1 b - -\nx 0 2 c - (1)\n"
TABBED = PLAIN.replace(" ", "\t")


def rows(cells: str) -> str:
    """Tokens of CoNLL with these cells."""
    return BEGIN + "".join(f"x 0 {number} w {cell}\n" for number, cell in enumerate(cells.split()))


def words(cells: str, header: str = "eid-etype-head-other", head: str = "_") -> str:
    """Words of CoNLL-U with these brackets."""
    lines = "".join(
        f"{number}\tw\t_\t_\t_\t_\t{number - 1 if head == 'left' else head}\t_\t_\t"
        f"{f'Entity={cell}' if cell != '.' else '_'}\n"
        for number, cell in enumerate(cells.split(), 1)
    )
    return f"# newdoc id = d\n# global.Entity = {header}\n{lines}"


LIBERTIES = [
    *(("conll", BEGIN + separator.join(line.split()))
      for separator in (" ", "\t", "    ")
      for line in ("(1)", "word (1)", "0 word (1)", "x 0 word (1)", "x 0 0 word (1)",
                   "x 0 0 word " + "- " * 40 + "(1)")),
    *(("conll", text.replace("\n", f"{end}\n"))
      for text in (PLAIN, TABBED) for end in ("\t", " \t", "  ", "\r")),
    *(("conll", BEGIN + text) for text in (
        "x\t0\t0\tNew York\tN\t(1)\nx\t0\t1\t \tV\t-\n", "New York\t(1)\nis\t-\n",
        "x 0 0 a b (1)\nx\t0\t1\tc\te\t(1)\n", "x  0  0  a  -  -\t(1)\nx  0  1  b  -  -\t-\n",
        "#\t-\n#tag\t(1)\n# no\tword\t-\n#1 (2)\n#\tfoo\n", "é -\n語 -\n😀 (1)\na\u00a0b -\n",
    )),
    *(("conll", text) for text in (
        PLAIN.replace("b -", "b *"), TABBED.replace("b\t-\t-", "b\t_\t"),
        TABBED.replace("b\t-\t-\n", "b\t_\t\r\n"), PLAIN.removesuffix("\n"),
    )),
    *(("conll", rows(cells)) for cells in (
        "(1|(2 (3 2) 1)|3)", "(1|(1 (1) 1) - 1)", "(1 1)|(1 1)", "(1)(2 (3 3)2)", "|(1)||(2)|",
        "(7|(07|(e-7 7) 07)|e-7)", "(-) (_)", f"({'1' * 5000}) ({'1' * 5000})",
    )),
    *(("conll", f"{mark}\na (1)\n#end document\n") for mark in (
        "#begin document (x); part 0", "# begin document x", "#BEGIN  DOCUMENT\t(x);part\t00",
        "#begin document (x) part 000", "#begin document (bc/cctv/00/cctv_0000); part 012",
        "#begin document (a b (c)); part 1", "#begin document my part 3", "#begin document",
        "#begin document (x); part b", "#begin document ();  part 000",
        "#begin document Zürich; 語",
    )),
    *(("conllu", words(cells)) for cells in (
        "(a-t-1-(b-u-2-(c--1-) b) a)(a-t-1- (b-u-1-)a)", "(a(a (b a) b)a)",
        "(a[1/2]-t-3- a[1/2]) . (a[2/2]-t-3-)(b--1-)", "(a[1/2]--2-) (a[2/2]--2-)",
        "(a[1/3]-t-4-) . (a[2/3]-t-4-(a[1/2]-t-2- a[2/3])a[1/2]) . (a[3/3]-t-4-)(a[2/2]-t-2-)",
        "(a[1/2]-t-1- (a--1-) a[1/2]) . (a[2/2]-t-1-)",
        "(a[1/2] a[1/2]) (a[1/2]) . (a[2/2]) . (a[2/2])", "(a) (a-person-1-) (a) (a-place-1-) (b)",
    )),
    *(("conllu", words("(a(b b) . a)(c(d c)d) (z)", "eid-etype", head))
      for head in ("_", "0", "1", "3", "left")),
    ("conllu", words("(a--2- .") + "\n1" + "\t_" * 8 + "\tEntity=a)\n"),
    *(("conllu", f"{mark}1\ta" + "\t_" * 8 + "\n") for mark in (
        "", "# newdoc\n", "#newdoc id=a b \n", "# newdoc id = b\n# newdoc\n",
        # The time must not grow with the square of the blanks.
        f"# newdoc id = a{' ' * 200_000}b\n",
    )),
    ("conllu", words(".").replace("\t_\n", "\tSpaceAfter=No|Entity=(a)|Gloss=Entity=(b)\n")
     + "2\tEntity=(c)\tEntity=(e)" + "\t_" * 6 + "\tMyEntity=(d)|Translit=x\n"),
]  # fmt: skip


@pytest.mark.parametrize(("format", "text"), LIBERTIES, ids=lambda value: str(value)[-30:])
def test_files_as_people_write_them(format: str, text: str) -> None:
    plain = expected(format, text.encode())
    assert plain != "refused"
    assert found(format, text.encode()) == found(format, text.encode(), 16) == plain


@given(SEEDS, st.integers(1, 120))
def test_the_size_of_blocks_does_not_change_layers(rng: random.Random, block_size: int) -> None:
    data = random_conllu(rng)

    def layers(size: int, wanted: frozenset[str] | None) -> object:
        try:
            corpus = read_conllu(Source("file.conllu", content=data), wanted, size)
        except CorefineError as error:
            return str(error)
        assert corpus.tokens is not None
        return {name: column.tolist() for name, column in corpus.tokens.layers.items()}

    for wanted in (None, frozenset({"upos"})):
        assert layers(block_size, wanted) == layers(1 << 20, wanted)


@every_reader
@given(text=st.text(st.sampled_from("(e1)|2-[/]=<:# \t\na"), max_size=60), bytes_=st.binary())
def test_any_brackets_and_bytes_are_read_as_line_by_line_or_refused(
    format: str, text: str, bytes_: bytes
) -> None:
    begin = {
        "conll": "#begin document (x); part 000\n",
        "conllu": "# newdoc id = x\n1\tw\t_\t_\t_\t_\t_\t_\t_\tEntity=",
    }[format]
    data = (begin + text + "\n").encode()
    assert found(format, data) == expected(format, data)
    found(format, begin.encode() + bytes_, 16)


@pytest.mark.slow
@pytest.mark.data
@every_reader
def test_real_corpora_are_read_as_line_by_line(format: str, data: RealCorpora) -> None:
    for path in data.files(f"*/key*.{format}"):
        plain = expected(format, path.read_bytes(), path.name.removesuffix(f".{format}"))
        reference = conll_reference if format == "conll" else conllu_reference
        assert reference.as_plain(read(path)) == plain
        assert found(format, path.read_bytes(), 12_345) == plain
