"""The CoNLL-U reader against a plain one, on random and on damaged files, at any size of block."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corefine.errors import CorefineError
from corefine.formats import Source, read
from corefine.formats.conllu.conllu import read as read_conllu
from tests.building.conllu_reference import RefusedError, as_plain, plainly_read
from tests.conftest import RealCorpora

SAMPLE = """\
# newdoc id = a
# global.Entity = eid-etype-head-other
# sent_id = a-1
# text = Anna ’s cats do n’t sleep
1\tAnna\tAnna\tPROPN\tNNP\tNumber=Sing\t3\tnmod\t_\tEntity=(e2-animal-3-(e1-person-1-)
2\t’s\t’s\tPART\tPOS\t_\t1\tcase\t_\tSpaceAfter=No
3\tcats\tcat\tNOUN\tNNS\t_\t6\tnsubj\t_\tBridge=e1<e2:part|Entity=e2)
3.1\t_\t_\tPRON\t_\t_\t_\t_\t6:nsubj\tEntity=(e2-animal-1-)
4-5\tdon’t\t_\t_\t_\t_\t_\t_\t_\t_
4\tdo\tdo\tAUX\tVBP\t_\t6\taux\t_\tEntity=(e3[1/2]-event-2-
5\tn’t\tnot\tPART\tRB\t_\t6\tadvmod\t_\tEntity=e3[1/2])
6\tsleep\tsleep\tVERB\tVB\t_\t0\troot\t_\tEntity=(e4--1-)

