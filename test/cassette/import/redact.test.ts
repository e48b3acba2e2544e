import { describe, expect, it } from "vitest";
import { importLog, type ImportOptions } from "../../../src/cassette/import/import.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { SAMPLES } from "../../support/secrets.js";
import { findBadHashes } from "./verify.js";

const options: ImportOptions = { source: "chat.jsonl", recordedAt: "2026-11-20T12:00:00.000Z" };
const [secret = "", other = ""] = ["github-token", "npm-token"].map((rule) => SAMPLES[rule]?.[0]?.secret);

const messages = [
  { role: "system", content: "Be brief." },
  { role: "user", content: `my token is ${secret}` },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "c1", type: "function", function: { name: "login", arguments: JSON.stringify({ token: secret }) } },
    ],
  },
  { role: "tool", tool_call_id: "c1", content: JSON.stringify({ said: `\n${other}` }) },
  { role: "assistant", content: `You are in with ${other}.` },
  { role: "user", content: `thanks, ${secret}` },
];
const tools = [{ type: "function", function: { name: "login", description: `as ${secret}`, parameters: {} } }];
const record = JSON.stringify({ model: "m", task: "login", messages, tools });

function importOne(redact?: ImportOptions["redact"]) {
  const [imported] = [...importLog(record, { ...options, ...(redact === undefined ? {} : { redact }) })];
  if (imported === undefined) throw new Error("nothing was imported");
  return imported.cassette;
}

describe("an imported log with secrets in it", () => {
  it("becomes a cassette without them that verifies: prompts, calls, results, answers, tools and what trails", () => {
    const cassette = importOne();
    expect(formatCassette(cassette)).not.toContain(secret);
    expect(formatCassette(cassette)).not.toContain(other);
    expect(cassette.extensions?.redacted).toEqual(["github-token", "npm-token"]);
    expect(findBadHashes(formatCassette(cassette))).toEqual([]);
    const { name, arguments: given } = cassette.entries[0]?.response.message.toolCalls?.[0] ?? {};
    expect([name, given]).toEqual(["login", { token: "<redacted:github-token:1>" }]);
    expect(JSON.stringify(cassette.extensions?.["import"])).toContain("thanks, <redacted:github-token:1>");
  });

  it("replays to a run that has the secrets", async () => {
    const cassette = importOne();
    const replay = cassetteProvider(cassette, { allowRedacted: true });
    const offered = [{ name: "login", description: `as ${secret}`, schema: {} }];
    const prompt = [
      { role: "system" as const, content: "Be brief." },
      { role: "user" as const, content: `my token is ${secret}` },
    ];
    const { message } = await replay.turn({ messages: prompt, tools: offered });
    const result = {
      role: "tool" as const,
      toolCallId: "c1",
      name: "login",
      content: JSON.stringify({ said: `\n${other}` }),
    };
    const { finalAnswer } = await replay.turn({ messages: [...prompt, message, result], tools: offered });
    expect(finalAnswer).toBe("You are in with <redacted:npm-token:2>.");
    replay.assertConsumed();
  });

  it("keeps them where that is asked for, and returns the same cassette if it has none", () => {
    expect(formatCassette(importOne(false))).toContain(secret);
    const plain = JSON.stringify({ model: "m", messages: [messages[0], { role: "user", content: "hi" }, messages[4]] });
    const read = (redact?: false) => [...importLog(plain, { ...options, ...(redact === false ? { redact } : {}) })];
    const clean = plain.replaceAll(other, "care");
    expect([...importLog(clean, options)]).toEqual([...importLog(clean, { ...options, redact: false })]);
    expect(read()).not.toEqual(read(false));
  });
});
