"""Damages of files, and what must hold of every damaged file.

It is read or refused with a CorefineError, within five seconds and a gigabyte. Where there is a
plain reading of the format, a file that is read says what that says.
"""

from __future__ import annotations

import csv
import io
import json
import random
import resource
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError
from corefine.formats import Source, format_named
from corefine.formats.registry import BEGIN
from corefine.formats.tables.label_columns import COLUMNS
from tests.building.conll_reference import RefusedError, as_plain, plainly_read

SLOWEST, LARGEST = 5, 1 << 20
"""Seconds for one file, and kibibytes for all."""
PIECES = [
    *(b"", b"\n", b"\r", b"\r\n", b"\t", b" ", b'"', b",", b"(", b")", b"|", b"-", b"_", b"#"),
    *(b"\0", b"\xff", b"\xc3", b"\xef\xbb\xbf", "é語".encode(), "\u2028".encode(), b"null"),
    *(b"1", b"-1", b"9" * 30, b"1e999", b"[", b"]", b"{", b"}", b"&#65;", b"<b>", b'c="', b"||"),
]
SAMPLES: dict[str, dict[str, str]] = {
    "conll": {
        "x.conll": "#begin document (x); part 000\nx\t0\t0\tAnna\t-\t(1)\nx\t0\t1\tsaw\t-\t-\n"
        "x\t0\t2\ther\t-\t(2|(1)\nx\t0\t3\thouse\t-\t2)\n\nx 0 0 It - (2)\n#end document\n"
    },
    "conll-ud": {
        "x.conll": "#begin document x\n1\tA\ta\tNOUN\t_\t_\t0\troot\t_\t_\t(1)\n"
        "2-3\tdu\t_\t_\t_\t_\t_\t_\t_\t_\t-\n2\tde\tde\tADP\t_\t_\t1\tcase\t_\t_\t(2\n"
        "3\tle\tle\tDET\t_\t_\t1\tdet\t_\t_\t2)\n"
    },
    "semeval": {
        "x.semeval": "#begin document x\n1\tA\ta\t_\tN" + "\t_" * 11 + "\t(1)\n2\tb\tb\t_\tV"
        "" + "\t_" * 11 + "\t_\n#end document x\n"
    },
    "conllu": {
        "x.conllu": "# newdoc id = x\n# global.Entity = eid-etype-head-other\n"
        "1\tA\ta\tNOUN\t_\t_\t0\troot\t_\tEntity=(e1-p-1-)\n1.1\t_\t_\t_\t_\t_\t_\t_\t1:dep\t_\n"
        "2\tb\tb\tVERB\t_\t_\t1\tdep\t_\tEntity=(e2-p-1-\n3\tc\tc\tX\t_\t_\t1\tdep\t_\tEntity=e2)\n"
    },
    "e2e": {
        "x.jsonl": '{"doc_key": "x", "sentences": [["a", "b"], ["c"]], "clusters": '
        '[[[0, 1], [2, 2]]]}\n{"doc_key": "y", "sentences": [["é"]], "clusters": []}\n'
    },
    "fastcoref": {"x.jsonl": '{"text": "Anna saw her", "clusters": [[[0, 4], null, [9, 12]]]}\n'},
    "maverick": {
        "x.jsonl": '{"tokens": ["a", "b", "c"], "clusters_token_offsets": [[[0, 0], [2, 2]]]}\n'
    },
    "preco": {
        "x.jsonl": '{"id": "x", "sentences": [["a"], ["b"]], "mention_clusters": [[[0, 0, 1]]]}\n'
    },
    "wl-coref": {
        "x.jsonl": '{"document_id": "x", "cased_words": ["a", "b"], "span_clusters": [[[0, 1]]]}\n'
    },
    "labels": {"x.csv": 'document,mention,entity\nd,a,1\nd,"b, c",1\n\ne,"d\n""e""",2\n'},
    "i2b2": {
        "x.txt": "mr. ito has pain .\nhe rests .\n",
        "x.txt.chains": 'c="mr. ito" 1:0 1:1||c="he" 2:0 2:0||t="coref person"\n',
    },
    "litbank": {
        "x.txt": "Mary Lennox was a child .\nShe ran .\n",
        "x.tsv": "MENTION\tT1\t0\t0\t0\t1\tMary Lennox\tPER\tPROP\n"
        "MENTION\tT3\t1\t0\t1\t0\tShe\tPER\tPRON\nCOREF\tT1\tM-0\nCOREF\tT3\tM-0\n",
    },
    "brat": {
        "x.txt": "Anna saw her house .\n",
        "x.ann": "T1\tPER 0 4\tAnna\nT2\tPER 9 12\ther\nR1\tCoref Arg1:T2 Arg2:T1\n",
    },
    "ccl": {
        "x.xml": '<chunkList><chunk id="c"><sentence id="s"><tok><orth>A</orth>'
        '<lex disamb="1"><base>a</base><ctag>x</ctag></lex><ann chan="nam">1</ann></tok>'
        "</sentence></chunk></chunkList>\n"
    },
}
"""A small file, or files, of each format; the last one is read."""


def plain_conll(data: bytes) -> object:
    return plainly_read(data)


