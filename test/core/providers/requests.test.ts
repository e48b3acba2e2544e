import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/canon/value.js";
import type { LlmSettings, LlmTurnRequest } from "../../../src/core/model/provider.js";
import { AgentError } from "../../../src/core/errors.js";
import type { Vendor } from "../../../src/core/vendors/vendor.js";
import { WIRE_NAMES } from "../../../src/core/vendors/table.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { allRecorded, wireOf, type WireName } from "../../support/exchanges.js";
import { hasShared } from "../../support/shared.js";
import { NotModelled, parseRequest, pathsOf, type ChatWire } from "../../support/wire-requests.js";
import { apiKey, weatherTool } from "../../support/wire.js";

// The bodies that were really sent to a vendor are all the specification there is of what it takes. Ours must look like them.

function encode(wire: WireName, request: LlmTurnRequest): JsonObject {
  const vendor: Vendor = VENDORS[wire];
  const options = { apiKey, model: "m", maxTokens: 1 };
  return vendor.call(request, { options, key: "", host: new URL(vendor.baseURL).hostname, streaming: true }).body;
}

interface Sent {
  id: string;
  path: string;
  body: JsonObject;
}

const sent = Object.fromEntries(WIRE_NAMES.map((name) => [name, []])) as unknown as Record<WireName, Sent[]>;
if (hasShared) {
  for (const { id, request, response } of allRecorded()) {
    const wire = wireOf(request.url);
    if (wire === undefined || response.status !== 200 || !request.body.endsWith("}")) continue;
    const body = tryParse(request.body);
    if (body !== undefined) sent[wire].push({ id, path: request.url, body });
  }
}

/** One recorded body is torn. */
function tryParse(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

/** The turns that the product reads from the recorded requests. */
function turnsOf(wire: WireName): { id: string; request: LlmTurnRequest }[] {
  return sent[wire].flatMap(({ id, path, body }) => {
    try {
      return [{ id, request: VENDORS[wire].parse(body, path).request }];
    } catch (error) {
      if (error instanceof AgentError) return [];
      throw error;
    }
  });
}

/** What a turn request can say, all of it. */
const everything = {
  messages: [
    { role: "system", content: "be brief" },
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image", mediaType: "image/png", data: "AAAA" },
      ],
    },
    {
      role: "assistant",
      content: "Let me see.",
      reasoning: [
        { type: "text", text: "hm", signature: "c2ln" },
        { type: "redacted", data: "xxxx" },
      ],
      toolCalls: [
        { id: "a", name: "weather", arguments: { city: "Oslo" } },
        { id: "b", name: "weather", arguments: { city: "Rome" } },
      ],
    },
    { role: "tool", toolCallId: "a", name: "weather", content: "rain" },
    { role: "tool", toolCallId: "b", name: "weather", content: "no such city", isError: true },
    { role: "assistant", content: "", toolCalls: [{ id: "c", name: "weather", arguments: {} }] },
    { role: "tool", toolCallId: "c", name: "weather", content: "sun" },
    { role: "assistant", content: "It rains." },
    { role: "user", content: "thanks" },
  ],
  tools: [weatherTool],
} as const satisfies LlmTurnRequest;

const settings: LlmSettings = {
  temperature: 0,
  topP: 1,
  maxTokens: 9,
  stop: ["END"],
  seed: 7,
  responseFormat: { name: "answer", schema: { type: "object" } },
};

const imageByUrl: LlmTurnRequest = {
  messages: [{ role: "user", content: [{ type: "image", url: "https://example.com/x.png" }] }],
};

/** Paths of ours that no recording has, each with its reason. The fields are in ollama docs/api.md, "Generate a chat completion". */
const UNSEEN: Record<WireName, Record<string, string>> = {
  openai: {},
  responses: {},
  anthropic: {},
  gemini: {},
  bedrock: Object.fromEntries(
    [":object", ".format:string", ".source:object", ".source.bytes:string"].map((field) => [
      `.messages[user].content[].image${field}`,
      "no recorded request has an image of the user",
    ]),
  ),
  cohere: {
    ".messages[assistant].content:string": "a documented form, where recorded clients send a list of parts",
    ".response_format.json_schema.description:string": "belongs to the caller's schema",
    ".response_format.json_schema.title:string": "belongs to the caller's schema",
  },
  ollama: {
    ".messages[assistant].tool_calls[].id:string": "recorded answers carry ids, and no recorded client gives them back",
    ".messages[tool].tool_call_id:string": "names the call by that id",
    ".messages[user].images:list": "no recorded chat has an image",
    ".messages[user].images[]:string": "no recorded chat has an image",
    ".options.top_p:number": "a documented option that no recorded client sets",
    ".options.stop:list": "a documented option that no recorded client sets",
    ".options.stop[]:string": "a documented option that no recorded client sets",
  },
};

