"""corefine-scorer: what ``scorer.pl`` 8.01 printed for small files; see also test_originals."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefine.compat import perl

KEY = """\
#begin document (a); part 000
a\t0\t0\tAnna\t(0)
a\t0\t1\tand\t-
a\t0\t2\ther\t(1|(0)
a\t0\t3\tcat\t1)
a\t0\t4\tit\t(1)

#end document
#begin document (b); part 000
b\t0\t0\tHe\t(5)

#end document
"""
# One mention is repeated, one is invented, and one document is missing.
RESPONSE = """\
#begin document (a); part 000
a\t0\t0\tAnna\t(0)
a\t0\t1\tand\t-
a\t0\t2\ther\t(1|(0)
a\t0\t3\tcat\t1)|(2)
a\t0\t4\tit\t(0)|(1)

#end document
"""
RULE = "-" * 74
DOCUMENT = """\
====> (a); part 000:
File (a); part 000:
Entity 0: (0,0) (2,2)
Entity 1: (2,3) (4,4)
====> (a); part 000:
File (a); part 000:
Entity 0: (0,0) (2,2) (4,4)
Entity 1: (2,3) (4,4)
Entity 2: (3,3)
"""
MENTIONS = """\
Repeated mention in the response: 4, 4 33
Total key mentions: 4
Total response mentions: 5
Strictly correct identified mentions: 4
Partially correct identified mentions: 0
No identified: 0
Invented: 1
"""
MISSING = """\
====> (b); part 000:
File (b); part 000:
Entity 0: (0,0)
====> :
File :
"""
MISSING_MENTIONS = """\
Total key mentions: 1
Total response mentions: 0
Strictly correct identified mentions: 0
Partially correct identified mentions: 0
No identified: 1
Invented: 0
"""
BLANC = f"""\
{DOCUMENT}:
{MENTIONS}{MISSING}:
{MISSING_MENTIONS}
====== TOTALS =======
Identification of Mentions: Recall: (4 / 5) 80%\tPrecision: (4 / 5) 80%\tF1: 80%
{RULE}

Coreference:
Coreference links: Recall: (1 / 2) 50%\tPrecision: (1 / 3) 33.33%\tF1: 40%
{RULE}
Non-coreference links: Recall: (2 / 4) 50%\tPrecision: (2 / 7) 28.57%\tF1: 36.36%
{RULE}
BLANC: Recall: (0.5 / 1) 50%\tPrecision: (0.30952380952381 / 1) 30.95%\tF1: 38.18%
{RULE}
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = tmp_path / "key.conll", tmp_path / "response.conll"
    for path, text in zip(paths, (KEY, RESPONSE), strict=True):
        path.write_text(text, encoding="utf-8")
    return [str(path) for path in paths]


def test_output(files, capsys):
    assert perl.score(["blanc", *files]) == 0
    version, _, rest = capsys.readouterr().out.partition("\n")
    assert version.startswith("version: 8.01 ")
    assert rest == BLANC
    assert perl.score(["MUC", *files, "(a); part 000"]) == 0
    of_one = capsys.readouterr().out
    assert f"(a); part 000:\n{DOCUMENT}{MENTIONS}Recall: (1 / 2) 50%" in of_one
    assert "(b); part 000" not in of_one


def test_totals_of_all_metrics(files, capsys):
    assert perl.score(["all", *files, "none"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line for line in lines if line.startswith("METRIC")]
    assert names == [f"METRIC {name}:" for name in perl.METRICS]
    assert lines.count("====== TOTALS =======") == 5
    assert lines.count("Repeated mention in the response: 4, 4 33") == 5
    assert not [line for line in lines if line.startswith(("Entity", "Total"))]


def test_too_many_repeated_mentions_over_all_metrics(tmp_path, capsys):
    """Three repeated mentions are 15 in five metrics: the script gives up after ten."""
    for side, cell in (("key", "(0)"), ("response", "(0)|(1)")):
        rows = "".join(f"a\t0\t{number}\tw\t{cell}\n" for number in range(3))
        (tmp_path / side).write_text(f"#begin document a\n{rows}\n#end document\n", "utf-8")
    sides = [str(tmp_path / "key"), str(tmp_path / "response")]
    assert perl.score(["all", *sides]) == 1
    printed = capsys.readouterr()
    assert printed.out.count("Repeated mention in the response") == 11
    assert printed.err
    assert perl.score(["muc", *sides]) == 0


@pytest.mark.parametrize("arguments", [[], ["muc", "key"], ["lea", "key", "response"]])
def test_usage(arguments, capsys):
    assert perl.score(arguments) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["none.conll"], ["{response}", "(c)"]])
def test_error(files, arguments, capsys, monkeypatch):
    given = [argument.format(response=files[1]) for argument in arguments]
    monkeypatch.setattr("sys.argv", ["corefine-scorer", "muc", files[0], *given])
    assert perl.main() == 2
    assert capsys.readouterr().err.startswith("corefine-scorer: error: ")
