// A cassette that a program opened for a replay.

import { basename } from "node:path";
import {
  CASSETTE_SUFFIX,
  CassetteError,
  createShelf,
  secretsOf,
  withValues,
  type Cassette,
} from "../../cassette/index.js";
import { defined } from "../../core/index.js";
import { createTally, keptRunHint, toSize, withCommand } from "../../harness/index.js";
import { readFilterOptions } from "../options/filters.js";
import { controlAdvice } from "../serve/advice.js";
import { serveHandler, type ServeWatcher } from "../serve/handler.js";
import { addMiss, type CountedMiss } from "../serve/misses.js";
import { parsePass } from "../serve/requests.js";
import { reportOf, type OpenedCassette } from "./opened.js";
import type { OpenOptions, RunEnd } from "./orders.js";
import type { ControlPlace } from "./place.js";

/** Throws `CassetteError` for a cassette that is missing or refused. */
export async function openReplay(file: string, options: OpenOptions, place: ControlPlace): Promise<OpenedCassette> {
  const { allowRedacted = false, allowUnused = false, rerecord } = options;
  const isPassed = parsePass(options.pass);
  const hashFilter = await readFilterOptions(options, place.files);
  const cassette = await load(file, rerecord, place);
  const redact = withValues(undefined, secretsOf({ ...place.env }));
  const log = createLog();
  const name = basename(file, CASSETTE_SUFFIX);
  const item = { file, cassette, names: [name, basename(file), file] };
  const shelf = createShelf([item], { redact, allowRedacted, ...defined({ hashFilter }), warn: log.warn });
  const answer = serveHandler(shelf, log.watcher, {
    nameOf: () => name,
    streaming: { streaming: "chunked", speed: 1 },
    isPassed,
    advice: controlAdvice(rerecord),
    redact,
  });

  async function close({ failed }: RunEnd) {
    const [{ turns, used: usedTurns, exchanges } = { turns: 0, used: 0, exchanges: undefined }] = shelf.counts();
    const { total, used } = exchanges ?? { total: 0, used: 0 };
    const unused = turns - usedTurns + total - used;
    const problems = log.problems(rerecord);
    // After a miss, and in a failed run, unused turns are a consequence.
    const isShort = unused > 0 && problems.length === 0 && !failed;
    const short = isShort ? unusedError(unused, turns + total, file, rerecord) : undefined;
    if (short !== undefined) (allowUnused ? log.notes : problems).push(short.message);
    const isDone = problems.length === 0 && !failed;
    const { notes, misses, rows } = log;
    const first = misses[0] ?? (short && { code: short.code, message: short.summary });
    const miss = first && { code: first.code, what: first.message };
    await place.note(
      file,
      isDone ? "replay" : "unfinished",
      isDone ? toSize(turns, total) : { turns: 0, ...defined({ miss }) },
    );
    const counts = { turns: usedTurns, exchanges: used, unused };
    return { ok: problems.length === 0, report: reportOf(problems), notes, ...counts, misses, requests: rows() };
  }
  return { mode: "replay", answer, close };
}

/** Keeps what became of the requests. */
function createLog() {
  const tally = createTally();
  const misses: CountedMiss[] = [];
  const refused: string[] = [];
  const notes: string[] = [];
  const warn = (text: string): void => void notes.push(text);
  const watcher: ServeWatcher = {
    answered: ({ method, path }, outcome) => void tally.add({ method, path, outcome }),
    missed(miss, { method, path }) {
      addMiss(misses, miss);
      tally.add({ method, path, outcome: "missed" });
    },
    passed: ({ method, path }) => void tally.add({ method, path, outcome: "passed" }),
    refused({ method, path, status, code }, why) {
      const isNew = tally.add({ method, path, outcome: "refused", status, code }, why);
      if (isNew) refused.push(why.includes(path) ? why : `${method} ${path}: ${why}`);
    },
    // The client sends the request again by itself.
    noted: () => undefined,
    forgot: warn,
  };
  /** The reasons to fail the run. The messages of misses name `rerecord` already. */
  const problems = (rerecord: string | undefined): string[] => {
    const command = rerecord === undefined ? "" : `\n  command  ${rerecord}`;
    return [...misses.map(({ message }) => message), ...refused.map((why) => `${why}${command}`)];
  };
  return { watcher, warn, misses, notes, rows: () => tally.rows(), problems };
}

async function load(file: string, rerecord: string | undefined, { store, files }: ControlPlace): Promise<Cassette> {
  try {
    return await store.load(file, { requireIntegrity: true });
  } catch (error) {
    if (!(error instanceof CassetteError) || error.code !== "file-not-found") throw withCommand(error, file, rerecord);
    const hint = (await keptRunHint(files, file)) ?? RECORD_IT;
    throw new CassetteError("file-not-found", error.summary, { file, hint, ...defined({ rerecord }) });
  }
}

const RECORD_IT = "Record it on your own machine with CASSETTE_MODE=record (or auto), review and commit it.";

function unusedError(unused: number, total: number, file: string, rerecord: string | undefined): CassetteError {
  const what = `${unused} of ${total} recorded turns and exchanges ${unused === 1 ? "was" : "were"} never requested`;
  const hint = "The run ended sooner than the recorded one. Undo the change, or record again.";
  return new CassetteError("unconsumed", what, { file, hint, ...defined({ rerecord }) });
}
