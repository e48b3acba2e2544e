// Is this a version 2 that was stripped to pass for a version 1, which has no hashes? Its fields give it away, or its lock.

import { isPlainObject } from "../../core/index.js";
import type { LoadErrorCode } from "../errors.js";

export type Refuse = (code: LoadErrorCode | "not-a-cassette", message: string, pointer: string, hint?: string) => never;

/** Fields that only version 2 has, of a cassette and of its entries. */
export const V2_ONLY = ["cassetteId", "envelopeHash", "extensions", "signature"];
export const V2_ONLY_ENTRY = ["responseHash", "prompt"];

/** Refuses a version 1 with a field of version 2: no real version 1 ever had one. */
export function refuseDowngrade(value: Record<string, unknown>, refuse: Refuse): void {
  const say = (what: string, pointer: string) =>
    refuse(
      "downgrade",
      `downgrade tampering suspected: the cassette says version 1 but carries ${what}, which only version 2 has`,
      pointer,
      "Restore the file from version control, or record it again.",
    );
  for (const field of V2_ONLY) if (Object.hasOwn(value, field)) say(field, `/${field}`);
  if (!Array.isArray(value["entries"])) return;
  value["entries"].forEach((entry: unknown, index) => {
    if (!isPlainObject(entry)) return;
    for (const field of V2_ONLY_ENTRY) if (Object.hasOwn(entry, field)) say(field, `/entries/${index}/${field}`);
  });
}
