"""Features of mention pairs, computed in columns for a batch of pairs.

``FEATURES`` is the table of all features: name, summary, function, and the limits between classes
of values for linear classifiers. The features of each system are in
:mod:`corefine.resolving.resolver`. The antecedent is i, the anaphor j.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.errors import UsageError, closest
from corefine.resolving.attributes import (
    FEMININE,
    FIRST,
    MASCULINE,
    NEUTER,
    PLURAL,
    SECOND,
    THIRD,
    MarkableAttributes,
    Mask,
    agree,
    clash,
)
from corefine.resolving.mention_pairs import MentionPairs

FeatureValues = Any
"""A NumPy array with a value per pair or per markable."""


class PairView:
    """Distinct pairs of markables, ordered by anaphor, then by antecedent."""

    def __init__(self, attributes: MarkableAttributes, pairs: MentionPairs) -> None:
        self.attributes = attributes
        self.pairs = pairs

    def __len__(self) -> int:
        return len(self.pairs)

    def left(self, column: FeatureValues) -> FeatureValues:
        """The antecedents' values of a column of markables."""
        return column[self.pairs.antecedent]

    def right(self, column: FeatureValues) -> FeatureValues:
        """The anaphors' values of a column of markables."""
        return column[self.pairs.anaphor]

    def both(self, flags: BoolArray) -> BoolArray:
        """True for pairs whose markables both have a flag."""
        return flags[self.pairs.antecedent] & flags[self.pairs.anaphor]

    def same(self, column: FeatureValues) -> BoolArray:
        """True for pairs whose markables have the same value."""
        return np.asarray(self.left(column) == self.right(column), bool)

    def agreement(self, mask: Mask) -> NDArray[np.int8]:
        """1 if the masks agree, -1 if they clash, 0 if one of them is open."""
        left, right = self.left(mask), self.right(mask)
        return agree(left, right).astype(np.int8) - clash(left, right).astype(np.int8)

    def equality(self, code: IntArray) -> IntArray:
        """1 for the same code, -1 for different codes, 0 if one markable has none (-1)."""
        left, right = self.left(code), self.right(code)
        return np.where((left < 0) | (right < 0), 0, np.where(left == right, 1, -1))

    @cached_property
    def names(self) -> BoolArray:
        return self.both(self.attributes.name)

    @cached_property
    def neither_pronoun(self) -> BoolArray:
        return self.both(~self.attributes.pronoun)

    @cached_property
    def same_text(self) -> BoolArray:
        return self.same(self.attributes.text)

    @cached_property
    def shared(self) -> FeatureValues:
        """Number of content words that both markables have."""
        return self.common(self.attributes.content)

    @cached_property
    def shared_modifiers(self) -> FeatureValues:
        """Number of content words other than the heads that both markables have."""
        return self.common(self.attributes.modifiers)

    @cached_property
    def sizes(self) -> tuple[IntArray, IntArray]:
        """Number of content words of each markable."""
        count = np.diff(self.attributes.content.indptr).astype(np.int64)
        return self.left(count), self.right(count)

    @cached_property
    def sentences_apart(self) -> IntArray:
        sentence = self.attributes.sentence
        return sentence[self.pairs.anaphor] - sentence[self.pairs.antecedent]

    @cached_property
    def number(self) -> NDArray[np.int8]:
        return self.agreement(self.attributes.number)

    @cached_property
    def gender(self) -> NDArray[np.int8]:
        return self.agreement(self.attributes.gender)

    @cached_property
    def animacy(self) -> NDArray[np.int8]:
        return self.agreement(self.attributes.animacy)

    @cached_property
    def type(self) -> IntArray:
        """1 for the same semantic type, -1 for different ones, 0 if one is unknown."""
        return self.equality(self.attributes.markables.type)

    def common(self, incidence: Any) -> FeatureValues:
        """The product of the two rows of a sparse matrix, pair by pair.

        For a matrix of ones this is the number of columns that they share.
        """
        antecedent, anaphor = self.pairs.antecedent, self.pairs.anaphor
        whole = np.issubdtype(incidence.dtype, np.integer)
        common = np.zeros(len(self.pairs), np.int64 if whole else np.float64)
        if not len(self.pairs):
            return common
        first, low, high = int(antecedent.min()), int(anaphor[0]), int(anaphor[-1]) + 1
        width = high - first
        if 4 * len(self.pairs) < width * (high - low):
            shared = incidence[antecedent].multiply(incidence[anaphor])
            return np.asarray(shared.sum(axis=1), common.dtype).reshape(-1)
        # Few markables share anything: the product of all rows is sparse, and its cells are looked
        # up among the pairs.
        product = (incidence[low:high] @ incidence[first:high].T).tocoo()
        wanted = anaphor * width + (antecedent - first)
        found = (product.row.astype(np.int64) + low) * width + product.col
        place = np.minimum(np.searchsorted(wanted, found), len(wanted) - 1)
        hit = wanted[place] == found
        common[place[hit]] = product.data[hit]
        return common


