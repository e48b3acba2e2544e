import { expect, it } from "vitest";
import type { HttpExchange } from "../../../../src/cassette/import/http/exchange.js";
import { splitRecording } from "../../../../src/cassette/import/http/split.js";
import { MAX_RECORDED_BODY_BYTES, MAX_RECORDING_CHARACTERS } from "../../../../src/cassette/limits.js";

it("refuses a recording whose bodies are small enough each and too much together", () => {
  const large = "x".repeat(MAX_RECORDED_BODY_BYTES);
  const exchange: HttpExchange = {
    method: "POST",
    url: "https://api.openai.com/v1/chat/completions",
    status: 200,
    request: { kind: "json", value: { model: "m", messages: [{ role: "user", content: "hi" }] } },
    answer: { kind: "text", text: large },
    encoding: "",
  };
  const many = Math.floor(MAX_RECORDING_CHARACTERS / MAX_RECORDED_BODY_BYTES) + 1;
  expect(() => splitRecording({ exchanges: Array.from({ length: many }, () => exchange) })).toThrow(
    `together have more than ${MAX_RECORDING_CHARACTERS} characters`,
  );
});
