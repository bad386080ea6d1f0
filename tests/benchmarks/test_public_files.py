"""Report on a folder of public repositories."""

from __future__ import annotations

import pytest

from benchmarks.public_files import report

CELLS = {"gold.conll": "(1) (1) (1) (2) (2)", "system.conll": "(1) (1) (2) (2) (2)"}
README = """\
    $ python3 coval/scorer.py gold.conll system.conll
                 recall  precision         F1
    muc           66.67      66.67      66.67
    lea           {lea}      60.00      60.00
    CoNLL score:  99.99
"""


@pytest.mark.parametrize(("lea", "differing"), [("60.00", 1), ("60.01", 2)])
def test_refusals_and_published_numbers_are_counted(lea, differing, tmp_path):
    folder = tmp_path / "dutchcoref" / "data" / "manualeval"
    folder.mkdir(parents=True)
    for name, cells in CELLS.items():
        rows = [f"x\t{row}\tw\t{cell}" for row, cell in enumerate(cells.split())]
        text = "\n".join(["#begin document (x);", *rows, "", "#end document", ""])
        (folder / name).write_text(text)
    (folder / "broken.conll").write_text("#begin document (x);\nx\t0\tw\t(1\n\n#end document\n")
    (folder / "parse.xml").write_text("<tree/>\n")
    (folder / "README.md").write_text(README.format(lea=lea))
    lines = list(report(tmp_path, 5))
    assert lines[2] == f"| dutchcoref | 2 | 1 | 1 | 7 | {differing} |"
    assert any("broken.conll: 2:" in line for line in lines)
