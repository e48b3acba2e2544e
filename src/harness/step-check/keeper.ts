// Keeps answers while more arrive, with one write at a time. Answers that arrive during a write go into the next one.

import type { CassetteV2 } from "../../cassette/index.js";

interface Keeper {
  /** Schedules a write for a new answer. */
  note(): void;
  /** Waits until everything is kept. Throws the error of a failed write. */
  end(): Promise<void>;
}

/** Calls `onFailure` as soon as a write fails, so that no one pays for answers that cannot be kept. */
export function createKeeper(
  build: () => Promise<CassetteV2>,
  keep: ((answers: CassetteV2) => Promise<void> | void) | undefined,
  onFailure: () => void,
): Keeper {
  let isDue = false;
  let writing: Promise<void> | undefined;
  const failures: unknown[] = [];

  async function write(): Promise<void> {
    while (isDue && failures.length === 0) {
      isDue = false;
      try {
        await keep?.(await build());
      } catch (error) {
        failures.push(error);
        onFailure();
      }
    }
    writing = undefined;
  }

  return {
    note() {
      if (keep === undefined) return;
      isDue = true;
      writing ??= write();
    },
    async end() {
      await writing;
      if (failures.length > 0) throw failures[0];
    },
  };
}
