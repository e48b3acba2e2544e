// The public ids of tool calls. Models repeat their ids, and a repeated idempotency key would skip a payment.

import { sha256Hex } from "../../canon/digest.js";
import type { LlmMessage } from "../../model/message.js";

const PUBLIC_ID = /^call[-_]/;
const DIGITS = 24;

/** The ids of one run. The calls of an answer must be named in the order of their answers. */
export class CallIds {
  readonly #taken = new Set<string>();
  readonly #byStep = new Map<number, readonly string[]>();

  /** Assigns ids to the calls of a step's answer. Assigning them again changes nothing. */
  name(step: number, message: LlmMessage): readonly string[] {
    const known = this.#byStep.get(step);
    if (known !== undefined) return known;
    const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
    const ids = calls.map(({ id }, index) => this.#toPublic(step, index, id));
    this.#byStep.set(step, ids);
    return ids;
  }

  /** The public id of a call that has one. */
  readonly of = (step: number, callIndex: number, id: string): string =>
    this.#byStep.get(step)?.[callIndex] ?? this.#toPublic(step, callIndex, id);

  #toPublic(step: number, index: number, id: string): string {
    let own = id;
    for (let round = 0; this.#taken.has(own) || !PUBLIC_ID.test(own); round++)
      own = `call_${digest(round === 0 ? [step, index, id] : [step, index, id, round])}`;
    this.#taken.add(own);
    return own;
  }
}

function digest(parts: readonly (string | number)[]): string {
  return sha256Hex(JSON.stringify(parts)).slice(0, DIGITS);
}
