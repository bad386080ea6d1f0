"""Scoring on a real Dask cluster on this machine: the same bits, whatever is cut or lost."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import corefine
from corefine.cli import main
from corefine.errors import AlignmentError, CorefineError, UsageError
from corefine.scoring.drivers.dask import Shard, find_shards
from corefine.scoring.sides import Side
from tests.building.conll_documents import document

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.xdist_group("dask"),  # one cluster at a time
]
SAMPLES = Path(corefine.__file__).parent / "cli" / "samples"
NAMES = [f"d{number}" for number in range(24)]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as connected,
    ):
        yield connected


def write(folder: Path, cuts: list[list[str]], seed: int) -> str:
    folder.mkdir()
    for number, names in enumerate(cuts):
        text = "".join(document(name, seed + int(name[1:])) for name in names)
        (folder / f"shard-{number:02}.conll").write_text(text, "utf-8")
    return str(folder / "*.conll")


def cut(names: list[str], parts: int) -> list[list[str]]:
    return [list(part) for part in np.array_split(np.array(names), parts)]


@pytest.fixture
def sides(tmp_path: Path) -> tuple[str, str]:
    key = write(tmp_path / "key", cut(NAMES, 5), 0)
    mixed = [*NAMES[1::2], *NAMES[::2]]
    return key, write(tmp_path / "response", cut(mixed, 3), 100)


def same_bits(one: corefine.Scores, other: corefine.Scores) -> bool:
    return one.by_name == other.by_name and one.documents == other.documents


def test_any_cut_gives_the_same_bits(client: Any, sides: tuple[str, str]) -> None:
    local = corefine.score(*sides, "all")
    spread = corefine.score(*sides, "all", engine=client)
    assert same_bits(spread, local)
    assert str(spread.signature) == str(local.signature)


@pytest.mark.slow
def test_a_worker_that_dies_changes_nothing(client: Any, sides: tuple[str, str]) -> None:
    local = corefine.score(*sides)
    victim = next(iter(client.run(os.getpid).values()))
    running = client.submit(_slow, 2, pure=False)
    os.kill(victim, signal.SIGKILL)
    spread = corefine.score(*sides, engine=client)
    assert running.result() == 2
    assert same_bits(spread, local)


def _slow(value: int) -> int:
    import time

    time.sleep(0.5)
    return value


def test_a_shard_that_cannot_be_read_is_named(
    client: Any, sides: tuple[str, str], tmp_path: Path
) -> None:
    bad = tmp_path / "key" / "shard-02.conll"
    bad.write_text(bad.read_text("utf-8").replace("(1)", "(1", 1), "utf-8")
    with pytest.raises(CorefineError, match=r"shard-02\.conll:\d+"):
        corefine.score(*sides, engine=client)
    bad.unlink()
    with pytest.raises(AlignmentError, match="is missing from the key"):
        corefine.score(*sides, engine=client)
    scores = corefine.score(*sides, engine=client, missing_documents="count")
    assert len(scores.documents) == len(NAMES) - len(cut(NAMES, 5)[2])
    with pytest.raises(CorefineError, match="cannot read the shard"):
        Shard(str(bad)).content()


def test_missing_documents_count_as_they_do_locally(
    client: Any, sides: tuple[str, str], tmp_path: Path
) -> None:
    for name in ("shard-00.conll", "shard-01.conll"):
        (tmp_path / "response" / name).unlink()
    local = corefine.score(*sides, missing_documents="count")
    spread = corefine.score(*sides, missing_documents="count", engine=client)
    assert same_bits(spread, local)


@pytest.mark.slow
@pytest.mark.parametrize("singletons", ["keep", "drop"])
def test_entities_across_documents_are_joined_on_the_workers(
    client: Any, tmp_path: Path, singletons: str
) -> None:
    chance = np.random.default_rng(0)
    for side in ("key", "response"):
        (tmp_path / side).mkdir()
        for shard in range(3):
            rows = [
                f"doc{shard}{document},m{mention},e{chance.integers(12)}"
                for document in range(3)
                for mention in range(20)
                if chance.random() < 0.9
            ]
            text = "\n".join(["document,mention,entity", *rows]) + "\n"
            (tmp_path / side / f"{shard}.csv").write_text(text)
    places = (str(tmp_path / "key" / "*.csv"), str(tmp_path / "response" / "*.csv"))
    settings: dict[str, Any] = {
        "scope": "corpus",
        "singletons": singletons,
        "missing_documents": "count",
    }
    local = corefine.score(*places, "muc,b3,ceafm,ceafe,blanc,lea,conll", **settings)
    spread = corefine.score(
        *places, "muc,b3,ceafm,ceafe,blanc,lea,conll", engine=client, **settings
    )
    for name, score in spread.by_name.items():
        assert score == local.by_name[name], name
    with pytest.raises(UsageError, match="cannot compute lmuc"):
        corefine.score(*places, "lmuc", engine=client, **settings)


def test_the_command_line(
    client: Any, sides: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    address = client.scheduler.address
    arguments = ["score", *sides, "--output", "json", "--engine", "dask", "--scheduler", address]
    assert main(arguments) == 0
    form = json.loads(capsys.readouterr().out)
    local = corefine.score(*sides)
    assert form["scores"] == local.to_dict()["scores"]
    assert main(["score", *sides, "--scheduler", address]) == 2
    assert "needs --engine dask" in capsys.readouterr().err


def test_shards_may_have_files_beside_them(client: Any, tmp_path: Path) -> None:
    sides = []
    for number, sample in enumerate(("key", "careful")):
        folder = tmp_path / sample
        corefine.write(corefine.read(SAMPLES / f"{sample}.conll"), folder, "brat")
        sides.append(str(folder) if number else str(folder / "*.ann"))
    assert same_bits(corefine.score(*sides, engine=client), corefine.score(*sides))


def test_engines_score_files(client: Any) -> None:
    with pytest.raises(UsageError, match="the dask engine scores files, and"):
        corefine.score([["a"]], [["a"]], engine=client)
    with pytest.raises(CorefineError, match="no file matches"):
        find_shards(Side.of("nothing/*.conll"))
