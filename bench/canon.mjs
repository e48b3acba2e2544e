// Canonical JSON text of a conversation, compared with JSON.stringify, which does not sort. A writer that builds its
// text piece by piece leaves a rope. It is flattened within the timing, because whoever hashes or writes the text must
// do that.

import { canonicalize, seal } from "../.playhead/modules/core/index.js";
import { canonicalize as jsonCanonicalize } from "json-canonicalize";
import { canonical } from "./floor/canonical.mjs";
import { measure } from "./measure.mjs";
import { createDocument } from "./workload.mjs";

export async function* canon({ sizes = [2_000, 20_000, 200_000], ...options } = {}) {
  for (const size of sizes) {
    for (const quotes of size === sizes.at(-1) ? [false, true] : [false]) {
      const plain = createDocument(size, quotes);
      const sealed = seal(plain);
      const writers = [
        ["JSON.stringify, not canonical", () => JSON.stringify(plain)],
        ["floor: plain recursive writer", () => canonical(plain)],
        ["json-canonicalize 3.0.1", () => jsonCanonicalize(plain)],
        ["playhead: canonicalize", () => canonicalize(plain)],
        ["playhead: canonicalize, sealed", () => canonicalize(sealed)],
      ];
      const wanted = canonicalize(plain);
      const contestants = writers.map(([name, write], index) => ({
        name,
        units: 1,
        run: () => flatten(write()),
        check: () => assertSame(index === 0 ? wanted : write(), wanted, name),
      }));
      const kind = quotes ? `${size / 1000} KB, not all ASCII` : `${size / 1000} KB`;
      const key = quotes ? `${size} quotes` : String(size);
      yield { key, title: `canonical text of ${kind}`, unit: "µs", rows: await measure(contestants, options) };
    }
  }
}

function assertSame(text, wanted, name) {
  if (text !== wanted) throw new Error(`${name} wrote another text`);
}

function flatten(text) {
  return text.charCodeAt(text.length >> 1);
}
