"""Closed classes of words: pronouns, and words that say nothing of what a mention refers to.

They are for texts without parts of speech. English, Polish and Dutch have lists; all words are in
lower case.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH_PRONOUNS = _words(
    """
    i me my mine myself you your yours yourself yourselves thou thee thy thine he him his himself
    she her hers herself it its itself we us our ours ourselves they them their theirs themselves
    themself one oneself who whom whose which what that this these those each either neither both
    whoever whomever whatever whichever whosoever
    all some any none someone somebody something anyone anybody anything everyone everybody
    everything nobody nothing another other others 'em em ya ye thyself
    y'all s/he
    """
)
POLISH_PRONOUNS = _words(
    """
    ja mnie mi mną ty ciebie cię tobie ci tobą on jego go jemu mu niego niemu nim ona jej ją niej
    nią ono je nie my nas nam nami wy was wam wami oni ich im nimi nich one siebie się sobie sobą
    mój moja moje mego mojego mojej moją moim moi moich moimi twój twoja twoje twego twojego twojej
    twoją twoim twoi twoich twoimi nasz nasza nasze naszego naszej naszą naszym nasi naszych naszymi
    wasz wasza wasze waszego waszej waszą waszym wasi waszych waszymi swój swoja swoje swego swojego
    swojej swoją swoim swoi swoich swoimi ten ta to tego tej tę tym ci te tych tymi temu tą tamten
    tamta tamto tamtego tamtej tamtym tamci tamte tamtych kto kogo komu kim co czego czemu czym
    który która które którego której którą którym którzy których którymi któremu czyj czyja czyje
    ktoś kogoś komuś kimś coś czegoś czymś nikt nikogo nikomu nikim nic niczego niczym każdy każda
    każde wszyscy wszystko wszystkie wszystkich wszystkim inny inna inne inni
    """
)
DUTCH_PRONOUNS = _words(
    """
    ik me mij mijn m'n mijne jij je jou jouw u uw hij ie -ie hem 'm zijn z'n zij ze haar d'r het 't
    wij we ons onze jullie hen hun zich zichzelf mezelf mijzelf jezelf hemzelf haarzelf onszelf deze
    dit die dat wie wat welke iemand niemand iets niets alles allen iedereen elkaar elkander mekaar
    men
    """
)

ENGLISH_MODIFIER_OPENERS = _words(
    """
    of in on at by for from to with without within into onto upon over under between among during
    after before against about across along around behind beneath beside beyond near off out
    through throughout toward towards since until than as like per via including and or but nor who
    whom whose which that where when why how because if while although , ; : ( -- - – — -LRB-
    """
)
"""Words that end the search for the head of an English mention."""
POLISH_MODIFIER_OPENERS = _words(
    """
    w we z ze na do od ode po pod nad przed przez przy o u dla bez między wśród za ku wobec według
    podczas obok oprócz zamiast i oraz a ale lub albo czy ani niż jak jako który która które którego
    której którą którym którzy których którymi że żeby gdy gdzie kiedy , ; : ( -- - – —
    """
)

DUTCH_MODIFIER_OPENERS = _words(
    """
    van voor op aan bij met uit over onder tussen naar na om door tegen tot te in zonder sinds langs
    rond en of maar als dan die dat wie wat waar waarin waarop waarvan waarmee toen omdat om , ; : (
    -- - – —
    """
)

ENGLISH_FUNCTION_WORDS = (
    _words(
        """
        a an the 's ’s ' ’ s no not so such many much more most few several own same 're 've 'd 'll
        'm ’re ’ve ’d ’ll ’m n't n’t be am is are was were been being have has had do does did will
        would shall should can could may might must there here very also just only alone else
        """
    )
    | ENGLISH_PRONOUNS
    | ENGLISH_MODIFIER_OPENERS
)
ENGLISH_REFERRING_PRONOUNS = _words(
    """
    i me you he him she her it we us they them this that these those someone somebody something
    anyone anybody anything everyone everybody everything nobody nothing
    """
)
"""Pronouns that head a mention with a modifier: "those who stayed"."""
ENGLISH_INDEFINITE_PRONOUNS = _words(
    """
    someone somebody something anyone anybody anything everyone everybody everything nobody nothing
    """
)
"""Pronouns that head whatever they open: "something better"."""
ENGLISH_ACRONYMS = _words("us who it")
"""Pronouns that are acronyms in capitals; "YOU" is emphasis."""
ENGLISH_LABELS = _words(
    "figure figures fig figs fig. figs. table tables section sections equation eq."
)
"""Names of parts of a text: common nouns, although "Figure 2" has a capital letter."""
ENGLISH_QUANTIFIERS = _words("one all both some any each none either neither many much most few")
"""Words that form a nominal if "of" follows: "some of them"."""
ENGLISH_NAMELESS_DETERMINERS = _words("a an another every each no any")
"""Determiners that names do not have."""
ENGLISH_ONES = _words("one ones")
"""Pronouns that are nouns after a determiner: "this one"."""
ENGLISH_MONTHS = _words(
    """
    january february march april may june july august september october november december
    """
)
ENGLISH_NOUN_ENDINGS = (
    *("tion", "sion", "ment", "ness", "ity", "ing", "ance", "ence", "ship", "ure", "logy", "sis"),
    *("ies", "es", "ds", "es", "gs", "ks", "ls", "ms", "ns", "ps", "rs", "ts", "ys"),
)
"""Endings of common nouns, plurals included."""
ENGLISH_SUBJECTS = _words("i you he she it we they")
ENGLISH_AUXILIARIES = _words(
    """
    's 're 've 'd 'll 'm ’s ’re ’ve ’d ’ll ’m am is are was were have has had do does did will would
    shall should can could may might must ca wo
    """
)
"""Verbs that form a clause after a subject."""
POLISH_FUNCTION_WORDS = (
    _words(
        """
        nie tak też także tylko już jeszcze bardzo być jest są był była było byli były będzie będą
        jestem jesteś sam sama samo sami same taki taka takie tacy
        """
    )
    | POLISH_PRONOUNS
    | POLISH_MODIFIER_OPENERS
)
DUTCH_NAMELESS_DETERMINERS = _words("een 'n geen elk elke ieder iedere")
DUTCH_FUNCTION_WORDS = (
    _words(
        """
        de een 'n der des den van voor op aan bij met uit over onder tussen naar na om door tegen
        tot te in als dan en of maar want omdat toen er geen niet ook nog wel al heel zo zelf alleen
        vooral is was waren ben bent geweest heeft heb hebben had hadden zal zou kan kon moet
        """
    )
    | DUTCH_PRONOUNS
    | DUTCH_MODIFIER_OPENERS
)
FUNCTION_WORDS = ENGLISH_FUNCTION_WORDS | POLISH_FUNCTION_WORDS | DUTCH_FUNCTION_WORDS
"""Words of any of the lists. A language that has none has only content words here."""


def is_content_word(word: str) -> bool:
    """True if a word has a letter or a digit and is not a function word.

    >>> [word for word in "The mayor of Kraków 's 2 dogs".split() if is_content_word(word)]
    ['mayor', 'Kraków', '2', 'dogs']
    """
    return word.lower() not in FUNCTION_WORDS and any(sign.isalnum() for sign in word)
