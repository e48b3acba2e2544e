// One cassette that a program opened, and how its run ended.

import type { Vendor } from "../../core/index.js";
import type { DoorRow } from "../../harness/index.js";
import type { HttpReply, HttpRequest } from "../../host/index.js";
import type { CountedMiss } from "../serve/misses.js";
import type { RunEnd } from "./orders.js";

/** How the run of a cassette ended. */
export interface Ended {
  /** False if the run must fail. */
  readonly ok: boolean;
  /** The reasons as text: misses, refused and unrecorded requests, unused turns. Empty if there are none. */
  readonly report: string;
  /** Remarks that do not fail the run. */
  readonly notes: readonly string[];
  /** Answered or recorded turns. */
  readonly turns: number;
  readonly exchanges: number;
  /** Unused turns and exchanges of a replay. */
  readonly unused: number;
  readonly misses: readonly CountedMiss[];
  readonly requests: readonly DoorRow[];
  /** The file that was written: the cassette, or the recording of a failed run. */
  readonly written?: string;
}

export interface OpenedCassette {
  readonly mode: "replay" | "record" | "refresh" | "live";
  /** Answers a request below the cassette's base URL for `vendor`. Its path begins behind that URL. */
  answer(request: HttpRequest, vendor: Vendor | undefined): Promise<HttpReply>;
  /** Call it once, when no request is being answered. */
  close(end: RunEnd): Promise<Ended>;
}

const SHOWN_REASONS = 5;

/** The reasons why a run fails, separated by empty lines. */
export function reportOf(reasons: readonly string[]): string {
  const different = [...new Set(reasons)];
  const shown = different.slice(0, SHOWN_REASONS);
  const more = different.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n\n");
}
