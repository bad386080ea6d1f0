"""Tables of an adjudication: annotators, questions, profiles of annotators, comments."""

from __future__ import annotations

from collections import Counter, defaultdict

from corefine.curating.adjudication import Adjudication, Entry
from corefine.kinds.kind_plan import plan_of
from corefine.output.grid import Column, Grid, Value
from corefine.output.result import Tables


def annotators_grid(adjudication: Adjudication) -> Grid:
    """One row per annotator: mentions, entities, and agreement before and after."""
    after = adjudication.agreement_after
    rows: list[tuple[Value, ...]] = [
        (name, len(corpus.mentions), len(corpus.entities), before, after[name])
        for (name, corpus), before in zip(
            adjudication.annotators.items(), adjudication.agreement_before.values(), strict=True
        )
    ]
    gold = adjudication.gold
    rows.append(("gold", len(gold.mentions), len(gold.entities), None, None))
    columns = (
        Column("annotator"),
        Column("mentions", "integer"),
        Column("entities", "integer"),
        Column("with others", "percent", "conll_with_others"),
        Column("with gold", "percent", "conll_with_gold"),
    )
    return Grid(columns, rows, "CoNLL F1 of each annotator with the others and with the gold")


def questions_grid(adjudication: Adjudication) -> Grid:
    """One row per question: what differs, and the decision."""
    rows = []
    for name in adjudication.documents:
        desk = adjudication.desk(name)
        for question in desk.questions.values():
            answer = desk.answers.get(question.id)
            decision = desk.in_words(question)
            by = "" if answer is None else answer.by or answer.do
            rows.append((name, question.kind, question.text, question.stake, decision, by))
    columns = (
        Column("document", priority=1),
        Column("kind"),
        Column("difference", shortest=30),
        Column("links at stake", "integer", "stake", priority=2),
        Column("decision", shortest=12),
        Column("by", priority=1),
    )
    return Grid(columns, rows, "What annotators differ on")


def profiles_grid(adjudication: Adjudication) -> Grid:
    """One row per annotator: shares of gold mentions missed and of chains split or merged."""
    plain = adjudication.gold
    known, sources, _ = plan_of("auto,guess").apply(plain, plain.tokens)
    gold = {document.name: document for document in known}
    rows = []
    for annotator in adjudication.annotators:
        missed, total = Counter[str](), Counter[str]()
        extra = own = split = chains = merged = entities = 0
        for name, versions in adjudication.documents.items():
            owner = {spans: entity for (spans, _), entity in versions.owner[annotator].items()}
            truth = {tuple(m.spans): m for m in gold[name].mentions}
            for spans, mention in truth.items():
                kind = mention.kind.name.lower()
                total[kind] += 1
                missed[kind] += spans not in owner
            extra += sum(spans not in truth for spans in owner)
            own += len(owner)
            parts, mixed = defaultdict(set), defaultdict(set)
            for spans, entity in owner.items():
                if spans in truth:
                    parts[truth[spans].entity].add(entity)
                    mixed[entity].add(truth[spans].entity)
            chains += len(gold[name].entities)
            entities += len(set(owner.values()))
            split += sum(len(one) > 1 for one in parts.values())
            merged += sum(len(one) > 1 for one in mixed.values())
        kinds = [kind for kind in total if missed[kind] and kind != "unknown"]
        worst = max(kinds, key=lambda kind: (missed[kind] / total[kind], kind), default="")
        rows.append(
            (
                annotator,
                _share(sum(missed.values()), sum(total.values())),
                worst,
                _share(missed[worst], total[worst]),
                _share(extra, own),
                _share(split, chains),
                _share(merged, entities),
            )
        )
    columns = (
        Column("annotator"),
        Column("mentions missed", "percent", "missed"),
        Column("missed most", name="missed_most", priority=1),
        Column("of these", "percent", "missed_most_share", priority=1),
        Column("extra mentions", "percent", "extra"),
        Column("chains split", "percent", "split"),
        Column("chains merged", "percent", "merged"),
    )
    notes = ("Kinds of mentions are guessed from their words.",) if "guess" in sources else ()
    return Grid(columns, rows, "How annotators differ from the gold", notes)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def comments_grid(adjudication: Adjudication) -> Grid:
    """One row per comment or reason, the most frequent first: questions for the guidelines."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for name in adjudication.documents:
        for entry in adjudication.desk(name).entries:
            if entry.reason:
                found[" ".join(entry.reason.casefold().split())].append(entry)
    rows = [
        (
            entries[0].reason,
            len(entries),
            ", ".join(sorted({e.question.rsplit(":", 2)[-2] for e in entries if e.question})),
            ", ".join(sorted({e.document for e in entries})),
        )
        for entries in sorted(found.values(), key=len, reverse=True)
    ]
    columns = (
        Column("comment", shortest=30),
        Column("times", "integer"),
        Column("kinds"),
        Column("documents", priority=1),
    )
    return Grid(columns, rows, "Comments")


TABLES: Tables = {
    "annotators": annotators_grid,
    "questions": questions_grid,
    "profiles": profiles_grid,
    "comments": comments_grid,
}
