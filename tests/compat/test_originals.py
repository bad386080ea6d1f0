"""Stand-ins beside the scorers that they replace, on the scorers' own files and random documents.

Environment variables name checkouts of the originals: ``COREFINE_PERL_SCORER``
(reference-coreference-scorers), ``COREFINE_COVAL`` and ``COREFINE_COREFUD_SCORER``;
``COREFINE_REPOSITORIES`` names a folder with a checkout ``owner+name`` of each repository that has
an evaluator of its own.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import corefine
from corefine.compat.e2e import (
    CorefEvaluator,
    LongdocCorefEvaluator,
    MentionEvaluator,
    OfficialCoNLL2012CorefEvaluator,
)
from tests.building.random_documents import random_pair

pytestmark = pytest.mark.slow

DOCUMENTS = 300


def checkout(variable: str) -> Path:
    """The checkout that an environment variable names; without it, the test is skipped."""
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} does not name a checkout of the original scorer")
    return Path(value)


def output(*command: str | Path, **environment: str) -> str:
    """The standard output of a command; empty if it fails."""
    run = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env={**os.environ, **environment}
    )
    return "" if run.returncode else run.stdout


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


def test_perl_on_its_own_files():
    scorer = checkout("COREFINE_PERL_SCORER")
    responses = sorted((scorer / "test" / "DataFiles").glob("*.response"))
    assert responses
    for response in responses:
        arguments = "all", key_of(response), response
        expected = output("perl", scorer / "scorer.pl", *arguments, **PERL)
        found = output(sys.executable, "-m", "corefine.compat.perl", *arguments)
        assert perl_lines(found) == perl_lines(expected), response


def test_perl_on_random_documents(random_files):
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


COVAL_OPTIONS = [
    *([], ["NP_only"], ["min_spans"], ["muc", "lea"]),
    ["NP_only", "remove_nested", "remove_singletons"],
]


def pairs(folder: Path, files: str, random_files: Path, ending: str) -> list[tuple[Path, Path]]:
    """The random documents, and the files that a scorer is tested with."""
    responses = sorted(folder.glob(files))
    assert responses
    random = random_files / f"key.{ending}", random_files / f"response.{ending}"
    return [random, *((key_of(response), response) for response in responses)]


NOT_IMITATED = ("TC-A-7.response", "TC-A-8.response", "TC-A-9.response")
"""Files of coval's tests with a bracket such as ``(1(2``; docs/how-to/switching.md lists them."""


def test_coval(random_files):
    scorer = checkout("COREFINE_COVAL")
    for number, pair in enumerate(pairs(scorer / "tests", "*.response", random_files, "conll")):
        if pair[1].name in NOT_IMITATED:
            continue
        # Its own files have no parse trees.
        for options in COVAL_OPTIONS if number == 0 else [[]]:
            arguments = *pair, *options
            expected = output(
                sys.executable, scorer / "scorer.py", *arguments, PYTHONPATH=str(scorer)
            )
            found = output(sys.executable, "-m", "corefine.compat.coval", *arguments)
            assert found == expected, arguments
            assert found


@pytest.mark.parametrize("options", [["-s"], ["-x"], ["-a", "partial", "-z", "linear"]])
def test_corefud(random_files, options):
    pytest.importorskip("udapi", reason="corefud-scorer needs udapi")
    scorer = checkout("COREFINE_COREFUD_SCORER")
    failed = 0
    for pair in pairs(scorer / "tests", "tests-corefud/**/*.response", random_files, "conllu"):
        arguments = *pair, *options
        expected = output(
            sys.executable, scorer / "corefud-scorer.py", *arguments, PYTHONPATH=str(scorer)
        )
        found = output(sys.executable, "-m", "corefine.compat.corefud", *arguments)
        assert found == expected, arguments
        failed += not expected
    # It cannot match zeros by dependencies in files without dependencies.
    assert failed <= (0 if "linear" in options else 9)


# --- repositories with scorers of their own -------------------------------------------------------

