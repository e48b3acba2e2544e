// Lists the tolerances that a comparison used, as terminal lines shared by `cassette diff` and `cassette drift`.

import type { ToleranceUse } from "../../cassette/index.js";
import { plural } from "../../core/index.js";

/** The first line names the file and counts its uses. Each further line is one tolerance. The lines are not escaped. */
export function toleranceLines(file: string, uses: readonly ToleranceUse[]): [string, ...string[]] {
  const times = uses.reduce((sum, use) => sum + use.times, 0);
  return [
    `  tolerances of ${file}: ${times === 0 ? "not needed" : `used ${plural(times, "time")}`}`,
    ...uses.map(({ tool, pointer, tolerance, times: each }) => {
      return `    ${tool}:${pointer}  ${tolerance}, ${plural(each, "time")}`;
    }),
  ];
}
