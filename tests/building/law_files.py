"""Files for the laws: every format, and every sort of annotation that has misled a command."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from corefine.matching.settings import CHOICES, Settings
from tests.building.anaphora_documents import HEADERS, write
from tests.building.format_files import put
from tests.fuzzing.samples import FORMATS, RICH, TAGGED, sample

NAMES = [f"d{number}" for number in range(6)]
FORMS = ("conll", "conllu", "ua")
"""Formats in which there are a key and three responses."""
HEADED = "words.conllu"
"""Heads without zeros: all annotations have the same tokens, as some commands demand."""
SYSTEMS = ("a", "b", "c")


CHOSEN: dict[str, tuple[str, ...]] = {"default": ()} | {
    f"{name}={value}": (f"--{name.replace('_', '-')}", value)
    for name, values in CHOICES.items()
    for value in values
    if value != getattr(Settings(), name)
}
"""Options of every setting with every value that is not the default."""


def each_form(fast: str) -> list[object]:
    """All formats as cases of a test; the fast lane tries one."""
    return [form if form == fast else pytest.param(form, marks=pytest.mark.slow) for form in FORMS]


def _ua(*rows: str) -> str:
    """A UA document; each row is its id, word, identity, bridging and deixis."""
    lines = [HEADERS["ua"].rstrip("\n"), "# newdoc id = d", "# sent_id = 1"]
    for row in rows:
        number, word, *cells = row.split()
        link = "2:nsubj" if "." in number else "_"
        lines.append("\t".join([number, word, *"______", link, "_", *cells, "_", "_"]))
    return "\n".join([*lines, "", ""])


TWICE = """#begin document (d); part 000
d 0 0 Anna - * - - - - * (3|(1
d 0 1 Smith - * - - - - * 1)|3)
d 0 2 saw - * - - - - * -
d 0 3 her - * - - - - * (1)
d 0 4 and - * - - - - * -
d 0 5 it - * - - - - * (3)

#end document
"""
UNUSUAL: dict[str, str] = {
    "rich.conll": RICH["conll"],
    "rich.conllu": RICH["conllu"],
    "twice.conll": TWICE,
    "ends.conllu": "\ufeff" + RICH["conllu"].replace("\n", "\r\n"),
    "zeros.ua": _ua(
        "1 Anna (EntityID=1|MarkableID=m1) _ _",
        "2 has (EntityID=5|MarkableID=m7) _ (EntityID=1-DD|MarkableID=d1",
        "2.1 _ (EntityID=1|MarkableID=m2) _ _",
        "3 doors (EntityID=3|MarkableID=m3) (MarkableID=m3|Rel=part|MentionAnchor=m1) )",
        "4 that (EntityID=4|MarkableID=m4) _ (EntityID=1-DD|MarkableID=d2)",
        "5 she (EntityID=1|MarkableID=m5) (MarkableID=m5|Rel=part|MentionAnchor=m3) _",
        "6 it (EntityID=5-Pseudo|MarkableID=m6) _ _",
    ),
}
"""Mentions in two entities, zeros, discontinuous mentions, relations, layers, comments, and the
line ends and byte order marks of other systems."""
HEALTHY = [name for name in FORMATS if name not in TAGGED]


@cache
def _written(form: str, seed: int) -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        data = Path(write(Path(folder) / f"x.{form}", NAMES, seed)).read_bytes()
    return re.sub(rb"(?m)^\d+\.1\t.*\n", b"", data) if form == HEADED else data


def put_unusual(name: str, folder: Path) -> Path:
    """Write one of the unusual files."""
    return put({name: UNUSUAL[name].encode()}, folder) / name


def put_sample(format: str, folder: Path) -> Path:
    """Write the smallest valid file of a format with what belongs to it; the file to be read."""
    files = sample(format)
    return put(files, folder) / list(files)[-1]


def put_contest(form: str, folder: Path) -> dict[str, Path]:
    """A key and the responses of three systems, by name."""
    files = {name: _written(form, 100 * number) for number, name in enumerate(("key", *SYSTEMS))}
    suffix = form.rpartition(".")[2]
    put({f"{name}.{suffix}": data for name, data in files.items()}, folder)
    return {name: folder / f"{name}.{suffix}" for name in files}
