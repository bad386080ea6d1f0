"""Stand-ins beside the scorers that they replace, on the scorers' own files and random documents.

Environment variables name checkouts of the originals: ``COREFINE_PERL_SCORER``
(reference-coreference-scorers), ``COREFINE_COVAL`` and ``COREFINE_COREFUD_SCORER``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import corefine
from tests.building.random_documents import random_pair

pytestmark = pytest.mark.slow

DOCUMENTS = 500


def checkout(variable: str) -> Path:
    """The checkout that an environment variable names; without it, the test is skipped."""
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} does not name a checkout of the original scorer")
    return Path(value)


def output(*command: str | Path, **environment: str) -> str:
    run = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env={**os.environ, **environment}
    )
    return run.stdout


@pytest.fixture(scope="module")
def random_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("random")
    for documents, side in zip(random_pair(DOCUMENTS), ("key", "response"), strict=True):
        corpus = corefine.Corpus.from_documents(documents)
        corefine.write(corpus, folder / f"{side}.conll")
        corefine.write(corpus, folder / f"{side}.conllu", lossy=True)
    return folder


def key_of(response: Path) -> Path:
    return response.with_name(re.sub(r"-\d+\.response$", ".key", response.name))


# The hash of Perl has the same order in each run.
PERL = {"PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0"}


def perl_lines(text: str) -> str:
    """The output without the version line, which has the path of the scorer."""
    return text.partition("\n")[2]


def test_perl_on_its_own_files() -> None:
    scorer = checkout("COREFINE_PERL_SCORER")
    responses = sorted((scorer / "test" / "DataFiles").glob("*.response"))
    assert responses
    for response in responses:
        arguments = "all", key_of(response), response
        expected = output("perl", scorer / "scorer.pl", *arguments, **PERL)
        found = output(sys.executable, "-m", "corefine.compat.perl", *arguments)
        assert perl_lines(found) == perl_lines(expected), response


def test_perl_on_random_documents(random_files: Path) -> None:
    scorer = checkout("COREFINE_PERL_SCORER")
    key, response = random_files / "key.conll", random_files / "response.conll"
    expected = output("perl", scorer / "scorer.pl", "all", key, response, **PERL)
    # Sums depend on the order of documents, which is that of Perl's hash.
    order = dict.fromkeys(re.findall(r"^====> (.+):$", expected, re.MULTILINE))
    text = key.read_text("utf-8")
    begin = re.compile(r"^#begin document (.*)\n(?:.*\n)*?#end document\n", re.MULTILINE)
    documents = {found[1]: found[0] for found in begin.finditer(text)}
    ordered = random_files / "ordered.conll"
    ordered.write_text("".join(documents[name] for name in order), "utf-8")
    found = output(sys.executable, "-m", "corefine.compat.perl", "all", ordered, response)
    assert len(documents) == DOCUMENTS
    assert perl_lines(found) == perl_lines(expected)
