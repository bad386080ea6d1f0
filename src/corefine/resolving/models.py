"""Models: trained resolvers, and the files they are kept in.

A model file is a skops file: a ZIP archive of arrays and of a description of the classifiers, from
which no code is run on loading. Beside it the archive has ``corefine.json``: the version, what
the model was trained on and how. A file of another version of corefine or of scikit-learn is
refused: features and classifiers may have changed their meaning.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corefine._version import __version__
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, Location, MissingExtraError, UsageError
from corefine.resolving.ikar import IkarResolver
from corefine.resolving.learning import Learned
from corefine.resolving.mention_pairs import MentionPairResolver
from corefine.resolving.presets import Resolver
from corefine.resolving.recipes import Recipe

FORMAT = "corefine resolver"
HEADER = "corefine.json"
SCHEMA = "schema.json"
"""Where a skops archive describes what it holds."""
LARGEST = 1 << 30
"""Bytes that a model may have when unpacked."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A trained resolver by the name of its preset."""

    preset: str
    resolver: Resolver
    training: Training

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which appears whole or not at all."""
        _write(Path(path), dumps(self))


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
    skops, sklearn = _libraries()
    resolver = model.resolver
    parts = {name: learned.classifier for name, learned in _learned(resolver).items()}
    header = {
        "format": FORMAT,
        "version": __version__,
        "scikit-learn": sklearn.__version__,
        "preset": model.preset,
        "training": asdict(model.training),
        "classifiers": {
            name: {"features": learned.features, "scale": learned.scale}
            for name, learned in _learned(resolver).items()
        },
    }
    if isinstance(resolver, MentionPairResolver):
        recipe = {name: getattr(resolver.recipe, name) for name in Recipe.__dataclass_fields__}
        if not isinstance(recipe["classifier"], str):
            kind = type(recipe["classifier"])
            recipe["classifier"] = f"{kind.__module__}.{kind.__qualname__}"
        header |= {"recipe": recipe, "thresholds": resolver.thresholds}
    data = skops.dumps(parts)
    foreign = sorted(set(skops.get_untrusted_types(data=data)) - set(TRUSTED))
    if foreign:
        raise UsageError(
            f"the classifier cannot be kept in a file: it holds {foreign[0]}",
            remedy="Use a classifier of scikit-learn.",
        )
    return _packed(data, json.dumps(header, indent=1, ensure_ascii=False))


def _packed(data: bytes, header: str) -> bytes:
    """A skops archive with the header beside it, the same bytes for the same model.

    skops names objects and files by their addresses in memory; here they are counted.
    """
    numbers: dict[str, int] = {}

    def counted(value: Any) -> Any:
        if isinstance(value, list):
            return [counted(part) for part in value]
        if not isinstance(value, dict):
            return value
        result: dict[str, Any] = {}
        for key, part in value.items():
            if key == "__id__":
                result[key] = numbers.setdefault(str(part), len(numbers))
            elif key == "file":
                stem, dot, suffix = str(part).partition(".")
                result[key] = f"{numbers.setdefault(stem, len(numbers))}{dot}{suffix}"
            else:
                result[key] = counted(part)
        return result

    block = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(block, "w") as new:
        schema = counted(json.loads(old.read(SCHEMA)))
        files = {SCHEMA: json.dumps(schema, indent=1).encode(), HEADER: header.encode()}
        for name in old.namelist():
            if name != SCHEMA:
                stem, dot, suffix = name.partition(".")
                files[f"{numbers[stem]}{dot}{suffix}"] = old.read(name)
        for name in sorted(files):
            # Without a date of its own a member has that of 1980.
            new.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED)
    return block.getvalue()


def load_model(path: str | os.PathLike[str]) -> Model:
    """The model in a file; nothing that the file holds is run."""
    where = Location(os.fspath(path))
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CorefineError(
            f"the model cannot be read: {reason}", where, "Check the path."
        ) from None
    skops, sklearn = _libraries()
    header = _header(data, where)
    for name, own in (("version", __version__), ("scikit-learn", sklearn.__version__)):
        program = "corefine" if name == "version" else name
        if header.get(name) != own:
            raise CorefineError(
                f"the model was made by {program} {header.get(name)}, this is {program} {own}",
                where,
                "Train it again with 'corefine resolve train'.",
            )
    try:
        foreign = sorted(set(skops.get_untrusted_types(data=data)) - set(TRUSTED))
        if foreign:
            raise CorefineError(
                f"the model holds {foreign[0]}, which no model of corefine does",
                where,
                "Do not use this file.",
            )
        classifiers = skops.loads(data, trusted=list(TRUSTED))
        for classifier in classifiers.values():
            _check_trees(classifier)
        return _model(header, classifiers)
    except CorefineError:
        raise
    except Exception as error:
        # Whatever a damaged archive makes of skops, JSON and NumPy: all of it means one thing.
        raise CorefineError(
            f"the model is damaged ({type(error).__name__})", where, "Train it again."
        ) from None


def _header(data: bytes, where: Location) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            header = json.loads(archive.read(HEADER)) if size <= LARGEST else None
    except Exception:
        # Anything that is no such archive: broken ZIP, no header, no JSON, odd compression.
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise CorefineError(
            "this is no model of corefine, or a damaged one",
            where,
            "Give a file that 'corefine resolve train' has written.",
        )
    return header


def _model(header: Mapping[str, Any], classifiers: Mapping[str, Any]) -> Model:
    learned = {
        name: Learned(classifiers[name], tuple(said["features"]), float(said["scale"]))
        for name, said in header["classifiers"].items()
    }
    training = Training(**header["training"])
    if "recipe" not in header:
        return Model(header["preset"], IkarResolver(learned), training)
    recipe = Recipe(**{**header["recipe"], "features": tuple(header["recipe"]["features"])})
    low, middle, high = map(float, header["thresholds"])
    resolver = MentionPairResolver(recipe, learned["pairs"], (low, middle, high))
    return Model(header["preset"], resolver, training)


def _check_trees(classifier: Any) -> None:
    """Refuse trees whose nodes point outside of them: following them would read foreign memory."""
    for part in (classifier, *np.ravel(getattr(classifier, "estimators_", []))):
        tree = getattr(part, "tree_", None)
        if tree is None:
            continue
        left, right, feature = tree.children_left, tree.children_right, tree.feature
        inner = left >= 0
        own = np.flatnonzero(inner)
        # Children come after their parent, so that no path runs in a circle.
        sound = (
            (left[own] > own).all()
            and (right[own] > own).all()
            and max(left.max(initial=-1), right.max(initial=-1)) < tree.node_count
            and ((feature[own] >= 0) & (feature[own] < tree.n_features)).all()
        )
        if not sound or not tree.node_count:
            raise ValueError("a tree's nodes do not belong together")


def _learned(resolver: Resolver) -> Mapping[str, Learned]:
    if isinstance(resolver, MentionPairResolver):
        return {"pairs": resolver.learned}
    if isinstance(resolver, IkarResolver):
        return resolver.learned
    raise UsageError(
        "a resolver of rules has no model to keep", remedy="Apply it by the name of its preset."
    )


def _libraries() -> tuple[Any, Any]:
    try:
        import sklearn
        import skops.io
    except ImportError:
        raise MissingExtraError("a model file", "skops", "resolve") from None
    return skops.io, sklearn


def _write(path: Path, data: bytes) -> None:
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        reason = (error.strerror or str(error)).lower()
        raise CorefineError(
            f"cannot be written: {reason}", Location(str(path)), "Check the path."
        ) from None
