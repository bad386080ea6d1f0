"""Shared by the tests of scoring: a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A cluster in threads of this process; what it is sent is pickled all the same.

    Its threads draw random numbers, which hypothesis does not allow beside its own tests.
    """
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            protocol="tcp",
            dashboard_address=":0",
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as connected,
    ):
        yield connected
