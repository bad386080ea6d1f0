"""Explaining: what a response got wrong, entity by entity and error by error, and what it cost."""

from __future__ import annotations

from corefine.explaining.attribution import Attribution
from corefine.explaining.diagnosis import ErrorType
from corefine.explaining.entities import Entity, EntityTable, SpuriousEntity, entities
from corefine.explaining.error_analysis import Error, Errors
from corefine.explaining.explanation import DocumentSummary, Explanation, explain

__all__ = [
    "Attribution",
    "DocumentSummary",
    "Entity",
    "EntityTable",
    "Error",
    "ErrorType",
    "Errors",
    "Explanation",
    "SpuriousEntity",
    "entities",
    "explain",
]
