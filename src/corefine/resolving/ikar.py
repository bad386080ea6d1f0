"""IKAR: every markable is linked to a name before it (Broda et al. 2012; Kaczmarek and
Marcińczuk 2015, section 3).

Names introduce the entities. A decision tree for each kind of markable (names, nominals, pronouns
with zeros) judges the pairs of a markable and a name that precedes it; of the entities of the
names that it accepts, each markable gets the one with the largest number of accepted names in
proportion to the distance: accepted names / (1 + sentences to the closest of them).

The original leaves all other markables by themselves: PARENT, which its authors made for it, looks
at links to names alone. Here those that no name takes are linked where they have the same head word
and nothing clashes, since the other metrics look at them too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.errors import UsageError
from corefine.output.progress import Progress, silent
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.classifiers import Learned, learn
from corefine.resolving.clustering import best_link, entities_of
from corefine.resolving.features import PairView
from corefine.resolving.features.grammatical_agreement import any_clash
from corefine.resolving.features.string_match import head_match, modifier_clash
from corefine.resolving.mention_pairs import MentionPairs, candidate_pairs
from corefine.resolving.recipes import names

FEATURES: dict[str, tuple[str, ...]] = {
    "name": names(
        "text_match overlap_share contained head_match last_word_match first_word_match acronym",
        "number_agreement gender_agreement type_agreement",
    ),
    "nominal": names(
        "overlap_share head_match head_among_words apposition predicate_nominal j_definite",
        "j_demonstrative j_indefinite number_agreement gender_agreement animacy_agreement",
        "type_agreement sentence_distance rivals",
    ),
    "pronoun": names(
        "number_agreement gender_agreement animacy_agreement type_agreement any_clash",
        "j_speech_person same_voice i_subject sentence_distance rivals rival_subjects i_frequency",
    ),
}
"""What each kind's classifier looks at: agreement is all that a pronoun or a zero has."""


@dataclass(frozen=True, slots=True, eq=False)
class IkarResolver:
    """Trained classifiers by kind; a kind that had nothing to learn from has none."""

    learned: Mapping[str, Learned]
    threshold: float = 0.5

    def entities(self, attributes: MarkableAttributes, progress: Progress = silent) -> IntArray:
        """The entity of each markable."""
        linked, accepted = [], []
        for pairs in candidate_pairs(attributes.markables.document):
            for kind, part in _pairs_with_names(attributes, pairs):
                if kind not in self.learned:
                    continue
                scores = self.learned[kind].scores(PairView(attributes, part))
                if kind == "name":
                    linked.append(best_link(part, scores, self.threshold))
                else:
                    accepted.append(part.where(scores >= self.threshold))
            if len(pairs):
                progress("resolving", int(pairs.anaphor[-1]) + 1, len(attributes))
        count = len(attributes)
        links = MentionPairs.joined(linked)
        chosen = _disambiguated(
            attributes, entities_of(count, links), MentionPairs.joined(accepted)
        )
        taken = attributes.name.copy()
        taken[chosen.anaphor] = True
        return entities_of(
            count, MentionPairs.joined([links, chosen, _by_head(attributes, ~taken)])
        )


def train_ikar(
    classifier: Any, attributes: MarkableAttributes, progress: Progress = silent
) -> IkarResolver:
    """Train copies of a classifier, one for each kind, on markables with entities."""
    entity = attributes.markables.entity
    pairs: dict[str, list[MentionPairs]] = {kind: [] for kind in FEATURES}
    for candidates in candidate_pairs(attributes.markables.document):
        for kind, part in _pairs_with_names(attributes, candidates):
            pairs[kind].append(part)
    learned = {}
    for number, (kind, parts) in enumerate(pairs.items()):
        joined = MentionPairs.joined(parts)
        labels = entity[joined.antecedent] == entity[joined.anaphor]
        if labels.any() and not labels.all():
            views = [PairView(attributes, part) for part in parts if len(part)]
            learned[kind] = learn(classifier, FEATURES[kind], views, labels)
        progress("training", number + 1, len(FEATURES))
    if not learned:
        raise UsageError(
            "no mention of the training documents refers to a preceding name",
            remedy="IKAR links mentions to names: give mention kinds with --kinds, or train "
            "another preset.",
        )
    return IkarResolver(learned)


def _pairs_with_names(
    attributes: MarkableAttributes, pairs: MentionPairs
) -> Iterator[tuple[str, MentionPairs]]:
    """The pairs whose antecedent is a name, by the kind of the anaphor."""
    named = pairs.where(attributes.name[pairs.antecedent])
    kinds = {"name": attributes.name, "nominal": attributes.nominal, "pronoun": attributes.pronoun}
    for kind, flags in kinds.items():
        yield kind, named.where(flags[named.anaphor])


def _disambiguated(
    attributes: MarkableAttributes, entity: IntArray, accepted: MentionPairs
) -> MentionPairs:
    """For each anaphor a link to the one entity that it gets, at the closest accepted name."""
    count = max(len(attributes), 1)
    group = accepted.anaphor * count + entity[accepted.antecedent]
    order = np.lexsort((accepted.antecedent, group))
    _, first, names = np.unique(group[order], return_index=True, return_counts=True)
    closest = order[first + names - 1]
    in_text = np.lexsort((accepted.antecedent[closest], accepted.anaphor[closest]))
    closest, names = closest[in_text], names[in_text]
    pairs = MentionPairs(accepted.antecedent[closest], accepted.anaphor[closest])
    apart = attributes.sentence[pairs.anaphor] - attributes.sentence[pairs.antecedent]
    return best_link(pairs, names / (1.0 + apart), 0.0)


def _by_head(attributes: MarkableAttributes, wanted: BoolArray) -> MentionPairs:
    """Links between the wanted markables that have the same head word and do not disagree."""
    links = []
    for pairs in candidate_pairs(attributes.markables.document):
        rest = pairs.where(wanted[pairs.antecedent] & wanted[pairs.anaphor])
        view = PairView(attributes, rest)
        clash = any_clash(view) | modifier_clash(view)
        links.append(rest.where(head_match(view) & ~clash))
    return MentionPairs.joined(links)
