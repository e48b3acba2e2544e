// Results of tools that an agent keeps in view when its conversation is shortened. A call has one key, whatever the order of its arguments.

import { canonicalize } from "../../canon/json.js";
import type { JsonObject } from "../../canon/value.js";
import { MAX_PINS } from "../../limits.js";

export interface Pin {
  readonly key: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** What the model read. */
  readonly content: string;
}

/** The key of a call: `doc_read({"path":"notes.md"})`. */
export function pinKey(tool: string, args: JsonObject): string {
  return `${tool}(${canonicalize(args)})`;
}

export class Pins {
  readonly #pins = new Map<string, Pin>();

  get list(): readonly Pin[] {
    return [...this.#pins.values()];
  }

  get keys(): readonly string[] {
    return [...this.#pins.keys()];
  }

  find(key: string): Pin | undefined {
    return this.#pins.get(key);
  }

  /** Keeps the first pin of a key. Beyond the limit, the oldest is removed. */
  add(pin: Pin): void {
    if (this.#pins.has(pin.key)) return;
    const [oldest] = this.#pins.keys();
    if (this.#pins.size >= MAX_PINS && oldest !== undefined) this.#pins.delete(oldest);
    this.#pins.set(pin.key, pin);
  }

  remove(key: string): void {
    this.#pins.delete(key);
  }
}

/** The message that holds all pinned results. A mark inside a result is escaped, so that no text can end the block. */
export function pinBlock(pins: readonly Pin[]): string {
  const entries = pins.map(({ key, content }) => {
    const text = content.replaceAll("</pinned", "<\\/pinned").replaceAll("<pinned", "<\\pinned");
    return `<pinned key="${escapeKey(key)}">\n${text}\n</pinned>`;
  });
  return `<pinned-documents>
The following tool results are pinned in your context. They survive
compaction and are always available. Do not re-fetch them.

${entries.join("\n")}
</pinned-documents>`;
}

/** What the model reads for a call whose result is pinned. The key stands as in the block, so that the model finds it. */
export function pinNote(key: string): JsonObject {
  const note = `This tool result is already pinned in your context. Look for <pinned key="${escapeKey(key)}"> in the pinned-documents block at the top of your conversation.`;
  return { pinned: true, note };
}

function escapeKey(key: string): string {
  return key.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
