// The end of a recording that a program opened: a run that passed writes the cassette, and a failed one a file of its own.

import {
  CassetteError,
  createRedactor,
  exchangesOf,
  type CassetteV2,
  type RedactOption,
} from "../../cassette/index.js";
import { defined, thrownText, type JsonObject } from "../../core/index.js";
import {
  adoptCommand,
  cutOutcomeError,
  RECORDING_WORDS,
  relativePath,
  rowText,
  type DoorRow,
  type LedgerNote,
  type RecordingDesk,
  toSize,
} from "../../harness/index.js";
import { BASE_VARIABLES } from "../child/base-url-variables.js";
import type { ProxyRecorder } from "../proxy/recorder.js";
import { controlAdvice } from "../serve/advice.js";
import { reportOf, type Ended } from "./opened.js";
import type { RunEnd } from "./orders.js";

interface EndedRecording {
  readonly file: string;
  readonly mode: "record" | "refresh";
  readonly rerecord: string | undefined;
  readonly end: RunEnd;
  readonly redact: RedactOption;
  readonly desk: RecordingDesk;
  readonly recorder: ProxyRecorder;
  readonly notes: readonly string[];
  /** Why vendors could not be reached. */
  readonly unanswered: readonly string[];
  readonly note: LedgerNote;
}

/** Never throws for a file: one that cannot be written is a reason to fail the run. */
export async function keepRecording(ended: EndedRecording): Promise<Ended> {
  const { recorder, unanswered } = ended;
  const { failed } = ended.end;
  const requests = recorder.rows();
  const problems = [...recorder.lost, ...passedOnTexts(requests)];
  const notes = [...ended.notes];
  const cassette = recorder.toCassette(ONLY, {
    extensions: { outcome: outcomeOf(problems, ended), ...defined({ scores: ended.end.scores }) },
  });
  (failed || cassette === undefined ? problems : notes).push(...unanswered);
  if (cassette === undefined) {
    if (!failed && problems.length === 0) problems.push(nothingText(ended.file, requests));
    return { ...endOf(problems, problems), notes, turns: 0, exchanges: 0, unused: 0, misses: [], requests };
  }
  const saved = await save(cassette, problems, ended);
  const turns = cassette.entries.length;
  const counts = { turns, exchanges: exchangesOf(cassette).length, unused: 0 };
  return { ...endOf(problems, saved.reasons), ...saved.place, notes, ...counts, misses: [], requests };
}

/** The index of the only conversation. */
const ONLY = 0;

/** The outcome of the run, as the fixtures of other runners keep it. */
function outcomeOf(problems: readonly string[], { end, redact }: EndedRecording): JsonObject {
  if (!end.failed && problems.length === 0) return { success: true };
  const error = end.error ?? problems[0];
  const outcome = { ...(error === undefined ? {} : { error: cutOutcomeError(error) }), success: false };
  return createRedactor(redact).json<JsonObject>(outcome);
}

function endOf(problems: readonly string[], reasons: readonly string[]): Pick<Ended, "ok" | "report"> {
  return { ok: problems.length === 0, report: reportOf(reasons) };
}

/** Writes the cassette of a run without problems. Adds a failure to write to `problems`. */
async function save(cassette: CassetteV2, problems: string[], ended: EndedRecording) {
  const { file, mode, end, desk, note } = ended;
  const size = toSize(cassette.entries.length, exchangesOf(cassette).length);
  // A recording of exchanges alone is not empty.
  const kept = { turns: size.turns + (size.exchanges ?? 0), toCassette: () => cassette };
  if (!end.failed && problems.length === 0) {
    try {
      await desk.keep(kept, file, mode);
      await note(file, mode, size);
      return { place: { written: file }, reasons: [] };
    } catch (error) {
      problems.push(thrownText(error));
    }
  }
  const written = await desk.keepFailed(kept, file);
  if (written === undefined) return { place: {}, reasons: problems };
  await note(written, "failed", size);
  return { place: { written }, reasons: [...problems, keptText(written, ended)] };
}

function keptText(written: string, { rerecord }: EndedRecording): string {
  const again = rerecord === undefined ? "" : `\n  again    ${rerecord}`;
  const keep = `\n  keep     ${adoptCommand(written)} # if the assertion was wrong`;
  return `the recording of this failed run was kept\n  look     npx playhead show ${relativePath(written)}${keep}${again}`;
}

function passedOnTexts(rows: readonly DoorRow[]): string[] {
  const passedOn = rows.filter(({ outcome }) => outcome === "passed-on");
  return passedOn.map(
    (row) => `${rowText(row, RECORDING_WORDS)}: ${row.reason ?? ""}. ${controlAdvice(undefined).pass}`,
  );
}

function nothingText(file: string, rows: readonly DoorRow[]): string {
  const what = `nothing was recorded for ${file}, so no file was written`;
  const hint =
    rows.length === 0
      ? `No request came. Let the client read its base URL from ${BASE_VARIABLES}.`
      : `${rows.map((row) => rowText(row, RECORDING_WORDS)).join(", ")}. Correct the requests or the key.`;
  return new CassetteError("nothing-recorded", what, { file, hint }).message;
}
