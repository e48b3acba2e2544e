// Hands the vendor's answer to a turn to the recorder, once our copy of it is read.

import {
  CassetteError,
  type OpenExchange,
  type OpenTurn,
  type PlainRequest,
  type RecordedStreaming,
} from "../../../cassette/index.js";
import { AgentError, thrownText, type Ports } from "../../../core/index.js";
import { createLossTally, readPassed } from "../../wire/passed-answer.js";
import { collect, type Collected } from "./collect.js";
import { toPlainAnswer } from "./exchanges.js";
import type { AskedTurn } from "./replies.js";
import type { Trouble } from "./trouble.js";

/** Opens the exchange that keeps an error. Undefined if nothing is recorded. */
export type KeepError = (request: PlainRequest) => OpenExchange | undefined;

interface KeeperOptions {
  readonly trouble: Trouble;
  readonly keepError: KeepError | undefined;
  readonly streams: RecordedStreaming;
  readonly machine: Ports;
}

/** An answer that came, and our copy of its body. */
interface Came {
  readonly answer: Response;
  readonly copy: ReadableStream<Uint8Array> | null;
  readonly requestedAt: number;
}

export function createAnswerKeeper({ trouble, keepError, streams, machine }: KeeperOptions) {
  const losses = createLossTally((what) => {
    machine.warn(`playhead: an answer has ${what}, which a cassette cannot hold. It was recorded without it.`);
  });

  /** Keeps an answer as a turn. With `keepError`, one that broke off or holds an error becomes an exchange. */
  async function keep(turn: OpenTurn, asked: AskedTurn, { answer, copy, requestedAt }: Came): Promise<void> {
    let collected: Collected | undefined;
    try {
      if (copy === null) throw withoutBody(answer);
      collected = await collect(copy, () => machine.now());
      if (collected.cut !== undefined) throw collected.cut as Error;
      const { wire, turn: asks } = asked;
      const isStream = asks.isStream || /event-?stream|ndjson/.test(answer.headers.get("content-type") ?? "");
      const passed = { ...collected, isStream, isCut: false };
      const { response, answer: json, note, left } = readPassed(wire, passed, requestedAt, asks.isStream && streams);
      asked.keep?.(json);
      turn.answer(response, note);
      trouble.count(asked.request, "turn");
      losses.add(left);
    } catch (error) {
      const isRefused = error instanceof AgentError || (error === collected?.cut && !isAbort(error));
      if (isRefused && keepError !== undefined && collected !== undefined) {
        keepRefused(turn, asked, { answer, ...collected });
        return;
      }
      turn.fail();
      trouble.count(asked.request, "lost", thrownText(error));
      trouble.note(error instanceof CassetteError || error instanceof AgentError ? error : toLoss(error));
    }
  }

  /** Keeps an error of the vendor as an exchange, if errors are kept. */
  function keepRefused(
    turn: OpenTurn,
    { plain, request }: AskedTurn,
    { answer, bytes, cut }: { answer: Response; bytes: Uint8Array; cut?: unknown },
  ): void {
    turn.fail();
    try {
      keepError?.(plain)?.answer(toPlainAnswer(answer, bytes, { cut }));
      trouble.count(request, keepError === undefined ? "failed" : "exchange");
    } catch (error) {
      trouble.count(request, "passed-on", thrownText(error));
    }
  }

  return { keep, keepRefused };
}

function withoutBody({ status }: Response): CassetteError {
  return new CassetteError("not-recordable", `the vendor answered HTTP ${status} without a body`);
}

/** True if the client left. */
function isAbort(cause: unknown): boolean {
  return (cause as { name?: unknown } | null)?.name === "AbortError";
}

/** The error for an answer that ended too early: the client left, or the transport failed. */
function toLoss(cause: unknown): CassetteError {
  const [what, hint] = isAbort(cause)
    ? ["the client left an answer before its end", "Let the client read the answer to its end while it is recorded."]
    : ["the vendor's answer broke off", "Record again."];
  const summary = `a turn was not recorded, since ${what}: ${thrownText(cause)}`;
  return new CassetteError("not-recordable", summary, { hint, cause });
}
