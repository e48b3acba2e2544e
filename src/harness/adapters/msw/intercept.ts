// One function for all requests below the base URLs: which wire a request speaks, what it asks, and who answers it. What
// cannot be answered is refused in the words of the wire and remembered.

import { CassetteError } from "../../../cassette/index.js";
import { AgentError, type Wire, type WireTurn } from "../../../core/index.js";
import { readTurn } from "../../wire/read-turn.js";
import { refusalReply, type Refusal } from "../../wire/reply.js";
import type { Bases } from "./bases.js";
import { toResponse } from "./response.js";
import type { Trouble } from "./trouble.js";

/** A conversation turn that was asked over a wire. */
export interface AskedTurn {
  readonly wire: Wire;
  readonly turn: WireTurn;
  readonly request: Request;
}

export interface Interception {
  readonly bases: Bases;
  readonly trouble: Trouble;
  /** Rejects with `CassetteError` for a miss. */
  readonly answer: (asked: AskedTurn) => Promise<Response>;
  /** Lets out what is no turn or cannot be read as one. Undefined where nothing goes out. */
  readonly letOut: ((request: Request) => Promise<Response>) | undefined;
}

/** Never rejects: a handler that throws would be answered 500, which clients try again. */
export function createInterceptor(interception: Interception): (request: Request) => Promise<Response> {
  const { bases, trouble, answer, letOut } = interception;

  function refuse(refusal: Refusal, wire: Wire | undefined, error: unknown): Response {
    trouble.note(error);
    return toResponse(refusalReply(refusal, wire));
  }

  async function outside(request: Request, refusal: Refusal, wire?: Wire): Promise<Response> {
    const error = new CassetteError(wire === undefined ? "invalid-options" : "not-recordable", refusal.message);
    if (letOut === undefined) return refuse(refusal, wire, error);
    const response = await letOut(request).catch(() => Response.error());
    if (response.ok && (wire !== undefined || otherApi(request) !== undefined)) trouble.note(notKept(request, error));
    return response;
  }

  return async (request) => {
    const wire = bases.wireOf(request);
    if (wire === undefined) return outside(request, unknownPath(request));
    const read = readTurn(wire, new Uint8Array(await request.clone().arrayBuffer()));
    if ("held" in read) {
      // A client that then sends the whole conversation has lost nothing.
      const { held, isRecoverable } = read;
      return isRecoverable
        ? toResponse(refusalReply(held, wire))
        : refuse(held, wire, new CassetteError("invalid-options", held.message));
    }
    if ("refusal" in read) return outside(request, read.refusal, wire);
    try {
      return await answer({ wire, turn: read.turn, request });
    } catch (error) {
      return refuse(toRefusal(error), wire, error);
    }
  };
}

function unknownPath(request: Request): Refusal {
  const { origin, pathname } = new URL(request.url);
  const what = otherApi(request) ?? "no conversation turn that a cassette holds";
  return {
    status: 404,
    code: "unknown-path",
    message: `${request.method} ${origin}${pathname} is ${what}: chat completions, messages and api/chat are what it holds; put a handler of your own for it before these`,
  };
}

/** Paths at which models answer too, in words that no wire of ours has. */
const OTHER_APIS: readonly (readonly [path: RegExp, name: string])[] = [
  [
    /\/responses(?:\/compact)?$/,
    'OpenAI\'s Responses API, which no cassette holds (@openai/agents asks by chat completions after setOpenAIAPI("chat_completions"), the AI SDK by openai.chat(model))',
  ],
  [/(?<!\/chat)\/completions$/, "the API of text completions, which no cassette holds"],
  [/\/v1\/complete$/, "the API of text completions, which no cassette holds"],
  [/\/api\/generate$/, "Ollama's generate, which no cassette holds"],
];

function otherApi({ method, url }: Request): string | undefined {
  if (method !== "POST") return undefined;
  const { pathname } = new URL(url);
  return OTHER_APIS.find(([path]) => path.test(pathname))?.[1];
}

/** A model answered, and nothing of it will be in the recording. */
function notKept(request: Request, error: CassetteError): CassetteError {
  const api = otherApi(request);
  if (api === undefined) return error;
  return new CassetteError("not-recordable", `an answer was passed on and not recorded: it came by ${api}`);
}

function toRefusal(error: unknown): Refusal {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CassetteError) {
    const { code, miss } = error;
    return miss === undefined ? { status: 404, code, message } : { status: 409, code, message, miss };
  }
  return { status: 400, code: error instanceof AgentError ? error.code : "failed", message };
}
