// Warnings about the two sides of a comparison, on stderr.

import { join, resolve } from "node:path";
import { ACCEPTED_FILE, CassetteError, DEFAULT_MAX_BYTES, parseAcceptances } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { findUnexplained, unexplainedText } from "../bless/unexplained.js";
import type { CommandIo } from "../terminal/io.js";
import { createNotes } from "../terminal/output.js";
import { findTarget } from "../options/recordings.js";

/** Warns if both sides are the same folder, and about runs of a baseline without a reason. */
export async function noteSides(base: string, candidate: string, files: FilePort, io: CommandIo): Promise<void> {
  const note = createNotes(io);
  if (resolve(io.cwd, base) === resolve(io.cwd, candidate)) {
    note("warning: both sides are ", base, ", so nothing can differ");
  }
  const target = await findTarget(files, base);
  if (target.kind !== "folder") return;
  const file = join(base, ACCEPTED_FILE);
  const read = await files.read(file, DEFAULT_MAX_BYTES);
  if (read.kind !== "read") return;
  try {
    const lines = parseAcceptances(new TextDecoder().decode(read.bytes), file);
    const unexplained = findUnexplained(target.names, lines);
    if (unexplained.length > 0) note("warning: in ", base, " ", unexplainedText(unexplained));
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    note("warning: ", file, " cannot be read: ", error.summary);
  }
}
