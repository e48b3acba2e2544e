// The keys of sessions, and the namespace with which a rebuilt agent finds its sessions.

import { toHex } from "../canon/bytes.js";
import { sha256Hex } from "../canon/digest.js";
import { MAX_SESSION_KEY_CHARACTERS } from "../limits.js";
import type { Ports } from "../ports.js";
import { showValue } from "../text/show.js";

/** The prefix of the keys of subagents' sessions. */
export const CHILD_KEY_PREFIX = "parent:";

/** Throws `TypeError` for a key that a caller may not use. */
export function assertSessionKey(key: unknown): asserts key is string {
  const problem = findKeyProblem(key);
  if (problem !== undefined) throw new TypeError(`the session key ${showValue(key)} ${problem}`);
}

function findKeyProblem(key: unknown): string | undefined {
  if (typeof key !== "string" || key === "") return "must be a string of at least one character";
  if (key.length > MAX_SESSION_KEY_CHARACTERS)
    return `has ${key.length} characters: use at most ${MAX_SESSION_KEY_CHARACTERS}`;
  if (!key.isWellFormed()) return "contains a lone surrogate";
  if (key.startsWith(CHILD_KEY_PREFIX))
    return `begins with "${CHILD_KEY_PREFIX}", which is reserved for sessions of subagents: use another prefix`;
  return undefined;
}

/** The namespace of an agent: stable if it has a name or a namespace, otherwise random. */
export function toNamespace(given: string | undefined, ports: Pick<Ports, "randomBytes">): string {
  return `agent:${given === undefined ? toHex(ports.randomBytes(16)) : encodeURIComponent(given)}`;
}

/** The session of a subagent that `suffix` or `taskId` tells apart from others of the same subagent. */
export interface ChildName {
  /** Of the agent that delegates. */
  readonly namespace: string;
  /** Of the session that delegates. */
  readonly sessionKey: string;
  readonly subagent: string;
  readonly suffix?: string;
  readonly taskId?: string;
}

/** The key of a subagent's session. Different names have different keys. */
export function childKey({ namespace, sessionKey, subagent, suffix, taskId }: ChildName): string {
  let key = `${CHILD_KEY_PREFIX}${namespace}:${enclose(sessionKey)}:subagent:${subagent}`;
  if (suffix !== undefined) key += `:${suffix}`;
  if (taskId !== undefined) key += `:task:${taskId}`;
  return key.length <= MAX_SESSION_KEY_CHARACTERS ? key : `${CHILD_KEY_PREFIX}%sha256%${sha256Hex(key)}`;
}

/** A key that could be taken for the words around it is encoded, and only such a key holds a percent sign. */
function enclose(key: string): string {
  const framed = `:${key}:`;
  const isClear = !key.includes("%") && !framed.includes(":subagent:") && !framed.includes(":task:");
  return isClear ? key : encodeURIComponent(key);
}
