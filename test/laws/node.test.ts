// The graph vertex's classification and events, for whatever may be thrown and whatever a chain may do.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgentError, ToolPolicyError, type AgentErrorCode, type LlmErrorKind } from "../../src/core/errors.js";
import { createRunTotal, type CostUpdated } from "../../src/core/vertex/cost.js";
import { createNodeProjection, projectNodeEvents, type NodeFact } from "../../src/core/vertex/events.js";
import { classifyFailure } from "../../src/core/vertex/outcome.js";
import { jsonObject, text } from "../support/arbitraries.js";

const NODE_CODES = [
  ...["cancelled", "tool_denied", "tool_failed", "internal", "provider_auth", "provider_rate_limit"],
  ...["provider_unavailable", "content_filter", "validation", "turn_limit"],
];
const CODES: readonly AgentErrorCode[] = [
  ...(["not-json", "invalid-options", "tool-arguments", "tool-denied", "tool-failed", "capability-missing"] as const),
  ...(["provider-http", "provider-response", "timeout", "providers-exhausted", "aborted"] as const),
  ...(["receipt-failed", "script-exhausted", "script-unused"] as const),
];
const KINDS: readonly LlmErrorKind[] = [
  ...(["auth", "permission", "not-found", "bad-request", "context-length", "content-filter"] as const),
  ...(["rate-limit", "overloaded", "unavailable", "timeout", "unknown"] as const),
];

const agentError = fc
  .record({
    code: fc.constantFrom(...CODES),
    kind: fc.option(fc.constantFrom(...KINDS), { nil: undefined }),
    retryable: fc.boolean(),
    message: text,
  })
  .map(({ code, kind, retryable, message }) => {
    return new AgentError(code, message, { retryable, ...(kind === undefined ? {} : { kind }) });
  });

/** Things that throw when they are looked at, each in another way. */
const hostile = fc.constantFrom<() => unknown>(
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  () => Object.create(null) as unknown,
  () => ({
    toString() {
      throw new Error("no");
    },
  }),
  () => Object.defineProperty(new AgentError("aborted", "x"), "code", { get: () => fail() }),
  () => Object.defineProperty(new Error("x"), "message", { get: () => fail() }),
  () => Object.assign(new AgentError("timeout", "x"), { kind: "mine" }),
  () => Symbol("s"),
);

function fail(): never {
  throw new Error("no");
}

/** Made again for each look: the library itself must not look at what is hostile. */
const thrown: fc.Arbitrary<() => unknown> = fc.oneof(
  hostile,
  fc
    .oneof(
      agentError,
      fc.anything({ withNullPrototype: true, withBigInt: true }),
      text.map((message) => new Error(message)),
      text.map((message) => new ToolPolicyError(message)),
    )
    .map((value) => () => value),
);

describe("classifyFailure", () => {
  it("REL-46 REL-57 gives one of the closed codes for whatever was thrown, and never throws", () => {
    fc.assert(
      fc.property(thrown, fc.boolean(), (make, isLive) => {
        const failure = classifyFailure(make(), isLive ? new AbortController().signal : undefined);
        expect(NODE_CODES).toContain(failure.code);
        expect(typeof failure.retryable).toBe("boolean");
        expect(failure.message.length).toBeLessThanOrEqual(500);
        expect(failure.message.isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("REL-47 REL-48 is cancelled and final once the signal has fired, whatever was thrown", () => {
    fc.assert(
      fc.property(thrown, (make) => {
        expect(classifyFailure(make(), AbortSignal.abort())).toMatchObject({ code: "cancelled", retryable: false });
      }),
    );
  });

  it("REL-46 REL-55 does not depend on the words of an error", () => {
    fc.assert(
      fc.property(agentError, text, (error, words) => {
        const { code, kind, retryable } = error;
        const other = new AgentError(code, words, { retryable, ...(kind === undefined ? {} : { kind }) });
        const { message: _one, ...first } = classifyFailure(error);
        const { message: _two, ...second } = classifyFailure(other);
        expect(second).toEqual(first);
      }),
    );
  });

  it("REL-48 REL-49 REL-53 never calls an abort, a denial or a missing capability retryable", () => {
    fc.assert(
      fc.property(agentError, (error) => {
        const isFinal = ["aborted", "tool-denied", "capability-missing"].includes(error.code);
        if (isFinal) expect(classifyFailure(error).retryable).toBe(false);
      }),
    );
  });
});

const attempt = fc.record({
  outcome: fc.constantFrom("answered", "failed", "skipped", "started"),
  model: text,
  attemptNumber: fc.integer({ min: 1, max: 9 }),
  costUsd: fc.option(fc.double({ noDefaultInfinity: true, noNaN: false, min: -1, max: 10 }), { nil: undefined }),
});
const fact: fc.Arbitrary<NodeFact> = fc.oneof(
  attempt.map(({ costUsd, ...rest }) => {
    const price = rest.outcome === "answered" && costUsd !== undefined ? { costUsd } : {};
    return { entry: 0, provider: "p", ...rest, ...price } as NodeFact;
  }),
  text.map((words) => ({ type: "llm-delta", kind: "text", text: words }) as const),
  fc.record({ arguments: jsonObject, refused: fc.boolean() }).map(({ refused, ...rest }) => ({
    ...{ type: "tool-call" as const, callId: "c", tool: "t", ...rest },
    ...(refused ? { refused: true as const } : {}),
  })),
  text.map((content) => ({ type: "tool-result", callId: "c", tool: "t", content, cut: 0 }) as const),
);

describe("a vertex's events", () => {
  it("REL-63 REL-64 REL-65 count each attempt that was made once, and add up to their total", () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 20 }), (facts) => {
        const costs = projectNodeEvents({ nodeId: "n", model: "m" }, facts).filter(
          (body) => body.type === "cost:updated",
        );
        const made = facts.filter((one) => "outcome" in one && ["answered", "failed"].includes(one.outcome));
        expect(costs.map(({ attemptNumber }) => attemptNumber)).toEqual(
          made.map((one) => "attemptNumber" in one && one.attemptNumber),
        );
        let total = 0;
        for (const cost of costs) {
          expect(Number.isSafeInteger(cost.costMicrocents) && cost.costMicrocents >= 0).toBe(true);
          expect(cost.cumulativeCostMicrocents).toBe((total += cost.costMicrocents));
        }
      }),
    );
  });

  it("REL-66 have the run's own total, however several vertices are interleaved", () => {
    const place = fc.record({ vertex: fc.nat(2), fact });
    fc.assert(
      fc.property(fc.array(place, { maxLength: 20 }), (places) => {
        const stamp = createRunTotal();
        const vertices = [0, 1, 2].map((vertex) => createNodeProjection({ nodeId: `n${vertex}`, model: "m" }));
        const bodies = places.flatMap(({ vertex, fact: one }) => vertices[vertex]?.(one) ?? []);
        let total = 0;
        for (const body of bodies) {
          const stamped = stamp(body);
          if (body.type !== "cost:updated") expect(stamped).toBe(body);
          else expect((stamped as CostUpdated).cumulativeCostMicrocents).toBe((total += body.costMicrocents));
        }
      }),
    );
  });
});
