// The reports of a folder, oldest first: for `cassette drift --history` and for the page of `cassette ui`.

import type { FilePort } from "../../core/index.js";
import {
  sortByDate,
  toPastReport,
  withStop,
  type GateReport,
  type History,
  type PastMutations,
  type PastReport,
  type ReportDate,
  type UiMutants,
} from "../../harness/index.js";
import { count } from "../terminal/output.js";
import { kindByName, readContents } from "./contents.js";
import type { FoundFile } from "./folder.js";

interface HistorySource {
  files: FilePort;
  /** The real path of the folder. */
  root: string;
  /** The most files of reports that are read, the newest first. */
  limit: number;
  step?: (done: number, all: number) => void;
}

/**
 * Reads one file at a time, and keeps only what the history shows. `folder` is its name for people. `refused` counts the reports that say why
 * nothing was compared.
 */
export async function readHistory(
  folder: string,
  found: readonly Pick<FoundFile, "path" | "changedMs">[],
  { files, root, limit, step }: HistorySource,
): Promise<{ history: History; refused: number }> {
  const wanted = found.filter(({ path }) => kindByName(path) === undefined);
  const dated = sortByDate(wanted.map(({ path, changedMs }) => ({ file: path, ...dateOf(path, changedMs) })));
  const [reports, mutations, damaged]: [PastReport[], PastMutations[], { file: string; message: string }[]] = [
    [],
    [],
    [],
  ];
  const refusals: string[] = [];
  let [used, others, done] = [0, 0, 0];
  while (dated.length > 0 && used < limit) {
    const { file, ...when } = dated.pop() as (typeof dated)[number];
    step?.(done++, wanted.length);
    const contents = await readContents(files, root, file);
    if (contents.kind === "damaged") damaged.push({ file, message: contents.failure.message });
    else if (contents.kind === "refusal") refusals.push(withStop(`${file}: nothing was compared: ${contents.message}`));
    else if (contents.kind === "mutants") mutations.push(toPastMutations(file, when, contents.report));
    else if (contents.kind === "verdict" || contents.kind === "candidates") {
      const all = contents.kind === "verdict" ? [contents.report] : contents.candidates.reports;
      const past = toPast(file, when, all);
      if (typeof past === "string") damaged.push({ file, message: past });
      else reports.push(...past);
    } else {
      others++;
      continue;
    }
    used++;
  }
  const notes = [
    ...refusals.reverse(),
    ...(dated.length > 0
      ? [`The ${limit} newest reports were read. ${count(dated.length, "older file")} may have more.`]
      : []),
    ...(others > 0 ? [`${count(others, "other file")} in the folder: not a report of drift or mutate.`] : []),
  ];
  const sorted = { reports: sortByDate(reports), mutations: sortByDate(mutations) };
  return { history: { folder, ...sorted, damaged: damaged.reverse(), notes }, refused: refusals.length };
}

/** The reports of one file, or why it cannot be used. */
function toPast(file: string, when: ReportDate, reports: readonly GateReport[]): PastReport[] | string {
  try {
    return reports.map((report) => toPastReport(file, when, report));
  } catch (error) {
    return `the report is not complete: ${error instanceof TypeError ? error.message : String(error)}`;
  }
}

function toPastMutations(file: string, when: ReportDate, { mutants }: UiMutants): PastMutations {
  const of = (wanted: string): number => mutants.filter(({ outcome }) => outcome === wanted).length;
  return { file, ...when, noticed: of("noticed"), survived: of("survived"), unused: of("unused") };
}

/** "2026-11-20", "20261120", "2026-11-20T12-30", "2026-11-20_123059" anywhere in a path. */
const DATE = /(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)(?:[T_ -]?(\d\d)[:.-]?(\d\d)(?:[:.-]?(\d\d))?)?(?!\d)/g;

/** The last date in the path, or else when the file was changed. */
export function dateOf(path: string, changedMs: number): ReportDate {
  for (const [, year, month, day, hour, minute, second = "00"] of [...path.matchAll(DATE)].reverse()) {
    const date = `${year}-${month}-${day}`;
    const whole = hour === undefined ? date : `${date}T${hour}:${minute}:${second}.000Z`;
    const parsed = new Date(whole);
    // A day such as February 30 becomes one of March.
    if (!Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date))
      return { date: whole, dateFrom: "name" };
  }
  return { date: new Date(changedMs).toISOString(), dateFrom: "file" };
}
