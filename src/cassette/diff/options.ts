// The options of every comparison in this folder, checked once.

import { unknownOptions } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { Tolerances } from "../tolerance/tolerances.js";
import { orderRules, type CallOrder, type OrderRules } from "./order.js";
import { parseReadOnly } from "./read-only.js";
import { createCallEquality, type CallEquality } from "./call-equality.js";

/** The options of every comparison. A wrong one throws `CassetteError` `invalid-options`. */
export interface DiffOptions {
  /** Ignores the assistant's text. Default false. */
  ignoreContent?: boolean;
  /** Ignores why a turn ended (`stop-changed`). Default: as `ignoreContent`, so that only tool calls are compared. */
  ignoreStops?: boolean;
  /** Places in arguments to ignore: `/arg/path` for every tool, `tool:/arg/path` for one. `*` matches any one key or index. */
  ignore?: readonly string[];
  /** How much the order of the calls counts. Default "strict". */
  order?: CallOrder;
  /** Names of tools that only read. `*` matches any text. Their calls may swap places across neighbouring turns. */
  readOnly?: readonly string[];
  /** Differences in arguments to ignore. */
  tolerances?: Tolerances;
}

export interface DiffSettings {
  content: boolean;
  stops: boolean;
  order: OrderRules;
  isReadOnly: (tool: string) => boolean;
  equality: CallEquality;
}

const KNOWN = ["ignoreContent", "ignoreStops", "ignore", "order", "readOnly", "tolerances"];

/** Throws "invalid-options" for an unknown option, a malformed pointer, an unknown order or an empty tool name. */
export function parseDiffOptions(options: DiffOptions): DiffSettings {
  const unknown = unknownOptions(options, KNOWN);
  if (unknown.length > 0) {
    throw new CassetteError("invalid-options", `a comparison has no option ${unknown.join(", ")}`, {
      hint: `The options are ${KNOWN.join(", ")}.`,
    });
  }
  return {
    content: options.ignoreContent !== true,
    stops: (options.ignoreStops ?? options.ignoreContent) !== true,
    order: orderRules(options.order ?? "strict"),
    isReadOnly: parseReadOnly(options.readOnly ?? []),
    equality: createCallEquality(options),
  };
}
