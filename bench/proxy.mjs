// Memory of a recording proxy in a process of its own, while many conversations of two turns pass through it.

import { fileURLToPath } from "node:url";
import { COMPLETION, JSON_TYPE, PATH, requestOf, startModel, startServer } from "./peers/exchange.mjs";
import { peakMiB, summarise } from "./measure.mjs";
import { closeScratch, openScratch } from "./scratch.mjs";

const bin = fileURLToPath(new URL("../dist/cli/bin.js", import.meta.url));
const PARALLEL = 8;

export async function* proxy({ conversations = [1_000, 2_000, 5_000, 10_000], rounds = 3 } = {}) {
  const key = "peak";
  const title = `peak memory of a recording proxy, ${PARALLEL} conversations of two turns at once`;
  if (process.platform !== "linux") {
    yield {
      key,
      title,
      unit: "MiB",
      rows: [{ name: "proxy", failed: "the memory of another process is read from /proc" }],
    };
    return;
  }
  const samples = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) samples.push(await peaks(conversations));
  const rows = conversations.map((count, index) => ({
    name: `after ${count} conversations`,
    ...summarise(samples.map((sample) => sample[index])),
  }));
  yield { key, title, unit: "MiB", rows };
}

/** The peak in MiB after each number of conversations. */
async function peaks(conversations) {
  const folder = openScratch("proxy");
  const model = await startModel();
  const args = ["record", "--proxy", "--target", model.base, "--out", `${folder}/`, "--port", "0"];
  // It says that the oldest conversations are closed, which is what this measures.
  const server = await startServer([bin, ...args], { stderr: "ignore" });
  try {
    const seen = [];
    let next = 0;
    for (const end of conversations) {
      const one = async () => {
        while (next < end) await converse(server.base, next++);
      };
      await Promise.all(Array.from({ length: PARALLEL }, one));
      seen.push(peakMiB(server.pid));
    }
    return seen;
  } finally {
    await server.stop();
    await model.stop();
    closeScratch(folder);
  }
}

async function converse(base, index) {
  const first = requestOf(index);
  await send(base, first);
  const answered = [...first.messages, { role: "assistant", content: COMPLETION.choices[0].message.content }];
  await send(base, { ...first, messages: [...answered, { role: "user", content: "And the rest?" }] });
}

async function send(base, body) {
  const response = await fetch(`${base}${PATH}`, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the proxy answered ${response.status}: ${text.slice(0, 200)}`);
}
