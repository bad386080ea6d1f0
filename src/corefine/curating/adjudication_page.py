"""``corefine adjudicate --view``: questions answered one by one in a browser.

An entry is in the log before it is confirmed, so that nothing is lost if the server is killed.
Every document has a revision, the number of its entries; what was sent for an older revision, as
from a second tab, is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from corefine.curating.adjudication import NOTES, Adjudication, Desk, Entry
from corefine.curating.adjudication_tables import decision_in_words
from corefine.curating.questions import Question
from corefine.curating.server import Server, html, json_body, page
from corefine.errors import CorefineError
from corefine.report.document_text import text_rows

FIELDS = ("do", "document", "question", "choice", "mention", "spans", "to", "by", "reason")
"""What the page says of an entry; time and id are the server's."""


class AdjudicationDesk:
    """The adjudication behind the page: its documents, entries and gold."""

    def __init__(
        self, adjudication: Adjudication, write_gold: Callable[[Adjudication], None] | None = None
    ) -> None:
        self.adjudication = adjudication
        self.write_gold = write_gold
        self.lock = asyncio.Lock()

    def routes(self) -> list[Route]:
        """The page, its state, and the entries that it sends."""
        return [
            Route("/", self.show),
            Route("/state", self.state),
            Route("/document", self.document),
            Route("/do", self.do, methods=["POST"]),
            Route("/write", self.write, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        names = ", ".join(self.adjudication.voices)
        return html(page(f"{self.adjudication.title} of {names}"))

    def summary(self) -> dict[str, Any]:
        """Documents with the number of their questions, and what can be undone."""
        made = self.adjudication
        return {
            "title": made.title,
            "voices": list(made.voices),
            "documents": [
                {
                    "name": name,
                    "questions": len(made.desk(name).questions),
                    "open": len(made.desk(name).undecided),
                }
                for name in made.documents
            ],
            "undo": made.undoable,
            "redo": made.redoable,
            "writes": self.write_gold is not None,
        }

    async def state(self, request: Request) -> Response:
        return JSONResponse(self.summary())

    async def document(self, request: Request) -> Response:
        """A document with its text, versions, questions and gold."""
        name = request.query_params.get("name", "")
        if name not in self.adjudication.documents:
            return JSONResponse({"error": f"there is no document {name!r}"}, 404)
        base = self.adjudication.documents[name].base
        tokens = base.tokens or []
        rows, sentences = text_rows(sorted({0, *base.starts}) if tokens else [], len(tokens))
        text = {
            "words": tokens,
            "rows": rows,
            "sentence": sentences,
            "empty": base.empty_nodes,
            "versions": self.adjudication.shown_versions(name),
        }
        return JSONResponse(text | self.described(name))

    def described(self, name: str) -> dict[str, Any]:
        """What an entry may change: the revision, questions and gold of a document."""
        desk = self.adjudication.desk(name)
        chains: dict[int, list[Any]] = {}
        for mention in sorted(desk.gold, key=lambda one: one.spans):
            chains.setdefault(mention.entity, []).append(mention.spans)
        notes: dict[str, list[Entry]] = {}
        for entry in desk.entries:
            if entry.do in NOTES:
                notes.setdefault(entry.question, []).append(entry)
        return {
            "name": name,
            "revision": self.adjudication.revision(name),
            "gold": list(chains.values()),
            "questions": [
                self._question(desk, question, notes.get(question.id, ()))
                for question in desk.questions.values()
            ],
        }

    @staticmethod
    def _question(desk: Desk, question: Question, notes: Any) -> dict[str, Any]:
        answer = desk.answers.get(question.id)
        return {
            "id": question.id,
            "kind": question.kind,
            "text": question.text,
            "mentions": question.mentions,
            "options": [
                {"text": one.text, "by": one.by, "choice": one.choice} for one in question.options
            ],
            "proposal": question.proposal,
            "stake": question.stake,
            "decision": decision_in_words(desk, question) if answer else None,
            "how": answer.do if answer else None,
            "by": answer.by if answer else None,
            "flagged": any(note.do == "flag" for note in notes),
            "skipped": any(note.do == "skip" for note in notes),
            "comments": [note.reason for note in notes if note.reason],
        }

    async def do(self, request: Request) -> Response:
        """Take an entry, unless the document was changed in the meantime."""
        try:
            sent = await json_body(request)
            revision, do = sent["revision"], sent["do"]
            entry = Entry.from_record({name: sent[name] for name in FIELDS if name in sent})
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError, AttributeError):
            return JSONResponse({"error": "not an entry"}, 400)
        async with self.lock:
            try:
                if do in ("undo", "redo"):
                    done = await asyncio.to_thread(getattr(self.adjudication, do), entry.by)
                    if done is None:
                        return JSONResponse({"error": f"there is nothing to {do}"}, 422)
                    entry = done
                elif entry.document not in self.adjudication.documents:
                    return JSONResponse({"error": f"there is no document {entry.document!r}"}, 404)
                elif revision != self.adjudication.revision(entry.document):
                    message = "this document was changed elsewhere in the meantime"
                    return JSONResponse({"error": message, **self._state(entry.document)}, 409)
                else:
                    await asyncio.to_thread(self.adjudication.do, entry)
            except CorefineError as error:
                return JSONResponse({"error": str(error)}, 422)
            return JSONResponse({**self._state(entry.document), "question": entry.question})

    def _state(self, document: str) -> dict[str, Any]:
        return {"summary": self.summary(), "document": self.described(document)}

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
        counts = {"mentions": len(gold.mentions), "entities": len(gold.entities)}
        return JSONResponse(counts | {"undecided": len(self.adjudication.undecided)})


def adjudication_server(
    adjudication: Adjudication,
    write_gold: Callable[[Adjudication], None] | None = None,
) -> Server:
    """A server for the adjudication page."""
    return Server(AdjudicationDesk(adjudication, write_gold).routes())
