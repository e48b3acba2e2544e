import { describe, expect, it } from "vitest";
import { below } from "../../../src/cli/proxy/handler.js";

const address = (target: string, path: string, method = "POST", headers = {}): string =>
  below(new URL(target), { method, path, search: "", headers }).href;

/** Paths of clients: a request of each wire, and what each client asks besides. */
const PATHS = {
  openai: "/v1/chat/completions",
  bare: "/chat/completions",
  responses: "/v1/responses",
  anthropic: "/v1/messages",
  gemini: "/v1beta/models/m:generateContent",
  bedrock: "/model/m/converse",
  cohere: "/v2/chat",
  ollama: "/api/chat",
};

describe("the address below a target", () => {
  it.each<[string, Partial<typeof PATHS>]>([
    ["https://api.test", { ...PATHS }],
    ["https://api.test/", { ...PATHS }],
    [
      "https://api.test/v1",
      {
        ...PATHS,
        bare: "/v1/chat/completions",
        bedrock: "/v1/model/m/converse",
        ollama: "/v1/api/chat",
      },
    ],
    ["https://api.test/team/v1/", { openai: "/team/v1/chat/completions", bare: "/team/v1/chat/completions" }],
    [
      "https://api.test/team/v1",
      { anthropic: "/team/v1/messages", gemini: `/team${PATHS.gemini}`, cohere: "/team/v2/chat" },
    ],
    ["https://api.test/v1beta", { gemini: PATHS.gemini, openai: "/v1beta/chat/completions" }],
    [
      "https://api.test/v1beta/openai",
      { openai: "/v1beta/openai/chat/completions", bare: "/v1beta/openai/chat/completions" },
    ],
    ["https://api.test/api/paas/v4", { openai: "/api/paas/v4/chat/completions", responses: "/api/paas/v4/responses" }],
    ["https://api.test/v1/me/gate/anthropic", { anthropic: "/v1/me/gate/anthropic/v1/messages" }],
    ["https://api.test/api/anthropic", { anthropic: "/api/anthropic/v1/messages" }],
  ])("of %s", (target, expected) => {
    for (const [wire, path] of Object.entries(expected)) {
      expect(address(target, PATHS[wire as keyof typeof PATHS])).toBe(`https://api.test${path}`);
    }
  });

  it.each([
    ["https://api.test/api/paas/v4", "/v1/models", {}, "/api/paas/v4/models"],
    ["https://api.test/v2/gate", "/v1/models", { "anthropic-version": "2023-06-01" }, "/v2/gate/v1/models"],
    ["https://api.test/v1", "/v1beta/models", {}, "/v1beta/models"],
    ["https://api.test/v1", "/v1messages", {}, "/v1/v1messages"],
  ])("of %s for %s, which is not a turn", (target, path, headers, expected) => {
    expect(address(target, path, "GET", headers)).toBe(`https://api.test${expected}`);
  });

  it("has the query of the request", () => {
    const request = { method: "GET", path: "/v1/models", search: "?page=2", headers: {} };
    expect(below(new URL("https://api.test/v1"), request).href).toBe("https://api.test/v1/models?page=2");
  });
});
