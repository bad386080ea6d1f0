"""The baselines of the same lemma, within documents and across them."""

from __future__ import annotations

from itertools import combinations

import pytest

import corefine
from corefine.resolving import apply

CONLLU = """\
# newdoc id = {name}
# global.Entity = eid-etype-head-other
1	Cats	cat	NOUN	_	_	2	nsubj	_	Entity=(e{a}-x-1-)
2	saw	see	VERB	_	_	0	root	_	_
3	a	a	DET	_	_	4	det	_	Entity=(e{b}-x-2-
4	Dog	dog	NOUN	_	_	2	obj	_	Entity=e{b})
5	.	_	PUNCT	_	_	2	punct	_	_

1	The	the	DET	_	_	2	det	_	Entity=(e{a}-x-2-
2	cat	cat	NOUN	_	_	3	nsubj	_	Entity=e{a})
3	ran	run	VERB	_	_	0	root	_	_

"""
NAMES = ("t/a/1", "t/a/2", "t/b/1", "u/a/1")


@pytest.fixture
def documents(tmp_path):
    """Four documents, in each two cats that are one and a dog; none is that of another document."""
    path = tmp_path / "key.conllu"
    texts = [CONLLU.format(name=n, a=2 * at, b=2 * at + 1) for at, n in enumerate(NAMES)]
    path.write_text("".join(texts))
    return path


@pytest.mark.parametrize("ending", ["conllu", "conll"])
def test_lemmas_are_joined_across_documents_by_their_ids(documents, tmp_path, ending):
    out = tmp_path / f"response.{ending}"
    corefine.write(apply("same-lemma", str(documents)), out, lossy=True)
    scores = corefine.score(documents, out, "pairs", scope="corpus", by="level")
    # By hand: 8 cats and 4 dogs, in four documents of three subtopics and two topics.
    lemmas = [(name, lemma) for name in NAMES for lemma in ("cat", "cat", "dog")]
    pairs = [(a[0], b[0]) for a, b in combinations(lemmas, 2) if a[1] == b[1]]
    within = sum(one == other for one, other in pairs)
    assert (len(pairs), within) == (28 + 6, 4)
    joined = scores["pairs.coreferent"]
    assert joined.precision == pytest.approx(within / len(pairs))
    assert joined.recall == 1
    levels = scores.breakdown["level"]
    assert levels["document"]["pairs.coreferent"].f1 == 1
    assert {levels[name]["pairs.coreferent"].f1 for name in ("subtopic", "topic", "corpus")} == {0}
    corefine.write(apply("same-lemma-within-document", str(documents)), out, lossy=True)
    assert corefine.score(documents, out, "lea", scope="corpus")["lea"].f1 == 1


def test_a_singleton_is_a_lemma_that_no_document_has_twice(documents):
    across = apply("same-lemma", str(documents), singletons="drop")
    assert len(across.mentions) == 12
    within = apply("same-lemma-within-document", str(documents), singletons="drop")
    assert len(within.mentions) == 8
    assert len(within.entities) == 4


def test_without_lemmas_the_head_word_stands_for_one(tmp_path, documents):
    text = documents.read_text().replace("\tcat\t", "\t_\t").replace("\tdog\t", "\t_\t")
    bare = tmp_path / "bare.conllu"
    bare.write_text(text)
    response = apply("same-lemma", str(bare))
    # "Cats" and "cat" are two words.
    assert len(set(response.entities.names or ())) == 3
