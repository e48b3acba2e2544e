// The shape of a cassette file, version 2, and of the version 1 that still loads. Specification: docs/cassette-format.md.

import type { JsonObject, LlmMessage, LlmTurnResponse } from "../../core/index.js";

/** The prompt of a turn as what changed since the turn before: its first `keep` messages, then `messages`. */
export interface PromptDelta {
  keep: number;
  messages: LlmMessage[];
}

/** One turn of a cassette: the hash of what was asked, what that adds to the turn before, and the answer. */
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
  /** SHA-256 (hex) of the canonical text of the version 1 cassette, so that the copy can be held against it. */
  sourceHash: string;
}

/** Fields that need no new version: the envelope hash covers all of them, known or not. */
export interface CassetteExtensions {
  createdWith?: string;
  /** Whether every entry has its prompt. Absent: nobody said, as before this mark. */
  prompts?: boolean;
  filtered?: true;
  /** The filters in their order, where they have names; a function among them is `custom`. */
  filters?: string[];
  redacted?: string[];
  contexts?: ContextExtension[];
  /** Written by `cassette migrate` alone. */
  migrated?: MigratedExtension;
  /** How streamed answers came: a list of `StreamedTurn` in our own recordings. Read by a replay, which checks it. */
  streams?: unknown;
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

/** Ed25519 over the DSSE encoding of `{cassetteId, envelopeHash}`. It vouches for itself alone: whose key it is, a trust list says. */
export interface CassetteSignature {
  scheme: "ed25519-dsse";
  /** A hint for people, never a proof. */
  keyId: string;
  /** 32 bytes in base64. */
  publicKey: string;
  /** 64 bytes in base64. */
  sig: string;
}

/** A recording from before integrity: no hash but the prompt's, so nothing in it is proven. */
export interface CassetteV1 {
  version: 1;
  agentId?: string;
  recordedAt: string;
  recordedProvider: string;
  entries: Omit<CassetteEntry, "prompt" | "responseHash">[];
}

/** A loaded cassette. Only version 2 proves anything; see `requireIntegrity` of {@link CheckOptions}. */
export type Cassette = CassetteV1 | CassetteV2;
