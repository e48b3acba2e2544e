// Folders for the files of a benchmark, which may be gigabytes. They are removed when it ends, even after Ctrl-C, a
// failure, or a signal from another process.

import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const folders = new Set();

/** A new folder, which is removed by {@link closeScratch} or at the end of the process. */
export function openScratch(name) {
  // While no folder is open, a signal ends the process as usual, even in the middle of a sample.
  if (folders.size === 0) for (const signal of SIGNALS) process.on(signal, endBy);
  const folder = mkdtempSync(join(tmpdir(), `playhead-${name}-`));
  folders.add(folder);
  return folder;
}

export function closeScratch(folder) {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
  if (folders.size === 0) for (const signal of SIGNALS) process.off(signal, endBy);
}

process.on("exit", removeAll);

function removeAll() {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

function endBy(signal) {
  process.exit(128 + constants.signals[signal]);
}

/** Ends this process if a signal ended its child. Ctrl-C is meant for both, and a waiting process gets it late. */
export function endWith({ signal }) {
  if (folders.size > 0 && SIGNALS.includes(signal)) endBy(signal);
}

/** Lets signals arrive. Work without a pause would block them. */
export function pause() {
  return new Promise((resolve) => setImmediate(resolve));
}
