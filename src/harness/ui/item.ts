// What a folder of recordings and reports contains, as the list of `cassette ui` shows it.

import type { NotedMiss } from "../cassette/ledger-writer.js";
import type { Mutant } from "../mutate/mutant.js";

/** The kinds of an item, in the order of the filters. */
export const ITEM_KINDS = ["cassette", "failed", "miss", "verdict", "mutants", "bundle"] as const;

/** `failed`: the recording of a failed test. `verdict`: a report of `cassette drift`. `mutants`: a report of `cassette mutate`. */
export type ItemKind = (typeof ITEM_KINDS)[number];

/** How an item looks in the list. */
export type ItemLook = "good" | "bad" | "warn" | "plain";

export interface UiItem {
  readonly kind: ItemKind;
  /** The path of its file in the folder, with `/`. */
  readonly file: string;
  /** For a miss: the recording that did not answer. One file may list several. */
  readonly missed?: string;
  /** `waiting`: not read yet. `damaged`: it was refused, and `about` says why. */
  readonly state: "waiting" | "read" | "damaged";
  /** The result in a word, such as "regression". */
  readonly badge?: { readonly text: string; readonly look: ItemLook };
  /** Short facts, such as "3 turns". */
  readonly facts: readonly string[];
  /** One line of its content. */
  readonly about: string;
  /** When the file was changed, in ms since 1970. */
  readonly changedMs: number;
}

/** A miss that a test run or a command noted. */
export interface UiMiss {
  /** The recording as the run named it. */
  readonly recording: string;
  /** The path of the recording in the folder, if it is there. */
  readonly link?: string;
  readonly report: NotedMiss;
}

/** One mutant of a report, with what became of it. */
export interface UiMutant extends Pick<Mutant, "id" | "kind" | "file" | "turn" | "pointer" | "sentence"> {
  readonly old: string | undefined;
  readonly new: string | undefined;
  readonly outcome: "noticed" | "survived" | "unused";
  readonly isTimedOut: boolean;
}

export interface UiMutants {
  readonly command: readonly string[];
  readonly seed: string;
  readonly mutants: readonly UiMutant[];
  /** Lines that are not of a mutant, such as one that is being written. */
  readonly unreadable: number;
}
