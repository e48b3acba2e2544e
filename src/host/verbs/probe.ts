// `probe`: what a target allows. For a server: methods, CORS headers, robots.txt. For a file or folder: permissions.

import { MAX_ROBOTS_BYTES } from "../limits.js";
import { decodeText } from "./charset.js";
import { shown } from "./descent.js";
import { exchange, type HttpAnswer } from "./http-fetch.js";
import type { World } from "./options.js";
import { askRobots, type RobotsAnswer } from "./robots.js";
import { parseTarget } from "./target.js";

type Probed =
  | {
      readonly kind: "http";
      readonly uri: string;
      /** The status of the answer to OPTIONS. */
      readonly status: number;
      /** Null if the server does not name them. */
      readonly methods: readonly string[] | null;
      /** The `access-control-…` fields without that prefix. Null without any. */
      readonly cors: Readonly<Record<string, string>> | null;
      /** "unknown" if robots.txt could not be read. */
      readonly robots: RobotsAnswer | "unknown";
    }
  | {
      readonly kind: "file" | "folder";
      readonly uri: string;
      readonly readable: boolean;
      readonly writable: boolean;
      readonly listable: boolean;
    };

const CORS = "access-control-";

export async function probe({ uri }: { uri: string }, world: World, signal: AbortSignal): Promise<Probed> {
  const target = parseTarget(uri, world);
  if (target.kind === "http") return probeHttp(target.url, world, signal);
  const { kind, readable, writable } = await target.root.access(target.path);
  return {
    kind,
    uri: shown(target.path),
    readable,
    writable: writable && world.write,
    listable: kind === "folder" && readable,
  };
}

async function probeHttp(url: URL, world: World, signal: AbortSignal): Promise<Probed> {
  const headers = { origin: "null", "access-control-request-method": "GET" };
  const ask = { url, method: "OPTIONS", headers };
  const found = await exchange(world.net, ask, signal, async (answer) => ({
    uri: answer.url.href,
    status: answer.status,
    methods: methodsOf(answer),
    cors: corsOf(answer),
  }));
  return { kind: "http", ...found, robots: await robotsFor(new URL(found.uri), world, signal) };
}

function methodsOf({ headers }: HttpAnswer): string[] | null {
  if (headers.allow === undefined) return null;
  return headers.allow.split(",").flatMap((method) => (method.trim() === "" ? [] : [method.trim().toUpperCase()]));
}

function corsOf({ headers }: HttpAnswer): Record<string, string> | null {
  const fields = Object.entries(headers)
    .filter(([name, value]) => name.startsWith(CORS) && value !== undefined)
    .map(([name, value]) => [name.slice(CORS.length), String(value)]);
  return fields.length === 0 ? null : (Object.fromEntries(fields) as Record<string, string>);
}

/** A missing robots.txt allows everything (RFC 9309 §2.3.1.3). A server error is unknown. */
async function robotsFor(url: URL, { net }: World, signal: AbortSignal): Promise<RobotsAnswer | "unknown"> {
  const agent = /^[a-z_-]+/i.exec(net.userAgent)?.[0] ?? "*";
  try {
    return await exchange(net, { url: new URL("/robots.txt", url) }, signal, async (answer) => {
      if (answer.status >= 400 && answer.status < 500) return { allowed: true };
      if (answer.status < 200 || answer.status > 299) return "unknown";
      const { bytes } = await answer.read({ maxBytes: MAX_ROBOTS_BYTES, cut: true });
      return askRobots(decodeText(bytes, "utf-8", false).text, agent, `${url.pathname}${url.search}`);
    });
  } catch {
    signal.throwIfAborted();
    return "unknown";
  }
}
