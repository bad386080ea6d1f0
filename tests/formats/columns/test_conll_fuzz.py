"""The CoNLL reader against a plain one, on random and on damaged files, at any size of block."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corefine.errors import CorefineError
from corefine.formats import Source, read
from corefine.formats.columns.conll import read as read_conll
from tests.building.conll_reference import RefusedError, as_plain, plainly_read
from tests.conftest import RealCorpora

SAMPLE = """\
#begin document (bc/x 1); part 000
bc/x\t0\t0\tAnna\tNNP\t(S*\tanna\t-\t-\tBo\t(PER)\t(1)
bc/x\t0\t1\tsaw\tVBD\t*\tsee\t-\t-\tBo\t*\t-
bc/x\t0\t2\ther\tPRP$\t*\tshe\t-\t-\tBo\t*\t(a2|(1)
bc/x\t0\t3\thouse\tNN\t*)\thouse\t-\t-\tBo\t*\ta2)

bc/x\t0\t0\tÉtienne\tNNP\t*\t-\t-\t-\t-\t*\t(3|(1
bc/x\t0\t1\t#\tX\t*\t-\t-\t-\t-\t*\t1)|3)
#end document
#begin document y; part 001
# a comment
y\t1\t0\tIt\t(7)
y\t1\t1\twas\t-
y\t1\t2\ttwo\t(7|(8|(7)
y\t1\t3\tand\t7)(9)

y\t1\t0\tmore\t8)\t
"""

WORDS = ["a", "the", "New York", "-", "(", ")", "|", "*", "_", "#", "#tag", "1)", "(1", "é", "語"]
MARKS = ["#begin document ({}); part 000", "# begin document {}", "#begin document ({});part 3"]
BETWEEN = ["", "  ", "\t", "\x0c", "# comment -", "#\tx y\tz", "#end", "#\u00e9"]


def random_file(rng: random.Random) -> bytes:
    """A valid file that takes every liberty of the format."""
    lines: list[str] = []
    by_tabs = rng.random() < 0.5
    for number in range(rng.randint(1, 4)):
        name = rng.choice(["x", "bc/y (z)", "d; e", "ü"]) + str(number)
        lines.append(rng.choice(MARKS).format(name))
        lines += random_lines(rng, random_cells(rng, rng.randint(0, 14)), by_tabs)
        if rng.random() < 0.5:
            lines.append("#end document")
    end = rng.choice(["\n", "\r\n"])
    last = rng.choice([end, "", end + end])
    return (rng.choice(["", "", "\ufeff"]) + end.join(lines) + last).encode()


def random_cells(rng: random.Random, size: int) -> list[list[str]]:
    """Brackets at each of so many tokens, balanced, nested and crossing."""
    cells: list[list[str]] = [[] for _ in range(size)]
    still_open: list[str] = []
    for cell in cells:
        while still_open and rng.random() < 0.4:
            cell.append(still_open.pop(rng.randrange(len(still_open))) + ")")
        for _ in range(rng.choice([0, 0, 1, 2])):
            entity = rng.choice(["1", "2", "13", "007", "7", "e-1", "ß", "Long_Name_Of_Entity"])
            cell.append(f"({entity}")
            if rng.random() < 0.5:
                cell[-1] += ")"
            else:
                still_open.append(entity)
    if cells:
        cells[-1] += [entity + ")" for entity in still_open]
    return cells


def random_lines(rng: random.Random, cells: list[list[str]], by_tabs: bool) -> list[str]:
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
        if not cell:
            cell = rng.choice(["-", "_", "*"])
        row = ["n"] * (columns - 2) + [word, cell]
        if columns > 4:
            row[3], row[-2] = word, word if columns == 5 else "n"
        lines.append(separator.join(row) + rng.choice(["", "", " ", "\t"]))
        if rng.random() < 0.2:
            lines.append(rng.choice(BETWEEN))
    return lines


SEEDS = st.integers(0, 2**32).map(random.Random)


def fast(data: bytes, block_size: int = 1 << 20) -> object:
    """What the reader finds, or the word "refused"."""
    source = Source("file.conll", content=data)
    try:
        return as_plain(read_conll(source, frozenset(), block_size))
    except CorefineError as error:
        return "refused" if str(error).startswith("file.conll") else f"no place: {error}"


def plain(data: bytes) -> object:
    try:
        return plainly_read(data)
    except RefusedError:
        return "refused"


@settings(max_examples=300)
@given(SEEDS)
def test_random_files_are_read_as_line_by_line(rng: random.Random) -> None:
    data = random_file(rng)
    assert fast(data) == plainly_read(data)


@given(SEEDS, st.integers(1, 120))
def test_the_size_of_blocks_changes_nothing(rng: random.Random, block_size: int) -> None:
    data = random_file(rng)
    assert fast(data, block_size) == fast(data)


@given(
    st.lists(
        st.tuples(
            st.integers(0, len(SAMPLE.encode())),
            st.sampled_from(
                [
                    b"",
                    b"\n",
                    b"\t",
                    b" ",
                    b"(",
                    b")",
                    b"|",
                    b"#",
                    b"\r",
                    b"\xff",
                    b"\xc3",
                    b"\x00",
                    b"-",
                    b"1",
                    b"\n\n",
                    b"\r\n",
                    b"(1)",
                    b"#begin document z\n",
                ]
            ),
            st.integers(0, 3),
        ),
        max_size=4,
    )
)
@example([(0, b"\xef\xbb\xbf", 0)])
def test_damaged_files_are_read_or_refused_alike(damages: list[tuple[int, bytes, int]]) -> None:
    data = SAMPLE.encode()
    for place, inserted, removed in damages:
        data = data[:place] + inserted + data[place + removed :]
    expected = plain(data)
    found = fast(data)
    if has_marks(data) and b"\r" not in data.replace(b"\r\n", b""):
        assert found == expected


def has_marks(data: bytes) -> bool:
    """Whether a document begins in a line of its own; the plain reader wants that."""
    return re.search(rb"(?im)^(\xef\xbb\xbf)?#[ \t]*begin[ \t]+document\b", data) is not None


@given(st.binary(max_size=400))
def test_any_bytes_give_a_corpus_or_an_error(data: bytes) -> None:
    fast(data)
    fast(b"#begin document (x); part 000\n" + data, 16)


@given(st.text(st.sampled_from("(1)|2- \t\n#ab"), max_size=60))
def test_any_brackets_give_what_the_plain_reader_gives(text: str) -> None:
    data = b"#begin document (x); part 000\n" + text.encode()
    assert fast(data) == plain(data)


@pytest.mark.slow
@pytest.mark.data
def test_real_corpora_are_read_as_line_by_line(data: RealCorpora) -> None:
    paths = data.files("*/*.conll")
    assert paths
    for path in paths:
        expected = plainly_read(path.read_bytes())
        assert as_plain(read(path)) == expected
        if path.name == "key.conll":
            assert as_plain(read_conll(Source(str(path), path), frozenset(), 12_345)) == expected
