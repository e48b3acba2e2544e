// The options of every comparison in this folder, checked once at the door.

import { unknownOptions } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { Tolerances } from "../tolerance/tolerances.js";
import { orderRules, type CallOrder, type OrderRules } from "./order.js";
import { parseReadOnly } from "./read-only.js";
import { createCallRules, type CallRules } from "./call-equality.js";

/** The options of every comparison. A wrong one is `CassetteError` `invalid-options`. */
export interface DiffOptions {
  /** Leaves out what the assistant said. Default false. */
  ignoreContent?: boolean;
  /** Leaves out why a turn ended (`stop-changed`). Default as `ignoreContent`, so that tool calls alone are compared. */
  ignoreStops?: boolean;
  /**
   * Places in tool arguments that take no part: `/arg/path` for every tool, `tool:/arg/path` for one, `*` for any one
   * key or index.
   */
  ignore?: readonly string[];
  /** How much the order of the calls counts. Default "strict". */
  order?: CallOrder;
  /** Tools that only read, `*` for any text: their calls may change places with each other across neighbouring turns. */
  readOnly?: readonly string[];
  /** Which differences in arguments are none. */
  tolerances?: Tolerances;
}

export interface DiffSettings {
  content: boolean;
  stops: boolean;
  order: OrderRules;
  isReadOnly: (tool: string) => boolean;
  rules: CallRules;
}

const KNOWN = ["ignoreContent", "ignoreStops", "ignore", "order", "readOnly", "tolerances"];

/** Throws "invalid-options" for a name that is no option, a malformed pointer, an unknown order or an empty tool name. */
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
    rules: createCallRules(options),
  };
}
