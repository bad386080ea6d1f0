"""Part-of-speech tags of many tagsets, as the few classes that a head word is found by.

A corpus has few different tags, so each is looked at once. Known are Universal Dependencies, Penn
(English, Chinese, Arabic), STTS (German), CGN and Alpino (Dutch), NKJP (Polish), EAGLES (Spanish,
Catalan) and the positional tags of Prague (Czech). What none of them explains is unknown.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache


class Tag(IntEnum):
    """The function of a word in a mention."""

    UNKNOWN = 0
    NOUN = 1
    PROPER = 2
    PRONOUN = 3
    DETERMINER = 4
    """Includes possessives; a pronoun if it is the only word."""
    NUMERAL = 5
    VERB = 6
    PREPOSITION = 7
    CONJUNCTION = 8
    RELATIVE = 9
    """A pronoun that opens a clause."""
    COMMA = 10
    """A mark that ends the part with the head."""
    PUNCTUATION = 11
    """A mark that may be a comma or not, depending on the word."""
    POSSESSIVE = 12
    """The mark of a genitive."""
    OTHER = 13


_BLANK = {"", "-", "_", "*", "--", "XX"}
_EXACT = {
    tag: found
    for found, tags in {
        # Universal Dependencies, Penn (English and Chinese), STTS
        Tag.NOUN: "NOUN NT",
        Tag.PROPER: "PROPN",
        Tag.PRONOUN: "PRON PRP PP EX PN",
        Tag.DETERMINER: "DET DT PDT PRP$ PP$ ART",
        Tag.NUMERAL: "NUM CD OD CARD",
        Tag.VERB: "VERB AUX MD",
        Tag.PREPOSITION: "ADP IN TO P",
        Tag.CONJUNCTION: "CCONJ CC KON",
        Tag.RELATIVE: "SCONJ WP$ WDT WP WRB PWS PWAT",
        Tag.COMMA: ", : -LRB- ( $,",
        Tag.PUNCTUATION: "PUNCT PU $( $.",
        Tag.POSSESSIVE: "POS",
    }.items()
    for tag in tags.split()
}
_PATTERNS = tuple(
    (re.compile(pattern), tag)
    for pattern, tag in (
        # Prague: fifteen positions, the first of which is the part of speech.
        (r"N.{14}", Tag.NOUN),
        (r"P[149EJK?].{13}", Tag.RELATIVE),
        (r"P[8LSDW].{13}", Tag.DETERMINER),
        (r"P.{14}", Tag.PRONOUN),
        (r"C.{14}", Tag.NUMERAL),
        (r"V.{14}", Tag.VERB),
        (r"R.{14}", Tag.PREPOSITION),
        (r"J\^.{13}", Tag.CONJUNCTION),
        (r"J.{14}", Tag.RELATIVE),
        (r"Z.{14}", Tag.PUNCTUATION),
        # CGN and Alpino, with their features in either sort of brackets
        (r"N[\[(]eigen.*|SPEC[\[(]deeleigen.*", Tag.PROPER),
        (r"N[\[(].*", Tag.NOUN),
        (r"VNW[\[(](betr|vb).*", Tag.RELATIVE),
        (r"VNW[\[(]([^,]*,)?det.*|LID.*", Tag.DETERMINER),
        (r"VNW.*", Tag.PRONOUN),
        (r"WW[\[(](vd|od),prenom.*", Tag.OTHER),
        (r"WW.*", Tag.VERB),
        (r"VZ.*", Tag.PREPOSITION),
        (r"VG[\[(]onder.*", Tag.RELATIVE),
        (r"VG.*", Tag.CONJUNCTION),
        (r"LET.*", Tag.PUNCTUATION),
        (r"TW.*", Tag.NUMERAL),
        # Arabic
        (r"(DET\+)?NOUN_PROP.*", Tag.PROPER),
        (r"(DET\+)?NOUN.*", Tag.NOUN),
        (r"(POSS_|IVSUFF_DO:|PVSUFF_DO:)?PRON.*|DEM_PRON.*", Tag.PRONOUN),
        (r"REL_PRON.*", Tag.RELATIVE),
        # Penn and STTS
        (r"NNPS?|NP|NPS|NR|NE|NPR.*", Tag.PROPER),
        (r"NN.*|N", Tag.NOUN),
        (r"PREL.*|KOU.*", Tag.RELATIVE),
        (r"PPOSAT|PDAT|PIAT|PIDAT", Tag.DETERMINER),
        (r"PPER|PPOSS|PDS|PIS|PRF", Tag.PRONOUN),
        (r"APPR.*|APPO|APZR", Tag.PREPOSITION),
        (r"V[A-Z]*", Tag.VERB),
        # NKJP: lower case, parts divided by colons
        (r"(subst|depr|ger)(:.*)?", Tag.NOUN),
        (r"(ppron12|ppron3|siebie)(:.*)?", Tag.PRONOUN),
        (r"(num|numcol)(:.*)?", Tag.NUMERAL),
        (r"(fin|bedzie|praet|impt|imps|inf|winien|aglt|pcon|pant|pred)(:.*)?", Tag.VERB),
        (r"prep(:.*)?", Tag.PREPOSITION),
        (r"conj(:.*)?", Tag.CONJUNCTION),
        (r"comp(:.*)?", Tag.RELATIVE),
        (r"interp(:.*)?", Tag.PUNCTUATION),
        (r"(adj|adja|adjp|adjc|ppas|pact|adv|qub|brev|burk|interj|xxx|ign)(:.*)?", Tag.OTHER),
        # EAGLES: lower case, positional
        (r"np.*", Tag.PROPER),
        (r"n[c0].*", Tag.NOUN),
        (r"pr.*", Tag.RELATIVE),
        (r"p[pdixte0n].*", Tag.PRONOUN),
        (r"d[adiptne].*", Tag.DETERMINER),
        (r"z.*", Tag.NUMERAL),
        (r"v[mas].*", Tag.VERB),
        (r"sp.*|s", Tag.PREPOSITION),
        (r"cc", Tag.CONJUNCTION),
        (r"cs", Tag.RELATIVE),
        (r"f[a-z]*", Tag.PUNCTUATION),
        (r"[A-Za-z].*|\$|#|\.|''|``|-RRB-|\)", Tag.OTHER),
    )
)


@lru_cache(maxsize=4096)
def tag_class(tag: str) -> Tag:
    """The class of a tag, given as written in a file."""
    if tag in _BLANK:
        return Tag.UNKNOWN
    exact = _EXACT.get(tag)
    if exact is not None:
        return exact
    for pattern, found in _PATTERNS:
        if pattern.fullmatch(tag):
            return found
    return Tag.UNKNOWN
