// Loads the baselines of a run from cassettes, files and folders. The run must match one of them.

import { plural } from "../../../core/index.js";
import { listCassettes } from "../../../cassette/index.js";
import { scenarioOf } from "../../drift/scenarios.js";
import { MAX_BASELINES } from "../../limits.js";
import type { MatcherHost, PinTerms } from "../host.js";
import { misuse } from "../matcher.js";
import { assertPath, loadPinned, type Pinned } from "./pinned.js";
import { cutText } from "../../text/hide.js";

const SHOWN_NAMES = 5;

/** Loads at least one baseline. Throws for a folder without cassettes, or with several scenarios and no `scenario`. */
export async function openBaselines(
  matcher: string,
  base: unknown,
  scenario: string | undefined,
  terms: PinTerms,
  host: MatcherHost,
): Promise<[Pinned, ...Pinned[]]> {
  const given: readonly unknown[] = Array.isArray(base) ? base : [base];
  const sources: unknown[] = [];
  let hasFolder = false;
  for (const each of given) {
    const files = typeof each === "string" ? await filesIn(matcher, each, scenario, host) : undefined;
    hasFolder ||= files !== undefined;
    sources.push(...(files ?? [each]));
  }
  if (scenario !== undefined && !hasFolder) {
    throw misuse(matcher, "a scenario needs a folder", "Pass a folder, or remove the scenario.");
  }
  if (sources.length > MAX_BASELINES) {
    const what = `it was given ${plural(sources.length, "baseline")}`;
    throw misuse(matcher, what, `The limit is ${MAX_BASELINES}. Use cassette drift to compare whole folders.`);
  }
  const [first, ...others] = sources;
  if (sources.length === 0) throw misuse(matcher, "it was given an empty list", "Pass at least one baseline.");
  const pinned: [Pinned, ...Pinned[]] = [await loadPinned(matcher, first, terms, host)];
  for (const source of others) pinned.push(await loadPinned(matcher, source, terms, host));
  if (pinned.length === 1) return pinned;
  return pinned.map((known, index) =>
    typeof sources[index] === "string" ? known : { ...known, name: `baseline ${index}` },
  ) as [Pinned, ...Pinned[]];
}

/** The cassettes in a folder, or undefined if `path` is not a folder. */
async function filesIn(
  matcher: string,
  path: string,
  scenario: string | undefined,
  { files }: MatcherHost,
): Promise<string[] | undefined> {
  assertPath(matcher, path);
  const all = files === undefined ? undefined : await listCassettes(files, path);
  if (all === undefined) return undefined;
  const scenarios = [...new Set(all.map(scenarioOf))];
  const shown = cutText(scenarios.slice(0, SHOWN_NAMES).join(", ")) + (scenarios.length > SHOWN_NAMES ? ", …" : "");
  const names = all.filter((name) => scenario === undefined || scenarioOf(name) === scenario);
  if (all.length === 0) throw misuse(matcher, `the folder ${cutText(path)} has no cassettes`, "Check the path.");
  if (names.length === 0) {
    throw misuse(matcher, `the folder ${cutText(path)} has no scenario ${cutText(scenario ?? "")}`, `It has ${shown}.`);
  }
  if (scenario === undefined && scenarios.length > 1) {
    const what = `the folder ${cutText(path)} has ${scenarios.length} scenarios, ${shown}`;
    throw misuse(matcher, what, "Choose one with the scenario option.");
  }
  return names.map((name) => `${path.replace(/[/\\]+$/, "")}/${name}`);
}
