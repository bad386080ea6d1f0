"""LEA with entities weighted by annotated salience."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from tests.building.refusals import refused

HEADER = ["# newdoc id = d", "# global.Entity = GRP-etype-salience-minspan", "# sent_id = 1"]


def write(path: Path, cells: list[str], salient: bool = True) -> str:
    """A text of words with single-word mentions such as ``1:ssnnn``."""
    lines = HEADER if salient else [HEADER[0], "# global.Entity = GRP-etype-minspan", HEADER[2]]
    for number, cell in enumerate(cells, start=1):
        entity, _, salience = cell.partition(":")
        fields = [entity, "person", *([salience] if salient else []), "1"]
        misc = f"Entity=({'-'.join(fields)})" if cell else "_"
        lines = [*lines, "\t".join([str(number), "w", *"______", "_", misc])]
    path.write_text("\n".join([*lines, "", ""]), "utf-8")
    return str(path)


def test_entities_count_by_the_share_of_summaries(tmp_path):
    key = write(tmp_path / "k.conllu", ["1:ssssn", "1:ssssn", "2:snnnn", "2:snnnn", "3:nnnnn"])
    response = write(tmp_path / "r.conllu", ["1", "1", "2", "3", "4"], salient=False)
    lea = corefine.score(key, response, "lea(importance=salience)")["lea(importance=salience)"]
    # Recall: entity 1 (0.8) is found, entity 2 (0.2) has none of its links; 3 weighs 0.
    assert lea.recall == pytest.approx(0.8 / (0.8 + 0.2))
    # Precision: the entities have the salience of their mentions; two singletons are wrong.
    assert lea.precision == pytest.approx(0.8 / (0.8 + 0.2 + 0.2))


def test_a_key_without_salience_is_refused(tmp_path):
    for cells, salient in ((["1", "1"], False), (["1:salient", "1:sal"], True)):
        key = write(tmp_path / "k.conllu", cells, salient)
        with refused("usage"):
            corefine.score(key, key, "lea(importance=salience)")


def test_the_signature_depends_on_salience(tmp_path):
    keys = [
        write(tmp_path / f"{n}.conllu", [f"1:{one}", f"1:{one}", "2:snnnn", "2:snnnn"])
        for n, one in enumerate(("ssnnn", "sssss"))
    ]
    metric = "lea(importance=salience)"
    assert len({corefine.score(key, key, metric).signature.key for key in keys}) == 2
    assert len({corefine.score(key, key, "lea").signature.key for key in keys}) == 1
