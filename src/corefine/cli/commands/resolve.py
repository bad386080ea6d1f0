"""``corefine resolve train``, ``apply`` and ``cross-validate``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from corefine.cli.help_pages import CommandGroup
from corefine.cli.options import (
    Decorator,
    choice,
    flag,
    format_option,
    kinds_option,
    metrics_option,
    number,
    option,
    options,
    output_options,
    seed_option,
)
from corefine.cli.presentation import Presentation, ProgressBar, computed, tell, warn
from corefine.cli.runtime import OUTPUT
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats import capabilities_of, format_named, write
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
from corefine.resolving.markables import DETECT_ZEROS, KINDS, MARKABLES
from corefine.resolving.models import SINGLETONS, model_libraries
from corefine.resolving.resolver import TUNINGS
from corefine.resolving.rules import RULES
from corefine.scoring.sides import read_side

COMPARED = ("resolve", "soon", "ng-cardie", "ikar", "sieve", "headmatch")


@click.group("resolve", cls=CommandGroup)
def resolve_command() -> None:
    """Train, apply and cross-validate baseline resolvers.

    The presets resolve, soon, yang, ng-cardie, reconcile, bartek and ikar are trained (this needs
    the 'resolve' extra), and so are resolve-tuned and soon-tuned; sieve, ruler, ruler-4, headmatch,
    same-lemma, same-lemma-within-document, singletons and one-entity are rule-based and applied by
    name.

    \b
    corefine resolve train train.conll --preset soon -o soon.skops
    corefine resolve apply soon.skops test.conll -o response.conll
    corefine resolve cross-validate key.conll --folds 10
    """


_DOCUMENTS = (
    choice(
        "--markables",
        MARKABLES[:2],
        "Mentions to resolve: the gold mentions, or noun phrases, pronouns and names detected from "
        "parse trees or part-of-speech tags.",
        default=MARKABLES[0],
    ),
    flag(
        "--detect-zeros",
        "With --markables detected: also detect zero subjects, from CoNLL-U features and "
        "dependencies; the empty nodes of the file are replaced.",
    ),
    kinds_option(KINDS),
    format_option(),
)
_PARTS = (
    choice(
        "--pairs",
        tuple(PAIRINGS),
        "Training pairs: all pairs of a document, those back to the closest antecedent, back to "
        "the closest non-pronominal antecedent, the latter with negatives back to the farthest "
        "antecedent, or all pairs with a name as antecedent.",
    ),
    option(
        "--features",
        metavar="NAMES",
        help="Pair features, a comma-separated list such as head_match,acronym.",
    ),
    option(
        "--classifier",
        metavar="NAME",
        help=f"Pair classifier: {', '.join(CLASSIFIERS)}, or the qualified name of a "
        "scikit-learn classifier.",
    ),
    choice(
        "--clustering",
        tuple(CLUSTERINGS),
        "Link each mention to all accepted antecedents, the closest one, the best one, or an "
        "entity of accepted names.",
    ),
    option(
        "--threshold",
        metavar="VALUE",
        help=f"Score at which a pair is accepted: {', '.join(TUNINGS)} or a number; tuned on "
        "the training data, globally or per mention kind.",
    ),
    click.option(
        "--within-types/--across-types",
        default=None,
        help="Exclude or include pairs of different semantic types; the preset resolve excludes "
        "them.",
    ),
    seed_option,
)


def _out(help: str) -> Decorator[Any]:
    """The output file, which must be given."""
    return click.option("-o", "--out", type=OUTPUT, required=True, metavar="FILE", help=help)


def _arguments(given: dict[str, Any]) -> dict[str, Any]:
    """The options in the form that the functions of Python take them."""
    if given.pop("detect_zeros", False):
        if given["markables"] != "detected":
            raise UsageError(
                "--detect-zeros detects mentions, but gold mentions are resolved",
                remedy="Add --markables detected, or leave out --detect-zeros.",
            )
        given["markables"] = DETECT_ZEROS
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


@resolve_command.command("train", groups={"preset": "Resolver"}, short_help="Train a resolver.")
@click.argument("key")
@_out("Model file (.skops), or '-'.")
@choice("--preset", tuple(RECIPES), "The resolver to train.", default="ng-cardie")
@options(*_PARTS, *_DOCUMENTS)
def train_command(
    key: str, out: str, preset: str, format: str | None = None, **options: Any
) -> None:
    """Train a resolver on the documents of KEY and save it to MODEL.

    --pairs, --features, --classifier, --clustering and --threshold override the preset.
    Training is deterministic given the documents and the seed.

    \b
    corefine resolve train train.conll -o ng-cardie.skops
    corefine resolve train train.conll --preset soon --classifier logistic -o bart.skops
    """
    arguments = _arguments(options)
    model_libraries()
    with ProgressBar() as progress:
        model = train(key, preset, format=format, progress=progress, **arguments)
    model.save(out)
    facts = model.training
    tell(
        f"{out}: {preset} trained on {facts.documents:,} documents, {facts.mentions:,} mentions "
        f"(corpus {facts.fingerprint})",
        err=out == "-",
    )


@resolve_command.command(
    "apply", groups={"singletons": "Resolver"}, short_help="Resolve documents."
)
@click.argument("model")
@click.argument("documents", metavar="DOCS")
@_out("Output file, or '-'.")
@option(
    "--to",
    "target",
    metavar="FORMAT",
    help="Format of OUT.  [default: from its suffix, else the format of DOCS]",
)
@choice(
    "--singletons",
    SINGLETONS,
    "Keep or drop singletons; auto drops them if the training data has none.",
    default=SINGLETONS[0],
)
@flag("--lossy", "Allow lossy conversion.")
@options(*_DOCUMENTS)
def apply_command(
    model: str,
    documents: str,
    out: str,
    lossy: bool,
    target: str | None = None,
    kinds: str = KINDS,
    format: str | None = None,
    **options: Any,
) -> None:
    """Resolve the documents of DOCS with MODEL and write the result to OUT.

    MODEL is a file saved by 'corefine resolve train', or a rule-based preset: sieve, ruler,
    ruler-4, headmatch, same-lemma, same-lemma-within-document, singletons, one-entity.

    \b
    corefine resolve apply soon.skops test.conll -o response.conll
    corefine resolve apply sieve test.conll --markables detected -o response.conll
    """
    arguments = _arguments(options)
    if target is not None:
        format_named(target).require()
    plan = plan_of(kinds)
    resolver = model if model in RULES else load_model(model)
    with ProgressBar() as progress:
        corpus = read_side(documents, "corpus", format, None, progress, allow_empty=True)
        warn(corpus.warnings)
        chosen = target or format_of_target(out, corpus.format).name
        format_named(chosen).require()
        response = apply(resolver, corpus, kinds=plan, progress=progress, **arguments)
    write(_result_alone(response, chosen), out, chosen, lossy=lossy)


def _result_alone(corpus: Corpus, format: str) -> Corpus:
    """Without annotations of mentions that OUT cannot represent."""
    holds, mentions = capabilities_of(format_named(format)), corpus.mentions
    return replace(
        corpus,
        topics=corpus.topics if "topics" in holds else None,
        mentions=replace(
            mentions,
            kind=mentions.kind if "kinds" in holds else None,
            head=mentions.head if "heads" in holds else None,
            type=mentions.type if "types" in holds else None,
        ),
    )


@resolve_command.command("cross-validate", short_help="Cross-validate resolvers.")
@click.argument("key")
@option("--folds", type=int, default=10, help="Number of folds.")
@option(
    "--preset",
    "presets",
    default=",".join(COMPARED),
    metavar="NAMES",
    help=f"Resolvers, a comma-separated list of {', '.join(PRESETS)}.",
)
@metrics_option()
@option(
    "--save",
    "responses",
    type=OUTPUT,
    metavar="DIR",
    help="Also write each preset's response to this directory.",
)
@flag("--lossy", "Allow lossy conversion.")
@number("--jobs", "Folds to run at once.  [default: one per core]")
@options(*_PARTS, *_DOCUMENTS)
@output_options(*TABLES, default="scores")
def cross_validate_command(
    key: str,
    presets: str,
    lossy: bool,
    responses: str | None = None,
    format: str | None = None,
    **options: Any,
) -> None:
    """Resolve each document of KEY with models trained on the other folds, and score the result.

    Resolver options override the mention-pair presets. --save keeps the responses, for
    'corefine compare'; --tables pairs reports pair classification by semantic type and by token
    overlap; --tables types trains and tests each preset on one semantic type at a time,
    as in MCORES, and shows the mean over types; --tables settings compares gold and detected
    mentions, with and without zeros.

    \b
    corefine resolve cross-validate key.conll --preset soon,ng-cardie --folds 5
    corefine resolve cross-validate key.conllu --preset soon --tables types
    corefine resolve cross-validate key.conllu --preset ikar,bartek,ruler --tables settings
    corefine resolve cross-validate key.conll --save responses --tables scores,pairs
    """
    presentation = Presentation.from_options(options, TABLES)
    options["per_type"] = "types" in presentation.tables
    options["settings"] = "settings" in presentation.tables
    names = [name.strip() for name in presets.split(",")]
    result = computed(cross_validate, key, names, format=format, **_arguments(options))
    if responses is not None:
        _write_responses(result, Path(responses), lossy)
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
