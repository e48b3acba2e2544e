// Two checks of a redacted replay: whether only placeholder numbers differ from a recorded prompt, and whether to give an answer.

import { canonicalize, defined, toVisible, type LlmMessage, type LlmTurnResponse } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { Cassette } from "../file/format.js";
import { MAX_COMPARED_TURNS } from "../limits.js";
import { rebuildPrompts } from "../prompt/rebuild.js";
import { redactedCalls } from "../redact/calls.js";
import { alignNumbers, placeholdersIn } from "../redact/placeholder.js";

/** Finds numbers that make `prompt` a recorded one. They differ where a live tool repeats a value, or parallel calls swapped. */
export function findNumbers(
  recording: Cassette,
  prompt: readonly LlmMessage[],
  used: readonly boolean[],
  accept: (numbers: ReadonlyMap<number, number>) => boolean,
): boolean {
  const live = canonicalize(prompt);
  if (placeholdersIn(live).length === 0) return false;
  const left = (rebuildPrompts(recording) ?? []).filter((_, index) => used[index] !== true);
  const same = left.filter((messages) => messages.length === prompt.length);
  return same.slice(0, MAX_COMPARED_TURNS).some((messages) => {
    const numbers = alignNumbers(canonicalize(messages), live);
    return numbers !== undefined && accept(numbers);
  });
}

/** Throws `redacted-argument`, naming the turn, the tool, the place and the rule. */
export function assertNotRedacted(response: LlmTurnResponse, turn: number, file: string | undefined): void {
  const [first, ...others] = redactedCalls(response, turn);
  if (first === undefined) return;
  const { tool, pointer, rule } = first;
  const more = others.length === 0 ? "" : ` (and ${others.length} more of this turn)`;
  const what = `turn ${turn} calls tool ${tool} with an argument that was redacted by ${rule}: ${pointer}${more}`;
  throw new CassetteError("redacted-argument", toVisible(what), {
    pointer,
    hint: 'The tool would be called with the placeholder: let the recorded result stand in (replay: "both", cassetteTools), or pass allowRedacted: true.',
    ...defined({ file }),
  });
}
