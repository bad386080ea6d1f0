"""Models: trained resolvers, how they are made and applied, and the files they are kept in.

A model file is a skops file: a ZIP archive of arrays and of a description of the classifiers, from
which no code is run on loading. Beside it the archive has ``corefine.json``: the number of the
model format, what the model was trained on and how. A file of another model format or of another
version of scikit-learn is refused: features and classifiers may have changed their meaning.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corefine._version import __version__
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, Location, MissingExtraError, UsageError, choose
from corefine.kinds.kind_plan import KindPlan, KindSpec, plan_of
from corefine.output.progress import Progress, silent
from corefine.output.saving import refuse_inputs, write_atomically
from corefine.resolving.attributes import attributes_of
from corefine.resolving.classifiers import Learned
from corefine.resolving.ikar import IkarResolver
from corefine.resolving.markables import KINDS, MARKABLES, markables_of
from corefine.resolving.mention_pair_resolver import MentionPairResolver
from corefine.resolving.presets import RULES, Resolver, RuleResolver, trainer_of
from corefine.resolving.recipes import Recipe
from corefine.scoring.sides import Side, SideLike

FORMAT = 2
"""The number of the model format: it goes up when a feature or the file changes its meaning."""
HEADER = "corefine.json"
LARGEST = 1 << 30
"""Bytes that a model may have when unpacked."""
SINGLETONS = ("auto", "keep", "drop")

TRUSTED = ("sklearn.tree._tree.Tree",)
"""What a model file may hold beyond the types that skops trusts by itself (NumPy's arrays and
scikit-learn's estimators): the nodes of a decision tree, which are checked after loading."""


@dataclass(frozen=True, slots=True)
class Training:
    """What a model was trained on."""

    fingerprint: str
    """SHA-256 of the training documents: names, words, mentions and entities."""
    documents: int
    mentions: int
    singletons: bool
    """Whether the training documents have entities of one mention."""
    markables: str
    seed: int
    version: str = __version__
    """The corefine that trained it, for information."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A trained resolver by the name of its preset."""

    preset: str
    resolver: Resolver
    training: Training
    inputs: tuple[str, ...] = ()
    """The files that it was trained on, which :meth:`save` never overwrites."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which appears whole or not at all."""
        refuse_inputs(path, self.inputs)
        write_atomically(path, dumps(self))


def train(
    corpus: SideLike,
    preset: str = "ng-cardie",
    *,
    seed: int = 0,
    markables: str = "gold",
    kinds: KindSpec | KindPlan = KINDS,
    progress: Progress = silent,
    **parts: Any,
) -> Model:
    """Train a resolver on documents with entities.

    ``parts`` replace parts of the preset's :class:`~corefine.resolving.recipes.Recipe`: ``pairs``,
    ``features``, ``classifier``, ``clustering``, ``threshold``, ``within_types``, ``window``. The
    same seed gives the same model.
    """
    if preset in RULES:
        raise UsageError(f"{preset} needs no training", remedy=f"Apply it by name: {preset!r}.")
    trainer = trainer_of(preset, seed, **parts)
    choose("markables", markables, MARKABLES)
    plan = plan_of(kinds)
    side = Side.of(corpus, "corpus")
    corpus = side.read(None, progress)
    attributes = attributes_of(markables_of(corpus, markables, plan))
    training = Training(
        fingerprint=fingerprint(corpus),
        documents=len(corpus.documents),
        mentions=len(corpus.mentions),
        singletons=attributes.markables.singletons,
        markables=markables,
        seed=seed,
    )
    inputs = (side.path,) if side.path is not None else ()
    return Model(preset, trainer(attributes, progress), training, inputs)


def apply(
    model: Model | str | os.PathLike[str],
    corpus: SideLike,
    *,
    markables: str = "gold",
    kinds: KindSpec | KindPlan = KINDS,
    singletons: str = "auto",
    progress: Progress = silent,
) -> Corpus:
    """The documents with the entities that a resolver finds among their markables.

    ``model`` is a model, the path of a model file, or the name of a preset that needs no training.
    ``singletons``: ``keep`` or ``drop`` entities of one mention; ``auto`` drops them where the
    documents that the model was trained on have none.
    """
    choose("singletons", singletons, SINGLETONS)
    choose("markables", markables, MARKABLES)
    plan = plan_of(kinds)
    resolver: Resolver
    drop = singletons == "drop"
    if isinstance(model, str) and model in RULES:
        resolver = RULES[model]
    else:
        loaded = model if isinstance(model, Model) else load_model(model)
        resolver = loaded.resolver
        drop |= singletons == "auto" and not loaded.training.singletons
    attributes = attributes_of(
        markables_of(Side.of(corpus, "corpus").read(None, progress), markables, plan)
    )
    entity = resolver.entities(attributes, progress)
    named = resolver.names if isinstance(resolver, RuleResolver) else None
    names = None if named is None else named(attributes)
    return attributes.markables.with_entities(entity, singletons=not drop, names=names)


def fingerprint(corpus: Corpus) -> str:
    """SHA-256 of a corpus's documents, words, mentions and entities."""
    digest = hashlib.sha256()
    mentions, tokens = corpus.mentions, corpus.tokens
    digest.update(json.dumps(corpus.documents).encode())
    columns = [mentions.document, mentions.start, mentions.stop, mentions.entity]
    if tokens is not None:
        first, last = tokens.words.offsets[0], tokens.words.offsets[-1]
        digest.update(tokens.words.data[first:last].tobytes())
        columns += [tokens.offsets, tokens.words.lengths, tokens.sentences]
    for column in columns:
        digest.update(np.ascontiguousarray(column, "<i8").tobytes())
        digest.update(b"|")
    return digest.hexdigest()


def dumps(model: Model) -> bytes:
    """The model as the bytes of a file."""
    skops, sklearn = model_libraries()
    resolver = model.resolver
    learned = _learned(resolver)
    header = {
        "format": FORMAT,
        "scikit-learn": sklearn.__version__,
        "preset": model.preset,
        "training": asdict(model.training),
        "classifiers": {
            name: {"features": part.features, "scale": part.scale} for name, part in learned.items()
        },
    }
    if isinstance(resolver, MentionPairResolver):
        recipe = {name: getattr(resolver.recipe, name) for name in Recipe.__dataclass_fields__}
        if not isinstance(recipe["classifier"], str):
            kind = type(recipe["classifier"])
            recipe["classifier"] = f"{kind.__module__}.{kind.__qualname__}"
        header |= {"recipe": recipe, "thresholds": resolver.thresholds}
    classifiers = {name: part.classifier for name, part in learned.items()}
    data = skops.dumps(classifiers, compression=zipfile.ZIP_DEFLATED)
    foreign = _foreign_types(skops, data)
    if foreign:
        from corefine.resolving.soundness import KEPT

        raise UsageError(
            f"the classifier cannot be saved: it contains {foreign[0]}",
            remedy=f"Use {KEPT} of scikit-learn.",
        )
    block = io.BytesIO(data)
    with zipfile.ZipFile(block, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(HEADER, json.dumps(header, indent=1, ensure_ascii=False))
    return block.getvalue()


def _foreign_types(skops: Any, data: bytes) -> list[str]:
    """The types in a skops archive that no model has."""
    from corefine.resolving.soundness import foreign_types

    untrusted = set(skops.get_untrusted_types(data=data)) - set(TRUSTED)
    return sorted(untrusted.union(foreign_types(data)))


def load_model(path: str | os.PathLike[str]) -> Model:
    """The model in a file; nothing that the file holds is run."""
    where = Location(os.fspath(path))
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CorefineError(f"cannot read the model: {reason}", where, "Check the path.") from None
    skops, sklearn = model_libraries()
    header = _header(data, where)
    own = {"format": FORMAT, "scikit-learn": sklearn.__version__}
    for name, wanted in own.items():
        if header.get(name) != wanted:
            what = "model format" if name == "format" else name
            raise CorefineError(
                f"the model has {what} {header.get(name)}, but this version of corefine reads "
                f"{what} {wanted}",
                where,
                "Train it again with 'corefine resolve train'.",
            )
    try:
        foreign = _foreign_types(skops, data)
        if not foreign:
            return _model(header, skops.loads(data, trusted=list(TRUSTED)))
    except Exception as error:
        # Whatever a damaged archive makes of skops, JSON and NumPy: all of it means one thing.
        raise CorefineError(
            f"the model is corrupt ({type(error).__name__})", where, "Train it again."
        ) from None
    raise CorefineError(
        f"the model contains {foreign[0]}, which no corefine model does",
        where,
        "Do not use this file.",
    )


def _header(data: bytes, where: Location) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            header = json.loads(archive.read(HEADER)) if size <= LARGEST else None
    except Exception:
        # Anything that is no such archive: broken ZIP, no header, no JSON, odd compression.
        header = None
    if not isinstance(header, dict):
        raise CorefineError(
            "not a corefine model, or a corrupt one",
            where,
            "Give a file saved by 'corefine resolve train'.",
        )
    return header


def _model(values: dict[str, Any], classifiers: Mapping[str, Any]) -> Model:
    from corefine.resolving.soundness import check_learned, checked_header

    header = checked_header(values)
    learned = {}
    for name, said in header.classifiers.items():
        learned[name] = Learned(classifiers[name], tuple(said.features), said.scale)
        check_learned(learned[name])
    facts = {name: getattr(header.training, name) for name in Training.__dataclass_fields__}
    training = Training(**facts)
    if header.recipe is None or header.thresholds is None:
        return Model(header.preset, IkarResolver(learned), training)
    parts = {name: getattr(header.recipe, name) for name in Recipe.__dataclass_fields__}
    recipe = Recipe(**{**parts, "features": tuple(header.recipe.features)})
    resolver = MentionPairResolver(recipe, learned["pairs"], header.thresholds)
    return Model(header.preset, resolver, training)


def _learned(resolver: Resolver) -> Mapping[str, Learned]:
    """The trained classifiers of a resolver, by name."""
    if isinstance(resolver, MentionPairResolver):
        return {"pairs": resolver.learned}
    assert isinstance(resolver, IkarResolver), "rules have no model"
    return resolver.learned


def model_libraries() -> tuple[Any, Any]:
    """skops and scikit-learn, which model files need; an error names the extra that has them."""
    try:
        import sklearn
        import skops.io
    except ImportError:
        raise MissingExtraError("a model file", "skops", "resolve") from None
    return skops.io, sklearn
