// Every way to write the gate's report down, by its name on the command line.

import type { GateReport } from "../drift/report.js";
import { toJson } from "./json.js";
import { toText } from "./text.js";

/** The report as the text of a file. Pure: the same report gives the same text. */
export type Reporter = (report: GateReport) => string;

const REPORTERS: ReadonlyMap<string, Reporter> = new Map<string, Reporter>([
  ["text", toText],
  ["json", toJson],
]);

export const REPORTER_NAMES: readonly string[] = [...REPORTERS.keys()];

/** The reporter of that name, if there is one. */
export function reporterOf(name: string): Reporter | undefined {
  return REPORTERS.get(name);
}
