// Small logs in the formats without a file in test/corpus/logs, made here in the form that their tools write: a HAR,
// traces in OTLP and of Langfuse, and a log of Inspect AI, also as a zip (`.eval`).

import { zipSync } from "fflate";

const user = { role: "user", content: "Is it warm in Oslo?" };
const call = { id: "call_1", name: "weather", arguments: { city: "Oslo", days: 2 } };
const ANSWER = "21 degrees \u2013 warm.";

function har() {
  const wired = {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: call.id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.arguments) } },
    ],
  };
  const result = { role: "tool", tool_call_id: call.id, content: "21" };
  const exchange = (messages, message, finish_reason) => ({
    request: {
      method: "POST",
      url: "https://api.openai.com/v1/chat/completions",
      postData: { mimeType: "application/json", text: JSON.stringify({ model: "m-1", temperature: 0.5, messages }) },
    },
    response: {
      status: 200,
      headers: [{ name: "Content-Type", value: "application/json" }],
      content: {
        mimeType: "application/json",
        text: JSON.stringify({
          model: "m-1-2026",
          choices: [{ index: 0, finish_reason, message }],
          usage: { prompt_tokens: 9, completion_tokens: 4 },
        }),
      },
    },
  });
  const entries = [
    exchange([user], wired, "tool_calls"),
    exchange([user, wired, result], { role: "assistant", content: ANSWER }, "stop"),
  ];
  return { log: { version: "1.2", creator: { name: "seed", version: "1" }, entries } };
}

function otlp() {
  const text = (content) => ({ type: "text", content });
  const asked = { role: "assistant", parts: [{ type: "tool_call", ...call }], finish_reason: "tool_call" };
  const prompt = { role: "user", parts: [text(user.content)] };
  const result = { role: "tool", parts: [{ type: "tool_call_response", id: call.id, response: "21" }] };
  const span = (number, input, output) => ({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: `b7ad6b716920333${number}`,
    name: "chat m-1",
    startTimeUnixNano: `176000000000000000${number}`,
    endTimeUnixNano: `176000000000000001${number}`,
    attributes: Object.entries({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m-1",
      "gen_ai.input.messages": JSON.stringify(input),
      "gen_ai.output.messages": JSON.stringify([output]),
    })
      .map(([key, stringValue]) => ({ key, value: { stringValue } }))
      .concat([{ key: "gen_ai.usage.input_tokens", value: { intValue: "9" } }]),
  });
  const spans = [
    span(1, [prompt], asked),
    span(2, [prompt, asked, result], { role: "assistant", parts: [text(ANSWER)], finish_reason: "stop" }),
  ];
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: "seed" }, spans }] }] };
}

function langfuse() {
  const asks = {
    role: "assistant",
    content: "",
    tool_calls: [
      { id: call.id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.arguments) } },
    ],
  };
  const generation = (number, input, output) => ({
    id: `g${number}`,
    traceId: "t1",
    parentObservationId: "root",
    type: "GENERATION",
    name: "chat",
    startTime: `2026-01-01T00:00:0${number}.000Z`,
    input: JSON.stringify(input),
    output: JSON.stringify(output),
    model: "m-1",
    modelParameters: { temperature: "0.5" },
    usageDetails: { input: 9, output: 4 },
    totalCost: 0.25,
  });
  const root = { id: "root", traceId: "t1", type: "SPAN", name: "job", startTime: "2026-01-01T00:00:00.000Z" };
  const result = { role: "tool", tool_call_id: call.id, content: "21" };
  const observations = [
    root,
    generation(1, [user], asks),
    generation(2, [user, asks, result], { role: "assistant", content: ANSWER }),
  ];
  return { trace: { id: "t1", name: "weather" }, observations };
}

const INSPECT_HEAD = {
  version: 2,
  status: "success",
  eval: { task: "suite/weather", model: "openai/m-1", created: "2026-01-01T00:00:00+00:00" },
};

function inspectSample(id, epoch) {
  const kept = "0123456789abcdef0123456789abcdef";
  const asked = { id: "m1", role: "user", content: `attachment://${kept}`, source: "input" };
  const asks = {
    role: "assistant",
    content: "",
    tool_calls: [{ id: call.id, function: call.name, arguments: call.arguments, type: "function" }],
    source: "generate",
  };
  const result = { role: "tool", content: "21", tool_call_id: call.id, function: call.name };
  const says = { role: "assistant", content: [{ type: "text", text: `${ANSWER} ${id}` }] };
  const model = (input, message) => ({
    event: "model",
    input,
    tools: [{ name: call.name, description: "tells it", parameters: { type: "object", properties: {} } }],
    tool_choice: "auto",
    config: { temperature: 0.5 },
    output: {
      model: "m-1-2026",
      choices: [{ message, stop_reason: "stop" }],
      usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
    },
  });
  return {
    id,
    epoch,
    target: "warm",
    scores: { match: { value: "C" } },
    messages: [asked, asks, result, says],
    events: [model([asked], asks), model([asked, asks, result], says)],
    attachments: { [kept]: user.content },
  };
}

const inspect = () => ({ ...INSPECT_HEAD, samples: [inspectSample("s1", 1), inspectSample("s2", 1)] });

const encode = (value, indent) => new TextEncoder().encode(JSON.stringify(value, undefined, indent));

/** Seeds as text, in the shape of the seeds of the corpus. */
export function logSeeds() {
  return Object.entries({ har, otlp, langfuse, inspect }).map(([name, make]) => ({
    name: `${name}.json`,
    bytes: encode(make()),
  }));
}

/** Archives: packed, stored, and one without its header because it broke off. Always the same bytes. */
export function evalSeeds() {
  const samples = Object.fromEntries(
    ["s1", "s2"].flatMap((id) =>
      [1, 2].map((epoch) => [`samples/${id}_epoch_${epoch}.json`, encode(inspectSample(id, epoch), 2)]),
    ),
  );
  const head = encode(INSPECT_HEAD, 2);
  const first = "samples/s1_epoch_1.json";
  const zips = {
    "packed.eval": [{ "_journal/start.json": head, ...samples, "summaries.json": encode([]), "header.json": head }, 6],
    "stored.eval": [{ "header.json": head, [first]: samples[first] }, 0],
    "broke-off.eval": [{ "_journal/start.json": head, [first]: samples[first] }, 9],
  };
  // A zip stores a time in the zone of the machine. Noon in the middle of a month is the same day in every zone.
  const mtime = new Date(2026, 0, 15, 12);
  return Object.entries(zips).map(([name, [members, level]]) => ({ name, bytes: zipSync(members, { level, mtime }) }));
}
