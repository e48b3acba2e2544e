// The page of a file, and of two recordings side by side.

import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { CASSETTE_SUFFIX, FAILED_SUFFIX, type Tolerances } from "../../cassette/index.js";
import { defined, type FilePort } from "../../core/index.js";
import {
  addressOf,
  describeTypical,
  candidatesHtml,
  fileAddress,
  historyHtml,
  htmlReport,
  shellText,
  toBundlePage,
  toConversationPage,
  toFrame,
  toMissPage,
  toMutantsPage,
  toNoticePage,
  toPairPage,
  type BarLink,
  type ItemKind,
  type Notice,
} from "../../harness/index.js";
import { toFailure, type Failure } from "../errors.js";
import type { Catalogue } from "./catalogue.js";
import { MAX_UI_HISTORY_REPORTS } from "../limits.js";
import { count } from "../terminal/output.js";
import { readContents, type Contents } from "./contents.js";
import { readHistory } from "./history.js";
import { moreMisses } from "./summary.js";

export interface UiPage {
  readonly status: number;
  readonly text: string;
}

export interface PageSources {
  /** The real path of the folder. */
  readonly root: string;
  readonly cwd: string;
  readonly files: FilePort;
  readonly catalogue: Catalogue;
  readonly tolerances: Tolerances | undefined;
}

/** The page of a file of the folder, or of a part of it: the miss `missed`, or the candidate of that number. */
export async function filePage(
  file: string,
  { missed, candidate }: { missed: string | undefined; candidate: string | undefined },
  sources: PageSources,
): Promise<UiPage> {
  const { catalogue, files, root } = sources;
  if (!catalogue.find(file)) return notFound(file);
  const contents = await readContents(files, root, file);
  const frame = toFrame([file], linksOf(file, contents, catalogue));
  try {
    switch (contents.kind) {
      case "cassette":
      case "failed":
        return found(toConversationPage(contents.cassette, { title: titleOf(file), frame }).text);
      case "bundle":
        return found(toBundlePage(contents.bundle, { title: titleOf(file), frame }).text);
      case "verdict":
        return found(htmlReport(contents.report, frame));
      case "candidates": {
        const { reports } = contents.candidates;
        const report = reports[Number(candidate ?? NaN) - 1];
        const all = { text: "All candidates", address: fileAddress(file) };
        if (report !== undefined) return found(htmlReport(report, toFrame([file], [all])));
        const addresses = reports.map((_, index) => addressOf({ file, candidate: String(index + 1) }));
        return found(candidatesHtml(contents.candidates, addresses, frame));
      }
      case "mutants":
        return found(toMutantsPage(file, contents.report, (named) => linkIn(named, sources), frame));
      case "misses": {
        const miss = contents.misses.find(({ name }) => name === missed);
        if (miss === undefined) return missGone(file, missed, contents.more);
        const link = linkIn(miss.link ?? miss.recording, sources, miss.link !== undefined);
        const { recording, report } = miss;
        return found(toMissPage({ recording, report, ...defined({ link }) }, frame));
      }
      case "refusal": {
        const failure: Failure = { exitCode: 2, code: contents.code, message: contents.message };
        return notice("Nothing was compared", { ...failure, hint: "Fix the cause, and compare again." }, file, root);
      }
      case "damaged":
        return notice("This file is damaged", contents.failure, file, root);
      case "other":
        return notFound(file);
    }
  } catch (error) {
    // A report of another version, or one that somebody edited.
    const message = error instanceof Error ? error.message : String(error);
    const failure: Failure = { exitCode: 2, code: "report-unusable", message: `the page cannot be made: ${message}` };
    return notice("This report cannot be shown", { ...failure, hint: "Write the report again." }, file, root);
  }
}

/** The verdicts and mutations of the folder over time. */
export async function historyPage(name: string, { root, files, catalogue }: PageSources): Promise<UiPage> {
  const kinds: readonly ItemKind[] = ["verdict", "mutants"];
  const listed = catalogue.items().filter(({ kind }) => kinds.includes(kind));
  const reports = listed.map(({ file: path, changedMs }) => ({ path, changedMs }));
  const { history } = await readHistory(name, reports, { files, root, limit: MAX_UI_HISTORY_REPORTS });
  const waiting = catalogue.waiting();
  const notes = [...history.notes, ...(waiting > 0 ? [`${count(waiting, "file")} not read yet.`] : [])];
  return found(historyHtml({ ...history, notes }, toFrame([]), (file) => fileAddress(file)));
}

