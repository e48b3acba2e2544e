// The refused records of an import as a person reads them: one line for each kind of refusal, however many there are. A log of
// noise has millions, and few of them say anything new.

import type { Failure } from "../errors.js";
import type { PrintLine } from "../terminal/output.js";

/** Kinds of one code in one log that are told apart; the others are counted together. */
const MAX_KINDS = 5;

/** Refusals of one log and code whose messages differ in numbers alone, such as the line. */
interface RefusalKind {
  first: Failure;
  count: number;
  /** It has the refusals of all kinds beyond {@link MAX_KINDS}. */
  isMixed: boolean;
}

/** Kinds in the order in which they came up; takes memory by their number alone. */
export interface RefusalKinds {
  add(failure: Failure): void;
  /** Gives the number of kinds, a line each. */
  print(line: PrintLine): number;
}

/** None yet. */
export function createRefusalKinds(): RefusalKinds {
  const kinds = new Map<string, RefusalKind>();
  const perCode = new Map<string, number>();
  return {
    add(first) {
      const code = JSON.stringify([first.file, first.code]);
      const key = code + first.message.replace(/\d+/g, "0");
      const distinct = perCode.get(code) ?? 0;
      const known = kinds.get(key) ?? (distinct < MAX_KINDS ? undefined : kinds.get(code));
      if (known !== undefined) {
        known.count++;
        return;
      }
      const isMixed = distinct >= MAX_KINDS;
      kinds.set(isMixed ? code : key, { first, count: 1, isMixed });
      perCode.set(code, distinct + 1);
    },
    print(line) {
      for (const kind of kinds.values()) printKind(kind, line);
      return kinds.size;
    },
  };
}

function printKind({ first: { code, message, file, hint }, count, isMixed }: RefusalKind, line: PrintLine): void {
  const like = isMixed ? `the first of ${count} others with that code` : `the first of ${count} like it`;
  const more = count > 1 ? `  (${like})` : "";
  line({ look: "bad", text: "refused  " }, file ?? "", `  ${code}: ${message}${more}`);
  if (hint !== undefined) line("         ", hint);
}