/** Read by a parser of the tests, apart from those of the product. test/wires.test.ts reads the others' requests too. */
const wires = ["openai", "anthropic", "ollama"] as const satisfies ChatWire[];

interface ParsedRequests {
  requests: { id: string; body: JsonObject; request: LlmTurnRequest }[];
  /** How often each thing kept a request from being parsed. */
  notModelled: Map<string, number>;
}

function parseAll(wire: ChatWire): ParsedRequests {
  const parsed: ParsedRequests = { requests: [], notModelled: new Map() };
  for (const { id, body } of sent[wire]) {
    try {
      parsed.requests.push({ id, body, request: parseRequest(wire, body) });
    } catch (error) {
      if (!(error instanceof NotModelled)) throw error;
      parsed.notModelled.set(error.message, (parsed.notModelled.get(error.message) ?? 0) + 1);
    }
  }
  return parsed;
}

describe.skipIf(!hasShared)("recorded requests", () => {
  it.each([
    ["openai", 1550, 30],
    ["anthropic", 410, 90],
    ["ollama", 25, 0],
  ] as const)(
    "%s: all but those with documents, audio or the vendor's own tools are turn requests",
    (wire, most, few) => {
      const { requests, notModelled } = parseAll(wire);
      expect(requests.length).toBeGreaterThanOrEqual(most);
      expect(sent[wire].length - requests.length).toBeLessThanOrEqual(few);
      const reasons = [...notModelled.keys()].join(" ");
      expect(reasons).not.toMatch(/(^| )(text|image|image_url|tool_use|tool_result|role \w+)( |$)/);
    },
  );

  it.each(WIRE_NAMES)("PLK-20 the %s encoder writes only what was seen on the wire", (wire) => {
    const seen = new Set(sent[wire].flatMap(({ body }) => pathsOf(body)));
    const ours = new Map<string, string>();
    const add = (request: LlmTurnRequest, id: string) => {
      for (const path of pathsOf(encode(wire, request))) if (!seen.has(path)) ours.set(path, id);
    };
    for (const { id, request } of turnsOf(wire)) add(request, id);
    for (const toolChoice of ["auto", "none", "required", { name: "weather" }] as const) {
      add({ ...everything, settings: { ...settings, toolChoice } }, "everything");
    }
    if (wire !== "ollama" && wire !== "bedrock") add(imageByUrl, "image by URL");
    // Both ways: an exception that is no longer one has to go.
    expect([...ours.keys()].sort()).toEqual(Object.keys(UNSEEN[wire]).sort());
  });

  it.each(wires)("what the %s encoder writes says the same as the recorded request", (wire) => {
    for (const { id, request } of parseAll(wire).requests) {
      const again = parseRequest(wire, encode(wire, request));
      expect(again, id).toEqual(asWritten(wire, request));
    }
  });
});

/** The Messages API has one system text, at the top, and takes no message in which the model said nothing. */
function asWritten(wire: ChatWire, request: LlmTurnRequest): LlmTurnRequest {
  if (request.tools === undefined && request.settings?.toolChoice !== undefined) {
    // A choice among no tools is refused by most hosts.
    const { toolChoice: _choice, ...settings } = request.settings;
    return asWritten(wire, { ...request, settings });
  }
  if (wire !== "anthropic") return request;
  const system = request.messages.flatMap((message) =>
    message.role === "system" && message.content !== "" ? message.content : [],
  );
  const rest = request.messages.filter(
    (message) =>
      message.role !== "system" &&
      (message.role !== "assistant" || message.content !== "" || message.toolCalls !== undefined),
  );
  return {
    ...request,
    messages: [...(system.length === 0 ? [] : [{ role: "system" as const, content: system.join("\n\n") }]), ...rest],
  };
}
