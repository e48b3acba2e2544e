import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../../src/cassette/errors.js";
import { importLog } from "../../../../src/cassette/import/import.js";
import type { ImportFormat } from "../../../../src/cassette/import/registry.js";

const user = { role: "user", content: "hi" };
const assistant = (part: object) => ({ role: "assistant", content: null, ...part });
const openAi = assistant({ tool_calls: [{ id: "1", function: { name: "f", arguments: "{}" } }] });
const openAiParsed = assistant({ tool_calls: [{ id: "1", function: { name: "f", arguments: {} } }] });
const flat = assistant({ tool_calls: [{ id: "1", name: "f", arguments: {} }] });
const legacy = assistant({ function_call: { name: "f", arguments: "{}" } });
const agentDojo = assistant({ tool_calls: [{ id: "1", function: "f", args: {} }] });
const toolUse = assistant({ content: [{ type: "tool_use", id: "1", name: "f", input: {} }] });
const toolCall = assistant({ content: [{ type: "tool-call", toolCallId: "1", toolName: "f", input: {} }] });
const toolResult = { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "x" }] };
const run = (...messages: object[]) => ({ messages: [user, ...messages] });

function importAs(format: ImportFormat, record: unknown) {
  return [...importLog(JSON.stringify(record), { source: "log.json", recordedAt: "2026-11-20T12:00:00.000Z", format })];
}

function refusalAs(format: ImportFormat, record: unknown): CassetteError {
  try {
    importAs(format, record);
  } catch (error) {
    if (error instanceof CassetteError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("a record of another format than the forced one", () => {
  it.each<[ImportFormat, unknown, string, ImportFormat]>([
    ["agentdojo", run(openAi), "a call whose function is an object", "openai-messages"],
    ["agentdojo", run(openAiParsed), "a call whose function is an object", "openai-messages"],
    ["agentdojo", { data: run(flat) }, "a call with a name of its own", "openai-messages"],
    ["agentdojo", run(legacy), "a function_call", "openai-messages"],
    ["agentdojo", run(toolUse), "a tool_use block in its content", "anthropic-messages"],
    ["openai-messages", run(toolCall), "a tool-call part in its content", "ai-sdk-messages"],
    ["anthropic-messages", run(toolCall), "a tool-call part in its content", "ai-sdk-messages"],
    ["ai-sdk-messages", run(toolUse), "a tool_use block in its content", "anthropic-messages"],
    ["ai-sdk-messages", run(openAi), "a call whose function is an object", "openai-messages"],
    ["openai-messages", run(toolUse), "a tool_use block in its content", "anthropic-messages"],
    ["openai-messages", run(toolResult), "a tool_result block in its content", "anthropic-messages"],
    ["openai-messages", [user, toolResult], "a tool_result block in its content", "anthropic-messages"],
    [
      "openai-messages",
      { format: "openai-messages", ...run(toolUse) },
      "a tool_use block in its content",
      "anthropic-messages",
    ],
    ["openai-messages", run(agentDojo), "a call whose function is a name", "agentdojo"],
    [
      "openai-messages",
      { suite_name: "s", user_task_id: "u", ...run(agentDojo) },
      "a call whose function is a name",
      "agentdojo",
    ],
    ["anthropic-messages", run(openAi), "a call whose function is an object", "openai-messages"],
    ["anthropic-messages", run(legacy), "a function_call", "openai-messages"],
    ["anthropic-messages", run(agentDojo), "a call whose function is a name", "agentdojo"],
    ["tau-bench", { task_id: 1, traj: [user, toolUse] }, "a tool_use block in its content", "anthropic-messages"],
  ])("is refused as %s (%#), by what it has, and told which format fits", (format, record, what, fitting) => {
    const error = refusalAs(format, record);
    expect([error.code, error.summary]).toEqual([
      "import-malformed",
      `log.json, line 1: it is not in ${format} format: message 1 has ${what}`,
    ]);
    expect(error.hint).toMatch(new RegExp(`^Read it as ${fitting}[,.]`));
  });

  it.each<[ImportFormat, unknown, ImportFormat]>([
    ["tau-bench", run(openAi), "openai-messages"],
    ["openai-messages", { task_id: 1, traj: [user] }, "tau-bench"],
    ["anthropic-messages", { data: { suite_name: "s", user_task_id: "u", messages: [] } }, "agentdojo"],
  ])("is told which format fits where there is nothing to read as %s", (format, record, fitting) => {
    const error = refusalAs(format, record);
    expect(error.code).toBe("import-malformed");
    expect(error.hint).toContain(`Read it as ${fitting},`);
  });

  it("is sent to recognition only where that comes to the same", () => {
    expect(refusalAs("agentdojo", run(openAi)).hint).toBe(
      "Read it as openai-messages, or omit the format to detect it for each record.",
    );
    expect(refusalAs("openai-messages", run(agentDojo)).hint).toBe("Read it as agentdojo.");
  });

  it("keeps the plain hint where no format fits", () => {
    expect(refusalAs("agentdojo", { strange: 1 }).hint).toBe("Leave the record out, or correct it.");
  });
});

describe("a record that the forced format can read", () => {
  it.each<[ImportFormat, unknown]>([
    ["agentdojo", { suite_name: "s", user_task_id: "u", ...run(agentDojo) }],
    ["agentdojo", run(assistant({ tool_calls: [{ id: "1" }] }))],
    ["openai-messages", run(openAi, openAiParsed, flat, legacy)],
    ["openai-messages", run(assistant({ tool_calls: null }))],
    ["anthropic-messages", run(toolUse, toolResult)],
    ["anthropic-messages", run({ ...toolUse, tool_calls: [] })],
    ["tau-bench", { task_id: 1, traj: [user, openAi] }],
  ])("is read as %s (%#), however messy", (format, record) => {
    expect(importAs(format, record)).toHaveLength(1);
  });
});
