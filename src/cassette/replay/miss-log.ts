// The misses that one replay threw. One that the run caught is thrown again at the end.

import { defined } from "../../core/index.js";
import { CassetteError, type MissReport } from "../errors.js";
import { formatMiss } from "./miss.js";

/** The cassette's file and the command that records it again, for messages. */
export interface MissPlace {
  readonly file?: string;
  readonly rerecord?: string;
}

export function createMissLog(place: MissPlace) {
  let count = 0;
  let first: MissReport | undefined;
  return {
    add(report: MissReport): CassetteError {
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

/** Stack frames of a miss: a loop between provider and caller uses up the ten that Node keeps. */
const STACK_FRAMES = 50;

function withDeepStack(make: () => CassetteError): CassetteError {
  const { stackTraceLimit } = Error;
  const isSet = raiseLimit(stackTraceLimit);
  try {
    return make();
  } finally {
    if (isSet) Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Leaves the limit alone where stacks are off or `Error` is frozen. */
function raiseLimit(limit: unknown): boolean {
  const isLow = typeof limit === "number" && limit > 0 && limit < STACK_FRAMES;
  return isLow && Reflect.set(Error, "stackTraceLimit", STACK_FRAMES);
}

function miss(report: MissReport, summary: string, { file, rerecord }: MissPlace): CassetteError {
  return new CassetteError(report.code, summary, {
    hint: report.hint,
    miss: report,
    ...defined({ file, rerecord, pointer: report.pointer }),
  });
}
