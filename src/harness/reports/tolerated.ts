// The tolerances that a comparison rested on, as lines for a terminal: `cassette diff` and `cassette drift` say them alike.

import type { ToleranceUse } from "../../cassette/index.js";
import { plural } from "../../core/index.js";

/** The first line names the file and says how often it was needed, the others each tolerance. Not escaped. */
export function toleranceLines(file: string, uses: readonly ToleranceUse[]): [string, ...string[]] {
  const times = uses.reduce((sum, use) => sum + use.times, 0);
  return [
    `  tolerances of ${file}: ${times === 0 ? "none was needed" : `used ${plural(times, "time")}`}`,
    ...uses.map(({ tool, pointer, tolerance, times: each }) => {
      return `    ${tool}:${pointer}  ${tolerance}, ${plural(each, "time")}`;
    }),
  ];
}