def plain_labels(data: bytes) -> object:
    """Entities by document, as the module csv gives the rows."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    header = [name.strip().lower() for name in rows[0]]
    at = {
        name: next((header.index(each) for each in allowed if each in header), -1)
        for name, allowed in COLUMNS.items()
    }
    found: dict[str, dict[str, list[object]]] = {}
    for number, row in enumerate(rows[1:]):
        document = row[at["document"]] if at["document"] >= 0 else ""
        mention = row[at["mention"]] if at["mention"] >= 0 else (number, number)
        found.setdefault(document, {}).setdefault(row[at["entity"]], []).append(mention)
    return {name: list(entities.values()) for name, entities in found.items()}


def plain_e2e(data: bytes) -> object:
    """Clusters by document, as the module json gives the lines."""
    found = {}
    for line in data.removeprefix(b"\xef\xbb\xbf").decode("utf-8").split("\n"):
        if line.strip():
            record: dict[str, Any] = json.loads(line)
            clusters = [[tuple(span) for span in cluster] for cluster in record["clusters"]]
            found[str(record["doc_key"])] = [cluster for cluster in clusters if cluster]
    return found


@dataclass(frozen=True)
class Reading:
    """How the corpus of a format is compared with a plain reading."""

    of_corpus: Callable[[Corpus], object]
    of_bytes: Callable[[bytes], object]


READINGS = {
    "conll": Reading(as_plain, plain_conll),
    "labels": Reading(Corpus.to_dict, plain_labels),
    "e2e": Reading(Corpus.to_dict, plain_e2e),
}
FORMATS = tuple(SAMPLES)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The bytes with one to four damages of any sort."""
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(data) + 1)
        lines = data.split(b"\n")
        row = rng.randrange(len(lines))
        match rng.randrange(7):
            case 0:
                data = data[:place] + rng.choice(PIECES) + data[place + rng.randint(0, 3) :]
            case 1:
                data = data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :]
            case 2:
                data = data[:place]
            case 3:
                lines.insert(rng.randrange(len(lines) + 1), lines[row])
                data = b"\n".join(lines)
            case 4:
                del lines[row]
                data = b"\n".join(lines)
            case 5:
                cells = lines[row].split(b"\t")
                cells[rng.randrange(len(cells))] = rng.choice(PIECES)
                lines[row] = b"\t".join(cells)
                data = b"\n".join(lines)
            case _:
                stop = place + rng.randint(1, 20)
                data = data[:stop] + data[place:stop] * rng.randint(1, 3) + data[stop:]
    return data


@dataclass
class Report:
    """How many files were read, refused and compared, and what failed."""

    seed: int
    read: int = 0
    refused: int = 0
    compared: int = 0
    failures: list[str] = field(default_factory=list)

    def summary(self) -> str:
        return (
            f"seed {self.seed}: {self.read + self.refused:,} inputs, {self.read:,} read, "
            f"{self.compared:,} compared, {self.refused:,} refused, {len(self.failures)} failures"
        )


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {SLOWEST} s")


def run(inputs: int, seed: int, only: str | None = None, seconds: float | None = None) -> Report:
    """Read so many damaged files, of all formats in turn or of one."""
    report = Report(seed)
    formats = [only] if only else list(SAMPLES)
    end = None if seconds is None else time.monotonic() + seconds
    before = signal.signal(signal.SIGALRM, _too_slow)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for number in range(inputs):
                if end is not None and time.monotonic() > end:
                    break
                _one(formats[number % len(formats)], number, Path(folder), report)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return report


def _one(name: str, number: int, folder: Path, report: Report) -> None:
    rng = random.Random(f"{report.seed} {number}")
    files = {file: text.encode() for file, text in SAMPLES[name].items()}
    chosen = rng.choice(list(files))
    files[chosen] = damaged(files[chosen], rng)
    paths = []
    for file, data in files.items():
        path = folder / name / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        paths.append(path)
    source = Source(str(paths[-1]), paths[-1])
    label = f"{name}, seed {report.seed}, input {number}: {files[chosen]!r}"
    signal.alarm(SLOWEST)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        corpus = format_named(name).read(source, None)
    except CorefineError:
        report.refused += 1
        return
    except Exception as error:
        report.failures.append(f"{type(error).__name__}: {error} [{label}]")
        return
    finally:
        signal.alarm(0)
        source.close()
    report.read += 1
    # Beyond what the process held before: other tests may have run in it.
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > before + LARGEST:
        report.failures.append(f"more than a gibibyte [{label}]")
    reading = READINGS.get(name)
    comparable = b"\r" not in files[chosen] and not (
        # The plain reader wants a line that begins a document.
        name == "conll" and BEGIN.search(files[chosen]) is None
    )
    if reading is None or not comparable or len(set(corpus.documents)) < len(corpus.documents):
        return
    try:
        expected = reading.of_bytes(files[chosen])
    except (RefusedError, ValueError, KeyError, IndexError, TypeError) as error:
        report.failures.append(f"read, but refused plainly: {error!r} [{label}]")
        return
    report.compared += 1
    if reading.of_corpus(corpus) != expected:
        report.failures.append(f"read otherwise [{label}]")
