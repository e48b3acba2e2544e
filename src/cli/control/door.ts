// The open cassettes of one server, each with base URLs of its own: `/cassette-1-openai/v1` is that of the first one for OpenAI's
// clients. `/cassette-openai/v1` is for clients that exist before a cassette is open: it leads to the only open one.

import { setTimeout as wait } from "node:timers/promises";
import { CassetteError } from "../../cassette/index.js";
import { joinSignals, showValue, wireOf } from "../../core/index.js";
import { createTally, fileExists, recordingPath, refusalReply, resolveMode } from "../../harness/index.js";
import type { HttpHandler, HttpReply, HttpRequest } from "../../host/index.js";
import { CLIENT_VENDORS, PLACEHOLDER_KEYS, settingsByVendor } from "../child/base-url-variables.js";
import { CLOSE_GRACE_MS, MAX_CLOSED_CASSETTES } from "../limits.js";
import type { CommandIo } from "../terminal/io.js";
import { createNotes } from "../terminal/output.js";
import type { Ended, OpenedCassette } from "./opened.js";
import type { OpenOptions, RunEnd } from "./orders.js";
import { createPlace, type ControlPlace } from "./place.js";
import { openRecording } from "./recording.js";
import { openReplay } from "./replaying.js";

export interface Opened {
  readonly id: string;
  readonly file: string;
  readonly mode: OpenedCassette["mode"];
  /** The base URL of each client, by its variable. Empty in mode `live`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Placeholder keys for clients that do not start without one. Only in a replay. */
  readonly keys: Readonly<Record<string, string>>;
}

export interface Door {
  readonly handler: HttpHandler;
  /** `url` is the server's. Throws `CassetteError`, and `HarnessError` for the mode. */
  open(file: string, options: OpenOptions, url: string): Promise<Opened>;
  /** Throws `invalid-options` for a cassette that is not open. */
  close(id: string, end: RunEnd): Promise<Ended & Pick<Opened, "file" | "mode">>;
  /** Closes all as those of failed runs. */
  end(): Promise<void>;
}

interface Entry {
  readonly file: string;
  readonly cassette: OpenedCassette;
  /** Requests whose answer was not sent yet. */
  readonly running: Set<Promise<unknown>>;
  /** Ends the requests that are still open. */
  readonly over: AbortController;
}

/** The number of a cassette, the vendor, and the path of the request. */
const ROUTE = /^(?:\/cassette(?:-(\d+))?(?:-([a-z]+))?(?=\/|$))?(.*)$/s;

export function createDoor(io: CommandIo): Door {
  const place = createPlace(io);
  const note = createNotes(io);
  const late = createTally();
  const open = new Map<string, Entry>();
  const closed = new Map<string, string>();
  let count = 0;

  function find(number: string | undefined): Entry | undefined {
    if (number !== undefined) return open.get(`cassette-${number}`);
    const [first, second] = open.values();
    return second === undefined ? first : undefined;
  }

  function refuse(request: HttpRequest, path: string, number: string | undefined): HttpReply {
    const { method } = request;
    const file = closed.get(`cassette-${number}`);
    const why =
      number === undefined
        ? `${open.size === 0 ? "no cassette is" : "several cassettes are"} open, so the request belongs to none`
        : `its cassette is not open${file === undefined ? "" : ` any more: ${file}`}`;
    const message = `${method} ${path}: ${why}`;
    if (late.add({ method, path, outcome: "refused", code: `cassette-${number}` })) note("refused: ", message);
    return refusalReply({ status: 404, code: "not-open", message }, wireOf({ method, path }));
  }

  async function close(id: string, end: RunEnd) {
    const entry = open.get(id);
    if (entry === undefined) {
      const hint = "Close each cassette once, by the name that `opened` gave it.";
      throw new CassetteError("invalid-options", `no cassette is open as ${showValue(id)}`, { hint });
    }
    open.delete(id);
    const [oldest] = closed.keys();
    if (oldest !== undefined && closed.size >= MAX_CLOSED_CASSETTES) closed.delete(oldest);
    closed.set(id, entry.file);
    await settle(entry);
    return { file: entry.file, mode: entry.cassette.mode, ...(await entry.cassette.close(end)) };
  }

  return {
    async handler(request) {
      const [, number, name = "", path = ""] = ROUTE.exec(request.path) ?? [];
      const entry = find(number);
      if (entry === undefined) return refuse(request, path, number);
      const { cassette, running, over } = entry;
      const signal = joinSignals(request.signal, over.signal);
      const sent = new Promise<void>((resolve) => {
        request.onClose(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      const answer = cassette.answer({ ...request, path: path === "" ? "/" : path, signal }, CLIENT_VENDORS.get(name));
      const run = Promise.allSettled([answer, sent]).finally(() => running.delete(run));
      running.add(run);
      return answer;
    },
    async open(file, options, url) {
      const cassette = await openAs(file, options, place);
      const id = `cassette-${++count}`;
      const { mode } = cassette;
      open.set(id, { file, cassette, running: new Set(), over: new AbortController() });
      const variables = mode === "live" ? {} : settingsByVendor(`${url}/${id}`, io.env);
      return { id, file, mode, variables, keys: mode === "replay" ? PLACEHOLDER_KEYS : {} };
    },
    close,
    async end() {
      for (const id of [...open.keys()]) await close(id, { failed: true });
    },
  };
}

/** Waits for open requests, and ends those that take too long. */
async function settle({ running, over }: Entry): Promise<void> {
  await Promise.race([Promise.all(running), wait(CLOSE_GRACE_MS, undefined, { ref: false })]);
  over.abort();
  await Promise.all(running);
}

async function openAs(file: string, options: OpenOptions, place: ControlPlace): Promise<OpenedCassette> {
  const mode = resolveMode(place.env, options.mode);
  switch (mode) {
    case "replay":
      return openReplay(file, options, place);
    case "record":
    case "refresh":
      return openRecording(recordingPath(place.env, file), mode, options, place);
    case "auto":
      return (await fileExists(place.files, file))
        ? openReplay(file, options, place)
        : openRecording(file, "record", options, place);
    case "live":
      return liveCassette(file, place);
    case "from-first-miss":
    case "fork": {
      const hint = "Use replay, record, refresh, auto or live.";
      throw new CassetteError("invalid-options", `mode ${mode} is not for clients that speak HTTP`, { file, hint });
    }
  }
}

/** The clients keep their own base URLs, so no request comes here. */
function liveCassette(file: string, { note }: ControlPlace): OpenedCassette {
  return {
    mode: "live",
    answer: async ({ method, path }, vendor = wireOf({ method, path })) => {
      const message = `${method} ${path} came to a cassette in mode live, which forwards nothing. Use the vendor's base URL`;
      return refusalReply({ status: 404, code: "not-open", message }, vendor);
    },
    async close() {
      await note(file, "live", { turns: 0 });
      const nothing = { turns: 0, exchanges: 0, unused: 0, misses: [], requests: [], notes: [] };
      return { ok: true, report: "", ...nothing };
    },
  };
}
