"""Recipes: the mention-pair systems as combinations of parts that can be replaced one by one."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

from corefine.errors import UsageError, choose
from corefine.resolving.clustering import CLUSTERINGS
from corefine.resolving.features import check_features
from corefine.resolving.mention_pairs import PAIRINGS

TUNINGS = ("half", "tuned", "by-kind")


def names(*texts: str) -> tuple[str, ...]:
    """The names in these texts, in their order."""
    return tuple(" ".join(texts).split())


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a mention-pair resolver is trained and applied.

    ``threshold``
        from which score on a pair is satisfactory: a number; ``half`` for 0.5; ``tuned`` for the
        one that gives the best CoNLL average on the training documents, each judged by a
        classifier that was not trained on it; ``by-kind`` for one for names, nominals and
        pronouns each, tuned in the same way.
    ``within_types``
        whether pairs of different semantic types are neither learned from nor linked.
    ``window``
        how many markables back an antecedent may stand; None for any number.
    """

    pairs: str
    features: tuple[str, ...]
    classifier: Any
    clustering: str
    threshold: str | float = "tuned"
    within_types: bool = False
    window: int | None = None

    def __post_init__(self) -> None:
        choose("pairs", self.pairs, tuple(PAIRINGS))
        choose("clustering", self.clustering, tuple(CLUSTERINGS))
        check_features(self.features)
        if not self.features:
            raise UsageError("a resolver needs at least one feature")
        if isinstance(self.threshold, str):
            choose("threshold", self.threshold, TUNINGS)
        elif not isfinite(self.threshold):
            raise UsageError(f"threshold cannot be {self.threshold}", remedy="Use 0 to 1.")
        if self.window is not None and self.window < 1:
            raise UsageError(f"window cannot be {self.window}", remedy="Use at least 1.")

    def changed(self, **parts: Any) -> Recipe:
        """The recipe with some parts replaced."""
        known = [field.name for field in fields(self)]
        for name in parts:
            if name not in known:
                raise UsageError(
                    f"a resolver has no option {name!r}",
                    remedy=f"The options are: {', '.join(known)}.",
                )
        return replace(self, **parts)


# RESOLVE has eight features, three of them about joint ventures; these take their places.
_RESOLVE = names(
    "i_name j_name both_names token_overlap alias common_phrase same_sentence apposition"
)
# Soon et al.'s features, with person in the place of distance: novels and interviews are full of
# "I" and "you"; and among the pairs that they train on the positive one is always the farthest, so
# that a distance tells the label there and misleads everywhere else.
_SOON = names(
    "i_pronoun j_pronoun text_match j_definite j_demonstrative number_agreement type_agreement",
    "gender_agreement both_names alias apposition person_agreement",
)
_NG_CARDIE = (
    *_SOON,
    *names(
        "pronoun_text_match name_text_match nominal_text_match token_overlap overlap_share",
        "name_overlap nominal_overlap contained name_contained head_match nominal_head_match",
        "last_word_match first_word_match acronym new_modifier modifier_clash head_among_words",
        "i_name j_name i_nominal j_nominal both_pronouns i_indefinite j_indefinite i_possessed",
        "j_possessed j_reflexive animacy_agreement any_clash nested predicate_nominal",
        "both_first_person both_second_person i_speech_person j_speech_person j_gender j_plural",
        "same_voice i_quoted j_quoted same_speaker address i_subject both_subjects i_embedded",
        "j_embedded common_phrase",
    ),
)

RECIPES: dict[str, Recipe] = {
    "resolve": Recipe(
        pairs="resolve",
        features=_RESOLVE,
        classifier="tree",
        clustering="aggressive-merge",
        within_types=True,
    ),
    "soon": Recipe(pairs="soon", features=_SOON, classifier="tree", clustering="closest-link"),
    "ng-cardie": Recipe(
        pairs="ng-cardie",
        features=_NG_CARDIE,
        classifier="tree",
        clustering="best-link",
        threshold="by-kind",
    ),
    "reconcile": Recipe(
        pairs="resolve",
        features=(*_NG_CARDIE, "sentence_distance"),
        classifier="perceptron",
        clustering="aggressive-merge",
    ),
}
