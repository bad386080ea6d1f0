"""Scoring on a Dask cluster: the same bits, whatever is missing or lost."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.errors import CorefineError
from corefine.scoring.drivers.dask import Shard, find_shards
from corefine.scoring.sides import File
from tests.building.conll_documents import write_shards
from tests.building.refusals import refused
from tests.building.sample import sample_path

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.xdist_group("dask"),  # one cluster at a time
]
NAMES = [f"d{number}" for number in range(12)]


@pytest.fixture
def sides(tmp_path: Path) -> tuple[str, str]:
    mixed = [*NAMES[1::2], *NAMES[::2]]
    return (
        write_shards(tmp_path / "key", NAMES, 0, 4),
        write_shards(tmp_path / "response", mixed, 100, 3),
    )


def same_bits(one: corefine.Scores, other: corefine.Scores) -> bool:
    return one.by_name == other.by_name and one.documents == other.documents


def test_a_document_without_a_name_is_numbered_as_when_it_is_read(tmp_path):
    word = "1\tw" + "\t_" * 7 + "\tEntity=(e1)\n\n"
    shard = tmp_path / "one.conllu"
    shard.write_text(f"# newdoc id = a\n{word}# newdoc\n{word}")
    assert Shard(str(shard)).names() == Shard(str(shard)).read(frozenset()).documents


def test_shards_that_cannot_be_read_and_missing_documents(client, sides, tmp_path):
    bad = tmp_path / "key" / "shard-02.conll"
    bad.write_text(bad.read_text("utf-8").replace("(1)", "(1", 1), "utf-8")
    with pytest.raises(CorefineError, match=r"shard-02\.conll:\d+"):
        corefine.score(*sides, engine=client)
    bad.unlink()
    with pytest.raises(CorefineError, match=r"shard-02\.conll"):
        Shard(str(bad)).content()
    (tmp_path / "response" / "shard-00.conll").unlink()
    with refused("alignment", "shard-00.conll"):
        corefine.score(*sides, engine=client)
    local = corefine.score(*sides, missing_documents="count")
    assert same_bits(corefine.score(*sides, engine=client, missing_documents="count"), local)
    assert len(local.documents) == 9


def test_the_command_line(client, sides, capsys):
    address = client.scheduler.address
    arguments = ["score", *sides, "--output", "json", "--scheduler", address]
    assert main(arguments) == 0
    assert (
        json.loads(capsys.readouterr().out)["scores"]
        == (corefine.score(*sides).to_dict()["scores"])
    )
    assert main(["score", *sides, "--scheduler", "nowhere"]) == 2


def test_shards_may_have_files_beside_them(client, tmp_path):
    for sample in ("key", "careful"):
        corefine.write(corefine.read(sample_path(sample)), tmp_path / sample, "brat")
    sides = str(tmp_path / "key" / "*.ann"), str(tmp_path / "careful")
    assert same_bits(corefine.score(*sides, engine=client), corefine.score(*sides))


def test_only_files_are_scored(client):
    with refused("usage"):
        corefine.score([["a"]], [["a"]], engine=client)
    with refused("no-file", "*.conll"):
        find_shards(File("nothing/*.conll", "key"))


@pytest.fixture
def service() -> Iterator[int]:
    """The port of a service that is no scheduler: it says a line, and waits."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                connection.sendall(b"220 mail.example ESMTP\r\n")

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "tls://127.0.0.1:8786", "http://127.0.0.1:8786", "", "127.0.0.1:99999"),
        *("127.0.0.1:1/", "tcp://127.0.0.1:{}"),
    ],
)
def test_no_scheduler_answers(sides, service, address):
    with pytest.raises(CorefineError):
        corefine.score(*sides, engine="dask", scheduler=address.format(service), timeout=2)


@pytest.mark.slow
def test_a_cluster_loses_its_workers(sides):
    """One of two, and then all of them."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        victim = next(iter(client.run(os.getpid).values()))
        os.kill(victim, signal.SIGKILL)
        assert same_bits(corefine.score(*sides, engine=client), corefine.score(*sides))
        cluster.scale(0)
        with refused("error"):
            corefine.score(*sides, engine="dask", scheduler=cluster.scheduler_address, timeout=1)
