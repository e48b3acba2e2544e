// The cassette of a benchmark, as it is or stretched.

import { createCassetteStore, type CassetteV2 } from "../../cassette/index.js";
import { assertNoFolder } from "../options/recordings.js";
import { filesAt, type CommandIo } from "../terminal/io.js";

/** Throws for a folder, a refused cassette, and one of version 1. */
export async function loadForBench(file: string, io: CommandIo): Promise<CassetteV2> {
  const files = filesAt(io);
  await assertNoFolder(files, file, "bench");
  return (await createCassetteStore(files).load(file, { requireIntegrity: true })) as CassetteV2;
}
