"""Table 5 of Moosavi & Strube 2016: the CoNLL-2012 shared task in F1, and LEA's ranks."""

from __future__ import annotations

TABLE = """
system      muc    b3  ceafm ceafe blanc conll   lea rank
fernandes  70.51 57.58 61.42 53.86 58.75 60.65 53.28  1
martschat  66.97 54.62 58.77 51.46 55.04 57.68 49.99  2
bjorkelund 67.58 54.47 58.19 50.21 55.42 57.42 49.98  2
chang      66.38 52.99 57.10 48.94 53.86 56.10 48.50  4
chen       63.71 51.76 55.77 48.10 52.87 54.52 46.24  6
chunyuang  63.82 51.21 55.10 47.58 52.65 54.20 45.84  6
shou       62.91 49.44 53.16 46.66 50.44 53.00 43.97  8
yuan       62.55 50.11 54.53 45.99 52.10 52.88 44.76  8
xu         66.18 50.30 51.31 41.25 46.47 52.58 46.83  5
uryupina   60.89 46.24 49.31 42.93 46.04 50.02 41.15 10
songyang   59.83 45.90 49.58 42.36 45.10 49.36 41.25 10
zhokova    53.52 35.66 39.66 32.16 34.80 40.45 29.98 12
xinxin     48.27 35.73 37.99 31.90 36.54 38.63 29.22 12
li         50.84 32.29 36.28 25.21 31.85 36.11 27.32 14
"""

_HEADER, *_ROWS = (line.split() for line in TABLE.strip().splitlines())

SYSTEMS = [row[0] for row in _ROWS]
SCORES = {
    metric: [float(row[column]) for row in _ROWS]
    for column, metric in enumerate(_HEADER[1:-1], start=1)
}
LEA_RANKS = [int(row[-1]) for row in _ROWS]