def text_match(pair: PairView) -> FeatureValues:
    """The same words, ignoring determiners."""
    return pair.same_text


def pronoun_text_match(pair: PairView) -> FeatureValues:
    """Both are pronouns, and the same word."""
    return pair.same_text & both_pronouns(pair)


def name_text_match(pair: PairView) -> FeatureValues:
    """Both are names, and the same words."""
    return pair.same_text & pair.names


def nominal_text_match(pair: PairView) -> FeatureValues:
    """Neither is a pronoun, not both are names, and the same words."""
    return pair.same_text & pair.neither_pronoun & ~pair.names


def token_overlap(pair: PairView) -> FeatureValues:
    """Content words: 1 the same, ½ some in common, 0 none."""
    left, right = pair.sizes
    exact = (pair.shared == left) & (pair.shared == right) & (pair.shared > 0)
    return np.asarray((pair.shared > 0).astype(np.float32) + exact) / 2


def overlap_share(pair: PairView) -> FeatureValues:
    """Shared content words as a share of all content words of the two."""
    left, right = pair.sizes
    return pair.shared / np.maximum(left + right - pair.shared, 1)


def dice_overlap(pair: PairView) -> FeatureValues:
    """Dice coefficient of the content words (Yang et al. 2004)."""
    left, right = pair.sizes
    return 2 * pair.shared / np.maximum(left + right, 1)


def weighted_overlap(pair: PairView) -> FeatureValues:
    """Cosine of the content words, weighted by their rarity in the document (Yang et al. 2004)."""
    return pair.common(pair.attributes.weighted_content)


def new_words(pair: PairView) -> FeatureValues:
    """Content words that the anaphor adds to the antecedent: its information (Holen 2013)."""
    return np.where(pair.right(pair.attributes.pronoun), 0, pair.sizes[1] - pair.shared)


def head_lemma_match(pair: PairView) -> FeatureValues:
    """Equal head lemmas, and neither is a pronoun."""
    return pair.same(pair.attributes.head_lemma) & pair.neither_pronoun


def lemma_match(pair: PairView) -> FeatureValues:
    """The same lemmas without determiners, and neither is a pronoun."""
    return pair.same(pair.attributes.lemmas) & pair.neither_pronoun


def lemma_contained(pair: PairView) -> FeatureValues:
    """The lemmas of one include all lemmas of the other, and neither is a pronoun."""
    count = np.diff(pair.attributes.lemma_content.indptr)
    shared = pair.common(pair.attributes.lemma_content)
    smaller = np.minimum(pair.left(count), pair.right(count))
    return (shared > 0) & (shared == smaller) & pair.neither_pronoun


def qualifier_clash(pair: PairView) -> FeatureValues:
    """Each is modified by names or numbers, but not by the same ones."""
    count = np.diff(pair.attributes.qualifiers.indptr)
    left, right = pair.left(count), pair.right(count)
    shared = pair.common(pair.attributes.qualifiers)
    return (left > 0) & (right > 0) & ((shared < left) | (shared < right))


def name_overlap(pair: PairView) -> FeatureValues:
    """The share of shared words if both are names."""
    return overlap_share(pair) * pair.names


def nominal_overlap(pair: PairView) -> FeatureValues:
    """The share of shared words if neither is a pronoun and not both are names."""
    return overlap_share(pair) * (pair.neither_pronoun & ~pair.names)


def contained(pair: PairView) -> FeatureValues:
    """The content words of one include all of the other's, and neither is a pronoun."""
    left, right = pair.sizes
    return (pair.shared > 0) & (pair.shared == np.minimum(left, right)) & pair.neither_pronoun


def name_contained(pair: PairView) -> FeatureValues:
    """Both are names, and the words of one include all words of the other."""
    return contained(pair) & pair.names


def head_match(pair: PairView) -> FeatureValues:
    """Equal head words."""
    return pair.same(pair.attributes.head)