/** Two recordings side by side. */
export async function pairPage(old: string, now: string, sources: PageSources): Promise<UiPage> {
  const { catalogue, files, root, tolerances } = sources;
  for (const file of [old, now]) if (!catalogue.find(file)) return notFound(file);
  const sides: Parameters<typeof toPairPage>[0][] = [];
  for (const file of [old, now]) {
    const contents = await readContents(files, root, file);
    if (contents.kind === "damaged") return notice("This file is damaged", contents.failure, file, root);
    if (contents.kind !== "cassette" && contents.kind !== "failed") return notFound(file);
    sides.push({ file, cassette: contents.cassette });
  }
  const [before, after] = sides as [(typeof sides)[number], (typeof sides)[number]];
  const frame = toFrame(
    [],
    [
      { text: "Baseline alone", address: addressOf({ file: old }) },
      { text: "Candidate alone", address: addressOf({ file: now }) },
      { text: "Swap", address: addressOf({ old: now, new: old }) },
    ],
  );
  try {
    const options = { ignore: [], order: "strict", content: false, ...defined({ tolerances }) } as const;
    const described = describeTypical({ ...before, lines: [] }, { ...after, lines: [] }, options);
    return found(toPairPage(before, after, described, frame));
  } catch (error) {
    return notice("These two cannot be compared", toFailure(error), now, root);
  }
}

function linksOf(file: string, { kind }: Contents, catalogue: Catalogue): BarLink[] {
  if (kind !== "cassette" && kind !== "failed") return [];
  const isFailed = file.endsWith(FAILED_SUFFIX);
  const other = isFailed
    ? file.slice(0, -FAILED_SUFFIX.length) + CASSETTE_SUFFIX
    : file.slice(0, -CASSETTE_SUFFIX.length) + FAILED_SUFFIX;
  if (!catalogue.has(other)) return [];
  const [old, now] = isFailed ? [other, file] : [file, other];
  return [
    { text: isFailed ? "The accepted cassette" : "The failed run", address: addressOf({ file: other }) },
    { text: "Compare both", address: addressOf({ old, new: now }) },
  ];
}

/** A path that a report names, from the working folder, as a path of the folder. Undefined if the folder does not have it. */
function linkIn(named: string, { root, cwd, catalogue }: PageSources, isOfFolder = false): string | undefined {
  const path = isOfFolder ? named : relative(root, resolve(cwd, named)).split(sep).join("/");
  return isAbsolute(path) || !catalogue.has(path) ? undefined : path;
}

function titleOf(file: string): string {
  return file.replace(/^.*\//, "").replace(/\.(?:cassette|bundle)\.json$/, "");
}

function found(text: string): UiPage {
  return { status: 200, text };
}

function notFound(file: string): UiPage {
  const what = "The folder has no such cassette or report. It may have been deleted or renamed.";
  return noticePage(404, { title: "There is no such file", what, file });
}

function missGone(file: string, missed: string | undefined, more: number): UiPage {
  if (missed === undefined && more > 0) {
    const what = `This file has ${moreMisses(more)}. Open it in an editor, or replay fewer recordings at once.`;
    return noticePage(200, { title: "These misses are not listed", what, file });
  }
  const what = `${missed ?? "The recording"} answered in the meantime, or the file was written again.`;
  return noticePage(404, { title: "This miss is gone", what, file });
}

function notice(title: string, failure: Failure, file: string, root: string): UiPage {
  const { message, hint, code, pointer } = failure;
  const verify = `Run npx playhead verify ${shellText(join(root, file))} for the details.`;
  return noticePage(200, { title, what: message, code, file, ...defined({ pointer, hint: hint ?? verify }) });
}

function noticePage(status: number, about: Notice): UiPage {
  return { status, text: toNoticePage(about, toFrame([])) };
}
