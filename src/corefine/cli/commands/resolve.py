"""``corefine resolve train``, ``apply`` and ``cross-validate``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from corefine.cli.help_pages import CommandGroup
from corefine.cli.options import format_option, kinds_option, metrics_option, options, seed_option
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import Presentation, output_options, tell, warn
from corefine.cli.progress import ProgressBar
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats import format_named, write
from corefine.formats.writing import format_of_target
from corefine.kinds.kind_plan import plan_of
from corefine.output.saving import make_folder
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
from corefine.resolving.cross_validation import TABLES
from corefine.resolving.markables import KINDS, MARKABLES
from corefine.resolving.models import SINGLETONS, model_libraries
from corefine.resolving.recipes import TUNINGS
from corefine.resolving.rules import RULES
from corefine.scoring.sides import Side

Command = TypeVar("Command", bound=Callable[..., Any])

COMPARED = ("resolve", "soon", "ng-cardie", "ikar", "sieve", "headmatch")


@click.group(
    "resolve",
    cls=CommandGroup,
)
def command() -> None:
    """Train, apply and cross-validate baseline resolvers.

    The presets resolve, soon, ng-cardie, reconcile and ikar are trained (this needs the 'resolve'
    extra); sieve, headmatch, same-lemma, same-lemma-within-document, singletons and one-entity are
    rule-based and applied by name.

    \b
    corefine resolve train train.conll --preset soon -o soon.skops
    corefine resolve apply soon.skops test.conll -o response.conll
    corefine resolve cross-validate key.conll --folds 10
    """


_DOCUMENTS = (
    click.option(
        "--markables",
        type=click.Choice(MARKABLES),
        default=MARKABLES[0],
        show_default=True,
        help="Mentions to resolve: the gold mentions, or noun phrases, pronouns and names "
        "detected from parse trees or part-of-speech tags.",
    ),
    kinds_option(KINDS),
    format_option(),
)
_PARTS = (
    click.option(
        "--pairs",
        type=click.Choice(tuple(PAIRINGS)),
        help="Training pairs: all pairs of a document, those back to the closest antecedent, back "
        "to the closest non-pronominal antecedent, the latter with negatives back to the "
        "farthest antecedent, or all pairs with a name as antecedent.",
    ),
    click.option(
        "--features",
        metavar="NAMES",
        help="Pair features, a comma-separated list such as head_match,acronym.",
    ),
    click.option(
        "--classifier",
        metavar="NAME",
        help=f"Pair classifier: {', '.join(CLASSIFIERS)}, or the qualified name of a "
        "scikit-learn classifier.",
    ),
    click.option(
        "--clustering",
        type=click.Choice(tuple(CLUSTERINGS)),
        help="Link each mention to all accepted antecedents, the closest one, the best one, or an "
        "entity of accepted names.",
    ),
    click.option(
        "--threshold",
        metavar="VALUE",
        help=f"Score at which a pair is accepted: {', '.join(TUNINGS)} or a number; tuned on "
        "the training data, globally or per mention kind.",
    ),
    click.option(
        "--window", type=int, metavar="N", help="Consider at most N candidate antecedents."
    ),
    click.option(
        "--within-types/--across-types",
        default=None,
        help="Exclude or include pairs of different semantic types; the preset resolve excludes "
        "them.",
    ),
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


@command.command(
    "train", groups={"window": "Resolver", "preset": "Resolver"}, short_help="Train a resolver."
)
@click.argument("key", type=str)
@click.option(
    "-o",
    "--out",
    type=OUTPUT,
    required=True,
    metavar="MODEL",
    help="Model file (.skops), or '-'.",
)
@click.option(
    "--preset",
    type=click.Choice(tuple(RECIPES)),
    default="ng-cardie",
    show_default=True,
    help="The resolver to train.",
)
@options(*_PARTS, *_DOCUMENTS)
def train_command(key: str, out: str, preset: str, format: str | None, **options: Any) -> None:
    """Train a resolver on the documents of KEY and save it to MODEL.

    --pairs, --features, --classifier, --clustering, --threshold and --window override the preset.
    Training is deterministic given the documents and the seed.

    \b
    corefine resolve train train.conll -o ng-cardie.skops
    corefine resolve train train.conll --preset soon --window 50 -o soon.skops
    """
    arguments = _arguments(options)
    model_libraries()
    with ProgressBar() as progress:
        model = train(Side.of(key, "corpus", format), preset, progress=progress, **arguments)
    model.save(out)
    facts = model.training
    tell(
        f"{out}: {preset} trained on {facts.documents:,} documents, {facts.mentions:,} mentions "
        f"(corpus {facts.fingerprint[:12]})",
        err=out == "-",
    )


@command.command("apply", groups={"singletons": "Resolver"}, short_help="Resolve documents.")
@click.argument("model", type=str)
@click.argument("documents", type=str, metavar="DOCS")
@click.option(
    "-o",
    "--out",
    type=OUTPUT,
    required=True,
    metavar="OUT",
    help="Output file, or '-'.",
)
@click.option(
    "--to",
    "target",
    metavar="FORMAT",
    help="Format of OUT.  [default: from its suffix, else the format of DOCS]",
)
@click.option(
    "--singletons",
    type=click.Choice(SINGLETONS),
    default=SINGLETONS[0],
    show_default=True,
    help="Keep or drop singletons; auto drops them if the training data has none.",
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
    """Resolve the documents of DOCS with MODEL and write the result to OUT.

    MODEL is a file saved by 'corefine resolve train', or a rule-based preset: sieve, headmatch,
    same-lemma, same-lemma-within-document, singletons, one-entity.

    \b
    corefine resolve apply soon.skops test.conll -o response.conll
    corefine resolve apply sieve test.conll --markables detected -o response.conll
    """
    if target is not None:
        format_named(target).require()
    plan = plan_of(kinds)
    resolver = model if model in RULES else load_model(model)
    with ProgressBar() as progress:
        corpus = Side.of(documents, "corpus", format).read(None, progress)
        warn(corpus.warnings)
        chosen = target or format_of_target(out, corpus.format).name
        format_named(chosen).require()
        response = apply(resolver, corpus, kinds=plan, progress=progress, **options)
    write(_result_alone(response, chosen), out, chosen, lossy=lossy)


def _result_alone(corpus: Corpus, format: str) -> Corpus:
    """Without annotations of mentions that OUT cannot represent."""
    holds, mentions = format_named(format).capabilities, corpus.mentions
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


@command.command(
    "cross-validate", groups={"window": "Resolver"}, short_help="Cross-validate resolvers."
)
@click.argument("key", type=str)
@click.option("--folds", type=int, default=10, show_default=True, help="Number of folds.")
@click.option(
    "--presets",
    default=",".join(COMPARED),
    show_default=True,
    metavar="NAMES",
    help=f"Resolvers, a comma-separated list of {', '.join(PRESETS)}.",
)
@metrics_option()
@click.option(
    "--responses",
    type=OUTPUT,
    metavar="DIR",
    help="Also write each preset's response to this directory.",
)
@click.option(
    "--per-type",
    is_flag=True,
    help="Also train and test each preset on one semantic type at a time; --tables types shows "
    "the mean over types.",
)
@click.option("--lossy", is_flag=True, help="Allow lossy conversion.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Folds to run at once.  [default: one per core]",
)
@click.option(
    "--resume",
    type=OUTPUT,
    metavar="DIR",
    help="Keep finished folds in this directory, and resume an interrupted run from them.",
)
@options(*_PARTS, *_DOCUMENTS)
@output_options(*TABLES, default="scores")
def cross_validate_command(
    key: str,
    presets: str,
    responses: str | None,
    lossy: bool,
    format: str | None,
    **options: Any,
) -> None:
    """Resolve each document of KEY with models trained on the other folds, and score the result.

    Resolver options override the mention-pair presets. --responses keeps the responses, for
    'corefine compare'; --tables pairs reports pair classification by semantic type and by token
    overlap; --per-type adds runs for one semantic type at a time, as in MCORES.

    \b
    corefine resolve cross-validate key.conll --presets soon,ng-cardie --folds 5
    corefine resolve cross-validate key.conllu --presets soon --per-type
    corefine resolve cross-validate key.conll --resume folds
    corefine resolve cross-validate key.conll --responses responses --tables scores,pairs
    """
    known = [name for name in TABLES if options["per_type"] or name != "types"]
    presentation = Presentation.from_options(options, known)
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
    make_folder(folder)
    for preset, response in result.responses.items():
        format = format_named(response.format or "conll")
        # A format of several files makes a folder of its own.
        suffix = "" if format.write is None else format.suffixes[0]
        alone = _result_alone(response, format.name)
        write(alone, folder / f"{preset}{suffix}", format.name, lossy=lossy)
