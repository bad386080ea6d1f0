"""``corefine adjudicate --view``: contested entities decided one by one in a browser.

A decision is on disk before it is confirmed, so that nothing is lost if the server is killed. Every
group has a revision, the number of decisions on it; a decision that was made on an older revision,
as in a second tab, is refused.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from corefine.errors import CorefineError
from corefine.workbench.adjudication import (
    Adjudication,
    Decision,
    Group,
    append_to_log,
)
from corefine.workbench.server import Server, html, json_body, page

ACTIONS = ("accept", "merge", "split", "drop", "edit")


class AdjudicationDesk:
    """The adjudication behind the page: its state, decisions and gold."""

    def __init__(
        self,
        adjudication: Adjudication,
        log: str | os.PathLike[str],
        write_gold: Callable[[Adjudication], None] | None = None,
    ) -> None:
        self.adjudication = adjudication
        self.log = log
        self.write_gold = write_gold
        self.lock = asyncio.Lock()

    def routes(self) -> list[Route]:
        """The page, its state, and the decisions that it sends."""
        return [
            Route("/", self.show),
            Route("/state", self.state),
            Route("/decide", self.decide, methods=["POST"]),
            Route("/write", self.write, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        names = ", ".join(self.adjudication.annotators)
        return html(page("adjudication", f"Adjudication of {names}"))

    async def state(self, request: Request) -> Response:
        """Contested groups, their revisions and decisions, and the texts they are in."""
        contested = self.adjudication.contested
        documents = {group.document for group in contested}
        texts = {
            document.name: {"tokens": document.tokens, "sentences": document.sentences or [0]}
            for document in next(iter(self.adjudication.annotators.values()))
            if document.name in documents
        }
        return JSONResponse(
            {
                "annotators": list(self.adjudication.annotators),
                "agreed": len(self.adjudication.groups) - len(contested),
                "groups": [self.described(group) for group in contested],
                "documents": texts,
                "writes": self.write_gold is not None,
            }
        )

    def described(self, group: Group) -> dict[str, Any]:
        """A group as the page needs it."""
        decisions = [one for one in self.adjudication.decisions if one.group == group.id]
        return {
            "id": group.id,
            "document": group.document,
            "versions": group.versions,
            "revision": len(decisions),
            "decision": asdict(decisions[-1]) if decisions else None,
        }

    async def decide(self, request: Request) -> Response:
        """Take a decision, unless the group was decided in the meantime."""
        try:
            sent = await json_body(request)
            decision = _decision(sent)
            revision = int(sent["revision"])
        except (ValueError, TypeError, KeyError):
            return JSONResponse({"error": "not a decision"}, 400)
        async with self.lock:
            group = self.adjudication.by_id.get(decision.group)
            if group is None or not group.contested:
                return JSONResponse({"error": f"unknown group {decision.group!r}"}, 404)
            if revision != self.described(group)["revision"]:
                return JSONResponse(
                    {"error": "decided elsewhere in the meantime", "group": self.described(group)},
                    409,
                )
            try:
                self.adjudication.decide(decision)
            except CorefineError as error:
                return JSONResponse({"error": error.message}, 422)
            try:
                await asyncio.to_thread(append_to_log, self.log, self.adjudication, [decision])
            except OSError as error:
                self.adjudication.decisions.pop()
                return JSONResponse({"error": f"the log was not written: {error.strerror}"}, 500)
            return JSONResponse(
                {"group": self.described(group), "undecided": len(self.adjudication.undecided)}
            )

    async def write(self, request: Request) -> Response:
        """Write the gold."""
        if self.write_gold is None:
            return JSONResponse({"error": "no file was named: start with -o FILE"}, 400)
        async with self.lock:
            try:
                await asyncio.to_thread(self.write_gold, self.adjudication)
            except CorefineError as error:
                return JSONResponse({"error": str(error)}, 422)
        gold = self.adjudication.gold
        return JSONResponse(
            {
                "mentions": len(gold.mentions),
                "entities": len(gold.entities),
                "undecided": len(self.adjudication.undecided),
            }
        )


def _decision(sent: dict[str, Any]) -> Decision:
    """A decision as sent by the page; raises ValueError, TypeError or KeyError."""
    action = str(sent["action"])
    if action.split()[0] not in ACTIONS:
        raise ValueError(action)
    entities = [
        [tuple((int(start), int(stop)) for start, stop in mention) for mention in entity]
        for entity in sent["entities"]
        if entity
    ]
    texts = {name: str(sent.get(name, "")) for name in ("by", "reason")}
    return Decision(str(sent["group"]), entities, action, **texts)


def adjudication_server(
    adjudication: Adjudication,
    log: str | os.PathLike[str],
    write_gold: Callable[[Adjudication], None] | None = None,
    port: int = 0,
) -> Server:
    """A server for the adjudication page."""
    return Server(AdjudicationDesk(adjudication, log, write_gold).routes(), port)