def nominal_head_match(pair: PairView) -> FeatureValues:
    """Equal head words, and neither is a pronoun."""
    return head_match(pair) & pair.neither_pronoun


def last_word_match(pair: PairView) -> FeatureValues:
    """Both are names with the same last word (a surname)."""
    return pair.same(pair.attributes.last) & pair.names


def first_word_match(pair: PairView) -> FeatureValues:
    """Both are names with the same first word, ignoring titles."""
    return pair.same(pair.attributes.first) & pair.names


def acronym(pair: PairView) -> FeatureValues:
    """One consists of the initials of the other."""
    attributes = pair.attributes
    left, right = pair.left(attributes.acronym), pair.right(attributes.acronym)
    spelled_left, spelled_right = pair.left(attributes.letters), pair.right(attributes.letters)
    return ((left == spelled_right) & (left != -1)) | ((right == spelled_left) & (right != -1))


def alias(pair: PairView) -> FeatureValues:
    """Both are names, and one is an acronym, a part or the surname of the other."""
    return (acronym(pair) | contained(pair) | last_word_match(pair)) & pair.names


def new_modifier(pair: PairView) -> FeatureValues:
    """The anaphor has a modifier that the antecedent lacks, and neither is a pronoun."""
    count = np.diff(pair.attributes.modifiers.indptr)
    return (pair.right(count) > pair.shared_modifiers) & pair.neither_pronoun


def modifier_clash(pair: PairView) -> FeatureValues:
    """Equal heads, and each has a modifier that the other lacks."""
    count = np.diff(pair.attributes.modifiers.indptr)
    more_left = pair.left(count) > pair.shared_modifiers
    more_right = pair.right(count) > pair.shared_modifiers
    return more_left & more_right & nominal_head_match(pair)


def head_among_words(pair: PairView) -> FeatureValues:
    """Neither is a pronoun, they share words, but their heads differ."""
    return (pair.shared > 0) & ~head_match(pair) & pair.neither_pronoun


def number_agreement(pair: PairView) -> FeatureValues:
    """Number: 1 agrees, -1 clashes, 0 unknown."""
    return pair.number


def gender_agreement(pair: PairView) -> FeatureValues:
    """Gender: 1 agrees, -1 clashes, 0 unknown."""
    return pair.gender


def person_agreement(pair: PairView) -> FeatureValues:
    """Person: 1 agrees, -1 clashes, 0 unknown."""
    return pair.agreement(pair.attributes.person)


def animacy_agreement(pair: PairView) -> FeatureValues:
    """Animacy: 1 agrees, -1 clashes, 0 unknown."""
    return pair.animacy


def type_agreement(pair: PairView) -> FeatureValues:
    """Semantic type: 1 the same, -1 different, 0 unknown."""
    return pair.type


def any_clash(pair: PairView) -> FeatureValues:
    """Number, gender, animacy or semantic type clashes."""
    return (pair.number < 0) | (pair.gender < 0) | (pair.animacy < 0) | (pair.type < 0)


def both_names(pair: PairView) -> FeatureValues:
    """Both are names."""
    return pair.names


def both_pronouns(pair: PairView) -> FeatureValues:
    """Both are pronouns or zeros."""
    return pair.both(pair.attributes.pronoun)


def both_first_person(pair: PairView) -> FeatureValues:
    """Both are of the first person and of the same number."""
    return pair.both(pair.attributes.person == FIRST) & (pair.number > 0)


def both_second_person(pair: PairView) -> FeatureValues:
    """Both are of the second person."""
    return pair.both(pair.attributes.person == SECOND)


def both_subjects(pair: PairView) -> FeatureValues:
    """Both are subjects (or the first markables of their sentences)."""
    return pair.both(pair.attributes.subject)


def same_role(pair: PairView) -> FeatureValues:
    """Grammatical relation of the heads: 1 the same, -1 different, 0 unknown."""
    return pair.equality(pair.attributes.role)


def same_governor(pair: PairView) -> FeatureValues:
    """Both depend on the same word: two arguments of a verb (needs dependencies)."""
    return (pair.equality(pair.attributes.parent) > 0) & (pair.sentences_apart == 0)


def both_embedded(pair: PairView) -> FeatureValues:
    """Both are inside other markables."""
    return pair.both(pair.attributes.depth > 0)


def both_quoted(pair: PairView) -> FeatureValues:
    """Both are in quotations."""
    return pair.both(pair.attributes.quotation >= 0)


def nearest_agreeing(pair: PairView) -> FeatureValues:
    """No markable between the two agrees with the anaphor in number and gender."""
    return rivals(pair) == 0


