"""Curation of gold annotation: check, repair, describe, agree, adjudicate, suspects."""

from __future__ import annotations

from importlib.util import find_spec

from corefine.errors import MissingExtraError


def require_server() -> None:
    """Raise an error that names the extra if packages of the local server are missing."""
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtraError("the local server", package, "view")
