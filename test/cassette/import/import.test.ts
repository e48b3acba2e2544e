import { describe, expect, it } from "vitest";
import { hashJson } from "../../../src/core/index.js";
import { CREATED_WITH } from "../../../src/cassette/file/build.js";
import { CassetteError } from "../../../src/cassette/errors.js";
import { IMPORT_FORMATS } from "../../../src/cassette/import/registry.js";
import { importLog, type ImportedCassette, type ImportOptions } from "../../../src/cassette/import/import.js";
import { parseImport } from "../../../src/cassette/import/parse-import.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { findBadHashes, importOf, importOne, rebuildPrompts, toFile } from "./verify.js";

const options: ImportOptions = { source: "logs/chat.jsonl", recordedAt: "2026-11-20T12:00:00.000Z" };
const ask = { role: "user", content: "hi" };
const answer = { role: "assistant", content: "hello" };
const body = { model: "m", messages: [ask, answer] };
const line = JSON.stringify(body);

function read(text: string, more: Partial<ImportOptions> = {}): ImportedCassette[] {
  return [...importLog(text, { ...options, ...more })];
}

function refusal(text: string, more: Partial<ImportOptions> = {}): CassetteError {
  try {
    read(text, more);
  } catch (error) {
    if (error instanceof CassetteError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("the records of a text", () => {
  it.each([
    ["one document", line, ["m/chat-1"]],
    ["one document over several lines", JSON.stringify(body, undefined, 2), ["m/chat-1"]],
    ["an array of records, counted from 0", `[${line},${line}]`, ["m/chat-0", "m/chat-1"]],
    ["a bare array of messages", JSON.stringify(body.messages), ["unknown/chat-1"]],
    ["an array of arrays of messages", JSON.stringify([body.messages]), ["unknown/chat-0"]],
    ["JSON Lines, blank lines ignored but counted", `\n${line}\r\n  \n${line}\n\n`, ["m/chat-2", "m/chat-4"]],
    [
      "JSON Lines of arrays",
      `${JSON.stringify(body.messages)}\n[]\n`.replace("[]", line),
      ["unknown/chat-1", "m/chat-2"],
    ],
    ["nothing", " \n", []],
    ["an empty array", "[]", []],
  ])("are %s", (_, text, paths) => {
    expect(read(text).map(({ path }) => path)).toEqual(paths.map((path) => `${path}.cassette.json`));
  });

  it("split at line feeds alone", () => {
    const text = `${JSON.stringify({ ...body, messages: [{ role: "user", content: "a\u2028b\u0085c" }, answer] })}\n${line}`;
    expect(read(text)).toHaveLength(2);
  });

  it("may be as long as a run of twenty thousand turns, each with its own prompt", () => {
    const messages = Array.from({ length: 20_000 }, (_, n) => [{ ...ask, content: `q${n}` }, answer]).flat();
    const [imported] = read(JSON.stringify({ ...body, messages }));
    const { entries } = (imported as ImportedCassette).cassette;
    expect(entries).toHaveLength(20_000);
    expect(entries[2]?.prompt).toEqual({ keep: 3, messages: [answer, { ...ask, content: "q2" }] });
    expect(entries[2]?.promptHash).toBe(hashJson(messages.slice(0, 5)));
    expect(entries[19_999]?.promptHash).toBe(hashJson(messages.slice(0, -1)));
  });

  it("are read one at a time by a program, too", async () => {
    const runs = parseImport(`${line}\nnot json`, options);
    expect((await runs.next()).value).toMatchObject({ task: "chat-1" });
    await expect(runs.next()).rejects.toThrow(CassetteError);
  });

  it("are read one at a time", () => {
    const runs = importLog(`${line}\nnot json`, options);
    expect(runs.next().value).toMatchObject({ task: "chat-1" });
    expect(() => runs.next()).toThrow(CassetteError);
  });
});

describe("what cannot be read", () => {
  it("is import-malformed with the line's number when it is not JSON", () => {
    const error = refusal(`${line}\n\n{"torn":`);
    expect(error.code).toBe("import-malformed");
    expect(error.summary).toMatch(/^logs\/chat\.jsonl, line 3: it is not JSON: /);
    expect(error.file).toBe("logs/chat.jsonl");
    expect(error.hint).toContain("JSON");
  });

  it("is import-unknown-format with what was seen and the formats there are", () => {
    const error = refusal(`[${line},{"simulations":[]}]`);
    expect(error.code).toBe("import-unknown-format");
    expect(error.summary).toBe(
      'logs/chat.jsonl, record 1: it is not in a known log format: it is an object with "simulations"',
    );
    for (const format of IMPORT_FORMATS) expect(error.hint).toContain(format);
  });

  it.each([
    ["Claude Code", { type: "system", subtype: "init", session_id: "s", tools: [] }],
    ["Gemini CLI", { type: "init", session_id: "s", model: "gemini-2.5-flash" }],
  ])("is the output of %s, with the place of its session", (_, first) => {
    const error = refusal(JSON.stringify(first));
    expect(error.code).toBe("import-unknown-format");
    expect(error.hint).toMatch(/--output-format stream-json.*~\/\.claude\/projects\/.*~\/\.gemini\/tmp\//);
  });

  it("is handed to onError, and every other record is still read", () => {
    const errors: CassetteError[] = [];
    const runs = read(`${line}\nnope\n${line}\n7\n${line}`, { onError: (error) => errors.push(error) });
    expect(runs.map(({ task }) => task)).toEqual(["chat-1", "chat-3", "chat-5"]);
    expect(errors.map(({ code }) => code)).toEqual(["import-malformed", "import-unknown-format"]);
  });

  it("is a text that begins with a byte-order mark", () => {
    const error = refusal(`\uFEFF${line}`);
    expect(error.code).toBe("import-malformed");
    expect(error.summary).toContain("U+FEFF");
    expect(error.hint).toContain("without a byte-order mark");
  });

  it.each(IMPORT_FORMATS)("is a record without messages that is called %s", (format) => {
    const error = refusal("{}", { format });
    expect(error.code).toBe("import-malformed");
    expect(error.summary).toMatch(/must be a list|its shape is another/);
    expect(refusal("7", { format }).message).toContain(`it is not in ${format} format`);
  });

  it("is a number too large for a double", () => {
    const error = refusal(`{"task_id":1,"traj":[],"reward":1e999}`);
    expect(error.code).toBe("import-malformed");
    expect(error.summary).toContain("too large");
  });

  it("is nesting that would not fit a cassette", () => {
    const nest = (levels: number): string => {
      const call = `{"function":"f","args":${'{"a":'.repeat(levels)}1${"}".repeat(levels)},"id":"1"}`;
      return `{"suite_name":"s","user_task_id":"u","messages":[{"role":"assistant","content":"","tool_calls":[${call}]}]}`;
    };
    // The arguments are the sixth level of the record, and everything may have 120.
    const [deepest] = read(nest(115));
    expect(() => parseCassette(toFile((deepest as ImportedCassette).cassette))).not.toThrow();
    expect(refusal(nest(116)).message).toContain("deeper than 120 levels");
    expect(refusal(nest(100_000)).code).toBe("import-malformed");
  });
});

describe("an imported cassette", () => {
  const long = {
    model: "m/1",
    task: "t",
    trial: 2,
    source: "owner/repo:file",
    tools: [],
    messages: [{ role: "system", content: "s" }, ask, answer, ask, ask, answer, ask],
  };

  it("has one turn for each assistant message, with everything before it as the prompt", () => {
    const { cassette } = importOne(long);
    expect(rebuildPrompts(cassette)).toEqual([long.messages.slice(0, 2), long.messages.slice(0, 5)]);
    expect(cassette.entries.map((entry) => entry.prompt?.keep)).toEqual([0, 2]);
    expect(cassette.entries.map((entry) => entry.response)).toEqual(
      [0, 1].map(() => ({ message: answer, finalAnswer: "hello", stopReason: "stop" })),
    );
  });

  it("says where it came from and keeps what came after the last answer", () => {
    const imported = importOne(long, options);
    expect(imported).toMatchObject({ model: "m/1", task: "t", trial: "2", path: "m_1/t.2.cassette.json", repairs: [] });
    expect(imported.cassette.recordedProvider).toBe("import:openai-messages:m/1");
    expect(imported.cassette.recordedAt).toBe(options.recordedAt);
    expect(imported.cassette.extensions).toEqual({
      createdWith: CREATED_WITH,
      prompts: true,
      contexts: [{ fromTurn: 0, toolsHash: hashJson([]), settingsHash: hashJson({}), tools: [] }],
      import: {
        format: "openai-messages",
        source: "logs/chat.jsonl",
        origin: "owner/repo:file",
        model: "m/1",
        task: "t",
        trial: "2",
        repairs: {},
        trailing: [ask],
      },
    });
  });

  it("has hashes that hold, and loads", () => {
    const file = toFile(importOne(long).cassette);
    expect(findBadHashes(file)).toEqual([]);
    expect(parseCassette(file)).toEqual(importOne(long).cassette);
  });

  it("has an id made from its content and nothing else", () => {
    const idOf = (record: unknown, more: Partial<ImportOptions> = {}) => importOne(record, more).cassette.cassetteId;
    const messages = long.messages;
    const content = { format: "openai-messages", model: "m/1", task: "t", trial: "2", messages };
    expect(idOf(long)).toBe(hashJson(content).slice(0, 32));
    expect(idOf(long, { source: "elsewhere", recordedAt: "later" })).toBe(idOf(long));
    expect(idOf({ ...long, trial: undefined })).toBe(hashJson({ ...content, trial: null }).slice(0, 32));
    const others = [{ model: "n" }, { task: "u" }, { trial: 3 }, { messages: messages.slice(1) }];
    expect(new Set([long, ...others.map((other) => ({ ...long, ...other }))].map((record) => idOf(record))).size).toBe(
      5,
    );
  });

  it("has no turns when the log has no assistant message, and keeps the messages", () => {
    const { cassette, repairs } = importOne({ model: "m", messages: [ask] });
    expect(cassette.entries).toEqual([]);
    expect(importOf(cassette)).toMatchObject({ repairs: { "no-assistant-message": 1 }, trailing: [ask] });
    expect(repairs).toEqual([{ kind: "no-assistant-message", count: 1 }]);
    expect(parseCassette(toFile(cassette))).toEqual(cassette);
  });

  it.each([
    [{ task: "a", task_id: "b", id: "c" }, "a"],
    [{ task_id: 7, id: "c" }, "7"],
    [{ id: "c" }, "c"],
    [{ id: "" }, "log-1"],
    [{ id: { no: "name" } }, "log-1"],
  ])("of %j takes its name from the first field that has one", (fields, task) => {
    expect(importOne({ ...body, ...fields }).task).toBe(task);
  });

  it("takes the model from the record, else from the options", () => {
    expect(importOne(body, { model: "given" }).model).toBe("m");
    expect(importOne(body.messages, { model: "given" }).model).toBe("given");
    expect(importOne(body.messages).model).toBe("unknown");
  });

  it("is read as the format the caller names", () => {
    const { cassette } = importOne(body, { format: "anthropic-messages" });
    expect(importOf(cassette).format).toBe("anthropic-messages");
  });

  it("holds U+FFFD where the log had half a surrogate pair, in keys too, each counted", () => {
    const text = `{"model":"m","messages":[{"role":"user","content":"\\ud800!"},{"role":"assistant","content":"","tool_calls":[
      {"id":"1","function":{"name":"f","arguments":{"\\udc00":1}}},
      {"id":"2","function":{"name":"f","arguments":"{\\"a\\":\\"\\\\ud83d\\"}"}}]}]}`;
    const [imported] = read(text) as [ImportedCassette];
    expect(imported.cassette.entries[0]?.prompt?.messages[0]?.content).toBe("\ufffd!");
    expect(imported.cassette.entries[0]?.response.message.toolCalls?.map((call) => call.arguments)).toEqual([
      { "\ufffd": 1 },
      { a: "\ufffd" },
    ]);
    expect(importOf(imported.cassette).repairs["lone-surrogate-replaced"]).toBe(3);
  });

  it("refuses two keys that only lone surrogates told apart", () => {
    expect(refusal(`{"task_id":1,"traj":[],"reward":{"\\ud800":1,"\\ud801":2}}`).message).toContain("two keys");
  });

  it("keeps a __proto__ key in arguments as data", () => {
    const text = `{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[
      {"id":"1","function":{"name":"f","arguments":"{\\"__proto__\\":{\\"x\\":1}}"}}]}]}`;
    const [imported] = read(text) as [ImportedCassette];
    const args = imported.cassette.entries[0]?.response.message.toolCalls?.[0]?.arguments;
    expect(Object.keys(args ?? {})).toEqual(["__proto__"]);
    expect(findBadHashes(toFile(imported.cassette))).toEqual([]);
  });

  it("refuses nesting that no reader can follow, and reads the other lines", () => {
    const deep = `${"[".repeat(50_000)}1${"]".repeat(50_000)}`;
    const call = {
      scope: "https://api.openai.com:443",
      method: "POST",
      path: "/v1/chat/completions",
      response: "DEEP",
    };
    const text = JSON.stringify([{ ...call, status: 200, body: { messages: [] } }]).replace('"DEEP"', deep);
    expect(refusal(text)).toMatchObject({ code: "import-malformed" });
    expect(refusal(text).message).toContain("nested deeper than 128 levels");
    const errors: CassetteError[] = [];
    const runs = read(`${text}\n${line}`, { onError: (error) => errors.push(error) });
    expect([runs.length, errors.length]).toEqual([1, 1]);
  });

  it.each(['{"toString":1}', '{"valueOf":1,"toString":1}', "[[]]", '"many"', "null", "true"])(
    "takes %s for no status of recorded HTTP",
    (json) => {
      const status = JSON.parse(json) as unknown;
      const request = { method: "POST", url: "https://api.openai.com/v1/chat/completions", uri: "", body: "{}" };
      const har = { log: { entries: [{ request, response: { status } }] } };
      const vcr = {
        interactions: [{ request: { ...request, uri: request.url }, response: { status: { code: status } } }],
      };
      for (const record of [har, vcr]) {
        const { code, message } = refusal(JSON.stringify(record));
        expect([code, message]).toEqual(["import-malformed", expect.stringContaining("(1 call-unanswered)")]);
      }
    },
  );
});
