// The summary of a job on GitHub Actions: a file named by GITHUB_STEP_SUMMARY that steps append Markdown to. It needs no token.

import { filesAt, type CommandIo } from "../terminal/io.js";
import { createNotes } from "../terminal/output.js";

/** Appends Markdown where there is such a file; a failure to do so is said and changes no verdict. */
export async function appendSummary(text: string, io: CommandIo): Promise<void> {
  const file = io.env["GITHUB_STEP_SUMMARY"] ?? "";
  if (file === "") return;
  const appended = await filesAt(io).append(file, text);
  if (appended.kind === "written") return;
  const why = appended.kind === "exists" ? "it is in the way" : appended.message;
  createNotes(io)("note: the summary of the job could not be written to ", file, `: ${why}`);
}
