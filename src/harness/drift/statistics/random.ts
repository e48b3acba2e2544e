// Random numbers that are the same on every machine for one seed: sfc32 by Chris Doty-Humphrey (PractRand 0.95). FNV-1a over the
// seed and a label fills its state, so each test draws from its own stream.

export interface Random {
  /** A whole number from 0 to `limit` - 1, uniform to within `limit` / 2^32. */
  below(limit: number): number;
}

/** The same seed and label give the same numbers. Another label gives an independent stream. */
export function createRandom(seed: number, label: string): Random {
  const text = `${seed}\u0000${label}`;
  let [a, b, c, counter] = [hash(text, 0x811c9dc5), hash(text, 0x1b873593), hash(text, 0x85ebca6b), 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  // Its author discards the first numbers, which still depend on the initial state.
  for (let step = 0; step < 15; step++) next();
  return { below: (limit) => Math.floor((next() / 2 ** 32) * limit) };
}

/** FNV-1a over UTF-16 code units, from the given start. */
function hash(text: string, start: number): number {
  let value = start | 0;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value;
}
