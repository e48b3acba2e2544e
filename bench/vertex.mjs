// Microseconds per turn of a graph vertex, compared with a run of the runtime over the same chain, and the filling in of a template,
// compared with one replaceAll.

import { fileURLToPath } from "node:url";
import { fillTemplate } from "../.playhead/modules/core/vertex/prompt/resolve.js";
import { sampleField } from "./field.mjs";
import { measure } from "./measure.mjs";
import { toTable } from "./turn-loop.mjs";
import { contestants } from "./vertex-ways.mjs";
import { textOf } from "./workload.mjs";

const file = fileURLToPath(new URL("vertex-ways.mjs", import.meta.url));
const REFERENCES = 100;
const CHARACTERS = 100_000;

export async function* vertex({ turns = [1, 10, 100, 1000], ...options } = {}) {
  const field = Object.keys(contestants).map((name) => ({ name, file, part: name }));
  const works = turns.map((length) => ({ kind: "loop", turns: length, calls: 1 }));
  const rows = await sampleField(field, works, options);
  for (const [index, work] of works.entries()) yield toTable("graph vertex", work, rows[index]);
  yield template(options);
}

async function template(options) {
  const mark = "{{ inputs.word }}";
  const piece = textOf(CHARACTERS / REFERENCES - mark.length);
  const text = `${piece}${mark}`.repeat(REFERENCES);
  const { signal } = new AbortController();
  const scope = { inputs: { word: "lighthouse" }, ctx: {}, runOutputs: new Map(), signal };
  const wanted = text.replaceAll(mark, "lighthouse");
  const check = (filled) => {
    if (filled !== wanted) throw new Error("the template was filled in differently");
  };
  const ways = [
    { name: "replaceAll", units: 1, run: () => flatten(text.replaceAll(mark, "lighthouse")), check },
    { name: "playhead: a template", units: 1, run: () => fillTemplate(text, scope), check },
  ];
  const title = `a template of ${CHARACTERS / 1000} KB with ${REFERENCES} references`;
  return { key: "template", title, unit: "µs", rows: await measure(ways, options) };
}

/** A text made of pieces is joined within the timing, as whoever sends it must do that. */
function flatten(filled) {
  filled.charCodeAt(filled.length >> 1);
  return filled;
}
