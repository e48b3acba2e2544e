// `serve --faults`: a plan of faults that answer turns in place of the recording, for clients in any language.

import { CassetteError, parseStrictJson } from "../../cassette/index.js";
import {
  isWireName,
  systemPorts,
  thrownText,
  wireOf,
  type FilePort,
  type HeldConversations,
} from "../../core/index.js";
import {
  createServerFaults,
  describeFault,
  faultReply,
  readTurn,
  serverPlanProblem,
  type DoorRequest,
  type Fault,
  type FaultLog,
  type ServerFaults,
} from "../../harness/index.js";
import { BrokenConnection, type HttpHandler, type HttpReply, type HttpRequest } from "../../host/index.js";
import { CliError } from "../errors.js";
import { MAX_FAULT_PLAN_BYTES } from "../limits.js";
import { readBytes } from "../options/file.js";
import { count, type PrintLine } from "../terminal/output.js";

type PlanOptions = Parameters<typeof createServerFaults>[1];

/** Throws `CliError` `faults-unreadable`. */
export async function readFaults(files: FilePort, path: string): Promise<ServerFaults> {
  const plan = parse(await readBytes(files, path, MAX_FAULT_PLAN_BYTES, { code: "faults-unreadable" }), path);
  const problem = serverPlanProblem(plan);
  if (problem !== undefined) throw unreadable(path, problem.text, problem.pointer);
  return createServerFaults("--faults", plan as PlanOptions);
}

function parse(bytes: Uint8Array, path: string): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    throw unreadable(path, error instanceof CassetteError ? error.summary : thrownText(error));
  }
}

function unreadable(path: string, why: string, pointer?: string): CliError {
  const hint =
    'Give a plan such as { "schedule": [{ "call": 0, "fault": { "kind": "http", "error": "rate-limit" } }] }.';
  return new CliError("faults-unreadable", `the plan of faults cannot be read: ${why}`, hint, path, pointer);
}

/** Called for each fault that strikes. `isReplaced` is false if the recorded answer follows. */
type Struck = (request: DoorRequest, fault: Fault, isReplaced: boolean) => void;

/** Answers the turns that the plan names with their faults, and all other requests with `handler`. Only turns are counted. */
export function faultsHandler(
  plan: ServerFaults,
  handler: HttpHandler,
  held: HeldConversations,
  struck: Struck,
): HttpHandler {
  return async (request) => {
    const asked = await readAsked(request, held);
    if (asked === undefined) return handler(request);
    const found = asked.turn && plan.next();
    if (asked.turn === undefined || found === undefined) return handler(asked.request);
    const reply = await faultReply(found.fault, asked.turn);
    if (reply === "unstruck") found.miss();
    else struck(request, found.fault, reply !== "answered");
    if (reply === "unstruck" || reply === "answered") return handler(asked.request);
    if (reply === "broken") throw new BrokenConnection();
    return toReply(reply);
  };
}

/** A turn, and its request with the body to be read again. Undefined for a request to a path without turns. */
async function readAsked(request: HttpRequest, held: HeldConversations) {
  const wire = wireOf(request);
  if (wire === undefined || !isWireName(wire.name)) return undefined;
  const body = await request.readBody();
  const again: HttpRequest = { ...request, readBody: () => Promise.resolve(body) };
  if (body.kind !== "read") return { request: again };
  const { path, search, signal } = request;
  const read = await readTurn(wire, body.bytes, `${path}${search}`, held);
  if (!("turn" in read)) return { request: again };
  const prompt = read.turn.request;
  const { model } = prompt.settings;
  const text = new TextDecoder().decode(body.bytes);
  const url = `http://localhost${path}${search}`;
  return {
    request: again,
    turn: { wire: wire.name, request: prompt, model, url, body: text, signal, ports: systemPorts },
  };
}

function toReply({ status, headers, body }: Response): HttpReply {
  return { status, headers: Object.fromEntries(headers), body: body ?? "" };
}

/** Prints each fault with its count, and those that never struck. */
export function printFaults({ injected, pending }: FaultLog<Fault>, print: PrintLine): void {
  const all = injected.length;
  if (all === 0) print({ look: "warn", text: "no fault was injected" });
  for (const [text, times] of timesOf(injected)) print(`${text}: ${count(times, "time")}`);
  for (const [text, times] of timesOf(pending)) {
    print({
      look: "warn",
      text: `fault never injected, ${text}: ${count(times, "time")}. The client sent too few turns.`,
    });
  }
}

function timesOf(faults: readonly { readonly fault: Fault; readonly took?: boolean }[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { fault, took } of faults) {
    const prefix = took === undefined ? "" : took ? "fault injected, " : "fault without effect, ";
    const text = `${prefix}${describeFault(fault)}`;
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  return times;
}
