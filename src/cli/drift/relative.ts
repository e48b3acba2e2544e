// Paths for code hosts: relative to the working folder if they are below it.

import { relative, resolve, sep, isAbsolute } from "node:path";
import { defined } from "../../core/index.js";
import type { Edit, GateReport, Location, RuleFinding, ScenarioReport } from "../../harness/index.js";

/** Turns "/home/ada/shop/runs/a.json" into "runs/a.json" in "/home/ada/shop". A path elsewhere does not change. */
export function relativeIn(cwd: string, path: string): string {
  const way = relative(cwd, resolve(cwd, path));
  if (way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) return path;
  return way.split(sep).join("/");
}

/** The report with `relativeIn` for the places of its findings. */
export function withRelativePlaces(report: GateReport, cwd: string): GateReport {
  const at = (path: string): string => relativeIn(cwd, path);
  const place = (location: Location): Location => ({ ...location, file: at(location.file) });
  const rule = (finding: RuleFinding): RuleFinding => ({ ...finding, location: place(finding.location) });
  const edit = (each: Edit): Edit => ({
    ...each,
    ...defined({ base: each.base && place(each.base), candidate: each.candidate && place(each.candidate) }),
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