def sentence_distance(pair: PairView) -> FeatureValues:
    """Number of sentences between the two."""
    return pair.sentences_apart


def markable_distance(pair: PairView) -> FeatureValues:
    """Number of markables from the antecedent to the anaphor."""
    return pair.pairs.anaphor - pair.pairs.antecedent


def same_sentence(pair: PairView) -> FeatureValues:
    """Both are in the same sentence."""
    return pair.sentences_apart == 0


def nested(pair: PairView) -> FeatureValues:
    """The anaphor is inside the antecedent."""
    markables = pair.attributes.markables
    return pair.right(markables.start) < pair.left(markables.stop)


def common_phrase(pair: PairView) -> FeatureValues:
    """A third markable covers both: they are in the same phrase."""
    stop = pair.attributes.markables.stop
    return pair.left(pair.attributes.reach) >= np.maximum(pair.left(stop), pair.right(stop))


def apposition(pair: PairView) -> FeatureValues:
    """The anaphor is an apposition, or only a comma separates the two; neither is a pronoun."""
    attributes = pair.attributes
    markables = attributes.markables
    after = pair.left(markables.stop)
    adjacent = pair.right(markables.start) == after + 1
    known = np.minimum(after, max(len(attributes.comma) - 1, 0))
    separated = adjacent & attributes.comma[known] & ~pair.names
    dependent = pair.right(attributes.appositive) & (
        pair.right(attributes.parent) == pair.left(markables.head)
    )
    return (separated | dependent) & pair.neither_pronoun


def predicate_nominal(pair: PairView) -> FeatureValues:
    """The anaphor is predicated of the antecedent with a copula (needs dependencies)."""
    attributes = pair.attributes
    predicated = pair.left(attributes.parent) == pair.right(attributes.markables.head)
    return predicated & pair.left(attributes.subject) & pair.right(attributes.predicate)


def same_voice(pair: PairView) -> FeatureValues:
    """1 if both are in one quotation or outside of all, -1 in different ones, 0 mixed."""
    quotation = pair.attributes.quotation
    left, right = pair.left(quotation), pair.right(quotation)
    return np.where(left == right, 1, np.where((left >= 0) & (right >= 0), -1, 0))


def same_speaker(pair: PairView) -> FeatureValues:
    """Speakers: 1 the same, -1 different, 0 unknown."""
    return pair.equality(pair.attributes.speaker)


def address(pair: PairView) -> FeatureValues:
    """First and second persons in one voice: 1 the same, -1 different, 0 otherwise."""
    attributes = pair.attributes
    known = (same_voice(pair) == 1) & (same_speaker(pair) >= 0) & pair.both(attributes.speech)
    return np.where(known, np.where(pair.same(attributes.person), 1, -1), 0)


def rivals(pair: PairView) -> FeatureValues:
    """Number of markables between the two that agree with the anaphor in number and gender.

    For each of the 32 combinations of four masks of number and eight of gender, the agreeing
    markables are counted along the text; a pair takes the difference of two counts.
    """
    if not len(pair):
        return np.zeros(0, np.int64)
    attributes, pairs = pair.attributes, pair.pairs
    first, stop = int(pairs.antecedent.min()), int(pairs.anaphor[-1]) + 1
    number, gender = attributes.number[first:stop], attributes.gender[first:stop]
    combinations = np.arange(32)[:, None]
    agrees = ~clash((combinations & 3).astype(np.uint8), number)
    agrees &= ~clash((combinations >> 2).astype(np.uint8), gender)
    upto = np.zeros((32, stop - first + 1), np.int64)
    np.cumsum(agrees, axis=1, out=upto[:, 1:])
    combination = pair.right(attributes.number + 4 * attributes.gender).astype(np.int64)
    low, high = pairs.antecedent + 1 - first, pairs.anaphor - first
    return upto[combination, high] - upto[combination, low]


def semantic_link(pair: PairView) -> FeatureValues:
    """Closeness of the heads in meaning: 2 the same lemma, 1 the same type or both animate, 0."""
    close = (pair.type > 0) | ((pair.type == 0) & (pair.animacy > 0))
    return np.where(pair.same(pair.attributes.head_lemma), 2, close & (pair.animacy >= 0))


