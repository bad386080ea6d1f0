"""``corefine resolve train``, ``apply`` and ``cross-validate``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from corefine.cli.grammar import format_option, kinds_option, metrics_option, options, seed_option
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import Presentation, output_options, warn
from corefine.cli.progress import ProgressBar
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats import format_named, write
from corefine.formats.writing import format_of_target
from corefine.kinds.kind_plan import plan_of
from corefine.resolving import (
    CLASSIFIERS,
    CLUSTERINGS,
    PAIRINGS,
    PRESETS,
    RECIPES,
    CrossValidation,
    apply,
    cross_validate,
    load_model,
    train,
)
from corefine.resolving.markables import KINDS, MARKABLES
from corefine.resolving.models import SINGLETONS
from corefine.resolving.presets import RULES
from corefine.resolving.recipes import TUNINGS
from corefine.resolving.tables import TABLES
from corefine.scoring.sides import Side

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


_DOCUMENTS = (
    click.option(
        "--markables",
        type=click.Choice(MARKABLES),
        default=MARKABLES[0],
        show_default=True,
        help="What may be linked: the mentions of the file, or noun phrases, pronouns and "
        "names found by its parse or parts of speech.",
    ),
    kinds_option(KINDS),
    format_option(),
)
_PARTS = (
    click.option(
        "--pairs",
        type=click.Choice(tuple(PAIRINGS)),
        help="Pairs to learn from: all of a document, those from the closest antecedent on, or "
        "from the closest that is no pronoun.",
    ),
    click.option(
        "--features",
        metavar="NAMES",
        help="Features of a pair, as a comma-separated list: head_match,gender_agreement.",
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
        help="Links to make of the accepted pairs: all, to the closest antecedent, or to the best.",
    ),
    click.option(
        "--threshold",
        metavar="VALUE",
        help=f"From which score on a pair is accepted: {', '.join(TUNINGS)} or a number. Tuned "
        "on the training documents, for all or by kind of mention.",
    ),
    click.option("--window", type=int, metavar="N", help="Look N markables back."),
    seed_option,
)


def _arguments(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, in the form that the functions of Python take them."""
    given = {name: value for name, value in options.items() if value is not None}
    if "features" in given:
        given["features"] = tuple(name.strip() for name in given["features"].split(","))
    if "threshold" in given and given["threshold"] not in TUNINGS:
        try:
            given["threshold"] = float(given["threshold"])
        except ValueError:
            raise UsageError(
                f"threshold cannot be {given['threshold']!r}",
                remedy=f"Use {', '.join(TUNINGS)} or a number.",
            ) from None
    return given


@command.command("train", short_help="Train a resolver.")
@click.argument("key", type=str)
@click.option(
    "-o",
    "--out",
    type=OUTPUT,
    required=True,
    metavar="MODEL",
    help="File of the model (.skops), or '-'.",
)
@click.option(
    "--preset",
    type=click.Choice([*RECIPES, "ikar"]),
    default="ng-cardie",
    show_default=True,
    help="The resolver to train.",
)
@options(*_PARTS, *_DOCUMENTS)
def train_command(key: str, out: str, preset: str, format: str | None, **options: Any) -> None:
    """Train a resolver on the documents of KEY and keep it in MODEL.

    The options for its parts (pairs, features, classifier, clustering, threshold, window) replace
    those of the preset; ikar has none. The same documents and seed give the same model.
    """
    arguments = _arguments(options)
    with ProgressBar() as progress:
        model = train(Side.of(key, "corpus", format), preset, progress=progress, **arguments)
    model.save(out)
    facts = model.training
    click.echo(
        f"{out}: {preset}, trained on {facts.documents:,} documents with {facts.mentions:,} "
        f"mentions (corpus {facts.fingerprint[:12]})",
        err=out == "-",
    )


@command.command("apply", short_help="Resolve documents.")
@click.argument("model", type=str)
@click.argument("documents", type=str, metavar="DOCS")
@click.option(
    "-o",
    "--out",
    type=OUTPUT,
    required=True,
    metavar="OUT",
    help="File for the result, or '-'.",
)
@click.option(
    "--to",
    "target",
    metavar="FORMAT",
    help="Format of OUT, if not its suffix's; a suffix that tells none: the format of DOCS.",
)
@click.option(
    "--singletons",
    type=click.Choice(SINGLETONS),
    default=SINGLETONS[0],
    show_default=True,
    help="Entities of one mention: auto drops them if the model was trained on documents without.",
)
@click.option("--lossy", is_flag=True, help="Allow lossy conversion.")
@options(*_DOCUMENTS)
def apply_command(
    model: str,
    documents: str,
    out: str,
    target: str | None,
    lossy: bool,
    kinds: str,
    format: str | None,
    **options: Any,
) -> None:
    """Resolve the documents of DOCS with MODEL and write them, with their entities, to OUT.

    MODEL is a file that 'corefine resolve train' has written, or the name of a preset that needs
    no training: sieve, headmatch, singletons, one-entity.
    """
    if target is not None:
        format_named(target)
    plan = plan_of(kinds)
    resolver = model if model in RULES else load_model(model)
    with ProgressBar() as progress:
        corpus = Side.of(documents, "corpus", format).read(None, progress)
        warn(corpus.warnings)
        chosen = target or format_of_target(out, corpus.format).name
        response = apply(resolver, corpus, kinds=plan, progress=progress, **options)
    write(_result_alone(response, chosen), out, chosen, lossy=lossy)


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
@click.option("--folds", type=int, default=10, show_default=True, help="Number of folds.")
@click.option(
    "--presets",
    default=",".join(COMPARED),
    show_default=True,
    metavar="NAMES",
    help=f"Resolvers, as a comma-separated list: {', '.join(PRESETS)}.",
)
@metrics_option()
@click.option(
    "--responses",
    type=OUTPUT,
    metavar="FOLDER",
    help="Also write each preset's response to this folder.",
)
@click.option("--lossy", is_flag=True, help="Allow lossy conversion.")
@options(*_PARTS, *_DOCUMENTS)
@output_options(*TABLES, usual="scores")
def cross_validate_command(
    key: str,
    presets: str,
    responses: str | None,
    lossy: bool,
    format: str | None,
    **options: Any,
) -> None:
    """Resolve each document of KEY with models that were trained on the other folds, and score.

    Options for parts replace those of the mention-pair presets. With --responses the responses can
    be given to 'corefine compare'; --tables pairs shows how well pairs are classified, by semantic
    type and by token overlap.
    """
    presentation = Presentation.taken(options, TABLES)
    names = [name.strip() for name in presets.split(",")]
    arguments = _arguments(options)
    with ProgressBar() as progress:
        side = Side.of(key, "corpus", format)
        result = cross_validate(side, names, progress=progress, **arguments)
    if responses is not None:
        _write_responses(result, Path(responses), lossy)
    for scores in result.scores.values():
        warn(scores.warnings)
    presentation.show(result)


def _write_responses(result: CrossValidation, folder: Path, lossy: bool) -> None:
    """Write the responses in the format of the key."""
    folder.mkdir(parents=True, exist_ok=True)
    for preset, response in result.responses.items():
        format = format_named(response.format or "conll")
        # A format of several files makes a folder of its own.
        suffix = "" if format.write is None else format.suffixes[0]
        alone = _result_alone(response, format.name)
        write(alone, folder / f"{preset}{suffix}", format.name, lossy=lossy)
