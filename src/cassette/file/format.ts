// The shape of a cassette file, version 2, and of the version 1 that still loads. Specification: docs/cassette-format.md.

import type { JsonObject, JsonValue, LlmMessage, LlmTurnResponse } from "../../core/index.js";

/** The prompt of a turn as a delta: the first `keep` messages of the prompt before, then `messages`. */
export interface PromptDelta {
  keep: number;
  messages: LlmMessage[];
}

/** One turn of a cassette: the hash of its prompt, the prompt as a delta, and the answer. */
export interface CassetteEntry {
  /** 0, 1, 2 … without a gap. */
  turnIndex: number;
  /** SHA-256 (hex) of the canonical list of all messages sent, after `hashFilter` and redaction. */
  promptHash: string;
  prompt?: PromptDelta;
  /** SHA-256 (hex) of canonical `{cassetteId, turnIndex, promptHash, response}`. */
  responseHash: string;
  response: LlmTurnResponse;
}

/** Tools and settings in force from a turn on, until the next context. */
export interface ContextExtension {
  fromTurn: number;
  toolsHash: string;
  settingsHash: string;
  tools?: JsonObject[];
  settings?: JsonObject;
}

/** A copy of a version 1 cassette: its hashes hold since the copy was made. */
export interface MigratedExtension {
  fromVersion: 1;
  /** SHA-256 (hex) of the canonical text of the version 1 cassette, so that the copy can be compared with it. */
  sourceHash: string;
}

/** A part of a multipart body. A file is kept as its hash and size. */
export interface ExchangePart {
  name?: string;
  filename?: string;
  type?: string;
  text?: string;
  sha256?: string;
  bytes?: number;
}

/** The body of a request: JSON, text, the parts of a multipart body, or the hash and size of any other bytes. */
export type ExchangeRequestBody =
  { json: JsonValue } | { text: string } | { parts: ExchangePart[] } | { sha256: string; bytes: number; type?: string };

/** The body of an answer: JSON, text, or bytes in base64. */
export type ExchangeResponseBody = { json: JsonValue } | { text: string } | { base64: string };

/** An HTTP request that is not a turn, or a refused turn, with its answer. */
export interface RecordedExchange {
  /** In capital letters. */
  method: string;
  /** Without origin and query. */
  path: string;
  /** Parameters sorted by name, without those that carry secrets. */
  query?: string;
  /** Absent: an empty body. */
  request?: ExchangeRequestBody;
  status: number;
  /** Names in lower case, from a short list. */
  headers?: Record<string, string>;
  response?: ExchangeResponseBody;
  /** The connection was cut before the answer was complete. */
  isCut?: true;
}

/** Fields that need no new version. The envelope hash covers all of them, known or not. */
export interface CassetteExtensions {
  createdWith?: string;
  /** Whether every entry has its prompt. Absent in older recordings. */
  prompts?: boolean;
  filtered?: true;
  /** The filters in order, if they have names. A function is `custom`. */
  filters?: string[];
  /** The filters by a pattern of one's own, which `filters` names. */
  filterPatterns?: { name: string; pattern: string; replace?: string }[];
  redacted?: string[];
  contexts?: ContextExtension[];
  /** Written only by `cassette migrate`. */
  migrated?: MigratedExtension;
  /** How streamed answers arrived: a list of `StreamedTurn` in our own recordings. Replay checks it. */
  streams?: unknown;
  /** The steps of a fallback chain that led to answers: a list of `AnsweredTurn` in our own recordings. Replay checks it. */
  answeredBy?: unknown;
  /** Requests that are not turns, in the order of their calls. Absent if there were none. */
  exchanges?: RecordedExchange[];
  [name: string]: unknown;
}

/** A cassette file of version 2 (docs/cassette-format.md). */
export interface CassetteV2 {
  version: 2;
  agentId?: string;
  /** ISO 8601, from the recorder's clock. */
  recordedAt: string;
  recordedProvider: string;
  /** 16 random bytes as 32 lower-case hex digits. */
  cassetteId: string;
  entries: CassetteEntry[];
  extensions?: CassetteExtensions;
  envelopeHash: string;
  signature?: CassetteSignature;
}

/** Ed25519 over the DSSE encoding of `{cassetteId, envelopeHash}`. Only a trust list says whose key it is. */
export interface CassetteSignature {
  scheme: "ed25519-dsse";
  /** A hint for people, never a proof. */
  keyId: string;
  /** 32 bytes in base64. */
  publicKey: string;
  /** 64 bytes in base64. */
  sig: string;
}

/** A recording of the first version: it hashes only prompts, so nothing in it is proven. */
export interface CassetteV1 {
  version: 1;
  agentId?: string;
  recordedAt: string;
  recordedProvider: string;
  entries: Omit<CassetteEntry, "prompt" | "responseHash">[];
}

/** A loaded cassette. Only version 2 proves its content; see `requireIntegrity` of {@link CheckOptions}. */
export type Cassette = CassetteV1 | CassetteV2;

/** The extensions of a cassette. Version 1 has none. */
export function extensionsOf(cassette: Cassette): CassetteExtensions {
  return cassette.version === 1 ? {} : (cassette.extensions ?? {});
}
