// The floor of comparing two runs of one call a turn: the edit distance of two lists of keys, within a band that is doubled
// until it is wide enough (E. Ukkonen, "Algorithms for approximate string matching", 1985).

export function editDistance(old, now) {
  for (let width = 8; ; width *= 2) {
    const distance = within(old, now, width);
    if (distance <= width) return distance;
  }
}

/** The distance if it is at most `width`, else some larger number. */
function within(old, now, width) {
  const far = old.length + now.length + 1;
  if (Math.abs(old.length - now.length) > width) return far;
  let before = new Int32Array(now.length + 2).fill(far);
  let row = new Int32Array(now.length + 2).fill(far);
  for (let at = 0; at <= Math.min(width, now.length); at++) before[at] = at;
  for (let line = 1; line <= old.length; line++) {
    const from = Math.max(0, line - width);
    const to = Math.min(now.length, line + width);
    if (from > 0) row[from - 1] = far;
    for (let at = from; at <= to; at++) {
      if (at === 0) row[0] = line;
      else {
        const changed = before[at - 1] + (old[line - 1] === now[at - 1] ? 0 : 1);
        row[at] = Math.min(changed, before[at] + 1, row[at - 1] + 1);
      }
    }
    row[to + 1] = far;
    [before, row] = [row, before];
  }
  return before[now.length];
}

/** In [0, 1], as `trajectoryDistance` is. */
export function normalDistance(old, now) {
  const distance = editDistance(old, now);
  return (2 * distance) / (old.length + now.length + distance);
}
