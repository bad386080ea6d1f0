"""BibTeX of corefine and of the papers that define its metrics.

>>> print(cite("lea").split("\\n\\n")[1].splitlines()[0])
@inproceedings{moosavi-strube-2016-lea,
"""

from __future__ import annotations

from corefine._version import __version__
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec, resolve

Entry = tuple[str, dict[str, str]]

OWN = "corefine"
ENTRIES: dict[str, Entry] = {
    OWN: (
        "software",
        {
            "author": "{The corefine authors}",
            "title": "corefine: Evaluation of Coreference Resolution",
            "year": "2026",
            "version": __version__,
        },
    ),
    "pradhan-etal-2011-conll": (
        "inproceedings",
        {
            "author": "Pradhan, Sameer and Ramshaw, Lance and Marcus, Mitchell and Palmer, Martha "
            "and Weischedel, Ralph and Xue, Nianwen",
            "title": "{CoNLL}-2011 Shared Task: Modeling Unrestricted Coreference in {OntoNotes}",
            "booktitle": "Proceedings of the Fifteenth Conference on Computational Natural "
            "Language Learning: Shared Task",
            "year": "2011",
        },
    ),
    "vilain-etal-1995-muc": (
        "inproceedings",
        {
            "author": "Vilain, Marc and Burger, John and Aberdeen, John and Connolly, Dennis and "
            "Hirschman, Lynette",
            "title": "A Model-Theoretic Coreference Scoring Scheme",
            "booktitle": "Sixth Message Understanding Conference ({MUC}-6)",
            "year": "1995",
        },
    ),
    "bagga-baldwin-1998-b3": (
        "inproceedings",
        {
            "author": "Bagga, Amit and Baldwin, Breck",
            "title": "Algorithms for Scoring Coreference Chains",
            "booktitle": "The First International Conference on Language Resources and Evaluation "
            "Workshop on Linguistics Coreference",
            "year": "1998",
        },
    ),
    "luo-2005-ceaf": (
        "inproceedings",
        {
            "author": "Luo, Xiaoqiang",
            "title": "On Coreference Resolution Performance Metrics",
            "booktitle": "Proceedings of Human Language Technology Conference and Conference on "
            "Empirical Methods in Natural Language Processing",
            "year": "2005",
        },
    ),
    "recasens-hovy-2011-blanc": (
        "article",
        {
            "author": "Recasens, Marta and Hovy, Eduard",
            "title": "{BLANC}: Implementing the {R}and Index for Coreference Evaluation",
            "journal": "Natural Language Engineering",
            "volume": "17",
            "number": "4",
            "year": "2011",
        },
    ),
    "luo-etal-2014-blanc": (
        "inproceedings",
        {
            "author": "Luo, Xiaoqiang and Pradhan, Sameer and Recasens, Marta and Hovy, Eduard",
            "title": "An Extension of {BLANC} to System Mentions",
            "booktitle": "Proceedings of the 52nd Annual Meeting of the Association for "
            "Computational Linguistics (Volume 2: Short Papers)",
            "year": "2014",
        },
    ),
    "moosavi-strube-2016-lea": (
        "inproceedings",
        {
            "author": "Moosavi, Nafise Sadat and Strube, Michael",
            "title": "Which Coreference Evaluation Metric Do You Trust? A Proposal for a "
            "Link-based Entity Aware Metric",
            "booktitle": "Proceedings of the 54th Annual Meeting of the Association for "
            "Computational Linguistics (Volume 1: Long Papers)",
            "year": "2016",
        },
    ),
    "denis-baldridge-2009-mela": (
        "article",
        {
            "author": "Denis, Pascal and Baldridge, Jason",
            "title": "Global Joint Models for Coreference Resolution and Named Entity "
            "Classification",
            "journal": "Procesamiento del Lenguaje Natural",
            "volume": "42",
            "year": "2009",
        },
    ),
    "bodnari-etal-2012-mcores": (
        "article",
        {
            "author": 'Bodnari, Andreea and Szolovits, Peter and Uzuner, {\\"O}zlem',
            "title": "{MCORES}: A System for Noun Phrase Coreference Resolution for Clinical "
            "Records",
            "journal": "Journal of the American Medical Informatics Association",
            "volume": "19",
            "number": "5",
            "year": "2012",
        },
    ),
    "zabokrtsky-etal-2022-crac": (
        "inproceedings",
        {
            "author": "{\\v{Z}}abokrtsk{\\'y}, Zden{\\v{e}}k and others",
            "title": "Findings of the Shared Task on Multilingual Coreference Resolution",
            "booktitle": "Proceedings of the {CRAC} 2022 Shared Task on Multilingual Coreference "
            "Resolution",
            "year": "2022",
        },
    ),
    "tuggener-2014-arcs": (
        "inproceedings",
        {
            "author": "Tuggener, Don",
            "title": "Coreference Resolution Evaluation for Higher Level Applications",
            "booktitle": "Proceedings of the 14th Conference of the European Chapter of the "
            "Association for Computational Linguistics",
            "year": "2014",
        },
    ),
    "chen-ng-2013-linguistic": (
        "inproceedings",
        {
            "author": "Chen, Chen and Ng, Vincent",
            "title": "Linguistically Aware Coreference Evaluation Metrics",
            "booktitle": "Proceedings of the Sixth International Joint Conference on Natural "
            "Language Processing",
            "year": "2013",
        },
    ),
    "kaczmarek-marcinczuk-2015-parent": (
        "inproceedings",
        {
            "author": "Kaczmarek, Adam and Marci{\\'n}czuk, Micha{\\l}",
            "title": "Evaluation of Coreference Resolution Tools for {P}olish from the "
            "Information Extraction Perspective",
            "booktitle": "The 5th Workshop on {B}alto-{S}lavic Natural Language Processing",
            "year": "2015",
        },
    ),
    "cybulska-vossen-2014-ecb": (
        "inproceedings",
        {
            "author": "Cybulska, Agata and Vossen, Piek",
            "title": "Using a Sledgehammer to Crack a Nut? Lexical Diversity and Event Coreference "
            "Resolution",
            "booktitle": "Proceedings of the Ninth International Conference on Language Resources "
            "and Evaluation",
            "year": "2014",
        },
    ),
    "yu-etal-2022-ua": (
        "inproceedings",
        {
            "author": "Yu, Juntao and others",
            "title": "The {U}niversal {A}naphora Scorer",
            "booktitle": "Proceedings of the Thirteenth Language Resources and Evaluation "
            "Conference",
            "year": "2022",
        },
    ),
}
"""Kind and fields of each entry, by its BibTeX key."""

