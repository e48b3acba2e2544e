// A test run in which every test records and then fails. Each recording is kept next to its cassette, in one file
// again and again and in new files, with a line in the ledger.
//
//   node failing.mjs FOLDER

import { join } from "node:path";
import { scriptedProvider } from "playhead";
import { useCassette } from "playhead/harness";

const [folder] = process.argv.slice(2);
const TESTS = 60;
process.env.CASSETTE_LEDGER = join(folder, "usage.jsonl");

for (let number = 0; number < TESTS; number++) {
  for (const name of ["kept", `new-${number}`]) {
    // Sizes differ, so that a torn file is noticed.
    const content = `${number} `.repeat(1_000 + (number % 5) * 50_000);
    const answer = { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" };
    const file = join(folder, `${name}.cassette.json`);
    const { provider, done } = await useCassette(file, () => scriptedProvider([answer]), { mode: "refresh" });
    await provider.turn({ messages: [{ role: "user", content: "Go." }] });
    await done({ failed: true });
  }
}
