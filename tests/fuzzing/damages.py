"""Random inputs of several modes, and the properties that must hold for each.

- ``damaged``: a damaged file is read or refused with a CorefineError, within five seconds and a
  gigabyte. CoNLL and CoNLL-U are compared with plain readers.
- ``pumped``: as before, for files with a piece that is repeated up to 64 KiB.
- ``words``: documents with odd words and ids are written to every format without loss, or the loss
  is reported.
- ``stored``: damaged saved results are refused, or have the same numbers.

Module ``guided`` damages files as ``damaged`` does, and goes on from those that reach new lines.
"""

from __future__ import annotations

import random
import resource
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import corefine
from corefine import Corpus, Document, Kind, Mention
from corefine.curating.checking import check
from corefine.errors import CorefineError
from corefine.formats import Source, all_formats, format_named, losses
from corefine.formats.losses import read_back
from corefine.formats.registry import BEGIN
from tests.building import conll_reference, conllu_reference
from tests.building.conll_reference import RefusedError
from tests.fuzzing.samples import FORMATS, RICH, SOURCE, TAGGED, sample

SLOWEST, LARGEST = 5, 1 << 20
"""Seconds of the processor for one input, and kibibytes for all."""
CHECKED = 7
"""One of so many damaged files is checked and scored as well."""
PUMPED = 1 << 16
"""Bytes of a pumped file."""
READINGS = {"conll": conll_reference, "conllu": conllu_reference}
"""Formats with a plain reader."""
PIECES = [
    *(b"", b"\n", b"\r", b"\r\n", b"\t", b" ", b'"', b",", b"(", b")", b"|", b"-", b"_", b"#"),
    *(b"\0", b"\xff", b"\xc3", b"\xef\xbb\xbf", "é語".encode(), "\u2028".encode(), b"null"),
    *(b"[Anna", b"](#1)", b"</m>", b"<m>", b" | 1", b"EntityID=1", b"0-4", b"true", b"\x1b[31m"),
    *(b"9" * 5000, "\u0661\u0662".encode(), b"\\u0000", b"\\ud800", b"=1+1", b"<!--", b"&"),
    *(b"1", b"-1", b"9" * 30, b"1e999", b"[", b"]", b"{", b"}", b"&#65;", b"<b>", b'c="', b"||"),
]
SIGNS = " \t\n\r\0\u00a0\u2028\u3000\ufeff\u200b\U0001f60aé語aA1_-#|()[]{}<>&;\"'\\,.:=/%*e0"
"""Characters of odd words."""


