// What went wrong while handlers answered. A client may swallow the error it is given, so it is thrown at the end.

import { CassetteError } from "../../../cassette/index.js";
import {
  countText,
  createRequestTally,
  HELD,
  nameOutside,
  type CountedRequest,
  type OutsideRequest,
} from "../../wire/outside.js";
import { reworded } from "./reworded.js";

export interface Trouble {
  note(error: unknown): void;
  /** Counts a request that is not a turn and was refused in a replay. */
  refused(request: OutsideRequest): void;
  /** Counts a request that is not a turn and was passed on while recording. */
  passedOn(request: OutsideRequest): void;
  /** Waits for what runs beside the answers. */
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
export const OWN_HANDLER = "Put a handler of your own for it before these.";

export function createTrouble(): Trouble {
  const running = new Set<Promise<unknown>>();
  const refused = createRequestTally<OutsideRequest>();
  const passedOn = createRequestTally<OutsideRequest>();
  let first: { error: unknown } | undefined;
  return {
    note(error) {
      first ??= { error };
    },
    refused: (request) => void refused.add(request),
    passedOn: (request) => void passedOn.add(request),
    track(work) {
      const settled = work.catch(() => undefined).finally(() => running.delete(settled));
      running.add(settled);
    },
    async settle() {
      while (running.size > 0) await Promise.all(running);
      const also = refused.list().map((request) => describe(request, "refused"));
      if (first !== undefined) throw withLines(first.error, also);
      if (also.length > 0) throw outsideError("invalid-options", also);
    },
    conclude(error) {
      const also = passedOn.list().map((request) => describe(request, "passed on, not recorded"));
      if (error !== undefined) throw withLines(error, also);
      if (also.length > 0) throw outsideError("not-recordable", also);
    },
  };
}

function describe(request: CountedRequest, what: string): string {
  return `${countText(request, what)}; it is ${nameOutside(request)}`;
}

const TO_DO = `No cassette can hold this: ${HELD}. ${OWN_HANDLER}`;

function outsideError(code: "invalid-options" | "not-recordable", lines: readonly string[]): CassetteError {
  return new CassetteError(code, lines.join("\n"), { hint: TO_DO });
}

function withLines(error: unknown, lines: readonly string[]): unknown {
  if (lines.length === 0 || !(error instanceof CassetteError)) return error;
  const summary = [error.summary, ...lines.map((line) => `  also     ${line}`)].join("\n");
  // Where nothing else was asked for, this is the reason.
  return reworded(error, error.code === "nothing-recorded" ? { summary, hint: TO_DO } : { summary });
}
