// The flags of `cassette drift`.

import type { GateSettings } from "../../harness/index.js";
import type { FileFlag } from "../options/tolerances.js";
import type { ReportTarget } from "./outputs.js";

/** As commander gives them. */
export interface DriftOptions {
  failOn: GateSettings["failOn"];
  onInconclusive: GateSettings["onInconclusive"];
  alpha: number;
  minRuns: number;
  seed: number;
  success?: string;
  ignore: string[];
  readOnly: string[];
  order: GateSettings["order"];
  content?: boolean;
  sharedOnly?: boolean;
  tolerances?: FileFlag;
  rules?: FileFlag;
  reporter: ReportTarget[];
  force?: boolean;
  json?: boolean;
}
