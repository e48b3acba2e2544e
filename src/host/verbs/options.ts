// Checks the options of `createVerbs`, and converts them to the settings of the verbs.

import { lookup as lookupHost } from "node:dns/promises";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { AgentError, assertKnownOptions, MAX_TIMER_MS } from "../../core/index.js";
import { DEFAULT_MAX_FETCHED_BYTES, DEFAULT_MAX_REDIRECTS, DEFAULT_VERB_TIMEOUT_MS } from "../limits.js";
import { openRoot, type Root } from "./root.js";

/** An IP address of a name. `family` is 4 or 6. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves all addresses of a name, once for each connection. May reject. */
export type ResolveName = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** The options of {@link createVerbs}. A wrong one is `AgentError` `invalid-options`. */
export interface VerbsOptions {
  /** The folder for paths and `file:` URLs. Without it there are no file targets. */
  readonly root?: string;
  /** False refuses every `act`, whatever a manifest says. Default true, but a manifest must still list `act`. */
  readonly write?: boolean;
  /**
   * `true` opens loopback and private addresses, but not link-local ones, where clouds serve credentials. A list opens hosts (`intranet`,
   * `127.0.0.1:8080`, `*.corp.test`) at any address. Default false.
   */
  readonly allowPrivateNetwork?: boolean | readonly string[];
  /** If set, only these hosts can be reached. Written like those of `allowPrivateNetwork`, which is still needed. */
  readonly allowHosts?: readonly string[];
  /** Limit of one body or file in bytes, also after decompression. Default 2 MiB. */
  readonly maxBytes?: number;
  /** Time limit in ms for one target, with redirects and body. Default 30,000. */
  readonly timeoutMs?: number;
  /** Default 5. */
  readonly maxRedirects?: number;
  /** Header fields by origin (`https://api.example.com`), sent to that origin and to no other. */
  readonly headers?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Default `playhead`. Its first word is also the agent for robots.txt. */
  readonly userAgent?: string;
  /** Default the system's resolver. Its answers are checked, and used for the connection. */
  readonly lookup?: ResolveName;
}

export interface Net {
  readonly allowsPrivate: boolean;
  readonly privateHosts: readonly string[];
  readonly allowHosts: readonly string[] | undefined;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly maxRedirects: number;
  readonly headers: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly userAgent: string;
  readonly lookup: ResolveName;
}

export interface World {
  readonly net: Net;
  readonly root: Root | undefined;
  readonly write: boolean;
}

const OPTIONS = [
  "root",
  "write",
  "allowPrivateNetwork",
  "allowHosts",
  "maxBytes",
  "timeoutMs",
  "maxRedirects",
  "headers",
  "userAgent",
  "lookup",
];

export function createWorld(options: VerbsOptions): World {
  assertKnownOptions("createVerbs", options, OPTIONS);
  const { allowPrivateNetwork = false, maxBytes = DEFAULT_MAX_FETCHED_BYTES } = options;
  const { timeoutMs = DEFAULT_VERB_TIMEOUT_MS, maxRedirects = DEFAULT_MAX_REDIRECTS } = options;
  assertNumber("maxBytes", maxBytes, 1, Number.MAX_SAFE_INTEGER);
  assertNumber("timeoutMs", timeoutMs, 1, MAX_TIMER_MS);
  assertNumber("maxRedirects", maxRedirects, 0, 100);
  assertHosts("allowHosts", options.allowHosts ?? []);
  if (typeof allowPrivateNetwork !== "boolean") assertHosts("allowPrivateNetwork", allowPrivateNetwork);
  if (options.write !== undefined && typeof options.write !== "boolean") throw bad("write must be a boolean");
  const { userAgent = "playhead" } = options;
  if (typeof userAgent !== "string" || !/^[\x20-\x7e]+$/.test(userAgent))
    throw bad("userAgent must be printable ASCII text");
  return {
    root: options.root === undefined ? undefined : openRoot(options.root),
    write: options.write ?? true,
    net: {
      allowsPrivate: allowPrivateNetwork === true,
      privateHosts: typeof allowPrivateNetwork === "boolean" ? [] : [...allowPrivateNetwork],
      allowHosts: options.allowHosts === undefined ? undefined : [...options.allowHosts],
      maxBytes,
      timeoutMs,
      maxRedirects,
      headers: readHeaders(options.headers ?? {}),
      userAgent,
      lookup: options.lookup ?? ((hostname) => lookupHost(hostname, { all: true })),
    },
  };
}

function assertNumber(name: string, value: unknown, least: number, most: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return;
  throw bad(`${name} is ${String(value)}, not a whole number from ${least} to ${most}`);
}

function assertHosts(name: string, hosts: readonly string[]): void {
  const wrong: unknown = Array.isArray(hosts) ? hosts.find((host) => !isHost(host)) : hosts;
  if (wrong === undefined) return;
  throw bad(`${name} has ${JSON.stringify(wrong)}. Use hosts such as "example.com", "*.example.com" or "[::1]:80"`);
}

/** Refuses an entry with a scheme, a path or a space, which would silently match nothing. */
function isHost(host: unknown): boolean {
  return typeof host === "string" && /^(\*\.)?[^\s/*@?#]+$/.test(host);
}

function readHeaders(headers: NonNullable<VerbsOptions["headers"]>): Net["headers"] {
  const byOrigin = new Map<string, Readonly<Record<string, string>>>();
  for (const [origin, fields] of Object.entries(headers)) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin || !/^https?:/.test(origin)) {
      throw bad(`headers has ${JSON.stringify(origin)}. Use origins such as "https://api.example.com"`);
    }
    for (const [name, value] of Object.entries(fields)) assertHeader(origin, name, value);
    byOrigin.set(origin, { ...fields });
  }
  return byOrigin;
}

/** The message does not repeat the value, which may be a key. */
function assertHeader(origin: string, name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw bad(`headers has the field ${JSON.stringify(name)} for ${origin}, which cannot be sent`);
  }
}

function bad(what: string): AgentError {
  return new AgentError("invalid-options", `createVerbs: ${what}`, { hint: "See docs/tools.md for the options." });
}
