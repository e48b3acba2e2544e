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
    return { method: method?.toUpperCase(), path: toRegExp(path) };
  });
  return (request) =>
    all.some(({ method, path }) => (method ?? request.method) === request.method && path.test(request.path));
}

export const PASS_HINT = 'Give a path, or a method and a path, such as "GET /v1/models" or "/v1/files/**".';

const PATTERN = /^(?:([A-Za-z]+) +)?(\/\S*)$/;

/** `*` stands for characters without a slash, `**` for any characters. */
function toRegExp(glob: string): RegExp {
  const pieces = glob.split(/(\*\*?)/).map((piece) => {
    if (piece === "**") return ".*";
    return piece === "*" ? "[^/]*" : piece.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${pieces.join("")}$`);
}