def pronoun_link(pair: PairView) -> FeatureValues:
    """IKAR's score of a name and a pronoun or zero: agreement, or a phrase between them.

    3 if no other name between the two agrees with the anaphor in gender, 2 for the same gender, 1
    for the same number and 1 for the same person; or, if larger, 4 and the semantic link of the
    antecedent with the closest phrase between them that agrees in gender, number and person.
    """
    attributes = pair.attributes
    other = pair.right(_last_agreeing(attributes, attributes.name, ("gender",)))
    direct = 3 * (other <= pair.pairs.antecedent) + 2 * (pair.gender > 0) + (pair.number > 0)
    direct = direct + (person_agreement(pair) > 0)
    agreement = ("gender", "number", "person")
    phrase = pair.right(_last_agreeing(attributes, attributes.nominal, agreement))
    bridged = phrase > pair.pairs.antecedent
    link = PairView(attributes, MentionPairs(pair.pairs.antecedent, np.maximum(phrase, 0)))
    return np.where(bridged, np.maximum(direct, 4 + semantic_link(link)), direct)


def _last_agreeing(
    attributes: MarkableAttributes, counted: BoolArray, masks: tuple[str, ...]
) -> IntArray:
    """The last counted row before each row, in its document, without a clash in the masks."""
    columns = np.stack([getattr(attributes, name) for name in masks], axis=1)
    combinations, of_row = np.unique(columns, axis=0, return_inverse=True)
    of_row, rows = of_row.reshape(-1), np.arange(len(attributes))
    last = np.full(len(attributes), -1)
    for number, combination in enumerate(combinations):
        agrees = counted & ~clash(columns, combination).any(axis=1)
        upto = np.maximum.accumulate(np.where(agrees, rows, -1))
        mine = of_row == number
        last[mine] = np.concatenate([[-1], upto])[:-1][mine]
    document = attributes.markables.document
    return np.where((last >= 0) & (document[last] == document), last, -1)


def _numbered(mask: Mask, first: int, second: int, third: int) -> FeatureValues:
    """1, 2 or 3 if a mask leaves one of these possibilities, otherwise 0."""
    return np.select([mask == first, mask == second, mask == third], [1, 2, 3], 0)


Compute = Callable[[PairView], FeatureValues]


@dataclass(frozen=True, slots=True)
class Feature:
    """One property of a pair."""

    name: str
    summary: str
    compute: Compute
    edges: tuple[float, ...]
    """Limits between classes of values, for classifiers with a weight per class."""


YES_NO = (0.5,)
TERNARY = (-0.5, 0.5)
THREE = (0.5, 1.5, 2.5)
SHARES = (0.01, 0.34, 0.5, 0.67, 0.99)
DISTANCES = (0.5, 1.5, 2.5, 3.5, 5.5, 8.5, 13.5, 21.5, 50.5)

_PAIRS: dict[tuple[float, ...], tuple[Compute, ...]] = {
    YES_NO: (
        text_match, pronoun_text_match, name_text_match, nominal_text_match, contained,
        name_contained, head_match, nominal_head_match, last_word_match, first_word_match, acronym,
        alias, new_modifier, modifier_clash, head_among_words, any_clash, both_names, both_pronouns,
        both_first_person, both_second_person, both_subjects, same_sentence, nested, common_phrase,
        apposition, predicate_nominal, head_lemma_match, lemma_match, lemma_contained,
        qualifier_clash, same_governor, both_embedded, both_quoted, nearest_agreeing,
    ),
    TERNARY: (
        number_agreement, gender_agreement, person_agreement, animacy_agreement, type_agreement,
        same_voice, same_speaker, address, same_role,
    ),
    SHARES: (overlap_share, dice_overlap, weighted_overlap, name_overlap, nominal_overlap),
    THREE: (new_words,),
    (0.5, 1.5): (semantic_link,),
    (0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5): (pronoun_link,),
    (0.25, 0.75): (token_overlap,),
    DISTANCES: (sentence_distance, markable_distance, rivals),
}  # fmt: skip
"""Features of both markables, by the limits between classes of their values."""

