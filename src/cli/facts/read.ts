// Reads the facts of many cassettes on all cores, in the order of the files.

import { defined } from "../../core/index.js";
import { doJobs } from "../../host/index.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createProgress } from "../terminal/progress.js";
import { lostFailure, threadScript } from "../threads.js";
import { createFactsReader, type FactsKind, type FactsSettings, type Read } from "./facts.js";

/** `what` is the word of the progress line, such as "locking". */
export async function* readFacts<Kind extends FactsKind>(
  paths: readonly string[],
  terms: { of: Kind; what: string; jobs?: number | undefined } & FactsSettings["load"],
  io: CommandIo,
): AsyncGenerator<Read<Kind>> {
  const { of, what, jobs: threads, ...load } = terms;
  const settings: FactsSettings<Kind> = { cwd: io.cwd, of, load };
  const progress = createProgress(io, what);
  const results = doJobs(paths, {
    script: threadScript("facts"),
    settings,
    ...defined({ threads }),
    here: createFactsReader(filesAt(io), settings),
    lost: (file, why): Read<Kind> => ({ kind: "failed", file, failure: lostFailure(file, why) }),
  });
  let done = 0;
  for await (const result of results) {
    progress.step(done++, paths.length);
    yield result;
  }
  progress.clear();
}
