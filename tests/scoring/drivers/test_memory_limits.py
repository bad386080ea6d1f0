"""Runs in little memory, which the system holds them to: they end within it, or say what would do.

Ten million mentions take minutes: they are measured by ``scripts/bench``.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys

import pytest

from tests.building.conll_documents import document

resource = pytest.importorskip("resource", reason="limits are set only where there are signals")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold to the limit"),
]
ADDRESSES = 1 << 30
"""Bytes that a process may ask for, of which its libraries have some hundred mebibytes."""


def limited(*arguments: str) -> tuple[int, str, str]:
    """Status, output and messages of a command that may ask for so much memory."""
    found = subprocess.run(
        [sys.executable, "-m", "corefine", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES)),
    )
    assert "Traceback" not in found.stderr
    assert "out of memory" not in found.stderr
    return found.returncode, found.stdout, found.stderr


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Fifty thousand mentions, one inside the other."""
    depth = 50_000
    cells = [f"({number % 7}" for number in range(depth)]
    cells += [f"{number % 7})" for number in reversed(range(depth))]
    rows = "".join(f"x\t0\t{row}\tw{row}\t-\t{cell}\n" for row, cell in enumerate(cells))
    path = tmp_path_factory.mktemp("nested") / "x.conll"
    path.write_text(f"#begin document (x); part 000\n{rows}\n#end document\n")
    return str(path)


def test_nested_mentions_are_scored(nested):
    status, printed, said = limited("score", nested, nested)
    assert status == 0, said
    assert "100.00" in printed


@pytest.mark.parametrize(
    ("command", "name", "opening", "filling"),
    [
        ("score", "x.csv.gz", b'mention,entity\na,"1', b"x"),
        ("convert", "x.conll.gz", b"#begin document (x); part 000\n", b" "),
    ],
)
def test_a_little_gzip_that_holds_gigabytes(tmp_path, command, name, opening, filling):
    path = tmp_path / name
    # Parts of a compressed file may stand one behind the other.
    part = gzip.compress(filling * (1 << 24))
    path.write_bytes(gzip.compress(opening) + part * 128)
    more = {"score": [str(path)], "convert": ["-", "--to", "e2e", "--lossy"]}
    status, _, said = limited(command, str(path), *more[command])
    assert status == 2
    assert "mebibyte" in said or "bytes of gzip unpack to" in said


def test_a_stream_keeps_to_its_memory(tmp_path):
    for name, seed in (("key", 0), ("response", 10_000)):
        with open(tmp_path / f"{name}.conll", "w") as stream:
            stream.writelines(document(f"d{number}", seed + number) for number in range(2000))
    sides = str(tmp_path / "key.conll"), str(tmp_path / "response.conll")
    status, little, said = limited("score", *sides, "--memory", "150M", "--jobs", "1")
    assert status == 0, said
    assert limited("score", *sides, "--jobs", "1")[1] == little
