"""``corefine resolve train``, ``apply`` and ``cross-validate``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from corefine.cli.convert import format_of_suffix
from corefine.cli.options import format_option, metrics_option, output_option
from corefine.cli.output import show, show_json, warn
from corefine.cli.progress import WorkProgress
from corefine.cli.reading import read_one
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats import format_named, write
from corefine.resolving import (
    CLASSIFIERS,
    CLUSTERINGS,
    PAIRINGS,
    PRESETS,
    RECIPES,
    Recipe,
    apply,
    cross_validate,
    train,
)
from corefine.resolving.markables import KINDS, MARKABLES
from corefine.resolving.progress import Progress
from corefine.resolving.recipes import TUNINGS
from corefine.resolving.running import SINGLETONS, CrossValidation
from corefine.resolving.tables import cross_validation_grid, pairs_grid

Command = TypeVar("Command", bound=Callable[..., Any])

COMPARED = ("resolve", "soon", "ng-cardie", "reconcile", "ikar", "sieve", "headmatch")


@click.group("resolve", short_help="Baseline resolvers: train them, apply them, cross-validate.")
def command() -> None:
    """Train baseline resolvers, apply them to documents, and cross-validate them.

    Presets: resolve, soon, ng-cardie, reconcile and ikar are trained; sieve, headmatch, singletons
    and one-entity are rules, applied by their names. Training needs the extra 'resolve'.

    \b
    corefine resolve train seen.conll --preset soon -o soon.skops
    corefine resolve apply soon.skops unseen.conll -o soon.conll
    corefine resolve cross-validate key.conll --folds 10
    """


def _shared_options(command: Command) -> Command:
    """What markables are and where their kinds are known from."""
    for decorate in (
        click.option(
            "--markables",
            type=click.Choice(MARKABLES),
            default=MARKABLES[0],
            show_default=True,
            help="What may be linked: the mentions of the file, or noun phrases, pronouns and "
            "names found by its parse or parts of speech.",
        ),
        click.option(
            "--kinds",
            default=KINDS,
            show_default=True,
            metavar="SOURCE",
            help="Where names, nominals and pronouns are known from: auto, format, pos, guess, "
            "none or a FILE, several with commas between them.",
        ),
        format_option("key"),
    )[::-1]:
        command = decorate(command)
    return command


def _part_options(command: Command) -> Command:
    """The parts of a mention-pair resolver that can be replaced, and the seed."""
    for decorate in (
        click.option(
            "--pairs",
            type=click.Choice(tuple(PAIRINGS)),
            help="Pairs to learn from: all of a document, those from the closest antecedent on, or "
            "from the closest that is no pronoun.",
        ),
        click.option(
            "--features",
            metavar="NAMES",
            help="What is known of a pair: names with commas between them, such as "
            "head_match,gender_agreement.",
        ),
        click.option(
            "--classifier",
            metavar="NAME",
            help=f"What judges a pair: {', '.join(CLASSIFIERS)}, or the full name of a classifier "
            "of scikit-learn.",
        ),
        click.option(
            "--clustering",
            type=click.Choice(tuple(CLUSTERINGS)),
            help="Links to make of the accepted pairs: all, to the closest antecedent, or to the "
            "best.",
        ),
        click.option(
            "--threshold",
            metavar="VALUE",
            help=f"From which score on a pair is accepted: {', '.join(TUNINGS)} or a number. Tuned "
            "on the training documents, for all or by kind of mention.",
        ),
        click.option(
            "--window", type=click.IntRange(min=1), metavar="N", help="Look N markables back."
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="Of random numbers."),
    )[::-1]:
        command = decorate(command)
    return command


def _parts(options: dict[str, Any]) -> dict[str, Any]:
    """The parts that were given, in the form that a recipe has them."""
    names = [name for name in Recipe.__dataclass_fields__ if name in options]
    parts = {name: options[name] for name in names if options[name] is not None}
    if "features" in parts:
        parts["features"] = tuple(name.strip() for name in parts["features"].split(","))
    if "threshold" in parts and parts["threshold"] not in TUNINGS:
        try:
            parts["threshold"] = float(parts["threshold"])
        except ValueError:
            raise UsageError(
                f"threshold cannot be {parts['threshold']!r}",
                remedy=f"Use {', '.join(TUNINGS)} or a number.",
            ) from None
    return parts


@contextmanager
def _progress() -> Iterator[Progress]:
    with WorkProgress() as bar:
        yield lambda stage, done, total: bar(stage, done / max(total, 1))


@command.command("train", short_help="Train a resolver.")
@click.argument("key", type=str)
@click.option("-o", "--out", required=True, metavar="MODEL", help="File of the model (.skops).")
@click.option(
    "--preset",
    type=click.Choice([*RECIPES, "ikar"]),
    default="ng-cardie",
    show_default=True,
    help="The resolver to train.",
)
@_part_options
@_shared_options
def train_command(
    key: str,
    out: str,
    preset: str,
    seed: int,
    markables: str,
    kinds: str,
    key_format: str | None,
    **options: Any,
) -> None:
    """Train a resolver on the documents of KEY and keep it in MODEL.

    The options for its parts (pairs, features, classifier, clustering, threshold, window) replace
    those of the preset; ikar has none. The same documents and seed give the same file.
    """
    parts = _parts(options)
    corpus = read_one(key, key_format, None)
    warn(corpus.warnings)
    with _progress() as progress:
        model = train(
            corpus,
            preset,
            seed=seed,
            markables=markables,
            kinds=kinds,
            progress=progress,
            **parts,
        )
    model.save(out)
    facts = model.training
    click.echo(
        f"{out}: {preset}, trained on {facts.documents:,} documents with {facts.mentions:,} "
        f"mentions (corpus {facts.fingerprint[:12]})"
    )


@command.command("apply", short_help="Resolve documents.")
@click.argument("model", type=str)
@click.argument("documents", type=str, metavar="DOCS")
@click.option("-o", "--out", required=True, metavar="OUT", help="File for the result, or '-'.")
@click.option("--to", "target", metavar="FORMAT", help="Format of OUT, if not that of DOCS.")
@click.option(
    "--singletons",
    type=click.Choice(SINGLETONS),
    default=SINGLETONS[0],
    show_default=True,
    help="Entities of one mention: auto drops them if the model was trained on documents without.",
)
@click.option("--lossy", is_flag=True, help="Agree to lose what the format cannot hold.")
@_shared_options
def apply_command(
    model: str,
    documents: str,
    out: str,
    target: str | None,
    singletons: str,
    lossy: bool,
    markables: str,
    kinds: str,
    key_format: str | None,
) -> None:
    """Resolve the documents of DOCS with MODEL and write them, with their entities, to OUT.

    MODEL is a file that 'corefine resolve train' has written, or the name of a preset that needs
    no training: sieve, headmatch, singletons, one-entity.
    """
    corpus = read_one(documents, key_format, None)
    warn(corpus.warnings)
    name = target or corpus.format or format_of_suffix(out)
    with _progress() as progress:
        response = apply(
            model,
            corpus,
            markables=markables,
            kinds=kinds,
            singletons=singletons,
            progress=progress,
        )
    write(_result_alone(response, name), out, name, lossy=lossy)


def _result_alone(corpus: Corpus, format: str) -> Corpus:
    """Without what the documents said of mentions beside their entities and OUT cannot hold."""
    holds, mentions = format_named(format).holds, corpus.mentions
    return replace(
        corpus,
        topics=corpus.topics if holds.topics else None,
        mentions=replace(
            mentions,
            kind=mentions.kind if holds.kinds else None,
            head=mentions.head if holds.heads else None,
            type=mentions.type if holds.types else None,
        ),
    )


@command.command("cross-validate", short_help="Cross-validate resolvers.")
@click.argument("key", type=str)
@click.option(
    "--folds", type=click.IntRange(min=2), default=10, show_default=True, help="Number of folds."
)
@click.option(
    "--presets",
    default=",".join(COMPARED),
    show_default=True,
    metavar="NAMES",
    help=f"Resolvers, with commas between them: {', '.join(PRESETS)}.",
)
@metrics_option()
@click.option(
    "--pair-report",
    is_flag=True,
    help="Show how well pairs are classified, by semantic type and by token overlap, instead.",
)
@click.option(
    "--responses", metavar="FOLDER", help="Also write each preset's response to this folder."
)
@click.option("--lossy", is_flag=True, help="Agree to lose what their format cannot hold.")
@_part_options
@_shared_options
@output_option()
def cross_validate_command(
    key: str,
    folds: int,
    presets: str,
    metrics: str,
    pair_report: bool,
    responses: str | None,
    lossy: bool,
    seed: int,
    markables: str,
    kinds: str,
    key_format: str | None,
    output: str,
    **options: Any,
) -> None:
    """Resolve each document of KEY with models that were trained on the other folds, and score.

    Options for parts replace those of the mention-pair presets. With --responses the responses can
    be given to 'corefine compare'.
    """
    parts = _parts(options)
    corpus = read_one(key, key_format, None)
    warn(corpus.warnings)
    with _progress() as progress:
        result = cross_validate(
            corpus,
            [name.strip() for name in presets.split(",")],
            folds=folds,
            seed=seed,
            metrics=metrics,
            markables=markables,
            kinds=kinds,
            progress=progress,
            **parts,
        )
    if responses is not None:
        _write_responses(result, corpus, Path(responses), lossy)
    for scores in result.scores.values():
        warn(scores.warnings)
    if output == "json":
        show_json(result.to_dict())
    else:
        show(pairs_grid(result.pairs) if pair_report else cross_validation_grid(result), output)


def _write_responses(result: CrossValidation, corpus: Corpus, folder: Path, lossy: bool) -> None:
    name = corpus.format or "conll"
    folder.mkdir(parents=True, exist_ok=True)
    suffix = format_named(name).suffixes[0]
    for preset, response in result.responses.items():
        write(_result_alone(response, name), folder / f"{preset}{suffix}", name, lossy=lossy)
