"""Calls of other scorers in a code base, and their replacements."""

from __future__ import annotations

import pytest

from corefine.compat.migrate import find_calls
from corefine.errors import UsageError

LINES = [
    ('cmd = ["perl", "a/scorer.pl"]', 'cmd = ["corefine-scorer"]'),
    ("cmd = ['v8.01/scorer.pl', metric]", "cmd = ['corefine-scorer', metric]"),
    ("perl ./scorer.pl all k r none", "corefine-scorer all k r none"),
    (
        "from coval.coval.conll.reader import get_coref_infos",
        "from corefine.compat.coval import get_coref_infos",
    ),
    ("from coval.eval import evaluator", "from corefine.compat import coval as evaluator"),
    ("python coval/scorer.py k r", "python -m corefine.compat.coval k r"),
    ("python tools/corefud-scorer.py k r -s", "python -m corefine.compat.corefud k r -s"),
    ("from metrics import CorefEvaluator", "from corefine.compat.e2e import CorefEvaluator"),
    (
        "    e = metrics.CorefEvaluator()",
        "    from corefine.compat.e2e import CorefEvaluator\n    e = CorefEvaluator()",
    ),
    (
        "from allennlp_models.coref.metrics.conll_coref_scores import ConllCorefScores",
        "from corefine.compat.allennlp import ConllCorefScores",
    ),
    (
        "    m = evaluate.load('coval')",
        "    from corefine.compat import hf\n    m = hf.load('coval')",
    ),
]


@pytest.mark.parametrize(("line", "replacement"), LINES)
def test_replacement(tmp_path, line, replacement):
    file = tmp_path / "code.py"
    file.write_text(f"import os\n{line}\n", encoding="utf-8")
    (found,) = find_calls(tmp_path)
    assert (found.path, found.line, found.replacement) == (file, 2, replacement)
    assert file.read_text("utf-8") == f"import os\n{line}\n"
    file.write_text(replacement, encoding="utf-8")
    assert list(find_calls(file)) == []


def test_other_files_and_copies_are_not_searched(tmp_path):
    vendored = tmp_path / "coval" / "coval" / "eval"
    vendored.mkdir(parents=True)
    for file in (vendored / "evaluator.py", tmp_path / "coval" / "scorer.py", tmp_path / "notes"):
        file.write_bytes(b"from coval.eval import evaluator\n")
    (tmp_path / "image.py").write_bytes(b"\xff scorer.pl")
    (tmp_path / "comment.py").write_text("# perl scorer.pl\n", encoding="utf-8")
    assert list(find_calls(tmp_path)) == []
    with pytest.raises(UsageError):
        list(find_calls(tmp_path / "none"))
