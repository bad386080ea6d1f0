"""Baseline resolvers: the mention-pair systems that the papers measure, trained in seconds.

A resolver takes markables and puts them into entities. Its parts (creation of pairs, features,
classifier, clustering) have names and can be replaced one by one; a preset is a combination of
them that a paper describes. Training needs scikit-learn: ``pip install 'corefine[resolve]'``.
"""

from __future__ import annotations

from corefine.resolving.classifiers import CLASSIFIERS
from corefine.resolving.clustering import CLUSTERINGS
from corefine.resolving.cross_validation import CrossValidation, cross_validate
from corefine.resolving.features import FEATURES
from corefine.resolving.mention_pairs import PAIRINGS
from corefine.resolving.models import Model, apply, load_model, train
from corefine.resolving.pair_report import PairReport
from corefine.resolving.presets import SUMMARIES as PRESETS
from corefine.resolving.recipes import RECIPES, Recipe

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
