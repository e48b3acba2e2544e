// What one file of the folder is: a recording, a bundle or a report, read whole and checked.

import { join } from "node:path";
import {
  BUNDLE_SUFFIX,
  CASSETTE_SUFFIX,
  createBundleStore,
  createCassetteStore,
  FAILED_SUFFIX,
  type AgentBundle,
  type Cassette,
} from "../../cassette/index.js";
import { thrownText, type FilePort } from "../../core/index.js";
import type { CandidateReports, GateReport, ItemKind, UiMutants } from "../../harness/index.js";
import { pathBeside } from "../../host/index.js";
import { toFailure, type Failure } from "../errors.js";
import { MAX_UI_REPORT_BYTES } from "../limits.js";
import { loadRecording } from "../options/recordings.js";
import { realPathIn } from "./folder.js";
import {
  readDocument,
  readLedgerMisses,
  readMutants,
  recogniseReport,
  type ReadMisses,
  type ReportForm,
} from "./reports.js";

export type Contents =
  | { readonly kind: "cassette" | "failed"; readonly cassette: Cassette }
  | { readonly kind: "bundle"; readonly bundle: AgentBundle }
  | { readonly kind: "verdict"; readonly report: GateReport }
  | { readonly kind: "candidates"; readonly candidates: CandidateReports }
  | { readonly kind: "mutants"; readonly report: UiMutants }
  | { readonly kind: "refusal"; readonly code: string; readonly message: string }
  | ReadMisses
  | { readonly kind: "damaged"; readonly as: ItemKind; readonly failure: Failure }
  /** A file that is neither. */
  | { readonly kind: "other" };

/** The kind of a file by its name. Undefined if only its content tells. */
export function kindByName(path: string): "cassette" | "failed" | "bundle" | undefined {
  if (path.endsWith(FAILED_SUFFIX)) return "failed";
  if (path.endsWith(CASSETTE_SUFFIX)) return "cassette";
  return path.endsWith(BUNDLE_SUFFIX) ? "bundle" : undefined;
}

/** Reads a file of the folder by its path there. `root` is a real path. Never throws. */
export async function readContents(files: FilePort, root: string, path: string): Promise<Contents> {
  const kind = kindByName(path);
  const as = kind ?? (path.endsWith(".jsonl") ? "mutants" : "verdict");
  const target = realPathIn(root, path);
  if (target.kind !== "inside") return damaged(as, path, target.kind === "gone" ? GONE : OUTSIDE);
  const whole = join(root, path);
  try {
    if (kind === "bundle") return { kind, bundle: await createBundleStore(files, pathBeside).load(whole) };
    if (kind === undefined) {
      const form = await recogniseReport(whole).catch((error: unknown) =>
        unreadable(as, path, thrownText(error), "Check the permissions of the file."),
      );
      if (typeof form === "object") return form;
      return form === undefined ? { kind: "other" } : await readReport(files, root, path, form);
    }
    const loaded = await loadRecording(createCassetteStore(files), whole);
    if (loaded.kind === "failed") return { kind: "damaged", as, failure: { ...loaded.failure, file: path } };
    return { kind, cassette: loaded.cassette };
  } catch (error) {
    return { kind: "damaged", as, failure: { ...toFailure(error), file: path } };
  }
}

const OUTSIDE = {
  code: "path-outside",
  message: "the link leads out of the folder, so it was not followed",
  hint: "Copy the file into the folder.",
};
const GONE = {
  code: "file-not-found",
  message: "the file does not exist",
  hint: "Go back to the list. The file may have been deleted or renamed.",
};

async function readReport(files: FilePort, root: string, path: string, form: ReportForm): Promise<Contents> {
  const as = form === "document" ? "verdict" : form === "ledger" ? "miss" : "mutants";
  const whole = join(root, path);
  const read = await files.read(whole, MAX_UI_REPORT_BYTES);
  if (read.kind === "not-found") return damaged(as, path, GONE);
  if (read.kind !== "read") {
    const why =
      read.kind === "failed" ? read.message : `it has ${read.size} bytes, and at most ${MAX_UI_REPORT_BYTES} are read`;
    const hint = read.kind === "failed" ? "Check the permissions of the file." : "Move it out of the folder.";
    return unreadable(as, path, why, hint);
  }
  const text = new TextDecoder().decode(read.bytes);
  if (form === "mutants") return { kind: "mutants", report: readMutants(text) };
  if (form === "ledger") return readLedgerMisses(text, whole, root);
  try {
    return readDocument(text) ?? { kind: "other" };
  } catch {
    const message = "the report is not valid JSON";
    return damaged(as, path, { code: "report-unusable", message, hint: "Write the report again." });
  }
}

type Damaged = Extract<Contents, { kind: "damaged" }>;

function unreadable(as: ItemKind, file: string, why: string, hint: string): Damaged {
  return damaged(as, file, { code: "report-unusable", message: `the report cannot be read: ${why}`, hint });
}

function damaged(as: ItemKind, file: string, about: { code: string; message: string; hint: string }): Damaged {
  return { kind: "damaged", as, failure: { exitCode: 2, file, ...about } };
}
