"""Damages of files, and what must hold of every damaged file.

It is read or refused with a CorefineError, within five seconds and a gigabyte. Where there is a
plain reading of the format, a file that is read says what that says.
"""

from __future__ import annotations

import random
import resource
import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import corefine
from corefine.auditing.checking import check
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError
from corefine.formats import Source, format_named
from tests.building import conll_reference, conllu_reference
from tests.fuzzing.readings import READINGS, UnclearError
from tests.fuzzing.samples import FORMATS, SOURCE, TAGGED, sample

SLOWEST, LARGEST = 5, 1 << 20
"""Seconds of the processor for one file, and kibibytes for all."""
CHECKED = 7
"""One of so many files is checked and scored as well."""
PIECES = [
    *(b"", b"\n", b"\r", b"\r\n", b"\t", b" ", b'"', b",", b"(", b")", b"|", b"-", b"_", b"#"),
    *(b"\0", b"\xff", b"\xc3", b"\xef\xbb\xbf", "é語".encode(), "\u2028".encode(), b"null"),
    *(b"[Anna", b"](#1)", b"</m>", b"<m>", b" | 1", b"EntityID=1", b"0-4", b"true", b"\x1b[31m"),
    *(b"9" * 5000, "\u0661\u0662".encode(), b"\\u0000", b"\\ud800", b"=1+1"),
    *(b"1", b"-1", b"9" * 30, b"1e999", b"[", b"]", b"{", b"}", b"&#65;", b"<b>", b'c="', b"||"),
]


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The bytes with one to four damages of any sort."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
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
    compared: Counter[str] = field(default_factory=Counter)
    """By format."""
    checked: int = 0
    """How many were given to check and to score as well."""
    failures: list[str] = field(default_factory=list)
    memory: int = field(default_factory=lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    """Kibibytes at most, before the input at hand."""

    def summary(self) -> str:
        counts = ", ".join(f"{name} {count:,}" for name, count in sorted(self.compared.items()))
        return (
            f"seed {self.seed}: {self.read + self.refused:,} inputs, {self.refused:,} refused, "
            f"{self.read:,} read, {self.compared.total():,} compared with a plain reading; "
            f"{self.checked:,} checked and scored; {len(self.failures)} failures\n"
            f"compared: {counts}"
        )


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {SLOWEST} s")


def run(inputs: int, seed: int, only: str | None = None, seconds: float | None = None) -> Report:
    """Read so many damaged files, of all formats in turn or of one."""
    report = Report(seed)
    formats = [only] if only else list(FORMATS)
    end = None if seconds is None else time.monotonic() + seconds
    before = signal.signal(signal.SIGPROF, _too_slow)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for number in range(inputs):
                if end is not None and time.monotonic() > end:
                    break
                _one(formats[number % len(formats)], number, Path(folder), report)
    finally:
        signal.signal(signal.SIGPROF, before)
    return report


def _one(name: str, number: int, folder: Path, report: Report) -> None:
    rng = random.Random(f"{report.seed} {number}")
    files = dict(sample(name))
    chosen = rng.choice(list(files))
    files[chosen] = damaged(files[chosen], rng)
    path = folder / name / list(files)[-1]
    checked = number % CHECKED == 0
    if checked or len(files) > 1:
        path.parent.mkdir(exist_ok=True)
        for file, data in files.items():
            path.with_name(file).write_bytes(data)
    label = f"{name}, seed {report.seed}, input {number}: {files[chosen]!r}"
    before = report.memory
    try:
        signal.setitimer(signal.ITIMER_PROF, SLOWEST)
        corpus = read_file(name, path, files[path.name] if len(files) == 1 else None)
        if checked:
            _check(name, path, corpus, label, report)
    except Exception as error:
        report.failures.append(f"{type(error).__name__}: {error} [{label}]")
        return
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    report.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Beyond what the process held before: other tests may have run in it.
    if report.memory > before + LARGEST:
        report.failures.append(f"more than a gibibyte [{label}]")
    if corpus is None:
        report.refused += 1
        return
    report.read += 1
    if name in READINGS and len(set(corpus.documents)) == len(corpus.documents):
        compare(name, files, corpus, label, report)


def read_file(name: str, path: Path, content: bytes | None) -> Corpus | None:
    """The corpus of a file, or of its content alone; None if it is refused as it should be."""
    format, source = format_named(name), Source(str(path), path, content=content)
    try:
        if format.read_against is not None:
            return format.read_against([source], SOURCE, "tolerant")
        return format.corpus(source)
    except CorefineError as error:
        if not str(error).isprintable():
            raise ValueError("a message with control characters") from None
        return None
    finally:
        source.close()


def _check(name: str, path: Path, corpus: Corpus | None, label: str, report: Report) -> None:
    """What is refused is a problem for check, and what check finds nothing in is scored."""
    report.checked += 1
    against = SOURCE if name in TAGGED else None
    problems = [str(one) for checked in check(path, name, against=against)
                for one in checked.problems]  # fmt: skip
    try:
        key = SOURCE if name in TAGGED else path
        key_format = None if name in TAGGED else name
        scores = corefine.score(
            key, path, "muc,b3", key_format=key_format, response_format=name, allow_empty=True
        )
        said = None
        assert all(0 <= value.f1 <= 1 for value in scores.by_name.values()), "no score"
    except CorefineError as error:
        said = str(error)
    if said is not None and "--zeros linear" in said:
        said = None  # a matter of settings, of which check knows nothing
    if (said is None) != (not problems):
        report.failures.append(f"check says {problems}, score {said} [{label}]")
    if corpus is None and said is None:
        report.failures.append(f"refused, and scored [{label}]")


def compare(name: str, files: dict[str, bytes], corpus: Corpus, label: str, report: Report) -> None:
    reading = READINGS[name]
    try:
        expected = reading.of_files(files)
    except (UnclearError, RecursionError):
        return
    except (
        conll_reference.RefusedError,
        conllu_reference.RefusedError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ) as error:
        report.failures.append(f"read, but refused plainly: {error!r} [{label}]")
        return
    report.compared[name] += 1
    if reading.of_corpus(corpus) != expected:
        found = f"{reading.of_corpus(corpus)} for {expected}"
        report.failures.append(f"read otherwise: {found} [{label}]")
