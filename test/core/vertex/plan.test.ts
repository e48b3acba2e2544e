import { describe, expect, it } from "vitest";
import { classifyFailure } from "../../../src/core/vertex/outcome.js";
import { toFallbackEntries, type AuthoredAgent, type AuthoredNode } from "../../../src/core/vertex/plan.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { fallbackProvider } from "../../../src/core/providers/fallback.js";
import { refusal } from "../../support/refusal.js";

const providers = { openai: echoProvider(), anthropic: echoProvider() };
const resolve = (id: string) => providers[id as keyof typeof providers];
const backoff = { kind: "linear", baseMs: 10, maxMs: 20 } as const;
const base: AuthoredAgent = { provider: "openai", model: "gpt-4o" };
const entries = (agent: Partial<AuthoredAgent>, node: AuthoredNode = {}) =>
  toFallbackEntries({ agent: { ...base, ...agent }, node }, resolve);

describe("the entries of a vertex's chain", () => {
  it("REL-24 are the agent's provider and model, tried once, and nothing that was not written", () => {
    expect(entries({})).toEqual([{ id: "openai", provider: providers.openai, model: "gpt-4o", maxAttempts: 1 }]);
    expect(entries({})[0]).not.toHaveProperty("backoff");
  });

  it("REL-24 take the node's model over the agent's", () => {
    expect(entries({}, { model: "gpt-5" })[0]?.model).toBe("gpt-5");
  });

  it("REL-24 REL-25 take attempts and backoff of the agent's retry", () => {
    expect(entries({ retry: { max: 3, backoff } })).toMatchObject([{ maxAttempts: 3, backoff }]);
  });

  it("REL-25 take the node's retry whole in its place: a backoff it leaves out is not the agent's", () => {
    const [entry] = entries({ retry: { max: 3, backoff } }, { retry: { max: 2 } });
    expect(entry?.maxAttempts).toBe(2);
    expect(entry).not.toHaveProperty("backoff");
    expect(entries({}, { retry: { max: 4, backoff } })).toMatchObject([{ maxAttempts: 4, backoff }]);
  });

  it("REL-23 REL-77 go on with each fallback in its order, which no retry touches", () => {
    const fallback_chain = [
      { provider: "anthropic", model: "claude", max_attempts: 2 },
      { provider: "openai", model: "gpt-4o-mini" },
    ];
    expect(entries({ fallback_chain }, { retry: { max: 5, backoff }, model: "gpt-5" }).slice(1)).toEqual([
      { id: "anthropic", provider: providers.anthropic, model: "claude", maxAttempts: 2 },
      { id: "openai", provider: providers.openai, model: "gpt-4o-mini", maxAttempts: 1 },
    ]);
  });

  it("REL-11 resolve each id once, so that one provider cools down as one", () => {
    const asked: string[] = [];
    const fallback_chain = [{ provider: "openai", model: "gpt-4o-mini" }];
    const [first, second] = toFallbackEntries({ agent: { ...base, fallback_chain }, node: {} }, (id) => {
      asked.push(id);
      return echoProvider();
    });
    expect(asked).toEqual(["openai"]);
    expect(second?.provider).toBe(first?.provider);
  });

  it("REL-12 REL-53 name every provider the host lacks, as an internal failure that no retry helps", () => {
    const fallback_chain = ["nowhere", "openai", "gone", "gone"].map((provider) => ({ provider, model: "m" }));
    const error = refusal(() => entries({ fallback_chain }));
    expect(error).toMatchObject({
      code: "capability-missing",
      message: 'the host has no provider for "nowhere", "gone"',
    });
    expect(classifyFailure(error)).toMatchObject({ code: "internal", retryable: false });
  });

  it("REL-24 are what fallbackProvider takes", async () => {
    const chain = fallbackProvider(entries({ retry: { max: 2, backoff } }));
    const { message } = await chain.turn({ messages: [{ role: "user", content: "hi" }] });
    expect(message.content).toBe("received: hi");
  });
});
