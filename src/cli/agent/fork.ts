// `fork --agent`: the agent replays its recording up to a turn, runs its own tools, and goes on live from there, perhaps on another model.
// All of it becomes a new recording.

import { dirname, join } from "node:path";
import {
  assertForkable,
  CassetteError,
  createCassetteStore,
  createShelf,
  cutCassette,
  secretsOf,
  withValues,
  workspaceOf,
  type CassetteV2,
  type ForkedFrom,
  type Shelf,
  type WorkspaceExtension,
} from "../../cassette/index.js";
import { createHeldConversations, defined, isPlainObject, plural, tryParseJson } from "../../core/index.js";
import type { Refusal } from "../../harness/index.js";
import type { Forwarded, HttpReply, HttpRequest } from "../../host/index.js";
import { readFilterOptions } from "../options/filters.js";
import { parseTarget, sendTo, type Send } from "../proxy/handler.js";
import { recordProxy, type RecordingRoute } from "../proxy/proxy.js";
import type { ProxyRecorder } from "../proxy/recorder.js";
import { serveHandler, type ServeWatcher } from "../serve/handler.js";
import { loadAll, namesOf } from "../serve/load.js";
import { untilSignal } from "../serve/listen.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createNotes, type PrintLine } from "../terminal/output.js";
import { CODING_AGENTS, type AgentName, type CodingAgent } from "./agents.js";
import { compareFiles, differenceText, hadState } from "./compare.js";
import { openAgentSession, type AgentSession } from "./session.js";

export interface ForkAgentOptions {
  readonly agent: AgentName;
  /** The first live turn, counted from 0. */
  readonly at: number;
  readonly out: string;
  readonly target?: string | undefined;
  /** Asked for in place of the agent's model from the live turn on. */
  readonly model?: string | undefined;
  readonly json?: boolean;
}

/** Runs the command. Exits as `recordProxy`. Throws if the recording cannot be forked there. */
export async function forkAgent(
  file: string,
  command: readonly string[],
  { agent: name, at, out, model, json = false, ...given }: ForkAgentOptions,
  io: CommandIo,
): Promise<void> {
  const { vendor }: CodingAgent = CODING_AGENTS[name];
  const target = given.target ?? vendor.client.baseURLs[0] ?? "";
  const source = await createCassetteStore(filesAt(io)).load(file, { requireIntegrity: true });
  const fork = { file, at, source: assertForkable(source, at, file), model };
  const stop = untilSignal();
  try {
    const opening = { agent: name, except: [out, dirname(file)], target: parseTarget(target) };
    const agent = await openAgentSession(opening, io);
    try {
      const route = await createRoute(fork, agent, sendTo(parseTarget(target)), io);
      await recordProxy({ target, out, port: 0, refresh: false, json, command, agent, route }, io, stop);
    } finally {
      await agent.close();
    }
  } finally {
    stop.now();
  }
}

interface Fork {
  readonly file: string;
  readonly at: number;
  readonly source: CassetteV2;
  readonly model: string | undefined;
}