_SIDES: tuple[
    tuple[str, str, str, Callable[[MarkableAttributes], FeatureValues], tuple[float, ...]], ...
]
_SIDES = (
    ("ij", "pronoun", "{} is a pronoun or a zero.", lambda a: a.pronoun, YES_NO),
    ("ij", "name", "{} is a name.", lambda a: a.name, YES_NO),
    ("ij", "nominal", "{} is neither a name nor a pronoun.", lambda a: a.nominal, YES_NO),
    ("ij", "zero", "{} is a zero.", lambda a: a.zero, YES_NO),
    ("ij", "definite", "{} starts with the definite article.", lambda a: a.definite, YES_NO),
    ("j", "demonstrative", "{} starts with a demonstrative.", lambda a: a.demonstrative, YES_NO),
    ("j", "pointing", "{} starts with a PronType=Dem word.", lambda a: a.pointing, YES_NO),
    ("ij", "indefinite", "{} starts with an indefinite article.", lambda a: a.indefinite, YES_NO),
    ("ij", "possessed", "{} starts with a possessive pronoun.", lambda a: a.possessed, YES_NO),
    ("j", "reflexive", "{} is a reflexive pronoun.", lambda a: a.reflexive, YES_NO),
    ("j", "plural", "{} is plural.", lambda a: a.number == PLURAL, YES_NO),
    ("ij", "subject", "{} is a subject or first in its sentence.", lambda a: a.subject, YES_NO),
    ("ij", "embedded", "{} is inside another markable.", lambda a: a.depth > 0, YES_NO),
    ("ij", "quoted", "{} is in a quotation.", lambda a: a.quotation >= 0, YES_NO),
    (
        "ij", "speech_person", "{}'s person as a pronoun: 1, 2, 3, or 0 if it is no pronoun.",
        lambda a: np.where(a.pronoun, _numbered(a.person, FIRST, SECOND, THIRD), 0), THREE,
    ),
    (
        "j", "gender", "{}'s gender: 1 masculine, 2 feminine, 3 neuter, 0 several or unknown.",
        lambda a: _numbered(a.gender, MASCULINE, FEMININE, NEUTER), THREE,
    ),
)  # fmt: skip
"""Features of one markable: sides, name, summary, function, limits."""


def _features() -> dict[str, Feature]:
    table = {}
    for edges, functions in _PAIRS.items():
        for function in functions:
            name = function.__name__
            summary = (function.__doc__ or "").partition("\n")[0]
            table[name] = Feature(name, summary, function, edges)
    for sides, name, summary, column, edges in _SIDES:
        for side in sides:
            of = summary.format("the antecedent" if side == "i" else "the anaphor")
            table[f"{side}_{name}"] = Feature(
                f"{side}_{name}", of[0].upper() + of[1:], _of_side(side, column), edges
            )
    return table


def _of_side(side: str, column: Callable[[MarkableAttributes], FeatureValues]) -> Compute:
    if side == "i":
        return lambda pair: pair.left(column(pair.attributes))
    return lambda pair: pair.right(column(pair.attributes))


FEATURES = _features()
"""All features by name."""


def check_features(names: Sequence[str]) -> None:
    """Refuse unknown features."""
    for name in names:
        if name not in FEATURES:
            raise UsageError(
                f"there is no feature {name!r}",
                remedy=f"Use some of: {', '.join(sorted(FEATURES))}.{closest(name, FEATURES)}",
            )


def matrix(view: PairView, names: Sequence[str]) -> NDArray[np.float32]:
    """Pairs × features."""
    result = np.empty((len(view), len(names)), np.float32)
    for column, name in enumerate(names):
        result[:, column] = FEATURES[name].compute(view)
    return result


def classes(view: PairView, names: Sequence[str]) -> Any:
    """Pairs × classes of feature values (SciPy CSR matrix of ones), for linear classifiers.

    Each feature has one column per class of its values, once for all pairs and once per
    combination of mention kinds: two names that share a word differ from two pronouns that do.
    """
    from scipy.sparse import csr_matrix

    base, columns = 0, []
    for wanted in map(FEATURES.__getitem__, names):
        edges = np.asarray(wanted.edges, np.float32)
        values = np.asarray(wanted.compute(view), np.float32)
        columns.append(base + np.searchsorted(edges, values))
        base += len(edges) + 1
    general = np.stack(columns, axis=1).astype(np.int32)
    kind = view.attributes.kind_number.astype(np.int32)
    kind_pair = view.left(kind) * 3 + view.right(kind)
    special = general + base * (1 + kind_pair[:, None])
    indices = np.concatenate([general, special], axis=1, dtype=np.int32, casting="same_kind")
    rows, width = indices.shape
    return csr_matrix(
        (np.ones(rows * width, np.float32), indices.reshape(-1), np.arange(rows + 1) * width),
        shape=(rows, number_of_classes(names)),
    )


def number_of_classes(names: Sequence[str]) -> int:
    """Columns of :func:`classes`: a block for all pairs, and one per pair of mention kinds."""
    return 10 * sum(len(FEATURES[name].edges) + 1 for name in names)
