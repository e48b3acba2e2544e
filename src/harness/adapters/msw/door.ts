// The requests that handlers take, the place where they are counted, and the check at the end of a replay.

import { CassetteError, type Shelf } from "../../../cassette/index.js";
import { defined, showValue } from "../../../core/index.js";
import { PASS_HINT, readPass, type IsPassed } from "../../wire/pass.js";
import { readBases, type Bases, type BaseUrls } from "./bases.js";
import { createTrouble, type Trouble } from "./trouble.js";

/** Which requests the handlers take. */
export interface TakenRequests {
  readonly baseUrls?: BaseUrls;
  /**
   * Requests that a test does not need, such as "GET /v1/models" or "/v1/files/**". A recording sends them out unrecorded, and a
   * replay answers them with 404. They do not fail the test.
   */
  readonly pass?: readonly string[];
}

export interface Door {
  readonly bases: Bases;
  readonly isPassed: IsPassed;
  readonly trouble: Trouble;
}

/** Throws `invalid-options`. */
export function openDoor(owner: string, { baseUrls, pass = [] }: TakenRequests): Door {
  const isPassed = Array.isArray(pass) ? readPass(pass) : String(pass);
  if (typeof isPassed === "string") {
    throw new CassetteError("invalid-options", `pass of ${owner} has ${showValue(isPassed)}, which is not a pattern`, {
      hint: PASS_HINT,
    });
  }
  return { bases: readBases(owner, baseUrls), isPassed, trouble: createTrouble() };
}

/** Throws `unconsumed` for unused turns and exchanges. */
export function assertConsumed(shelf: Shelf, file: string | undefined): void {
  const turns = { total: 0, used: 0 };
  const exchanges = { total: 0, used: 0 };
  for (const count of shelf.counts()) {
    turns.total += count.turns;
    turns.used += count.used;
    exchanges.total += count.exchanges?.total ?? 0;
    exchanges.used += count.exchanges?.used ?? 0;
  }
  const left = ({ total, used }: typeof turns, what: string): string[] =>
    total === used ? [] : [`${total - used} of ${total} recorded ${what}`];
  const unused = [...left(turns, "turns"), ...left(exchanges, "exchanges")];
  if (unused.length === 0) return;
  throw new CassetteError("unconsumed", `${unused.join(" and ")} were never requested`, {
    hint: "The run ended sooner than the recorded one. Undo the change, or record again.",
    ...defined({ file }),
  });
}
