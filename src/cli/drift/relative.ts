// Paths as a code host wants them: relative to the folder of the command where they lie below it, however they were given.

import { relative, resolve, sep, isAbsolute } from "node:path";
import type { Edit, GateReport, Location, RuleFinding, ScenarioReport } from "../../harness/index.js";

/** "/home/ada/shop/runs/a.json" as "runs/a.json" in "/home/ada/shop"; a path elsewhere stays as it is. */
export function relativeIn(cwd: string, path: string): string {
  const way = relative(cwd, resolve(cwd, path));
  if (way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) return path;
  return way.split(sep).join("/");
}

/** The report with the places of its findings as `relativeIn` gives them. */
export function withRelativePlaces(report: GateReport, cwd: string): GateReport {
  const at = (path: string): string => relativeIn(cwd, path);
  const place = (location: Location): Location => ({ ...location, file: at(location.file) });
  const rule = (finding: RuleFinding): RuleFinding => ({ ...finding, location: place(finding.location) });
  const edit = (each: Edit): Edit => ({
    ...each,
    ...(each.base === undefined ? {} : { base: place(each.base) }),
    ...(each.candidate === undefined ? {} : { candidate: place(each.candidate) }),
  });
  return {
    ...report,
    scenarios: report.scenarios.map((each): ScenarioReport => {
      const { typical, edits, rules } = each;
      return {
        ...each,
        typical: { base: at(typical.base), candidate: at(typical.candidate) },
        edits: edits.map(edit),
        rules: rules.map(rule),
      };
    }),
    unpaired: report.unpaired.map((each) => ({ ...each, file: at(each.file), rules: each.rules.map(rule) })),
  };
}
