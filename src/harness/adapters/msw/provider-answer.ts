// A turn over a vendor's wire, answered by a provider: from its recording, or as the vendor behind it answers.

import { CassetteError } from "../../../cassette/index.js";
import {
  AgentError,
  cutAs,
  hashJson,
  thrownText,
  type LlmProviderAdapter,
  type LlmStreamDelta,
  type LlmTurnResponse,
} from "../../../core/index.js";
import { answerReply } from "../../wire/reply.js";
import type { AskedTurn } from "./intercept.js";
import { toResponse } from "./response.js";
import type { Trouble } from "./trouble.js";
import { VendorRefusal, type Upstream } from "./upstream.js";

interface Answered {
  readonly response: LlmTurnResponse;
  readonly deltas: readonly LlmStreamDelta[];
}

interface ProviderAnswerer {
  readonly provider: LlmProviderAdapter;
  /** What the provider asks when it goes live; undefined for one that never does. */
  readonly upstream: Upstream | undefined;
  readonly trouble: Trouble;
}

/** Rejects as the provider does, where that did not come to ask the vendor. */
export async function answerByProvider(
  { provider, upstream, trouble }: ProviderAnswerer,
  asked: AskedTurn,
): Promise<Response> {
  const { wire, turn, request } = asked;
  const live = upstream?.expect(turn.request, { wire, request });
  const answered = ask(provider, asked);
  trouble.track(answered);
  if (live === undefined) return encode(await answered, asked);
  const first = await Promise.race([
    live.then(
      (response) => ({ kind: "live", response }) as const,
      () => ({ kind: "unreachable" }) as const,
    ),
    answered.then((answer) => ({ kind: "recorded", answer }) as const),
  ]);
  switch (first.kind) {
    case "recorded":
      return encode(first.answer, asked);
    case "unreachable":
      return Response.error();
    case "live":
      trouble.track(noteLoss(answered, trouble));
      return first.response;
  }
}

/** The client has its answer; that it could not be kept is said at the end. */
async function noteLoss(answered: Promise<Answered>, trouble: Trouble): Promise<void> {
  try {
    await answered;
  } catch (error) {
    if (error instanceof VendorRefusal) return;
    trouble.note(error instanceof CassetteError || error instanceof AgentError ? error : toLoss(error));
  }
}

/** What the transport said of an answer that ended before its end. */
function toLoss(cause: unknown): CassetteError {
  const [what, hint] =
    (cause as { name?: unknown } | null)?.name === "AbortError"
      ? ["the client left an answer before its end", "Let the client read the answer to its end while it is recorded."]
      : ["the vendor's answer broke off", "Record again."];
  const summary = `a turn was not recorded, since ${what}: ${thrownText(cause)}`;
  return new CassetteError("not-recordable", summary, { hint, cause });
}

async function ask(provider: LlmProviderAdapter, { turn }: AskedTurn): Promise<Answered> {
  if (!turn.isStream || provider.stream === undefined) {
    return { response: await provider.turn(turn.request), deltas: [] };
  }
  const deltas: LlmStreamDelta[] = [];
  let response: LlmTurnResponse | undefined;
  for await (const event of provider.stream(turn.request)) {
    if (event.type === "response") response = event.response;
    else deltas.push(event);
  }
  if (response === undefined) throw new Error("the provider's stream ended without a response");
  return { response, deltas };
}

/** The same answer gives the same bytes. */
function encode({ response, deltas }: Answered, { wire, turn }: AskedTurn): Response {
  const { request, isStream, ...form } = turn;
  const stamp = {
    id: hashJson(response.message).slice(0, 12),
    createdAt: 0,
    model: request.settings.model,
    ...form,
  };
  if (!isStream) return toResponse(answerReply(wire, response, stamp, undefined));
  const cut = cutAs(deltas.map((delta) => ({ delta, at: 0 })));
  const events = wire.events(response, stamp, cut).map(({ text }) => text);
  return toResponse(answerReply(wire, response, stamp, events));
}
