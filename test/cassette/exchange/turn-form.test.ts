import { describe, expect, it } from "vitest";
import { createExchangePlayer } from "../../../src/cassette/exchange/player.js";
import { turnForm } from "../../../src/cassette/exchange/turn-form.js";
import type { WireName } from "../../../src/core/vendors/table.js";
import { VENDORS, wireOf } from "../../../src/core/vendors/vendors.js";
import { answer, post, recordExchanges } from "../../support/exchange-recording.js";
import { TURN_PATHS, turnBody } from "../../support/wire-turns.js";

const PATH = "/v1/responses";
const asked = (fields: object = {}) => ({
  model: "m",
  input: [
    { role: "user", content: "Oslo?" },
    {
      type: "message",
      role: "assistant",
      id: "msg_1",
      status: "completed",
      content: [{ type: "output_text", text: "Rain." }],
    },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "5" },
  ],
  ...fields,
});

/** True if a recording of the first body answers the second. */
function answers(recorded: object, now: object, path = PATH): boolean {
  const player = createExchangePlayer(recordExchanges([[post(path, recorded), answer({}, 429)]]), { wireOf });
  return player.take(player.read(post(path, now))) === 0;
}

describe("a refused turn", () => {
  it("is found with other ids, labels and another model, as a turn is", () => {
    const now = JSON.parse(JSON.stringify(asked()).replaceAll(/(msg|fc|call)_1/g, "$1_other")) as object;
    expect(answers(asked(), { ...now, model: "another", metadata: { run: "2" }, store: false })).toBe(true);
  });

  it.each([
    ["a field", { temperature: 0 }],
    ["a field that no setting stands for", { reasoning: { effort: "low" } }],
    ["an unknown field", { brand_new: 1 }],
    ["a tool", { tools: [{ type: "function", name: "weather", parameters: {} }] }],
    ["the words", { input: "Rome?" }],
    ["the way it streams", { stream: true }],
  ])("is missed if %s differs", (_, fields) => {
    expect(answers(asked(), asked(fields))).toBe(false);
    expect(answers(asked(fields), asked())).toBe(false);
    expect(answers(asked(fields), asked(fields))).toBe(true);
  });

  it("is found with another model in its path, and on its own wire alone", () => {
    const [body, model] = [{ contents: "Oslo?" }, "/v1beta/models/m:generateContent"];
    const player = createExchangePlayer(recordExchanges([[post(model, body), answer({}, 429)]]), { wireOf });
    const take = (path: string, now: object) => player.take(player.read(post(path, now)));
    expect(take("/v1beta/models/n:streamGenerateContent", body)).toBeUndefined();
    expect(take("/v1beta/models/n:generateContent?alt=sse", body)).toBeUndefined();
    expect(take("/v1/messages", { model: "n", max_tokens: 1, messages: [{ role: "user", content: "Oslo?" }] })).toBe(
      undefined,
    );
    expect(take("/v1beta/models/n:generateContent", body)).toBe(0);
  });

  it("is compared as it is if it cannot be read as a turn", () => {
    const odd = { model: "m", input: 5 };
    const given = { method: "POST", path: PATH, request: { json: odd } };
    expect(turnForm(given, wireOf)).toBeUndefined();
    expect([answers(odd, odd), answers(odd, { ...odd, model: "n" })]).toEqual([true, false]);
    expect(turnForm({ method: "POST", path: PATH, request: { text: "{" } }, wireOf)).toBeUndefined();
    expect(turnForm({ method: "GET", path: "/v1/models" }, wireOf)).toBeUndefined();
    expect(turnForm({ ...given, path: "/v1/embeddings" }, wireOf)).toBeUndefined();
  });

  it("is found whatever the numbers of its placeholders", () => {
    const [one, two] = ["a1B2c3D4", "e5F6g7H8"].map((part) => `sk-proj-${part.repeat(6)}`);
    const turn = (key: string | undefined) => post(PATH, { model: "m", input: `The key is ${key ?? ""}.` });
    const pairs = [one, two].map((key) => [turn(key), answer({ key }, 500)] as const);
    const player = createExchangePlayer(recordExchanges(pairs), { wireOf });
    expect(JSON.stringify(player.exchanges)).toContain("<redacted:openai-key:2>");
    expect(player.take(player.read(turn(two)))).toBe(0);
    expect(player.take(player.read(turn(one)))).toBe(1);
  });

  it.each(Object.keys(VENDORS) as WireName[])("has a form on the wire of %s", (wire) => {
    const given = { method: "POST", path: TURN_PATHS[wire][0] };
    const form = turnForm({ ...given, request: { json: turnBody(wire, "q") as never } }, wireOf);
    expect(form).toMatchObject({ messages: [expect.stringMatching(/^[0-9a-f]{64}$/)], tools: [], isStream: false });
    expect(turnForm({ ...given, request: { json: turnBody(wire, "other") as never } }, wireOf)).not.toEqual(form);
  });
});
