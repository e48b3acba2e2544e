// What a mutant is: one change of one cassette, as data. See docs/mutate.md for what each kind is for.

import type { JsonValue, LlmMessage, LlmTurnResponse } from "../../core/index.js";

/**
 * What is changed. `prompt`: a system or user message. `arguments`: one value of a tool call. `result`: what a tool answered.
 * `answer`: the text of an answer. `stop`: why a turn stopped, or that there is a last turn. `tool`: which tool is called, or
 * whether one is.
 */
export type MutantKind = "prompt" | "arguments" | "result" | "answer" | "stop" | "tool";

/** Every {@link MutantKind}. */
export const MUTANT_KINDS: readonly MutantKind[] = ["prompt", "arguments", "result", "answer", "stop", "tool"];

/** One change of one cassette, as data. `turn` counts from 0. */
export interface Mutant {
  /** 12 hex digits: the same change of the same file has the same id. */
  readonly id: string;
  readonly kind: MutantKind;
  /** As it was named. */
  readonly file: string;
  readonly turn: number;
  /** JSON pointer (RFC 6901) into the cassette, to what is changed. */
  readonly pointer: string;
  readonly old: JsonValue;
  /** Absent where it is taken away. */
  readonly new?: JsonValue;
  /** The change in one plain sentence, without a full stop. */
  readonly sentence: string;
}

/** The options of the search for mutants. */
export interface MutantOptions {
  /** Named in the mutants, and part of their ids. */
  readonly file: string;
  /** Decides which word, which number, which other tool. Same seed, same mutants. */
  readonly seed: string;
  /** Default all of {@link MUTANT_KINDS}. */
  readonly kinds?: readonly MutantKind[];
}

/** What a mutant does to the turns of its cassette. */
export type Edit =
  | { readonly part: "response"; readonly turn: number; readonly response: LlmTurnResponse }
  | { readonly part: "message"; readonly turn: number; readonly index: number; readonly message: LlmMessage }
  | { readonly part: "last-turn"; readonly turn: number };

/** A mutant before it has its id, and the edit that makes it; of the many that are listed, few are made. */
export type Candidate = Omit<Mutant, "id" | "file"> & { readonly edit: () => Edit };

/** One of `length` places, for a place with this name: a function of the seed and the name alone. */
export type Choose = (name: string, length: number) => number;
