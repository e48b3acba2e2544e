// The real vendor behind an intercepted request. The request goes out as it came, and the client gets the answer as it comes. The
// recorder gets a copy of the answer.

import {
  CassetteError,
  MAX_RECORDED_BODY_BYTES,
  type OpenTurn,
  type RecordingOptions,
} from "../../../cassette/index.js";
import { AgentError, thrownText, withSystemPorts, type LlmProviderAdapter } from "../../../core/index.js";
import { createLossTally, readPassed, type PassedPart } from "../../wire/passed-answer.js";
import type { AskedTurn } from "./intercept.js";
import { readWhole, withBody } from "./response.js";
import type { Trouble } from "./trouble.js";

export interface Vendor {
  /** Names the vendor in a recording. It is passed to functions that want a live provider, and never called. */
  readonly named: LlmProviderAdapter & { readonly name: string };
  /** Resolves to the vendor's answer, an error of the vendor too. Settles `turn`, if given, and notes an answer that is lost. */
  answer(asked: AskedTurn, turn?: OpenTurn): Promise<Response>;
}

interface VendorOptions extends Pick<RecordingOptions, "streams" | "ports"> {
  /** Sends a request past all handlers. */
  readonly send: (request: Request) => Promise<Response>;
  readonly trouble: Trouble;
}

/** An answer that came, and our copy of its body. */
interface Came {
  readonly answer: Response;
  readonly copy: ReadableStream<Uint8Array> | null;
  readonly requestedAt: number;
}

export function createVendor({ send, trouble, streams = "boundaries", ports }: VendorOptions): Vendor {
  const machine = withSystemPorts(ports);
  const names = new Set<string>();
  const losses = createLossTally((what) => {
    machine.warn(`playhead: an answer has ${what}, which a cassette cannot hold. It was recorded without it.`);
  });

  async function keep(turn: OpenTurn, { wire, turn: { isStream } }: AskedTurn, came: Came): Promise<void> {
    try {
      const isStreamed = isStream || /event-stream|ndjson/.test(came.answer.headers.get("content-type") ?? "");
      const passed = { ...(await collect(came, () => machine.now())), isStream: isStreamed, isCut: false };
      const { response, note, left } = readPassed(wire, passed, came.requestedAt, isStream && streams);
      turn.answer(response, note);
      losses.add(left);
    } catch (error) {
      turn.fail();
      trouble.note(error instanceof CassetteError || error instanceof AgentError ? error : toLoss(error));
    }
  }

  return {
    named: {
      get name() {
        return names.size === 0 ? "upstream" : [...names].join(" + ");
      },
      turn: () => Promise.reject(new Error("the handlers send requests to the vendor themselves")),
    },
    async answer(asked, turn) {
      names.add(`${asked.wire.name}:${asked.turn.request.settings.model}`);
      const requestedAt = machine.now();
      try {
        const answer = await send(asked.request);
        if (answer.ok) {
          if (turn === undefined) return withBody(answer, answer.body);
          const [theirs, copy] = answer.body?.tee() ?? [null, null];
          trouble.track(keep(turn, asked, { answer, copy, requestedAt }));
          return withBody(answer, theirs);
        }
        turn?.fail();
        return await readWhole(answer);
      } catch {
        turn?.fail();
        return Response.error();
      }
    },
  };
}

/** Throws `not-recordable` for an answer without a body or above the limit, and the transport's error for one that breaks off. */
async function collect({ answer, copy }: Came, now: () => number) {
  if (copy === null)
    throw new CassetteError("not-recordable", `the vendor answered HTTP ${answer.status} without a body`);
  const chunks: Uint8Array[] = [];
  const parts: PassedPart[] = [];
  let size = 0;
  for await (const chunk of copy) {
    size += chunk.length;
    if (size > MAX_RECORDED_BODY_BYTES) {
      throw new CassetteError(
        "not-recordable",
        `an answer has more than ${MAX_RECORDED_BODY_BYTES} bytes and was not kept`,
      );
    }
    chunks.push(chunk);
    parts.push({ end: size, at: now() });
  }
  const bytes = new Uint8Array(size);
  for (const chunk of chunks.toReversed()) bytes.set(chunk, (size -= chunk.length));
  return { bytes, parts };
}

/** The error for an answer that ended too early: the client left, or the transport failed. */
function toLoss(cause: unknown): CassetteError {
  const [what, hint] =
    (cause as { name?: unknown } | null)?.name === "AbortError"
      ? ["the client left an answer before its end", "Let the client read the answer to its end while it is recorded."]
      : ["the vendor's answer broke off", "Record again."];
  const summary = `a turn was not recorded, since ${what}: ${thrownText(cause)}`;
  return new CassetteError("not-recordable", summary, { hint, cause });
}
