// The lowest level: flips, sets, inserts, removes, doubles and moves bytes, without looking at their meaning.

const AWKWARD = [
  [0x00],
  [0xff],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xef, 0xbb, 0xbf],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x80, 0xa8],
  ...["\\", '"', "{", "}", "[", "]", ",", ":", "0", "9", "-", "e", ".", " ", "\n", "\r\n", "\\u0000", "1e999"].map(
    (text) => Array.from(Buffer.from(text)),
  ),
];

const WAYS = {
  flip: (bytes, random) => put(bytes, random.below(bytes.length), 1, (byte) => [byte ^ (1 << random.below(8))]),
  set: (bytes, random) => put(bytes, random.below(bytes.length), 1, () => [random.below(256)]),
  awkward: (bytes, random) => put(bytes, random.below(bytes.length + 1), random.below(2), () => random.pick(AWKWARD)),
  drop: (bytes, random) => put(bytes, random.below(bytes.length), 1 + random.below(32), () => []),
  cut: (bytes, random) => bytes.slice(0, random.below(bytes.length)),
  double: (bytes, random) => {
    const start = random.below(bytes.length);
    const part = bytes.slice(start, start + 1 + random.below(64));
    return put(bytes, start, 0, () => part);
  },
  move: (bytes, random) => {
    const start = random.below(bytes.length);
    const part = bytes.slice(start, start + 1 + random.below(64));
    const rest = [...bytes.slice(0, start), ...bytes.slice(start + part.length)];
    return put(rest, random.below(rest.length + 1), 0, () => part);
  },
  splice: (bytes, random, other) => {
    const start = random.below(other.length);
    const part = other.slice(start, start + 1 + random.below(256));
    return put(bytes, random.below(bytes.length), random.below(256), () => part);
  },
};

/** Makes one or a few changes. `other` is another file to take parts from. Returns the bytes and the names of the changes. */
export function mutateBytes(input, random, other) {
  let bytes = Array.from(input);
  const done = [];
  for (let left = 1 + (random.chance(0.3) ? random.below(4) : 0); left > 0; left--) {
    const way = random.pick(Object.keys(WAYS));
    bytes = Array.from(WAYS[way](bytes, random, Array.from(other)));
    done.push(way);
  }
  return { bytes: Uint8Array.from(bytes), what: done.join("+") };
}

function put(bytes, start, count, make) {
  return [...bytes.slice(0, start), ...make(bytes[start] ?? 0), ...bytes.slice(start + count)];
}
