// The option `pass`: requests that a door lets through unrecorded, or leaves unanswered, without failing the run.

import type { DoorRequest } from "./tally.js";

/** Returns true for a request that a pattern names. */
export type IsPassed = (request: DoorRequest) => boolean;

/** Reads patterns such as "GET /v1/models" and "/v1/files/**". Returns the first one that is not a pattern as a text. */
export function readPass(patterns: readonly string[]): IsPassed | string {
  const wrong = patterns.find((pattern) => typeof pattern !== "string" || !PATTERN.test(pattern));
  if (wrong !== undefined) return wrong;
  const all = patterns.map((pattern) => {
    const [, method, path = ""] = PATTERN.exec(pattern) ?? [];
    return { method: method?.toUpperCase(), pieces: path.split(/(\*\*?)/) };
  });
  return (request) =>
    all.some(({ method, pieces }) => (method ?? request.method) === request.method && isPath(pieces, request.path));
}

export const PASS_HINT =
  'Give a path without a query, or a method and a path, such as "GET /v1/models" or "/v1/files/**".';

const PATTERN = /^(?:([A-Za-z]+) +)?(\/[^\s?#]*)$/;

/** Follows all places of the path that the pieces reach, since a regular expression with many stars would take minutes. */
function isPath(pieces: readonly string[], path: string): boolean {
  return pieces.reduce((places, piece) => reach(piece, path, places), [0]).includes(path.length);
}

/** The places after a piece, sorted. `*` stands for characters without a slash, `**` for any characters. */
function reach(piece: string, path: string, places: readonly number[]): number[] {
  if (piece !== "*" && piece !== "**") {
    return places.filter((at) => path.startsWith(piece, at)).map((at) => at + piece.length);
  }
  const starts = new Set(places);
  const reached: number[] = [];
  let isReached = false;
  for (let at = places[0] ?? path.length + 1; at <= path.length; at++) {
    isReached = starts.has(at) || (isReached && (piece === "**" || path[at - 1] !== "/"));
    if (isReached) reached.push(at);
  }
  return reached;
}
