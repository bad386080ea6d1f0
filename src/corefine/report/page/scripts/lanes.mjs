// Lanes: at which distance from the words the brackets of a row are drawn, inner ones nearest.

/**
 * Mentions of one side within the tokens from..to, each with its pieces there and its lane.
 * Pieces of a discontinuous mention share a lane; the gap between them is part of the lane.
 */
export function lanesOf(side, mentions, from, to) {
  const drawn = mentions.map((mention) => {
    const pieces = side
      .piecesOf(mention)
      .filter(([start, stop]) => start < to && stop > from)
      .map(([start, stop]) => [Math.max(start, from), Math.min(stop, to)]);
    return {
      mention,
      pieces,
      begin: pieces[0][0],
      end: pieces[pieces.length - 1][1],
      opens: side.start[mention] >= from,
      closes: side.stop[mention] <= to,
      lane: 0,
      crowded: false, // another mention begins in the same lane at the next word
    };
  });
  drawn.sort((a, b) => a.end - a.begin - (b.end - b.begin) || a.begin - b.begin);
  const taken = []; // by lane, the ranges that are in use
  for (const item of drawn) {
    let lane = 0;
    while ((taken[lane] || []).some(([begin, end]) => begin < item.end && item.begin < end)) lane++;
    (taken[lane] = taken[lane] || []).push([item.begin, item.end]);
    item.lane = lane;
  }
  const begins = new Set(drawn.map((item) => `${item.lane} ${item.begin}`));
  for (const item of drawn) item.crowded = begins.has(`${item.lane} ${item.begin + 1}`);
  return drawn;
}

/** The mentions of a side by the rows that they stand in, as lists of mention numbers. */
export function mentionsByRow(page, side, wanted) {
  const rows = Array.from({ length: page.rows.length - 1 }, () => []);
  side.entity.forEach((_, mention) => {
    if (!wanted(side, mention)) return;
    const seen = new Set();
    for (const [start, stop] of side.piecesOf(mention)) {
      const last = page.rowOf(Math.max(start, stop - 1));
      for (let row = page.rowOf(start); row <= last; row++) seen.add(row);
    }
    for (const row of seen) rows[row].push(mention);
  });
  return rows;
}

/** By token from..to and side, the mentions that run over it; `drawn` has those of each side. */
export function coverOf(drawn, from, to) {
  const cover = Array.from({ length: to - from }, () => drawn.map(() => []));
  drawn.forEach((items, side) => {
    for (const item of items) {
      for (let token = item.begin; token < item.end; token++) cover[token - from][side].push(item);
    }
  });
  return cover;
}

/** What of a bracket is drawn at a token: a gap between pieces, where a piece opens and closes. */
export function edgesOf(item, token) {
  return {
    gap: !item.pieces.some(([start, stop]) => start <= token && token < stop),
    opens: item.pieces.some(([start]) => start === token) && (token > item.begin || item.opens),
    closes: item.pieces.some(([, stop]) => stop === token + 1) && (token + 1 < item.end || item.closes),
  };
}
