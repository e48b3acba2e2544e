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
  const table = createTable();
  const watch = createWatch();
  let notes: readonly string[] = [];
  let [lookedAt, lookMs] = [-Infinity, 0];

  function look(isForced = false): void {
    if (!isForced && performance.now() - lookedAt < pauseMs()) return;
    const begin = performance.now();
    const found = findUiFiles(root);
    const changed = table.take(found.files);
    const isNoted = found.notes.join() !== notes.join();
    notes = found.notes;
    lookedAt = performance.now();
    lookMs = lookedAt - begin;
    if (changed.size > 0 || isNoted) watch.tell(changed);
    void readQueue();
  }

  function pauseMs(): number {
    return Math.max(UI_LOOK_MS, 20 * lookMs);
  }

  let isReading = false;
  async function readQueue(): Promise<void> {
    if (isReading) return;
    isReading = true;
    for (let found = table.next(); found !== undefined && !watch.isClosed(); found = table.next()) {
      table.fill(found, await read(found));
      watch.tell(NOTHING);
      // Lets requests in between: files in the cache of the disk are read without a pause.
      await new Promise((resolve) => setImmediate(resolve));
    }
    isReading = false;
  }

  return {
    look: () => look(),
    has: (file) => table.has(file),
    find(file) {
      if (!table.has(file)) look(true);
      return table.has(file);
    },
    items: () => table.items(),
    waiting: () => table.waiting() + (isReading ? 1 : 0),
    notes: () => notes,
    listen: (listener) => watch.add(listener, { look, pauseMs }),
    close: () => watch.close(),
  };
}

/** The files that are known, and those that wait to be read. */
function createTable() {
  const known = new Map<string, Known>();
  const queue = new Set<string>();
  return {
    has: (file: string): boolean => known.has(file),
    items: (): UiItem[] => [...known.values()].flatMap(({ items }) => items),
    waiting: (): number => queue.size,
    /** Takes over what a look found. Returns the paths that are new, changed or gone. */
    take(files: readonly FoundFile[]): Set<string> {
      const paths = new Set(files.map(({ path }) => path));
      const gone = [...known.keys()].filter((path) => !paths.has(path));
      for (const path of gone) {
        known.delete(path);
        queue.delete(path);
      }
      const fresh = files.filter(({ path, stamp }) => known.get(path)?.found.stamp !== stamp);
      for (const found of fresh) {
        known.set(found.path, { found, items: known.get(found.path)?.items ?? waitingItems(found) });
      }
      const changed = fresh.sort((a, b) => b.changedMs - a.changedMs).map(({ path }) => path);
      // A set keeps its order, so files that changed just now go before those that wait already.
      const order = new Set([...changed, ...queue]);
      queue.clear();
      for (const path of order) queue.add(path);
      return new Set([...gone, ...changed]);
    },
    /** The next file to read. */
    next(): FoundFile | undefined {
      const [path] = queue;
      if (path === undefined) return undefined;
      queue.delete(path);
      return known.get(path)?.found;
    },
    /** If the file changed while it was read, it is in the queue again. */
    fill(found: FoundFile, items: readonly UiItem[]): void {
      if (known.get(found.path)?.found === found) known.set(found.path, { found, items });
    },
  };
}

/** Those who listen. While there are any, it looks at the folder again and again. */
function createWatch() {
  const listeners = new Set<Listener>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const start = (folder: { look: () => void; pauseMs: () => number }): void => {
    if (timer !== undefined || isClosed || listeners.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      folder.look();
      start(folder);
    }, folder.pauseMs() + 1);
  };
  return {
    isClosed: (): boolean => isClosed,
    tell(changed: ReadonlySet<string>): void {
      for (const listener of listeners) listener(changed);
    },
    add(listener: Listener, folder: Parameters<typeof start>[0]): () => void {
      listeners.add(listener);
      start(folder);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    close(): void {
      isClosed = true;
      stop();
    },
  };
}

const NOTHING: ReadonlySet<string> = new Set();
