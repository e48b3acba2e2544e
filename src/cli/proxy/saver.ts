// Writes conversations while they go on. A change is written after a short delay and not at every turn, because each write is of the
// whole cassette. If the disk refuses one, only that one is lost.

import { thrownText } from "../../core/index.js";
import { exchangesOf, type CassetteV2 } from "../../cassette/index.js";
import { SAVE_QUIET_MS } from "../limits.js";

const REST_FACTOR = 10;
/** Each write waits until the disk has it, so that one at a time would be slower than the clients of a whole suite. */
const WRITES_AT_ONCE = 16;

interface SaverOptions {
  /** The answered turns before the first open one. Undefined if there are none. */
  readonly cassetteOf: (conversation: number) => CassetteV2 | undefined;
  readonly write: (conversation: number, cassette: CassetteV2) => Promise<string>;
  /** Called when a conversation is on the disk as it is now. */
  readonly written?: (conversation: number) => void;
  /** Called once for each conversation that could not be written. */
  readonly failed: (why: string) => void;
}

/** A conversation on the disk, or the reason why it is not there. */
export type Saved = { turns: number; exchanges?: number } & ({ file: string } | { file?: string; error: string });

export interface Saver {
  changed(conversation: number): void;
  /** Writes the rest and returns every conversation with an answer, in the order they began. Never rejects. */
  finish(): Promise<Saved[]>;
}

export function createSaver({ cassetteOf, write, written, failed }: SaverOptions): Saver {
  const dirty = new Set<number>();
  const saved = new Map<number, Saved>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let rest = SAVE_QUIET_MS;

  async function save(conversation: number): Promise<void> {
    const before = saved.get(conversation);
    let size = sizeOf(before);
    try {
      const cassette = cassetteOf(conversation);
      // The open turn calls `changed` again when it is over.
      if (cassette === undefined) return;
      size = sizeOf({ turns: cassette.entries.length, exchanges: exchangesOf(cassette).length });
      saved.set(conversation, { file: await write(conversation, cassette), ...size });
      if (!dirty.has(conversation)) written?.(conversation);
    } catch (error) {
      const why = thrownText(error);
      if (before === undefined || !("error" in before)) failed(why);
      saved.set(conversation, { ...(before?.file === undefined ? {} : { file: before.file }), ...size, error: why });
    }
  }

  async function saveAll(): Promise<void> {
    const now = [...dirty].sort((left, right) => left - right);
    let longest = 0;
    while (now.length > 0) {
      const batch = now.splice(0, WRITES_AT_ONCE);
      const began = Date.now();
      for (const conversation of batch) dirty.delete(conversation);
      await Promise.all(batch.map(save));
      longest = Math.max(longest, Date.now() - began);
    }
    // A long conversation is written whole each time.
    rest = Math.max(SAVE_QUIET_MS, REST_FACTOR * longest);
  }

  function later(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = writing.then(saveAll).then(() => (dirty.size > 0 ? later() : undefined));
    }, rest);
  }

  return {
    changed(conversation) {
      dirty.add(conversation);
      later();
    },
    async finish() {
      clearTimeout(timer);
      await writing;
      clearTimeout(timer);
      // A disk that was full may have room again.
      for (const [conversation, state] of saved) if ("error" in state) dirty.add(conversation);
      // A conversation that lost its name to another is written once more.
      while (dirty.size > 0) await saveAll();
      return [...saved].sort(([left], [right]) => left - right).map(([, state]) => state);
    },
  };
}

function sizeOf({ turns, exchanges = 0 }: Pick<Saved, "turns" | "exchanges"> = { turns: 0 }) {
  return { turns, ...(exchanges === 0 ? {} : { exchanges }) };
}
