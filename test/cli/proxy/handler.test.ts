import { describe, expect, it } from "vitest";
import { below } from "../../../src/cli/proxy/handler.js";

describe("the address below a target", () => {
  it.each([
    ["https://api.openai.com/v1", "/v1/responses", "https://api.openai.com/v1/responses"],
    ["https://api.openai.com/v1", "/responses", "https://api.openai.com/v1/responses"],
    ["https://api.openai.com", "/v1/responses", "https://api.openai.com/v1/responses"],
    ["https://api.openai.com/v1/", "/v1/responses", "https://api.openai.com/v1/responses"],
    [
      "https://gateway.test/team/v1",
      "/v1beta/models/m:generateContent",
      "https://gateway.test/team/v1beta/models/m:generateContent",
    ],
    [
      "https://gateway.test/v1beta",
      "/v1beta/models/m:generateContent",
      "https://gateway.test/v1beta/models/m:generateContent",
    ],
    ["https://gateway.test/v1", "/v2/chat", "https://gateway.test/v2/chat"],
    ["https://gateway.test/v1", "/model/m/converse", "https://gateway.test/v1/model/m/converse"],
    ["https://gateway.test/v1", "/api/chat", "https://gateway.test/v1/api/chat"],
    ["https://gateway.test/v1", "/v1messages", "https://gateway.test/v1/v1messages"],
  ])("of %s for %s is %s", (target, path, address) => {
    expect(below(new URL(target), path, "").href).toBe(address);
  });

  it("has the query of the request", () => {
    expect(below(new URL("https://api.test/v1"), "/v1/models", "?page=2").href).toBe(
      "https://api.test/v1/models?page=2",
    );
  });
});
