// Keeps what the list shows of every file of a folder. It looks at the folder again while somebody listens, and reads changed files one
// after another, the newest first.

import type { UiItem } from "../../harness/index.js";
import { UI_LOOK_MS } from "../limits.js";
import { findUiFiles, type FoundFile } from "./folder.js";
import { waitingItems } from "./summary.js";

/** Called with the files that changed, and none if only the list has more to show. */
export type Listener = (changed: ReadonlySet<string>) => void;

export interface Catalogue {
  /** Looks at the folder, unless it was just looked at. */
  look(): void;
  has(file: string): boolean;
  /** As {@link Catalogue.has}, and looks at the folder once more for an unknown file. */
  find(file: string): boolean;
  items(): UiItem[];
  /** Files that wait to be read. */
  waiting(): number;
  /** What the list lacks, as sentences. */
  notes(): readonly string[];
  /** Returns a function that ends it. */
  listen(listener: Listener): () => void;
  /** Ends every timer, and reads no further file. */
  close(): void;
}

interface Known {
  readonly found: FoundFile;
  readonly items: readonly UiItem[];
}

/** `read` gives the items of a file, and never rejects. */
export function createCatalogue(root: string, read: (file: FoundFile) => Promise<UiItem[]>): Catalogue {
  const known = new Map<string, Known>();
  const queue = new Set<string>();
  const listeners = new Set<Listener>();
  let notes: readonly string[] = [];
  let [lookedAt, lookMs] = [-Infinity, 0];
  let [isReading, isClosed] = [false, false];
  let timer: NodeJS.Timeout | undefined;

  const tell = (changed: ReadonlySet<string>): void => {
    for (const listener of listeners) listener(changed);
  };

  function look(isForced = false): void {
    if (!isForced && performance.now() - lookedAt < pauseMs()) return;
    const begin = performance.now();
    const found = findUiFiles(root);
    const changed = take(found.files);
    const isNoted = found.notes.join() !== notes.join();
    notes = found.notes;
    lookedAt = performance.now();
    lookMs = lookedAt - begin;
    if (changed.size > 0 || isNoted) tell(changed);
    void readQueue();
  }

  /** Returns the paths that are new, changed or gone. */
  function take(files: readonly FoundFile[]): Set<string> {
    const changed = new Set<string>();
    const paths = new Set(files.map(({ path }) => path));
    for (const path of known.keys()) {
      if (paths.has(path)) continue;
      known.delete(path);
      queue.delete(path);
      changed.add(path);
    }
    const fresh = files.filter(({ path, stamp }) => known.get(path)?.found.stamp !== stamp);
    for (const found of fresh) {
      known.set(found.path, { found, items: known.get(found.path)?.items ?? waitingItems(found) });
      changed.add(found.path);
    }
    // A set keeps its order, so files that changed just now go before those that wait already.
    const before = [...queue].filter((path) => !changed.has(path));
    queue.clear();
    for (const { path } of fresh.sort((a, b) => b.changedMs - a.changedMs)) queue.add(path);
    for (const path of before) queue.add(path);
    return changed;
  }

  async function readQueue(): Promise<void> {
    if (isReading) return;
    isReading = true;
    for (const path of queue) {
      if (isClosed) break;
      queue.delete(path);
      const found = known.get(path)?.found;
      if (found === undefined) continue;
      const items = await read(found);
      // It may have changed while it was read. Then it is in the queue again.
      if (known.get(path)?.found === found) known.set(path, { found, items });
      tell(NOTHING);
      // Lets requests in between: files in the cache of the disk are read without a pause.
      await new Promise((resolve) => setImmediate(resolve));
    }
    isReading = false;
    if (queue.size > 0 && !isClosed) void readQueue();
  }

  function pauseMs(): number {
    return Math.max(UI_LOOK_MS, 20 * lookMs);
  }

  function watch(): void {
    if (timer !== undefined || isClosed || listeners.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      look();
      watch();
    }, pauseMs() + 1);
  }

  return {
    look: () => look(),
    has: (file) => known.has(file),
    find(file) {
      if (!known.has(file)) look(true);
      return known.has(file);
    },
    items: () => [...known.values()].flatMap(({ items }) => items),
    waiting: () => queue.size + (isReading ? 1 : 0),
    notes: () => notes,
    listen(listener) {
      listeners.add(listener);
      watch();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const NOTHING: ReadonlySet<string> = new Set();