REPOSITORIES = {
    "kentonl/e2e-coref": ("metrics.py", CorefEvaluator),
    "mandarjoshi90/coref": ("metrics.py", CorefEvaluator),
    "lxucs/coref-hoi": ("metrics.py", CorefEvaluator),
    "lxucs/coref-ee": ("metrics.py", CorefEvaluator),
    "yuvalkirstain/s2e-coref": ("metrics.py", CorefEvaluator),
    "shon-otmazgin/fastcoref": ("fastcoref/utilities/metrics.py", CorefEvaluator),
    "shon-otmazgin/lingmess-coref": ("metrics.py", CorefEvaluator),
    "ShannonAI/CorefQA": ("utils/metrics.py", CorefEvaluator),
    "YerevaNN/SciERC": ("coref_metrics.py", CorefEvaluator),
    "juntaoy/dali-full-anaphora": ("metrics.py", CorefEvaluator),
    "shtoshni/fast-coref": ("src/coref_utils/metrics.py", LongdocCorefEvaluator),
    "shtoshni/long-doc-coref": ("src/coref_utils/metrics.py", LongdocCorefEvaluator),
    "WenzhengZhang/Seq2seqCoref": ("metrics.py", LongdocCorefEvaluator),
    "pitrack/incremental-coref": ("metrics.py", LongdocCorefEvaluator),
    "SapienzaNLP/maverick-coref": ("maverick/common/metrics.py", OfficialCoNLL2012CorefEvaluator),
}
"""The file with the evaluator of a repository, and its stand-in; docs/how-to/switching.md has the
commits."""


def load_original(path: Path, monkeypatch: pytest.MonkeyPatch, **modules: Mapping[str, Any]) -> Any:
    """Import a file of an original whose own imports are replaced by these modules."""
    for name, content in modules.items():
        module = ModuleType(name.replace("__", "."))
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    spec = importlib.util.spec_from_file_location("original", path)
    assert spec is not None
    assert spec.loader is not None
    original = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(original)
    return original


Clusters = list[tuple[tuple[int, int], ...]]


def clusters_of(document: corefine.Document) -> Clusters:
    return [
        tuple((mention.spans[0][0], mention.spans[0][1] - 1) for mention in mentions)
        for mentions in document.entities.values()
    ]


def owners_of(clusters: Clusters) -> dict[tuple[int, int], Any]:
    return {mention: cluster for cluster in clusters for mention in cluster}


def evaluated_pairs(data: Any) -> Iterator[tuple[Clusters, Clusters]]:
    """Clusters of random documents, and of LitBank with one of its systems."""
    for key, response in zip(*random_pair(DOCUMENTS), strict=True):
        yield clusters_of(key), clusters_of(response)
    folder = data / "litbank"
    keys = corefine.read(folder / "key.conll")
    responses = {one.name: one for one in corefine.read(folder / "OURS-stringmatch.conll")}
    for key in keys:
        yield clusters_of(key), clusters_of(responses[key.name])


@pytest.mark.parametrize("repository", REPOSITORIES)
def test_evaluators_of_repositories(repository, monkeypatch, data):
    """A function that scikit-learn dropped, and modules of the model, are replaced to import."""
    name, stand_in = REPOSITORIES[repository]
    path = checkout("COREFINE_REPOSITORIES") / repository.replace("/", "+") / name
    solve = {"linear_assignment": lambda costs: np.transpose(linear_sum_assignment(costs))}
    original = load_original(
        path, monkeypatch, sklearn__utils__linear_assignment_=solve, consts={"CATEGORIES": {}}
    )
    official = stand_in is OfficialCoNLL2012CorefEvaluator
    found: Any = stand_in()
    expected = getattr(original, type(found).__name__ if official else "CorefEvaluator")()
    names = {"MentionEvaluator", "OfficialMentionEvaluator"} & vars(original).keys()
    mentions = [MentionEvaluator(), *(getattr(original, one)() for one in names)]
    for gold, predicted in evaluated_pairs(data):
        arguments = predicted, gold, owners_of(predicted), owners_of(gold)
        expected.update(*arguments)
        found.update(*arguments)
        for one in mentions:
            one.update(owners_of(predicted), owners_of(gold))
    for metric in ("muc", "b_cubed", "ceafe", "conll2012") if official else ("",):
        asked = (metric,) if metric else ()
        assert found.get_prf(*asked) == pytest.approx(expected.get_prf(*asked), abs=1e-12)
    for ours, theirs in zip(found.evaluators, expected.evaluators[:3], strict=True):
        assert ours.get_counts() == pytest.approx(theirs.get_counts(), rel=1e-12)
    assert len({one.get_prf() for one in mentions}) == 1
