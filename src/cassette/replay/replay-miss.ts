// The misses of one replay: why a prompt was not answered, and whether the run went on after one as if nothing were wrong.

import { defined, type LlmMessage } from "../../core/index.js";
import { CassetteError, type MissReport } from "../errors.js";
import type { Cassette } from "../file/format.js";
import { explainPromptMiss, formatMiss } from "./miss.js";
import type { UnusedTurns } from "./unused.js";

/** Where it is replayed from, and how that is recorded again, for messages. */
export interface MissPlace {
  readonly file?: string;
  readonly rerecord?: string;
}

/** Counts the misses that were thrown, so that one the caller caught is still told of at the end. */
export function createMisses(place: MissPlace) {
  let count = 0;
  let first: MissReport | undefined;
  return {
    /** The error to be thrown. */
    note(report: MissReport): CassetteError {
      count++;
      first ??= report;
      return withDeepStack(() => miss(report, formatMiss(report), place));
    },
    assertNone(): void {
      if (first === undefined) return;
      const summary = `the run caught ${count === 1 ? "a miss" : `${count} misses`} and went on; the first:`;
      throw miss(first, `${summary}\n${formatMiss(first)}`, place);
    },
    reset(): void {
      count = 0;
      first = undefined;
    },
  };
}

/** Why no turn answers a prompt: it was answered before, all turns are used, or none has it. */
export function explainNoAnswer(
  tape: Cassette,
  prompt: readonly LlmMessage[],
  turn: number,
  turns: UnusedTurns,
  promptHash: string,
): MissReport {
  const sameUsed = turns.lastWith(promptHash);
  const total = tape.entries.length;
  if (sameUsed !== undefined) {
    const nearest = { turnIndex: sameUsed, used: true };
    return {
      code: "exhausted",
      turn,
      nearest,
      what: `exhausted: recorded turn ${sameUsed} answers this prompt and was used already`,
      hint: "Replay is single-use: call reset() before a second run, or make a new cassetteProvider.",
    };
  }
  if (turns.left > 0) return explainPromptMiss(tape, prompt, turn, turns.used, turns.next());
  // Every turn was used; the one that goes along the longest still says where the run went on otherwise.
  const near = total === 0 ? undefined : explainPromptMiss(tape, prompt, turn, turns.used, total - 1);
  return {
    ...near,
    code: "exhausted",
    turn,
    what: `exhausted: ${usedText(total)}, and the run asks for more`,
    hint: "The run asks for more turns than were recorded. Undo the change if it was not meant; else record it again.",
  };
}

/** A loop between the provider and the caller takes up the ten frames that Node keeps. */
const STACK_FRAMES = 50;

/** Makes an error whose stack reaches the code that started the run. */
function withDeepStack(make: () => CassetteError): CassetteError {
  const { stackTraceLimit } = Error;
  const isSet = raiseLimit(stackTraceLimit);
  try {
    return make();
  } finally {
    if (isSet) Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Whoever turned stacks off, or froze `Error`, keeps it so. */
function raiseLimit(limit: unknown): boolean {
  const isLow = typeof limit === "number" && limit > 0 && limit < STACK_FRAMES;
  return isLow && Reflect.set(Error, "stackTraceLimit", STACK_FRAMES);
}

function usedText(total: number): string {
  if (total === 0) return "the recording holds no turn";
  return total === 1 ? "the one recorded turn was used" : `all ${total} recorded turns were used`;
}

function miss(report: MissReport, summary: string, { file, rerecord }: MissPlace): CassetteError {
  return new CassetteError(report.code, summary, {
    hint: report.hint,
    miss: report,
    ...defined({ file, rerecord, pointer: report.pointer }),
  });
}