# newdoc id = b
# global.Entity = GRP-etype-infstat-minspan-link
1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\tEntity=(1-event-giv-1-ana)
2\tdoes\tdo\tAUX\tVBZ\t_\t0\troot\t_\tEntity=(5-abstract-new-1,2
3\tnot\tnot\tPART\tRB\t_\t2\tadvmod\t_\tEntity=5)|SplitAnte=1<5,5<1
""".replace("(e4--1-)", "(e4--1-)(e3[2/2]-event-2-)")

FIELDS = ["person", "", "new", "x:y,z:%2C", "Anne_Marie", "é"]
HEADERS = [
    "eid-etype-head-other",
    "eid-etype-head-minspan-identity",
    "GRP-etype-infstat",
    "etype-eid",
]
COMMENTS = ["# text = a b", "# sent_id = s{}", "#sent_id = s {} ", "# x", "#", "# newpar id = 3"]


def random_file(rng: random.Random) -> bytes:
    """A valid file that takes every liberty of the format."""
    lines: list[str] = []
    unmarked = rng.random() < 0.1
    for number in range(1 if unmarked else rng.randint(1, 4)):
        if not unmarked:
            lines.append(
                rng.choice(["# newdoc id = d{}", "#newdoc id = d {}", "# newdoc"]).format(number)
            )
        header = rng.choice(HEADERS)
        lines.append(f"# global.Entity = {header}")
        lines += random_sentences(rng, header.split("-"))
    end = rng.choice(["\n", "\n", "\r\n"])
    last = rng.choice([end, "", end + end])
    return (rng.choice(["", "", "\ufeff"]) + end.join(lines) + last).encode()


def random_sentences(rng: random.Random, header: list[str]) -> list[str]:
    sizes = [rng.randint(0, 6) for _ in range(rng.randint(0, 3))]
    empties = [[rng.choice([0, 0, 0, 1, 2]) for _ in range(size + 1)] for size in sizes]
    total = sum(sizes) + sum(map(sum, empties))
    cells = iter(random_cells(rng, total, header))
    lines: list[str] = []
    for size, nodes in zip(sizes, empties, strict=True):
        lines += [c.format(rng.randint(1, 99)) for c in rng.choices(COMMENTS, k=rng.randint(0, 3))]
        for word in range(size + 1):
            if word:
                if rng.random() < 0.1:
                    lines.append(f"{word}-{word + 1}\tab" + "\t_" * 8)
                lines.append(random_line(rng, str(word), next(cells), size))
            for node in range(nodes[word]):
                lines.append(random_line(rng, f"{word}.{node + 1}", next(cells), size))
        lines.append(rng.choice(["", "", " "]))
    return lines


def random_cells(rng: random.Random, size: int, header: list[str]) -> list[str]:
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
        given = {
            "head": str(rng.randint(1, length)),
            "minspan": ",".join(
                map(str, sorted(rng.sample(range(1, length + 1), rng.randint(1, length))))
            ),
        }
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


def random_line(rng: random.Random, number: str, cell: str, size: int) -> str:
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


def fast(data: bytes, block_size: int = 1 << 20) -> object:
    """What the reader finds, or the word "refused"."""
    source = Source("file.conllu", path=Path("file.conllu"), content=data)
    try:
        return as_plain(read_conllu(source, None, block_size))
    except CorefineError as error:
        return "refused" if str(error).startswith("file.conllu") else f"no place: {error}"


def plain(data: bytes) -> object:
    try:
        return plainly_read(data, "file")
    except RefusedError:
        return "refused"


@settings(max_examples=300)
@given(SEEDS)
def test_random_files_are_read_as_line_by_line(rng: random.Random) -> None:
    data = random_file(rng)
    assert fast(data) == plain(data)


@given(SEEDS, st.integers(1, 120))
def test_the_size_of_blocks_changes_nothing(rng: random.Random, block_size: int) -> None:
    data = random_file(rng)
    assert fast(data, block_size) == fast(data)


@settings(max_examples=25)
@given(SEEDS, st.integers(1, 120))
def test_the_size_of_blocks_does_not_change_layers(rng: random.Random, block_size: int) -> None:
    data = random_file(rng)

    def layers(size: int, wanted: frozenset[str] | None) -> object:
        source = Source("file.conllu", content=data)
        try:
            corpus = read_conllu(source, wanted, size)
        except CorefineError as error:
            return str(error)
        assert corpus.tokens is not None
        return {name: column.tolist() for name, column in corpus.tokens.layers.items()}

    for wanted in (None, frozenset({"upos"})):
        assert layers(block_size, wanted) == layers(1 << 20, wanted)


@settings(max_examples=400)
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(SAMPLE.encode())),
            st.sampled_from(
                [b"", b"\n", b"\t", b" ", b"(", b")", b"|", b"#", b"\xff", b"\xc3", b"\x00", b"-",
                 b"1", b"\n\n", b"\r\n", b"(e1)", b"# newdoc\n", b"[1/2]", b"Entity=", b"<", b"."]
            ),
            st.integers(0, 3),
        ),
        max_size=4,
    )
)  # fmt: skip
@example([])
@example([(0, b"\xef\xbb\xbf", 0)])
def test_damaged_files_are_read_or_refused_alike(damages: list[tuple[int, bytes, int]]) -> None:
    data = SAMPLE.encode()
    for place, inserted, removed in damages:
        data = data[:place] + inserted + data[place + removed :]
    assert fast(data) == plain(data)


@given(st.binary(max_size=400))
def test_any_bytes_give_a_corpus_or_an_error(data: bytes) -> None:
    fast(data)
    fast(b"# newdoc id = x\n" + data, 16)


@given(st.text(st.sampled_from("(e1)|2-[/]=<:"), max_size=40))
def test_any_brackets_give_what_the_plain_reader_gives(text: str) -> None:
    data = f"# newdoc id = x\n1\tw{chr(9)}_\t_\t_\t_\t_\t_\t_\tEntity={text}\n".encode()
    assert fast(data) == plain(data)


@pytest.mark.slow
@pytest.mark.data
def test_real_corpora_are_read_as_line_by_line(data: RealCorpora) -> None:
    paths = data.files("*/key*.conllu")
    assert paths
    for path in paths:
        expected = plainly_read(path.read_bytes(), path.name.removesuffix(".conllu"))
        assert as_plain(read(path)) == expected
        source = Source(str(path), path)
        assert as_plain(read_conllu(source, frozenset(), 12_345)) == expected
