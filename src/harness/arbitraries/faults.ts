// Arbitrary failures of a vendor, with an HTTP status (RFC 9110 §15) or on the way to it, as data that can be read.

import fc from "fast-check";
import { AgentError, assertKnownOptions, defined, LlmProviderHttpError, type LlmErrorKind } from "../../core/index.js";

export interface ProviderFault {
  readonly kind: LlmErrorKind;
  /** HTTP status of the vendor's answer; absent when there was no answer. */
  readonly status?: number;
  /** Milliseconds that the vendor asks to wait. */
  readonly retryAfterMs?: number;
}

const FAULTS: readonly (ProviderFault & { readonly passes: boolean })[] = [
  { kind: "unavailable", status: 500, passes: true },
  { kind: "unavailable", status: 503, passes: true },
  { kind: "unavailable", passes: true },
  { kind: "overloaded", status: 529, passes: true },
  { kind: "rate-limit", status: 429, passes: true },
  { kind: "timeout", status: 504, passes: true },
  { kind: "timeout", passes: true },
  { kind: "auth", status: 401, passes: false },
  { kind: "permission", status: 403, passes: false },
  { kind: "not-found", status: 404, passes: false },
  { kind: "bad-request", status: 400, passes: false },
  { kind: "context-length", status: 413, passes: false },
  { kind: "content-filter", status: 451, passes: false },
  { kind: "unknown", passes: false },
];

/** A failure of any of the `kinds`, by default all; a transient one sometimes asks for a wait. Shrinks to a status 500. */
export function providerFault(options: { readonly kinds?: readonly LlmErrorKind[] } = {}): fc.Arbitrary<ProviderFault> {
  assertKnownOptions("providerFault", options, ["kinds"]);
  const { kinds } = options;
  const known = FAULTS.filter(({ kind }) => kinds === undefined || kinds.includes(kind));
  return fc
    .tuple(fc.constantFrom(...known), fc.option(fc.nat(60_000), { nil: undefined }))
    .map(([{ passes, ...fault }, retryAfterMs]) =>
      passes && fault.status !== undefined && retryAfterMs !== undefined ? { ...fault, retryAfterMs } : fault,
    );
}

/** The error that an adapter rejects with for this failure. */
export function toFaultError({ kind, status, retryAfterMs }: ProviderFault, providerName = "scripted"): AgentError {
  const retryable = FAULTS.some((fault) => fault.kind === kind && fault.passes);
  const hint = "This failure was made up by a test.";
  if (status === undefined) {
    const code = kind === "timeout" ? "timeout" : "provider-response";
    return new AgentError(code, `${providerName} failed: ${kind}`, { kind, retryable, hint });
  }
  return new LlmProviderHttpError({
    ...{ status, providerName, hint, retryable, kind },
    bodySnippet: "",
    ...defined({ retryAfterMs }),
  });
}
