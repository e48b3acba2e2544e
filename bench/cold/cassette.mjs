// The cassette that the first replay of a process reads.

import { join } from "node:path";
import { saveCassette } from "playhead/cassette";
import { runRecording } from "../turn-loop-ways.mjs";
import { TURNS } from "./turns.mjs";

/** Resolves to its path. */
export async function writeCassette(folder) {
  const path = join(folder, "first.cassette.json");
  const { cassette } = await runRecording(TURNS, 1);
  await saveCassette(path, cassette);
  return path;
}
