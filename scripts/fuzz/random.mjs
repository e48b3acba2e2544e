// Numbers that look random and follow from a seed and an index, so that a single mutation can be made again.

/** mulberry32: 32 bits of state, enough to choose places in a file. Not for anything secret. */
export function createRandom(seed, index = 0) {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return (bits ^ (bits >>> 14)) >>> 0;
  };
  /** A whole number from 0 to `limit` - 1, or 0 if there is none. */
  const below = (limit) => (limit <= 1 ? 0 : next() % limit);
  return { below, pick: (list) => list[below(list.length)], chance: (share) => next() / 2 ** 32 < share };
}
