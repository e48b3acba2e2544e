// Folders for the files of a benchmark, which may be gigabytes. They are gone when it ends, also by Ctrl-C, by a failure, and where
// another process ends it.

import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const folders = new Set();

/** A new folder, which is removed by {@link closeScratch} or at the end of the process. */
export function openScratch(name) {
  // While none is open a signal ends the process as it always does, also in the middle of a sample.
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

/** Ends this process where a signal ended the one it waited for: Ctrl-C is meant for both, and one that waits hears of it late. */
export function endWith({ signal }) {
  if (folders.size > 0 && SIGNALS.includes(signal)) endBy(signal);
}

/** Lets a signal be heard, which no work without a pause does. */
export function pause() {
  return new Promise((resolve) => setImmediate(resolve));
}
