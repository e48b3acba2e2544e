// A mutant is one change of one cassette, as data. docs/mutate.md explains each kind.

import type { JsonValue, LlmMessage, LlmTurnResponse } from "../../core/index.js";

/**
 * The part that changes. `prompt`: a system or user message. `arguments`: one value of a tool call. `result`: the result of a tool.
 * `answer`: the text of an answer. `stop`: a stop reason, or the last turn is gone. `tool`: the name of a call, or the call is gone.
 */
export type MutantKind = "prompt" | "arguments" | "result" | "answer" | "stop" | "tool";

export const MUTANT_KINDS: readonly MutantKind[] = ["prompt", "arguments", "result", "answer", "stop", "tool"];

/** One change of one cassette, as data. `turn` counts from 0. */
export interface Mutant {
  /** 12 hex digits. The same change of the same file has the same id. */
  readonly id: string;
  readonly kind: MutantKind;
  readonly file: string;
  readonly turn: number;
  /** JSON pointer (RFC 6901) into the cassette, to the changed place. */
  readonly pointer: string;
  readonly old: JsonValue;
  /** Absent if the value is removed. */
  readonly new?: JsonValue;
  /** The change in one sentence, without a full stop. */
  readonly sentence: string;
}

export interface MutantOptions {
  /** Named in the mutants, and part of their ids. */
  readonly file: string;
  /** Chooses the word, the number or the other tool. The same seed gives the same mutants. */
  readonly seed: string;
  /** Default all of {@link MUTANT_KINDS}. */
  readonly kinds?: readonly MutantKind[];
}

/** The effect of a mutant on the turns of its cassette. */
export type Edit =
  | { readonly part: "response"; readonly turn: number; readonly response: LlmTurnResponse }
  | { readonly part: "message"; readonly turn: number; readonly index: number; readonly message: LlmMessage }
  | { readonly part: "last-turn"; readonly turn: number };

/** A mutant without its id, and the edit that makes it. Many are listed, and few are made. */
export type Candidate = Omit<Mutant, "id" | "file"> & { readonly edit: () => Edit };

/** Chooses one of `length` places. Depends only on the seed and the name. */
export type Choose = (name: string, length: number) => number;
