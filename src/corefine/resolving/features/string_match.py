"""Features of the words: equal texts, shared words, heads, aliases."""

from __future__ import annotations

import numpy as np

from corefine.resolving.features.registry import feature
from corefine.resolving.features.view import Column, PairView

SHARES = (0.01, 0.34, 0.5, 0.67, 0.99)


@feature()
def text_match(pair: PairView) -> Column:
    """The same words, determiners aside."""
    return pair.same_text


@feature()
def pronoun_text_match(pair: PairView) -> Column:
    """Both are pronouns, and the same word."""
    return pair.same_text & pair.pronouns


@feature()
def name_text_match(pair: PairView) -> Column:
    """Both are names, and the same words."""
    return pair.same_text & pair.names


@feature()
def nominal_text_match(pair: PairView) -> Column:
    """Neither is a pronoun nor are both names, and the same words."""
    return pair.same_text & pair.neither_pronoun & ~pair.names


@feature(0.25, 0.75)
def token_overlap(pair: PairView) -> Column:
    """Content words: 1 the same, ½ some in common, 0 none."""
    left, right = pair.sizes
    exact = (pair.shared == left) & (pair.shared == right) & (pair.shared > 0)
    return np.asarray((pair.shared > 0).astype(np.float32) + exact) / 2


@feature(*SHARES)
def overlap_share(pair: PairView) -> Column:
    """Shared content words as a share of all content words of the two."""
    left, right = pair.sizes
    return pair.shared / np.maximum(left + right - pair.shared, 1)


@feature(*SHARES)
def name_overlap(pair: PairView) -> Column:
    """The share of shared words where both are names."""
    return overlap_share(pair) * pair.names


@feature(*SHARES)
def nominal_overlap(pair: PairView) -> Column:
    """The share of shared words where neither is a pronoun and not both are names."""
    return overlap_share(pair) * (pair.neither_pronoun & ~pair.names)


@feature()
def contained(pair: PairView) -> Column:
    """All content words of one are among those of the other, and neither is a pronoun."""
    left, right = pair.sizes
    return (pair.shared > 0) & (pair.shared == np.minimum(left, right)) & pair.neither_pronoun


@feature()
def name_contained(pair: PairView) -> Column:
    """Both are names, and the words of one are among those of the other."""
    return contained(pair) & pair.names


@feature()
def head_match(pair: PairView) -> Column:
    """The same head word."""
    return pair.same(pair.attributes.head)


@feature()
def nominal_head_match(pair: PairView) -> Column:
    """The same head word, and neither is a pronoun."""
    return head_match(pair) & pair.neither_pronoun


@feature()
def last_word_match(pair: PairView) -> Column:
    """Both are names with the same last word (a surname)."""
    return pair.same(pair.attributes.last) & pair.names


@feature()
def first_word_match(pair: PairView) -> Column:
    """Both are names with the same first word, titles aside."""
    return pair.same(pair.attributes.first) & pair.names


@feature()
def acronym(pair: PairView) -> Column:
    """One is spelled with the initials of the other."""
    attributes = pair.attributes
    left, right = pair.left(attributes.acronym), pair.right(attributes.acronym)
    spelled_left, spelled_right = pair.left(attributes.letters), pair.right(attributes.letters)
    return ((left == spelled_right) & (left != -1)) | ((right == spelled_left) & (right != -1))


@feature()
def alias(pair: PairView) -> Column:
    """Both are names, and one is an acronym, a part or the surname of the other."""
    return (acronym(pair) | contained(pair) | last_word_match(pair)) & pair.names


@feature()
def new_modifier(pair: PairView) -> Column:
    """The anaphor has a modifier that the antecedent lacks, and neither is a pronoun."""
    count = np.diff(pair.attributes.modifiers.indptr)
    return (pair.right(count) > pair.shared_modifiers) & pair.neither_pronoun


@feature()
def modifier_clash(pair: PairView) -> Column:
    """The same head, and each has a modifier that the other lacks."""
    count = np.diff(pair.attributes.modifiers.indptr)
    more_left = pair.left(count) > pair.shared_modifiers
    more_right = pair.right(count) > pair.shared_modifiers
    return more_left & more_right & nominal_head_match(pair)


@feature()
def head_among_words(pair: PairView) -> Column:
    """Neither is a pronoun, they share words, but their heads differ."""
    return (pair.shared > 0) & ~head_match(pair) & pair.neither_pronoun