REFERENCES: dict[str, tuple[str, ...]] = {
    "mentions": ("pradhan-etal-2011-conll",),
    "muc": ("vilain-etal-1995-muc",),
    "b3": ("bagga-baldwin-1998-b3",),
    "ceafm": ("luo-2005-ceaf",),
    "ceafe": ("luo-2005-ceaf",),
    "blanc": ("recasens-hovy-2011-blanc", "luo-etal-2014-blanc"),
    "lea": ("moosavi-strube-2016-lea",),
    "conll": ("denis-baldridge-2009-mela", "pradhan-etal-2011-conll"),
    "mcores": ("bodnari-etal-2012-mcores",),
    "mean": ("denis-baldridge-2009-mela",),
    "mor": ("zabokrtsky-etal-2022-crac",),
    "anaphors": ("zabokrtsky-etal-2022-crac",),
    "arcs": ("tuggener-2014-arcs",),
    "lmuc": ("chen-ng-2013-linguistic",),
    "lb3": ("chen-ng-2013-linguistic",),
    "lceafm": ("chen-ng-2013-linguistic",),
    "lceafe": ("chen-ng-2013-linguistic",),
    "parent": ("kaczmarek-marcinczuk-2015-parent",),
    "pairs.coreferent": ("bodnari-etal-2012-mcores",),
    "pairs.non_coreferent": ("bodnari-etal-2012-mcores",),
    "links.within": ("cybulska-vossen-2014-ecb",),
    "links.across": ("cybulska-vossen-2014-ecb",),
    "bridging.entity": ("yu-etal-2022-ua",),
    "bridging.mention": ("yu-etal-2022-ua",),
    "bridging.recognition": ("yu-etal-2022-ua",),
    "deixis": ("yu-etal-2022-ua",),
    "nonreferring": ("yu-etal-2022-ua",),
}
"""The entries of each metric."""


def cite(metrics: MetricSpec | None = None) -> str:
    """BibTeX of corefine and of the metrics used.

    >>> print(cite().splitlines()[0])
    @software{corefine,
    """
    entries = {OWN: ENTRIES[OWN]}
    for metric in [] if metrics is None else resolve(metrics).values():
        entries |= _entries_of(metric)
    return "\n\n".join(_written(key, *entry) for key, entry in entries.items()) + "\n"


def _entries_of(metric: Metric) -> dict[str, Entry]:
    """The entries of a metric; a metric of another package is cited in its own words."""
    if metric.name not in REFERENCES:
        return {metric.name: ("misc", {"title": metric.title, "note": metric.citation})}
    found = {key: ENTRIES[key] for key in REFERENCES[metric.name]}
    for part in metric.needs():
        if part != metric:
            found |= _entries_of(part)
    return found


def _written(key: str, kind: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])
