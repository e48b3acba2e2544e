// A model on loopback that speaks the wires of Anthropic, OpenAI (Responses and chat) and Gemini. Whatever it is asked, it lets the agent
// write note.txt, count its bytes in a shell, and finish. Prints its port.

import { createServer } from "node:http";

const USAGE = 10;
let ids = 0;
const newId = (kind) => `${kind}_${String(++ids).padStart(8, "0")}`;

/** The next step, by the results of tools that the conversation holds. */
function nextStep(results) {
  return ["write", "count"][results] ?? "finish";
}

const FINAL = "The note is written.";
const COUNT = "wc -c note.txt";

/** How each agent names its tools, and their arguments. */
const TOOLS = {
  Write: (file_path, content) => ({ file_path, content }),
  write: (filePath, content) => ({ filePath, content }),
  write_file: (file_path, content) => ({ file_path, content }),
  Bash: (command) => ({ command, description: "count" }),
  bash: (command) => ({ command, description: "count" }),
  run_shell_command: (command) => ({ command, description: "count", is_background: false }),
};
const WRITES = ["Write", "write", "write_file"];
const RUNS = ["Bash", "bash", "run_shell_command"];

/** The next call of a tool, as the agent of `request` names it. A request without the tools, such as one for a title, is finished. */
function nextCall(request, results) {
  const names = request.tools.map((tool) => tool.name ?? tool.function?.name);
  const step = names.some((name) => WRITES.includes(name)) ? nextStep(results) : "finish";
  const name = names.find((one) => (step === "write" ? WRITES : RUNS).includes(one));
  const folder = /(?:directory: |cwd\W{1,4})(\/\w[^\s\\"`]*)/i.exec(JSON.stringify(request))?.[1];
  const path = `${folder ?? "."}/note.txt`;
  const input = step === "write" ? TOOLS[name](path, `by ${request.model}\n`) : TOOLS[name]?.(COUNT);
  return { step, name, input };
}

function anthropic({ messages, system, tools = [], model, stream }) {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const results = parts.filter(({ type }) => type === "tool_result").length;
  const { step, name, input } = nextCall({ messages, tools, system, model }, results);
  const block =
    step === "finish" ? { type: "text", text: FINAL } : { type: "tool_use", id: newId("toolu"), name, input };
  const stop_reason = block.type === "text" ? "end_turn" : "tool_use";
  const usage = { input_tokens: USAGE, output_tokens: USAGE };
  const message = { id: newId("msg"), type: "message", role: "assistant", model, content: [block], stop_reason, usage };
  if (!stream) return message;
  const isText = block.type === "text";
  const delta = isText
    ? { type: "text_delta", text: block.text }
    : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
  return events([
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: isText ? { ...block, text: "" } : { ...block, input: {} } },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ]);
}

const SHELLS = {
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ["bash", "-lc", command] }),
};

function responses({ input, tools = [], model }) {
  const items = Array.isArray(input) ? input : [];
  const results = items.filter(({ type = "" }) => type.endsWith("_call_output")).length;
  const shell = tools.map(({ name }) => name).find((name) => name in SHELLS);
  const call = (command) => ({
    ...{ type: "function_call", id: newId("fc"), call_id: newId("call"), name: shell, status: "completed" },
    arguments: JSON.stringify(SHELLS[shell](command)),
  });
  const text = { type: "output_text", text: FINAL, annotations: [] };
  const item = {
    write: () => call(`echo by ${model} > note.txt`),
    count: () => call(COUNT),
    finish: () => ({ type: "message", id: newId("msg"), role: "assistant", status: "completed", content: [text] }),
  }[shell === undefined ? "finish" : nextStep(results)]();
  const usage = { input_tokens: USAGE, output_tokens: USAGE, total_tokens: 2 * USAGE };
  const response = {
    id: newId("resp"),
    object: "response",
    created_at: ids,
    model,
    status: "completed",
    output: [item],
    usage,
  };
  return events([
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ]);
}

function chat({ messages, tools = [], model, stream }) {
  const results = messages.filter(({ role }) => role === "tool").length;
  const { step, name, input } = nextCall({ messages, tools, model }, results);
  const call = { index: 0, id: newId("call"), type: "function", function: { name, arguments: JSON.stringify(input) } };
  const isText = step === "finish";
  const message = { role: "assistant", content: isText ? FINAL : null, ...(isText ? {} : { tool_calls: [call] }) };
  const finish_reason = isText ? "stop" : "tool_calls";
  const usage = { prompt_tokens: USAGE, completion_tokens: USAGE, total_tokens: 2 * USAGE };
  const base = { id: newId("chatcmpl"), created: ids, model };
  if (!stream) {
    return { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage };
  }
  const chunk = { ...base, object: "chat.completion.chunk" };
  const chunks = [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage },
  ];
  return [...chunks.map((part) => JSON.stringify(part)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
}

function gemini({ contents = [], tools = [] }, path) {
  const results = contents.flatMap(({ parts = [] }) => parts).filter(({ functionResponse }) => functionResponse).length;
  const names = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations).map(({ name }) => name);
  const model = /models\/([^:]+)/.exec(path)[1];
  const part = {
    write: () => ({ functionCall: { name: "write_file", args: { file_path: "note.txt", content: `by ${model}\n` } } }),
    count: () => ({ functionCall: { name: "run_shell_command", args: { command: COUNT, description: "count" } } }),
    finish: () => ({ text: FINAL }),
  }[names.includes("write_file") ? nextStep(results) : "finish"]();
  const answer = {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: USAGE, candidatesTokenCount: USAGE, totalTokenCount: 2 * USAGE },
    modelVersion: model,
  };
  return path.includes("stream") ? `data: ${JSON.stringify(answer)}\n\n` : answer;
}

function events(list) {
  return list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function answer(path, body) {
  if (/\/messages\/count_tokens/.test(path)) return { input_tokens: USAGE };
  if (/\/messages(\?|$)/.test(path)) return anthropic(body);
  if (/\/responses(\?|$)/.test(path)) return responses(body);
  if (/\/chat\/completions(\?|$)/.test(path)) return chat(body);
  if (/enerateContent/.test(path)) return gemini(body, path);
  return undefined;
}

createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const text = Buffer.concat(parts).toString();
    const given = request.method === "POST" ? answer(request.url, JSON.parse(text)) : undefined;
    const type = typeof given === "string" ? "text/event-stream" : "application/json";
    response.writeHead(given === undefined ? 404 : 200, { "content-type": type });
    response.end(typeof given === "string" ? given : JSON.stringify(given ?? { error: { message: "not found" } }));
  });
}).listen(0, "127.0.0.1", function () {
  console.log(this.address().port);
});
