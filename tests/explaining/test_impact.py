"""The impact of a single error: LEA of the response with that error alone corrected."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import corefine
from corefine.explaining.corrections import Pool
from corefine.explaining.diagnosis import Diagnosis, ErrorType, MentionStatus
from corefine.explaining.error_analysis import Error, Errors, resolution_lost
from corefine.explaining.phrases import Phrases
from corefine.matching.settings import Settings
from corefine.metrics.lea import Lea
from corefine.metrics.table import MentionTable
from corefine.scoring.count import match
from tests.building.explained_corpora import corpus_of, sides
from tests.explaining.test_errors import KEY, RESPONSE, STORY


def corrected(diagnosis: Diagnosis, errors: Errors, number: int) -> np.ndarray:
    """Labels of the response in which one error is corrected, by the definition of its type."""
    labels = diagnosis.corrected_labels(())
    rows = np.array(errors[number].rows)
    error: Error = errors[number]
    width = len(diagnosis.largest) + 1
    new = int(labels.max(initial=0)) + 1
    table = diagnosis.table
    if error.type is ErrorType.SPAN:
        ours = rows[table.response_entity[rows] < 0]
        theirs = rows[table.response_entity[rows] >= 0]
        labels[ours] = labels[theirs]
        labels[theirs] = -1
    elif error.type is ErrorType.MERGED:
        labels[rows[table.response_entity[rows] >= 0]] = new
    elif error.type is ErrorType.SPLIT:
        there = rows[table.response_entity[rows] >= 0]
        source = int(diagnosis.response[there[0]])
        if diagnosis.main[source] == diagnosis.key[there[0]]:
            extra = (diagnosis.status == MentionStatus.EXTRA) & (diagnosis.response == source)
            there = np.append(there, np.flatnonzero(extra))
        labels[there] = diagnosis.largest[diagnosis.key[there]] * width
    elif error.type in (ErrorType.EXTRA_MENTION, ErrorType.EXTRA_ENTITY):
        labels[rows] = -1
    elif error.type is ErrorType.MISSING_MENTION:
        labels[rows] = diagnosis.response[rows] * width
    else:
        labels[rows] = new
    return labels


def lea(table: MentionTable) -> float:
    metric = Lea()
    return float(metric.score({n: c.sum() for n, c in metric.statistics(table).items()}).f1)


@pytest.mark.parametrize("keep", [True, False])
@given(sides())
def test_impact_is_the_gain_of_correcting_one_error(keep, pair):
    matching = match(pair[0], pair[1], Settings(singletons="keep" if keep else "drop"))
    table, phrases = MentionTable.of(matching), Phrases.of(matching)
    diagnosis = Diagnosis.of(table, phrases)
    errors = Errors(diagnosis, phrases, keep_singletons=keep)
    before = lea(table)
    pool = Pool.of(table)
    for number in range(len(errors)):
        labels = corrected(diagnosis, errors, number)
        after = lea(pool.table(labels, keep_singletons=keep))
        assert errors[number].impact == pytest.approx(after - before, abs=1e-9), errors[number]


@given(sides())
def test_what_entities_lost_adds_up_to_the_recall_that_is_missing(pair):
    table = MentionTable.of(match(*pair))
    metric = Lea()
    totals = {name: column.sum() for name, column in metric.statistics(table).items()}
    if totals["recall_whole"]:
        missing = 1 - totals["recall_part"] / totals["recall_whole"]
        assert resolution_lost(table).sum() == pytest.approx(missing, abs=1e-9)


def test_examples_have_the_greatest_impact():
    explanation = corefine.explain(corpus_of([(STORY, KEY)]), corpus_of([(STORY, RESPONSE)]), "lea")
    for type_ in ErrorType:
        impact = [error.impact for error in explanation.examples(type_, 9)]
        assert impact == sorted(impact, reverse=True)
        assert len(impact) == explanation.errors.counts()[type_]
