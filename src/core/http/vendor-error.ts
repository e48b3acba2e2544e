// Reads a vendor's error and judges its kind. Vendors agree on neither place nor words: OpenAI and Anthropic send
// { error: { type, code, message } }, xAI and Ollama a string there, Mistral the fields at the top or a `detail`, Cloudflare a list,
// and a gateway wraps the text of the vendor behind it.

import { tryParseJson } from "../canon/bounded-json.js";
import { isPlainObject } from "../canon/value.js";
import type { LlmErrorKind, VendorFault } from "../errors.js";
import { kindForStatus } from "./status.js";

type Fields = Readonly<Record<string, unknown>>;

/** The fault in a body, parsed or as text. It is empty for a body without one. `quote` masks the vendor's words. */
export function readFault(body: unknown, quote: (text: string) => string): VendorFault {
  const fault = findFault(typeof body === "string" ? tryParseJson(body) : body, 3);
  const shown: VendorFault = {};
  for (const key of ["code", "type", "message"] as const) {
    const text = fault[key];
    if (text !== undefined && text !== "") shown[key] = quote(text);
  }
  return shown;
}

/** `depth` bounds the wrapping of one error in another. */
function findFault(body: unknown, depth: number): VendorFault {
  if (depth === 0) return {};
  if (Array.isArray(body)) return findFault(body[0], depth - 1);
  if (!isPlainObject(body)) return {};
  const { error, errors, detail } = body;
  if (isPlainObject(error)) return readFields(error, depth);
  if (typeof error === "string") return { ...readFields(body, depth), message: error };
  if (Array.isArray(errors) && errors.length > 0) return findFault(errors[0], depth - 1);
  if (typeof detail === "string") return { message: detail };
  if (Array.isArray(detail) && isPlainObject(detail[0])) return { message: toWord(detail[0]["msg"]) };
  return readFields(body, depth);
}

function readFields(fields: Fields, depth: number): VendorFault {
  const code = toWord(fields["code"]);
  const type = toWord(fields["type"]) || toWord(fields["status"]);
  const message = toWord(fields["message"]);
  const metadata = fields["metadata"];
  const raw = isPlainObject(metadata) ? metadata["raw"] : undefined;
  // A gateway's own words are "Provider returned error". The text that it passes on says what happened.
  const inner = typeof raw === "string" ? (findFault(tryParseJson(raw), depth - 1).message ?? raw) : "";
  return { code, type, message: [message, inner].filter((text) => text !== "").join(": ") };
}

function toWord(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : "";
}

/** Judges an error by its status and the vendor's names for it, and by its message only where vendors have no name. */
export function judgeFault(fault: VendorFault, status?: number): { kind: LlmErrorKind; retryable: boolean } {
  const kind = findKind(fault, status);
  return { kind, retryable: PASSING.includes(kind) && !isSpent(fault) };
}

const PASSING: readonly LlmErrorKind[] = ["rate-limit", "overloaded", "unavailable", "timeout"];

/** True for OpenAI's 429 for an account without credit: waiting does not help. */
function isSpent({ code, type }: VendorFault): boolean {
  return /insufficient_quota|billing_hard_limit/.test(`${code ?? ""} ${type ?? ""}`);
}

function findKind(fault: VendorFault, status: number | undefined): LlmErrorKind {
  const names = [fault.code ?? "", fault.type ?? ""].join(" ");
  const strong = STRONG_NAMES.find(([, pattern]) => pattern.test(names));
  if (strong !== undefined) return strong[0];
  const said = toStatus(fault.code);
  const byStatus = kindForStatus(status ?? said ?? 0);
  if (byStatus !== "bad-request" && byStatus !== "unknown") {
    return byStatus === "unavailable" ? (messageKind(fault) ?? byStatus) : byStatus;
  }
  const named = NAMES.find(([, pattern]) => pattern.test(names));
  if (named !== undefined && named[0] !== "bad-request") return named[0];
  return messageKind(fault) ?? (status === undefined && named !== undefined ? named[0] : byStatus);
}

/** A code that is an HTTP status, as OpenRouter and llama.cpp put it into a body with status 200. */
function toStatus(code: string | undefined): number | undefined {
  return /^[45]\d\d$/.test(code ?? "") ? Number(code) : undefined;
}

/** Names that say more than any status. */
const STRONG_NAMES: readonly (readonly [LlmErrorKind, RegExp])[] = [
  ["context-length", /context_length_exceeded|exceed_context_size|request_too_large/],
  ["content-filter", /content_filter|content_policy|ResponsibleAIPolicyViolation|content_moderation/],
  ["overloaded", /overloaded/],
];

/** Names for errors with status 400 or 200. */
const NAMES: readonly (readonly [LlmErrorKind, RegExp])[] = [
  ["auth", /invalid_api_key|authentication_error|unauthenticated|unauthorized/i],
  ["permission", /permission|forbidden|billing/i],
  ["not-found", /not_found|invalid_model|DeploymentNotFound/i],
  ["rate-limit", /rate_limit|too_many_requests|insufficient_quota|resource_exhausted/i],
  ["timeout", /timeout|deadline_exceeded/i],
  ["unavailable", /api_error|server_error|unavailable|internal/i],
  ["bad-request", /invalid_request|invalid_argument|bad_request|BadRequest|Bad Request/i],
];

/** Failures that some vendors name only in their message. */
const MESSAGES: readonly (readonly [LlmErrorKind, RegExp])[] = [
  // Anthropic, vLLM and OpenRouter, xAI, llama.cpp, Mistral, Gemini.
  [
    "context-length",
    /prompt is too long|maximum (?:context|prompt) length|exceeds? the (?:available context|maximum number of tokens)|too large for model with/i,
  ],
  ["permission", /credit balance is too low/i],
  // xAI answers 400 to a wrong key.
  ["auth", /incorrect api key/i],
];

function messageKind({ message = "" }: VendorFault): LlmErrorKind | undefined {
  return MESSAGES.find(([, pattern]) => pattern.test(message))?.[0];
}
