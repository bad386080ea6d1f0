"""Baseline resolvers: published mention-pair systems, and rules.

A resolver groups markables into entities. Its parts (creation of pairs, features, classifier,
clustering) can be replaced one by one; a preset is a combination that a paper describes. Training
requires scikit-learn: ``pip install 'corefine[resolve]'``.
"""

from __future__ import annotations

from corefine.resolving.classifiers import CLASSIFIERS
from corefine.resolving.cross_validation import CrossValidation, cross_validate
from corefine.resolving.features import FEATURES
from corefine.resolving.mention_pairs import PAIRINGS
from corefine.resolving.models import Model, apply, load_model, train
from corefine.resolving.pair_report import PairReport
from corefine.resolving.resolver import CLUSTERINGS, RECIPES, Recipe
from corefine.resolving.rules import PRESETS

__all__ = [
    "CLASSIFIERS",
    "CLUSTERINGS",
    "FEATURES",
    "PAIRINGS",
    "PRESETS",
    "RECIPES",
    "CrossValidation",
    "Model",
    "PairReport",
    "Recipe",
    "apply",
    "cross_validate",
    "load_model",
    "train",
]
