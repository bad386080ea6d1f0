"""The claims of sections 4.2 and 4.3 of Chen & Ng (2013), each with the numbers that decide it."""

from __future__ import annotations

from itertools import pairwise

from corefine.papers.results import Claim
from corefine.scoring.score import score
from corefine.scoring.scores import Scores

ByResponse = dict[str, Scores]
METRICS = ("muc", "b3", "ceafm", "ceafe")
SAME = 1e-9
ALMOST = 0.0005
"""Less than a number with one decimal of percent can show."""


def claims_of(scores: ByResponse) -> list[Claim]:
    """Every claim on Figure 3 and Table 1, by section."""
    return [*_introduction(), *_singleton_weight(scores), *_link_weights(scores)]


def aware(metric: str, weights: str) -> str:
    """The name under which the aware counterpart of a metric is scored."""
    # W4 is the default, and a metric is listed by what is not.
    return f"l{metric}" if weights == "W4" else f"l{metric}(weights={weights})"


def _f1(scores: ByResponse, response: str, metric: str, weights: str = "") -> float:
    """F of a metric, or under weights that of its aware counterpart."""
    return scores[response][aware(metric, weights) if weights else metric].f1


def _listed(scores: ByResponse, responses: str, metric: str, weights: str = "") -> str:
    values = (f"{100 * _f1(scores, one, metric, weights):.1f}" for one in responses)
    return f"{f'l{metric} {weights}' if weights else metric}: {', '.join(values)}"


def _all_listed(scores: ByResponse, responses: str, metric: str, *weights: str) -> str:
    return "; ".join(_listed(scores, responses, metric, one) for one in weights)


def _introduction() -> list[Claim]:
    """Section 1: R1 finds who one of two pronouns is, R2 links the pronouns to each other."""
    key = [["Hillary Clinton", "she1", "she2"]]
    kinds = {"Hillary Clinton": "name", "she1": "pronoun", "she2": "pronoun"}
    both = [*METRICS, *(aware(metric, "W4") for metric in METRICS)]
    first = score(key, [["Hillary Clinton", "she1"]], both, kinds=kinds)
    second = score(key, [["she1", "she2"]], both, kinds=kinds)
    return [
        Claim(
            "1",
            f"{metric} gives R1 and R2 the same score, l{metric} gives R1 the higher one",
            abs(first[metric].f1 - second[metric].f1) < SAME
            and first[f"l{metric}"].f1 > second[f"l{metric}"].f1,
            "; ".join(
                f"{name}: {100 * first[name].f1:.1f}, {100 * second[name].f1:.1f}"
                for name in (metric, f"l{metric}")
            ),
        )
        for metric in METRICS
    ]


def _singleton_weight(scores: ByResponse) -> list[Claim]:
    """Section 4.2: W1, W2 and W3 differ in the weight of a singleton alone."""

    def gap(metric: str, weights: str = "") -> float:
        return _f1(scores, "e", metric, weights) - _f1(scores, "a", metric, weights)

    claims = [
        Claim(
            "4.2",
            "MUC and LMUC(W1) are almost the same",
            all(
                abs(_f1(scores, one, "muc") - _f1(scores, one, "muc", "W1")) < ALMOST
                for one in "abcde"
            ),
            _all_listed(scores, "abcde", "muc", "", "W1"),
        ),
        Claim(
            "4.2",
            "a larger singleton weight lowers LMUC for (a) to (d)",
            all(
                _f1(scores, one, "muc", lower) > _f1(scores, one, "muc", higher)
                for one in "abcd"
                for lower, higher in (("W1", "W2"), ("W2", "W3"))
            ),
            _all_listed(scores, "abcd", "muc", "W1", "W2", "W3"),
        ),
        Claim(
            "4.2",
            "LMUC of (e) under W2 and W3 is above MUC",
            all(_f1(scores, "e", "muc", one) > _f1(scores, "e", "muc") for one in ("W2", "W3")),
            _all_listed(scores, "e", "muc", "", "W2", "W3"),
        ),
    ]
    wrong_alone = "abcd"  # responses with singletons that are wrong
    for metric in ("b3", "ceafe"):
        claims += [
            Claim(
                "4.2",
                f"the singleton weight does not affect l{metric}",
                all(
                    abs(_f1(scores, one, metric, "W1") - _f1(scores, one, metric, other)) < SAME
                    for one in "abcde"
                    for other in ("W2", "W3")
                ),
                _all_listed(scores, "abcde", metric, "W1", "W2", "W3"),
            ),
            Claim(
                "4.2",
                f"l{metric} penalises wrong singletons more than {metric}",
                all(
                    _f1(scores, one, metric, "W1") < _f1(scores, one, metric) for one in wrong_alone
                ),
                _all_listed(scores, wrong_alone, metric, "", "W1"),
            ),
        ]
    claims += [
        Claim(
            "4.2",
            "LB³ separates (a) from (e) more than B³",
            gap("b3", "W1") > gap("b3"),
            f"(e) less (a): b3 {100 * gap('b3'):+.1f}, lb3 {100 * gap('b3', 'W1'):+.1f}",
        ),
        Claim(
            "4.2",
            "LCEAFm prefers (a) to (e) under W1, and (e) to (a) under W3",
            gap("ceafm", "W1") < 0 < gap("ceafm", "W3"),
            _all_listed(scores, "ae", "ceafm", "W1", "W3"),
        ),
    ]
    return claims


def _link_weights(scores: ByResponse) -> list[Claim]:
    """Section 4.3: under W4 and W5 a link weighs by the best mention in it."""
    claims = []
    for metric in METRICS:
        lower = [_f1(scores, "a", metric, weights) for weights in ("W5", "W4", "")]
        claims.append(
            Claim(
                "4.3",
                f"(a) scores lower under l{metric} than under {metric}, and lower with W5 than W4",
                lower[0] < lower[1] < lower[2],
                _all_listed(scores, "a", metric, "", "W4", "W5"),
            )
        )
    for metric in METRICS:
        plain = [_f1(scores, one, metric) for one in "bcd"]
        ranked = {
            weights: [_f1(scores, one, metric, weights) for one in "bcd"]
            for weights in ("W4", "W5")
        }
        claims.append(
            Claim(
                "4.3",
                f"{metric} does not distinguish (b), (c) and (d); l{metric} ranks (d), (c), (b)",
                max(plain) - min(plain) < SAME
                and all(values == sorted(values) for values in ranked.values())
                and all(a < b for values in ranked.values() for a, b in pairwise(values)),
                _all_listed(scores, "bcd", metric, "", "W4", "W5"),
            )
        )
    for metric in METRICS:
        gaps = {
            weights: [
                _f1(scores, better, metric, weights) - _f1(scores, worse, metric, weights)
                for worse, better in ("bc", "cd")
            ]
            for weights in ("W4", "W5")
        }
        wider = all(four < five for four, five in zip(gaps["W4"], gaps["W5"], strict=True))
        numbers = "; ".join(
            f"{weights}: (c) less (b) {100 * first:.2f}, (d) less (c) {100 * second:.2f}"
            for weights, (first, second) in gaps.items()
        )
        narrower = [
            pair
            for pair, four, five in zip(
                ("(b) and (c)", "(c) and (d)"), gaps["W4"], gaps["W5"], strict=True
            )
            if four >= five
        ]
        claims.append(
            Claim(
                "4.3",
                f"l{metric} separates (b), (c) and (d) more with W5 than with W4",
                wider,
                numbers,
                f"not between {' nor between '.join(narrower)}" if narrower else "",
            )
        )
    return claims
