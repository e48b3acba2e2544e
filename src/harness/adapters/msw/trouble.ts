// What went wrong while handlers answered. A client may swallow the error it is given, so it is thrown at the end.

import { CassetteError } from "../../../cassette/index.js";
import {
  createTally,
  RECORDING_WORDS,
  REPLAY_WORDS,
  rowText,
  type DoorOutcome,
  type DoorRow,
  type DoorWords,
} from "../../wire/tally.js";
import { reworded } from "./reworded.js";

export interface Trouble {
  note(error: unknown): void;
  /** Counts what became of a request, without its query. */
  count(request: Request, outcome: DoorOutcome, reason?: string): void;
  /** What became of every request. */
  rows(): readonly DoorRow[];
  /** Waits for work that continues after the answers. */
  track(work: Promise<unknown>): void;
  /** Resolves when nothing runs any more. Rejects with the first error, which names the requests that were refused. */
  settle(): Promise<void>;
  /**
   * Throws `error`, or `not-recordable` where requests were passed on and not recorded. Either names each of these requests.
   * Returns where there is neither.
   */
  conclude(error?: unknown): void;
}

/** What to do about a request that no cassette answers. */
export const OWN_HANDLER =
  "Put a handler of your own for it before these, or name it in the option pass if the test does not need it.";

export function createTrouble(): Trouble {
  const running = new Set<Promise<unknown>>();
  const tally = createTally();
  const listed = (outcome: DoorOutcome, words: DoorWords): string[] =>
    tally.rows().flatMap((row) => (row.outcome === outcome ? [describe(row, words)] : []));
  let first: { error: unknown } | undefined;
  return {
    note(error) {
      first ??= { error };
    },
    count({ method, url }, outcome, reason) {
      // With the host: two vendors may have the same path.
      const { origin, pathname } = new URL(url);
      tally.add({ method, path: `${origin}${pathname}`, outcome }, reason);
    },
    rows: () => tally.rows(),
    track(work) {
      const settled = work.catch(() => undefined).finally(() => running.delete(settled));
      running.add(settled);
    },
    async settle() {
      while (running.size > 0) await Promise.all(running);
      const also = listed("refused", REPLAY_WORDS);
      if (first !== undefined) throw withLines(first.error, also);
      if (also.length > 0) throw outsideError("invalid-options", also);
    },
    conclude(error) {
      const also = listed("passed-on", RECORDING_WORDS);
      if (error !== undefined) throw withLines(error, also);
      if (also.length > 0) throw outsideError("not-recordable", also);
    },
  };
}

function describe(row: DoorRow, words: DoorWords): string {
  return `${rowText(row, words)}${row.reason === undefined ? "" : ` (${row.reason})`}`;
}

const TO_DO = `Record it with recordingHandlers or cassette record --proxy. ${OWN_HANDLER}`;

function outsideError(code: "invalid-options" | "not-recordable", lines: readonly string[]): CassetteError {
  return new CassetteError(code, lines.join("\n"), { hint: TO_DO });
}

function withLines(error: unknown, lines: readonly string[]): unknown {
  if (lines.length === 0 || !(error instanceof CassetteError)) return error;
  const summary = [error.summary, ...lines.map((line) => `  also     ${line}`)].join("\n");
  // Without any other request, this is the reason.
  return reworded(error, error.code === "nothing-recorded" ? { summary, hint: TO_DO } : { summary });
}
