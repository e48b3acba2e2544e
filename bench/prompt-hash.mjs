// The hash of every prompt of a conversation that grows by two messages of 500 bytes a turn: milliseconds of the whole run.

import { seal } from "../.playhead/modules/core/index.js";
import { createPromptTracker, hashPrompt } from "../.playhead/modules/cassette/index.js";
import { growingHash, naiveHash } from "./floor/canonical.mjs";
import { measure } from "./measure.mjs";
import { createConversation } from "./workload.mjs";

export async function* promptHash({ turns = [100, 1000, 5000], ...options } = {}) {
  for (const length of turns) {
    const plain = createConversation(length);
    const sealed = plain.map((message) => seal(message));
    const wanted = growingHash()(plain);
    const ways = [
      ["floor: incremental", plain, growingHash],
      ["playhead: tracker, messages sealed by the loop", sealed, tracked],
    ];
    // These take time in proportion to the square of the turns.
    const slow = [
      ["floor: all of it each turn", plain, naiveHash],
      ["playhead: hashPrompt each turn", plain, () => hashPrompt],
      ["playhead: tracker, messages of a caller that may change them", plain, tracked],
    ];
    const contestants = (length > 1000 ? ways : [...ways, ...slow]).map(([name, messages, create]) => ({
      name,
      units: 1000,
      run: () => hashAll(create(), messages),
      check: (hash) => {
        if (hash !== wanted) throw new Error(`${name} gave another hash`);
      },
    }));
    const rows = await measure(
      contestants,
      length >= 1000 ? { ...options, rounds: Math.min(options.rounds ?? 5, 5) } : options,
    );
    yield { key: String(length), title: `prompt hashes of ${length} turns`, unit: "ms", rows };
  }
}

function hashAll(hashOf, messages) {
  const prompt = messages.slice(0, 2);
  let hash = hashOf(prompt);
  for (let index = 2; index < messages.length; index += 2) {
    prompt.push(messages[index], messages[index + 1]);
    hash = hashOf(prompt);
  }
  return hash;
}

function tracked() {
  const tracker = createPromptTracker();
  return (messages) => tracker.next(messages).promptHash;
}
