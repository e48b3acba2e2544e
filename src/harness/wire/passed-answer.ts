// Reads an answer that passed by on its way from a vendor to its client, for the proxy and the MSW handlers, which record it.

import { CassetteError, createStreamNote, type RecordedStreaming, type StreamNote } from "../../cassette/index.js";
import { toVisible, type PassedParts, type Wire } from "../../core/index.js";
import { MAX_LEFT_OUT_KINDS } from "../limits.js";

/** The answer to a turn, as it passed by. */
export interface PassedAnswer {
  /** Undefined if the answer was larger than the limit. */
  readonly bytes: Uint8Array | undefined;
  readonly isStream: boolean;
  readonly isCut: boolean;
  /** The parts as they came. Empty if `bytes` are not the bytes that came, such as unzipped ones. */
  readonly parts: readonly PassedPart[];
}

/** A part of an answer: where it ended, in bytes from the answer's start, and the time it came. */
export interface PassedPart {
  readonly end: number;
  readonly at: number;
}

/**
 * The response, the same as JSON of the vendor, a note of how it streamed, and the kinds of content that it has no place for. Throws `not-recordable`, or
 * `provider-response` for an answer that is not whole.
 */
export function readPassed(wire: Wire, passed: PassedAnswer, requestedAt: number, streams: RecordedStreaming) {
  const { bytes, isStream, isCut } = passed;
  if (bytes === undefined) throw new CassetteError("not-recordable", "an answer was too large to be kept");
  const noted = isStream && streams !== false ? noteParts(passed, requestedAt, streams) : undefined;
  const left = new Set<string>();
  let answer: unknown;
  const response = wire.read(
    { bytes, isStream, isCut },
    noted,
    (what) => left.add(what),
    (json) => (answer = json),
  );
  return { response, answer, note: noted?.note, left };
}

/** Counts the turns that were recorded without each kind of content. Calls `report` for the first turn of a kind. */
export function createLossTally(report: (what: string) => void) {
  const kinds = new Map<string, number>();
  const add = (left: ReadonlySet<string>): void => {
    for (const what of left) {
      const shown = toVisible(what).slice(0, 80);
      const known = kinds.get(shown);
      // A hostile vendor could name new ones for ever.
      if (known === undefined && kinds.size >= MAX_LEFT_OUT_KINDS) continue;
      kinds.set(shown, (known ?? 0) + 1);
      if (known === undefined) report(shown);
    }
  };
  return { kinds: kinds as ReadonlyMap<string, number>, add };
}

/** Notes the deltas at the times of the parts they came with. They are read when all parts have passed by. */
function noteParts(
  { parts }: PassedAnswer,
  requestedAt: number,
  streams: Exclude<RecordedStreaming, false>,
): PassedParts & { note: StreamNote } {
  let at = requestedAt;
  const note = createStreamNote(streams, () => at);
  const finish: StreamNote["finish"] = (stored) => {
    at = parts.at(-1)?.at ?? at;
    return note.finish(stored);
  };
  return {
    note: { ...note, finish },
    ends: parts.map(({ end }) => end),
    take(delta, part) {
      at = parts[part]?.at ?? at;
      note.take(delta);
    },
  };
}
