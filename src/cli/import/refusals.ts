// Groups the refused records of an import: one line for each kind of refusal, because a noisy log has millions of similar ones.

import type { Failure } from "../errors.js";
import type { PrintLine } from "../terminal/output.js";

/** Kinds of one code in one log that get their own line. Further ones are counted together. */
const MAX_KINDS = 5;

/** Refusals of one log and code whose messages differ only in numbers, such as the line. */
interface RefusalKind {
  first: Failure;
  count: number;
  /** True for the sum of all kinds beyond {@link MAX_KINDS}. */
  isMixed: boolean;
}

/** Kinds in the order of their first refusal. The memory depends on the number of kinds, not of refusals. */
export interface RefusalKinds {
  add(failure: Failure): void;
  /** Prints a line for each kind, and returns their number. */
  print(line: PrintLine): number;
}

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
