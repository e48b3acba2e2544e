// A process that only records and saves, until it is killed: one file again and again, and new files.
//
//   node recorder.mjs FOLDER FIRST   FIRST makes the names of this process's new files unique

import { join } from "node:path";
import { scriptedProvider } from "playhead";
import { recordingProvider, saveCassette } from "playhead/cassette";

const [folder, first] = process.argv.slice(2);

for (let number = 0; ; number++) {
  const cassette = await record(number);
  await saveCassette(join(folder, "replaced.cassette.json"), cassette, { overwrite: true });
  if (number === 0) process.stdout.write("ready\n");
  await saveCassette(join(folder, `new-${first}-${number}.cassette.json`), cassette);
}

/** Sizes differ (about 20 KB to 1 MB), so that a torn file is noticed. */
async function record(number) {
  const content = `${number} `.repeat(5_000 + (number % 5) * 50_000);
  const answer = { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" };
  const recorder = recordingProvider(scriptedProvider([answer, answer]));
  for (const goal of ["first", "second"]) await recorder.turn({ messages: [{ role: "user", content: goal }] });
  return recorder.toCassette();
}
