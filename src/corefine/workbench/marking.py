"""``corefine suspects --view``: suspects marked one by one in a browser.

A mark says who is wrong: the key or the systems, or that the place is debatable. Marks are kept in
a log and refer to the place of a suspect, so that they outlive a change of the systems.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from corefine.explaining.suspects import Suspect, Suspects
from corefine.workbench.log import Mark, append_marks, read_marks
from corefine.workbench.server import Server, html, json_body, page

MOST = 1000
"""Suspects on the page: the first ones."""


class MarkingDesk:
    """The suspects behind the page, and their marks."""

    def __init__(self, suspects: Suspects, log: str | os.PathLike[str]) -> None:
        self.suspects = {one.id: one for one in suspects.found[:MOST]}
        self.log = log
        self.marks = read_marks(log)
        self.lock = asyncio.Lock()

    def routes(self) -> list[Route]:
        """The page, its state, and the marks that it sends."""
        return [
            Route("/", self.show),
            Route("/state", self.state),
            Route("/mark", self.mark, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        return html(page("marking", "Suspects"))

    async def state(self, request: Request) -> Response:
        return JSONResponse([self.described(one) for one in self.suspects.values()])

    def described(self, suspect: Suspect) -> dict[str, Any]:
        """A suspect as the page needs it; its revision is the number of its marks."""
        marks = [one for one in self.marks if one.suspect == suspect.id]
        return {
            **suspect.to_dict(),
            "id": suspect.id,
            "revision": len(marks),
            "mark": asdict(marks[-1]) if marks else None,
        }

    async def mark(self, request: Request) -> Response:
        """Take a mark, unless the suspect was marked in the meantime."""
        try:
            sent = await json_body(request)
            texts = {name: str(sent.get(name, "")) for name in ("by", "reason")}
            mark = Mark(str(sent["suspect"]), str(sent["mark"]), **texts)
            revision = int(sent["revision"])
        except (ValueError, TypeError, KeyError, AttributeError):
            return JSONResponse({"error": "not a mark"}, 400)
        async with self.lock:
            suspect = self.suspects.get(mark.suspect)
            if suspect is None:
                return JSONResponse({"error": f"unknown suspect {mark.suspect!r}"}, 404)
            if revision != self.described(suspect)["revision"]:
                answer = {"error": "marked elsewhere in the meantime"}
                return JSONResponse({**answer, "suspect": self.described(suspect)}, 409)
            try:
                await asyncio.to_thread(append_marks, self.log, [mark])
            except OSError as error:
                return JSONResponse({"error": f"the log was not written: {error.strerror}"}, 500)
            self.marks.append(mark)
            return JSONResponse({"suspect": self.described(suspect)})


def marking_server(suspects: Suspects, log: str | os.PathLike[str], port: int = 0) -> Server:
    """A server for the page of suspects."""
    return Server(MarkingDesk(suspects, log).routes(), port)