@dataclass
class Report:
    """Counts of inputs that were read, refused and compared, and the failures."""

    seed: int
    read: int = 0
    refused: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    """By format."""
    checked: int = 0
    failures: list[str] = field(default_factory=list)
    memory: int = field(default_factory=lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    """Maximum resident size in kibibytes before the current input."""
    following: int = 0
    """Number of the next input, from which a run can be resumed."""
    lines: int = 0
    """Lines of the readers that guided inputs reached."""

    def summary(self) -> str:
        counts = ", ".join(f"{name} {count:,}" for name, count in sorted(self.compared.items()))
        return (
            f"seed {self.seed}: {self.read + self.refused:,} inputs, {self.refused:,} refused, "
            f"{self.read:,} read, {self.compared.total():,} compared with a plain reading; "
            f"{self.checked:,} checked and scored; {len(self.failures)} failures; "
            f"{f'{self.lines:,} lines of readers reached; ' * bool(self.lines)}"
            f"resume with --start {self.following}\ncompared: {counts}"
        )

    def fail(self, problem: str, label: str) -> None:
        self.failures.append(f"{problem} [{label}]")

    def attempt(self, work: Callable[[], object], label: str) -> None:
        """Try one input; any exception, much time and much memory are failures."""
        before = self.memory
        try:
            signal.setitimer(signal.ITIMER_PROF, SLOWEST)
            work()
        except Exception as error:
            self.fail(f"{type(error).__name__}: {error}", label)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        # Beyond what the process held before: other tests may have run in it.
        if self.memory > before + LARGEST:
            self.fail("more than a gibibyte", label)


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {SLOWEST} s")


@contextmanager
def limited() -> Iterator[None]:
    """Let inputs that take too long fail."""
    before = signal.signal(signal.SIGPROF, _too_slow)
    try:
        yield
    finally:
        signal.signal(signal.SIGPROF, before)


def run(
    inputs: int,
    seed: int,
    only: str | None = None,
    mode: str = "damaged",
    start: int = 0,
) -> Report:
    """Try so many inputs of a mode, of all formats in turn or of one."""
    report = Report(seed, following=start)
    formats = [only] if only else list(FORMATS)
    with tempfile.TemporaryDirectory() as folder, limited():
        for number in range(start, start + inputs):
            name = formats[number % len(formats)]
            label = f"{mode} {name}, seed {seed}, input {number}"
            rng = random.Random(f"{seed} {number}")
            one = partial(MODES[mode], name, rng, Path(folder), label, report)
            report.attempt(one, label)
            report.following = number + 1
    return report


Mode = Callable[[str, random.Random, Path, str, Report], None]
"""Tries one input, given the format, a folder, a label for failures and the report."""


# --- files ----------------------------------------------------------------------------------------


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The bytes with one to four damages of any kind."""
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


def pumped(data: bytes, rng: random.Random) -> bytes:
    """The bytes with a piece of them, or another one, repeated many times."""
    place = rng.randrange(len(data) + 1)
    stop = place + rng.choice((1, 2, 3, 8, 30, 200))
    piece = rng.choice((data[place:stop], rng.choice(PIECES), *data.split(b"\n")[:1])) or b" "
    return data[:place] + piece * (PUMPED // len(piece)) + data[place:]


@dataclass(frozen=True)
class Input:
    """The content of one file of a format; its other files are those of the sample."""

    format: str
    file: str
    data: bytes


def try_input(
    one: Input, folder: Path, label: str, report: Report, *, check: bool
) -> Corpus | None:
    """Read one input, and check and score it if asked to; the corpus, unless it is refused."""
    files = {**sample(one.format), one.file: one.data}
    path = folder / one.format / list(files)[-1]
    path.parent.mkdir(exist_ok=True)
    for name, data in files.items():
        path.with_name(name).write_bytes(data)
    corpus = read_file(one.format, path)
    if check:
        check_file(one.format, path, corpus, label, report)
    if corpus is None:
        report.refused += 1
    else:
        report.read += 1
    return corpus


def _file(change: Callable[[bytes, random.Random], bytes]) -> Mode:
    def mode(name: str, rng: random.Random, folder: Path, label: str, report: Report) -> None:
        files = dict(sample(name))
        if name in RICH and rng.random() < 0.5:
            files = {file: RICH[name].encode() for file in files}
        chosen = rng.choice(list(files))
        one = Input(name, chosen, change(files[chosen], rng))
        label = f"{label}: {one.data[:2000]!r}"
        check = change is damaged and rng.randrange(CHECKED) == 0
        corpus = try_input(one, folder, label, report, check=check)
        plain = change is damaged and name in READINGS
        if corpus is not None and plain and len(set(corpus.documents)) == len(corpus):
            compare(name, one.data, corpus, label, report)

    return mode


def read_file(name: str, path: Path) -> Corpus | None:
    """The corpus of a file; None if it is refused as it should be."""
    format, source = format_named(name), Source(str(path), path)
    try:
        if name in TAGGED and format.read_against is not None:
            return format.read_against([source], SOURCE, "tolerant")
        return format.corpus(source)
    except CorefineError as error:
        if not str(error).isprintable():
            raise ValueError("a message with control characters") from None
        return None
    finally:
        source.close()


def check_file(name: str, path: Path, corpus: Corpus | None, label: str, report: Report) -> None:
    """A refused file is a problem for check, and a file without problems is scored."""
    report.checked += 1
    against = SOURCE if name in TAGGED else None
    problems = [
        str(one) for checked in check(path, name, against=against) for one in checked.problems
    ]
    try:
        scores = corefine.score(
            against or path,
            path,
            "muc,b3",
            key_format=None if against else name,
            response_format=name,
            allow_empty=True,
        )
        refusal = None
        assert all(0 <= value.f1 <= 1 for value in scores.by_name.values()), "no score"
    except CorefineError as error:
        refusal = str(error)
    if refusal is not None and "--zeros linear" in refusal:
        refusal = None  # depends on settings, which check does not know
    if (refusal is None) != (not problems):
        report.fail(f"check says {problems}, score {refusal}", label)
    if corpus is None and refusal is None:
        report.fail("refused, and scored", label)


def compare(name: str, content: bytes, corpus: Corpus, label: str, report: Report) -> None:
    """Compare a corpus with the plain reading of its file."""
    try:
        if name == "conllu":
            expected: object = conllu_reference.plainly_read(content, "x")
        elif BEGIN.search(content) is None:
            return  # the plain reader does not know such files
        else:
            expected = conll_reference.plainly_read(content)
    except RecursionError:
        return
    except (RefusedError, ValueError, LookupError, TypeError, AttributeError) as error:
        if str(error) == "another width" and corpus.warnings:
            return  # a word that is a blank, which the plain reader does not know
        report.fail(f"read, but refused plainly: {error!r}", label)
        return
    report.compared[name] += 1
    found = READINGS[name].as_plain(corpus)
    if found != expected:
        report.fail(f"read otherwise: {found} for {expected}", label)


# --- corpora --------------------------------------------------------------------------------------


def _word(rng: random.Random) -> str:
    return "".join(rng.choice(SIGNS) for _ in range(rng.choice((0, 1, 1, 2, 4))))


def _corpus(rng: random.Random) -> Corpus:
    """Documents with mentions that overlap and repeat as they like, some of several pieces."""
    documents = []
    for number in range(rng.randint(1, 3)):
        words = [_word(rng) for _ in range(rng.randint(1, 8))]
        document = Document(f"{number}{_word(rng)}", words)
        document.starts = sorted({0, rng.randrange(len(words))})
        for _ in range(rng.randint(0, 6)):
            start = rng.randrange(len(words))
            stop = rng.randint(start + 1, len(words))
            mention = Mention(f"e{rng.randrange(3)}", [(start, stop)])
            if stop - start > 2 and rng.random() < 0.2:
                mention.spans = [(start, start + 1), (stop - 1, stop)]
            mention.kind = rng.choice([Kind.UNKNOWN, Kind.UNKNOWN, Kind.NAME, Kind.PRONOUN])
            mention.type = rng.choice([None, None, "PER", "odd type"])
            document.mentions.append(mention)
        documents.append(document)
    return Corpus.from_documents(documents)


def _words(name: str, rng: random.Random, folder: Path, label: str, report: Report) -> None:
    """Write odd words; without a reported loss, all mentions come back."""
    corpus = _corpus(rng)
    for format in all_formats():
        if format.write is None:
            continue
        try:
            lost = losses(corpus, format)
        except CorefineError:
            report.refused += 1
            continue
        report.read += 1
        if not lost and len(corpus.mentions):
            again = read_back(corpus, format)
            scores = corefine.score(corpus, again, "mentions,muc", twinless="none")
            if scores["mentions"].f1 != 1 or scores["muc"].precision != scores["muc"].recall:
                report.fail(f"{format.name}: {scores} of {list(corpus)}", label)


def _stored(name: str, rng: random.Random, folder: Path, label: str, report: Report) -> None:
    """Load damaged saved results."""
    path = folder / "scores.json"
    scores = corefine.score(SOURCE, SOURCE, "muc,lea")
    scores.save(path)
    path.write_bytes(damaged(path.read_bytes(), rng))
    try:
        loaded = corefine.load_scores(path)
    except CorefineError:
        report.refused += 1
        return
    report.read += 1
    if [one.f1 for one in loaded.by_name.values()] != [one.f1 for one in scores.by_name.values()]:
        report.fail(f"other numbers: {path.read_bytes()!r}", label)


MODES: dict[str, Mode] = {
    "damaged": _file(damaged),
    "pumped": _file(pumped),
    "words": _words,
    "stored": _stored,
}
