"""Error analysis: errors, the F1 lost to each error type, and scores per entity."""

from __future__ import annotations

from corefine.explaining.corrections import Attribution
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