/** Answers from the recording until its turn `at`, then from the vendor. */
async function createRoute(fork: Fork, agent: AgentSession, live: Send, io: CommandIo): Promise<RecordingRoute> {
  const { at, source, file } = fork;
  const { shelf, others } = await openShelf(fork, agent, io);
  const note = createNotes(io);
  const left = (): number => {
    const own = shelf.counts().find((one) => one.file === file);
    return (own?.turns ?? 0) - (own?.used ?? 0);
  };
  let state: "replaying" | "live" | { readonly why: string } = "replaying";
  const { cassetteId, envelopeHash } = source;
  const forkedFrom: ForkedFrom = { cassetteId, envelopeHash, at, ...defined({ model: fork.model }) };

  const held = createHeldConversations(() => undefined);
  const nameOf = namesOf(shelf.counts().map((one) => one.file));
  /** The recorded answer, or the reason why the recording has no answer. */
  const replay = async (request: HttpRequest): Promise<HttpReply | string> => {
    const whys: string[] = [];
    const watcher = watching((why) => whys.push(why));
    const handling = { nameOf, held, streaming: { streaming: "chunked", speed: 1 } } as const;
    const reply = await serveHandler(shelf, watcher, handling)(request);
    return whys[0] ?? reply;
  };
  const send = (recorder: ProxyRecorder): Send => {
    const refuse = (request: HttpRequest, code: string, message: string): { refusal: Refusal } => {
      recorder.refuse(request, message);
      return { refusal: { status: 400, code, message } };
    };
    return async (request, body, whole) => {
      const replayed = await replay({ ...request, readBody: () => Promise.resolve({ kind: "read", bytes: body }) });
      if (typeof replayed !== "string") return toForwarded(replayed);
      if (left() > 0) {
        return refuse(request, "fork-not-reached", `the run left the recording before turn ${at}: ${replayed}`);
      }
      if (state === "replaying") {
        state = checkFiles(fork, others, agent) ?? "live";
        if (state === "live") note(`live from turn ${at} on`, fork.model === undefined ? "" : ` with ${fork.model}`);
      }
      if (state !== "live") return refuse(request, "fork-files-differ", state.why);
      const asked = fork.model === undefined ? { request, body: whole } : askFor(fork.model, request, whole);
      return live(asked.request, asked.body, asked.body);
    };
  };
  return {
    send,
    extensionsOf: () => ({ forkedFrom }),
    problem() {
      if (left() === 0) return undefined;
      const what = `the run ended ${plural(left(), "turn")} before turn ${at}, where it should fork`;
      return new CassetteError("unconsumed", what, { hint: "Fork at an earlier turn.", file });
    },
  };
}

/** The recording up to the fork, and the other recordings of its folder, which may be its sub-agents. */
async function openShelf(
  { file, at, source }: Fork,
  agent: AgentSession,
  io: CommandIo,
): Promise<{ shelf: Shelf; others: WorkspaceExtension[] }> {
  const siblings = await loadAll([dirname(file)], io, () => undefined);
  const key = (path: string): string => join(path);
  const others = siblings.filter((item) => key(item.file) !== key(file));
  const own = { file, cassette: cutCassette(source, at), names: [file] };
  const hashFilter = await readFilterOptions({ presets: agent.filters }, filesAt(io));
  const redact = withValues(undefined, secretsOf(io.env));
  const note: PrintLine = createNotes(io);
  const shelf = createShelf([own, ...others], { redact, ...defined({ hashFilter }), warn: (text) => note(text) });
  return { shelf, others: others.flatMap(({ cassette }) => workspaceOf(cassette) ?? []) };
}

/** Why the run must not go on live: the files are not as they were at the turn. */
function checkFiles({ at, source }: Fork, others: readonly WorkspaceExtension[], { workspace }: AgentSession) {
  const own = workspaceOf(source);
  if (own === undefined) return undefined;
  const later = own.changes.filter(({ turn }) => turn >= at).map(({ step }) => step);
  const until = later.length === 0 ? Infinity : Math.min(...later);
  const differences = compareFiles([own, ...others], workspace.start, workspace.now, until).differences.filter(
    (difference) => !others.some((other) => hadState(other, difference)),
  );
  if (differences.length === 0) return undefined;
  return { why: `the files are not as they were at turn ${at}: ${differences.map(differenceText).join("; ")}` };
}

/** Only misses and refusals are of interest here. */
function watching(missed: (why: string) => void): ServeWatcher {
  const nothing = (): void => undefined;
  return {
    answered: nothing,
    passed: nothing,
    noted: nothing,
    forgot: nothing,
    missed: ({ message }) => missed(message),
    refused: (_, why) => missed(why),
  };
}

function toForwarded({ status, headers, body }: HttpReply): Forwarded {
  const parts = typeof body === "string" || body instanceof Uint8Array ? [body] : body;
  return {
    status,
    headers: { ...headers },
    body: (async function* () {
      for await (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
    })(),
  };
}

/** The request for another model: in its body, and in its path where the vendor has it there. */
function askFor(model: string, request: HttpRequest, body: Uint8Array): { request: HttpRequest; body: Uint8Array } {
  const path = request.path.replace(/(\/models?\/)[^/:]+/, (_, before: string) => before + encodeURIComponent(model));
  const json = tryParseJson(new TextDecoder().decode(body));
  if (!isPlainObject(json) || typeof json["model"] !== "string") return { request: { ...request, path }, body };
  return { request: { ...request, path }, body: new TextEncoder().encode(JSON.stringify({ ...json, model })) };
}
