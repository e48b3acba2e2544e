import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  anthropicProvider,
  bedrockProvider,
  cohereProvider,
  geminiProvider,
  ollamaProvider,
  openaiProvider,
  responsesProvider,
} from "../../../src/core/vendors/providers.js";
import type { AnthropicOptions } from "../../../src/core/vendors/anthropic/traits.js";
import type { OpenAiOptions } from "../../../src/core/vendors/openai/traits.js";
import { createVendorProvider } from "../../../src/core/providers/vendor.js";
import { TURN_PATHS, VENDOR_TABLE, WIRE_NAMES } from "../../../src/core/vendors/table.js";
import { agentErrorOf, apiKey, BUILDERS, hello, KEYED_WIRES } from "../../support/wire.js";

const all = WIRE_NAMES.map((name) => [name, BUILDERS[name]] as const);
const keyed = KEYED_WIRES.map((name) => [name, BUILDERS[name]] as const);

const refusal = (build: () => unknown) => agentErrorOf(build);

describe.each(all)("%s options", (vendor, build) => {
  it("PLK-26 refuses a missing model at construction", async () => {
    for (const model of ["", "  ", undefined, null]) {
      const error = await refusal(() => build({ model }));
      expect(error).toMatchObject({ code: "invalid-options" });
      expect(error.message).toContain("model is missing");
      expect(error.hint).toBeTypeOf("string");
    }
  });

  it.each([
    [{ fetch: 5 }, "fetch is 5"],
    [{ fetch: "https://proxy" }, 'fetch is "https://proxy"'],
    [{ ports: 5 }, "ports is 5"],
    [{ ports: { timer: "slow" } }, 'ports.timer is "slow"'],
    [{ ports: { now: undefined } }, "ports.now is undefined"],
    [{ model: 5 }, "model is 5, not a string"],
    [{ name: 5 }, "name is 5: pass a string"],
    [{ name: " " }, "name is empty"],
    [{ timeoutMs: "5" }, 'timeoutMs is "5": give a positive'],
    [{ maxBodyBytes: "1" }, 'maxBodyBytes is "1": give a positive'],
    [{ streaming: "no" }, 'streaming is "no": give true or false'],
    [{ baseURL: "localhost:8000" }, "the scheme is missing, write http://"],
    [{ modle: "m" }, "unknown option modle"],
  ])("PLK-26 refuses %j at construction", async (options, words) => {
    const error = await refusal(() => build(options));
    expect(error).toMatchObject({ code: "invalid-options", hint: expect.any(String) });
    expect(error.message).toContain(words);
  });

  it("quotes a time limit of a request that is a text", async () => {
    const turn = build({ fetch: () => Promise.reject(new Error("sent")) }).turn({ ...hello, timeoutMs: "5" as never });
    expect((await refusal(() => turn)).message).toContain('timeoutMs is "5"');
  });

  it.each([
    "http://example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com/v1",
    "http://10.0.0.1:11434",
    "http://[::2]/",
    "http://0.0.0.0",
    "http://0.0.0.0:11434/v1",
    "http://0/",
    "http://[::]:11434",
    "http://127.0.0.2",
    "http://[::ffff:127.0.0.1]",
    "http://localhost.",
    "http://my-machine.localhost",
    "ftp://localhost",
    "file:///etc/passwd",
  ])("PLK-28 refuses %s, which is not https", async (baseURL) => {
    expect((await refusal(() => build({ baseURL }))).message).toContain("is not https");
  });

  it.each([
    "https://example.com/v1",
    "http://localhost:1",
    "http://LOCALHOST/v1",
    "http://127.0.0.1",
    "http://[::1]:9/",
  ])("PLK-28 takes %s", (baseURL) => expect(() => build({ baseURL })).not.toThrow());

  it.each(["", "api.example.com/v1", "https://", "//example.com", 5])(
    "refuses %j, which is not a URL",
    async (baseURL) => {
      expect((await refusal(() => build({ baseURL }))).message).toContain("not an absolute URL");
    },
  );

  it.each(["https://user:hunter22@example.com", "https://hunter22@example.com", "https://:hunter22@example.com"])(
    "refuses the credentials in %s without showing them",
    async (baseURL) => {
      const error = await refusal(() => build({ baseURL }));
      expect(error.message).toContain("user name or password");
      expect(error.message).not.toContain("hunter22");
    },
  );

  it("PLK-29 hands the request's signal to the transport", async () => {
    const controller = new AbortController();
    let seen: AbortSignal | null | undefined;
    const fetch = (_url: unknown, init?: RequestInit) => {
      seen = init?.signal;
      controller.abort();
      return new Promise<Response>(() => undefined);
    };
    const error = await refusal(() => build({ fetch }).turn({ ...hello, signal: controller.signal }));
    expect(error).toMatchObject({ code: "aborted" });
    expect(seen?.aborted).toBe(true);
  });

  it("PLK-30 takes the time limit of the request before that of the provider", async () => {
    const delays: number[] = [];
    const timer = (ms: number, fire: () => void) => {
      delays.push(ms);
      queueMicrotask(fire);
      return () => undefined;
    };
    const fetch = () => new Promise<Response>(() => undefined);
    const provider = build({ timeoutMs: 30_000, fetch, ports: { timer } });
    expect(await refusal(() => provider.turn(hello))).toMatchObject({ code: "timeout" });
    expect(await refusal(() => provider.turn({ ...hello, timeoutMs: 5 }))).toMatchObject({ code: "timeout" });
    expect(delays).toEqual([30_000, 5]);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5"])("PLK-30 refuses the time limit %s", async (timeoutMs) => {
    expect((await refusal(() => build({ timeoutMs }))).message).toContain("timeoutMs");
  });

  it("names itself by vendor and model, or as it is told", () => {
    expect(build({}).name).toBe(`${vendor}:m`);
    expect(build({ name: "mine" }).name).toBe("mine");
  });

  it("PLK-41 has one method in addition to its name, and the same call watched", () => {
    expect(Object.keys(build({})).sort()).toEqual(["name", "stream", "turn"]);
  });
});

describe.each(keyed)("%s with a key for each call", (_vendor, build) => {
  const keyless = (own: string[], status = 200) => {
    const fetch = async (_url: unknown, { headers }: { headers: Record<string, string> }) => {
      own.push(Object.values(headers).join(" "));
      return new Response("{}", { status });
    };
    return build({ apiKey: null, fetch: fetch as never });
  };

  it("refuses a call without a key before anything is sent", async () => {
    const sent: string[] = [];
    for (const provider of [keyless(sent), keyless(sent).withCredential?.(undefined)])
      expect(await refusal(() => provider?.turn(hello))).toMatchObject({ code: "capability-missing" });
    expect(sent).toEqual([]);
  });

  it("sends the key of the copy, and never shows it", async () => {
    const sent: string[] = [];
    const keyedCopy = keyless(sent, 401).withCredential?.("key-of-the-call");
    const error = await refusal(() => keyedCopy?.turn(hello));
    expect(sent.join(" ")).toContain("key-of-the-call");
    expect(`${inspect(keyedCopy, { depth: 9, showHidden: true })} ${inspect(error)}`).not.toContain("key-of-the-call");
  });

  it("refuses a credential that no header can carry, without showing it", async () => {
    for (const credential of ["", 5, "sekret12\n"]) {
      const error = await refusal(() => keyless([]).withCredential?.(credential));
      expect(error).toMatchObject({ code: "invalid-options" });
      expect(error.message).not.toContain("sekret12");
    }
  });
});

it("a vendor that takes no key has no withCredential", () => {
  expect(ollamaProvider({ model: "m" }).withCredential).toBeUndefined();
});

describe.each(keyed)("%s key", (_vendor, build) => {
  it("PLK-26 refuses a missing or empty key at construction", async () => {
    for (const key of ["", " ", undefined]) {
      const error = await refusal(() => build({ apiKey: key }));
      expect(error).toMatchObject({ code: "invalid-options" });
      expect(error.message).toContain("apiKey is missing or empty");
    }
  });

  it("refuses a key that no header can carry, without showing it", async () => {
    for (const key of ["sekret12\n", "sek ret12", "sékret12"]) {
      const error = await refusal(() => build({ apiKey: key }));
      expect(error.message).toContain("apiKey has a blank");
      expect(error.message).not.toMatch(/ret12/);
    }
  });

  it("never shows the key: not in the provider, not in an error about a URL that holds it", async () => {
    expect(inspect(build({}), { depth: 9, showHidden: true })).not.toContain(apiKey);
    expect(JSON.stringify(build({}))).not.toContain(apiKey);
    expect((await refusal(() => build({ baseURL: apiKey }))).message).not.toContain(apiKey);
    expect((await refusal(() => build({ baseURL: `http://example.com/?key=${apiKey}` }))).message).not.toContain(
      apiKey,
    );
  });

  it("reports all problems at once, unknown options and a wrong price list among them", async () => {
    const options = {
      apiKey: "",
      model: "",
      baseURL: "x",
      timeoutMs: 0,
      name: "",
      modle: "m",
      pricing: { m: { input: 1 } },
    };
    const { message, hint } = await refusal(() => build(options));
    const words = ["model is missing", "apiKey", "baseURL", "timeoutMs", "name is empty", "unknown option modle"];
    for (const word of [...words, 'pricing["m"] is not a rate']) expect(message).toContain(word);
    expect(hint).toContain("The options are model, baseURL,");
  });

  it("names only the type of a key that is not text", async () => {
    expect((await refusal(() => build({ apiKey: 12345678 }))).message).toContain("apiKey is a number, not a string");
  });
});

describe("vendor options of one vendor", () => {
  it("PLK-24 refuses a maxTokens that is not a count", async () => {
    for (const maxTokens of [0, -1, 1.5, Number.NaN]) {
      const options: AnthropicOptions = { apiKey, model: "m", maxTokens };
      expect((await refusal(() => anthropicProvider(options))).message).toContain("maxTokens");
    }
  });
});

describe("options of openai alone", () => {
  it.each([
    [{ maxTokensField: "x" }, 'maxTokensField is "x": use max_tokens or max_completion_tokens'],
    [{ includeUsage: "no" }, 'includeUsage is "no": give true or false'],
  ])("PLK-23 refuses %j at construction", async (options, words) => {
    const error = await refusal(() => openaiProvider({ apiKey, model: "m", ...options } as OpenAiOptions));
    expect(error.message).toContain(words);
  });
});

describe("no options", () => {
  it.each([
    ["openai", openaiProvider],
    ["responses", responsesProvider],
    ["anthropic", anthropicProvider],
    ["gemini", geminiProvider],
    ["bedrock", bedrockProvider],
    ["cohere", cohereProvider],
    ["ollama", ollamaProvider],
  ])("is refused by %s like wrong ones, in types and when it runs", async (_vendor, build) => {
    // @ts-expect-error -- The options are required.
    expect(await refusal(() => build())).toMatchObject({ code: "invalid-options" });
    for (const options of [null, 5, "m"]) {
      const { message } = await refusal(() => build(options as never));
      expect(message).toContain("the options are");
      expect(message).toContain("model is missing");
    }
  });
});

/** A fetch that keeps what it was called with and answers as any of the vendors. */
function recordingFetch() {
  const calls: { url: string; init: RequestInit; headers: Headers; body: Record<string, unknown> }[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    const body = JSON.parse(String(init.body)) as Record<string, unknown>;
    calls.push({ url: String(url), init, headers: new Headers(init.headers), body });
    const message = { role: "assistant", content: "hi" };
    return Response.json({ choices: [{ message }], content: [{ type: "text", text: "hi" }], message });
  };
  return { calls, fetch };
}

describe("what goes out", () => {
  it("PLK-23 openai: a bearer key, the chat completions path of any baseURL", async () => {
    const { calls, fetch } = recordingFetch();
    for (const baseURL of ["https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/"]) {
      await openaiProvider({ apiKey, model: "anthropic/claude", baseURL, fetch }).turn(hello);
    }
    const azure = "https://x.openai.azure.com/openai/deployments/d?api-version=2024-06-01";
    await openaiProvider({ apiKey, model: "d", baseURL: azure, fetch }).turn(hello);
    await openaiProvider({ apiKey, model: "gpt-4o", fetch }).turn(hello);
    expect(calls.map((call) => call.url)).toEqual([
      "https://openrouter.ai/api/v1/chat/completions",
      "https://openrouter.ai/api/v1/chat/completions",
      "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-06-01",
      "https://api.openai.com/v1/chat/completions",
    ]);
    expect(calls.map(({ headers }) => headers.get("authorization"))).toEqual(calls.map(() => `Bearer ${apiKey}`));
  });

  it("PLK-40 sends the key verbatim, as a bearer token or as x-api-key", async () => {
    const { calls, fetch } = recordingFetch();
    const mixed = "sk-Test_0aZ9+/=~AbC";
    await openaiProvider({ apiKey: mixed, model: "m", fetch }).turn(hello);
    await anthropicProvider({ apiKey: mixed, model: "m", fetch }).turn(hello);
    await ollamaProvider({ model: "m", fetch }).turn(hello);
    expect(calls.map(({ headers }) => [headers.get("authorization"), headers.get("x-api-key")])).toEqual([
      ["Bearer sk-Test_0aZ9+/=~AbC", null],
      [null, "sk-Test_0aZ9+/=~AbC"],
      [null, null],
    ]);
  });

  it("PLK-24 anthropic: the messages path, the API version, 4096 tokens unless told otherwise", async () => {
    const { calls, fetch } = recordingFetch();
    await anthropicProvider({ apiKey, model: "m", fetch }).turn(hello);
    await anthropicProvider({ apiKey, model: "m", maxTokens: 9, fetch }).turn(hello);
    expect(calls.map((call) => [call.url, call.body["max_tokens"]])).toEqual([
      ["https://api.anthropic.com/v1/messages", 4096],
      ["https://api.anthropic.com/v1/messages", 9],
    ]);
    expect(calls[0]?.headers.get("anthropic-version")).toBe("2023-06-01");
  });

  it("PLK-27 goes through the fetch that was handed in, before that of the ports", async () => {
    const own = recordingFetch();
    const port = recordingFetch();
    await openaiProvider({ apiKey, model: "m", fetch: own.fetch, ports: { fetch: port.fetch } }).turn(hello);
    await openaiProvider({ apiKey, model: "m", ports: { fetch: port.fetch } }).turn(hello);
    expect([own.calls.length, port.calls.length]).toEqual([1, 1]);
    expect(own.calls[0]?.init).toMatchObject({ method: "POST", redirect: "error" });
    expect(own.calls[0]?.headers.get("content-type")).toBe("application/json");
  });

  it("names the token limit as the host knows it, or as it is told", async () => {
    const { calls, fetch } = recordingFetch();
    const limited = { ...hello, settings: { maxTokens: 7 } };
    const options: OpenAiOptions = { apiKey, model: "m", fetch };
    await openaiProvider(options).turn(limited);
    await openaiProvider({ ...options, baseURL: "https://x.openai.azure.com/openai/v1" }).turn(limited);
    await openaiProvider({ ...options, baseURL: "https://api.together.xyz/v1" }).turn(limited);
    await openaiProvider({ ...options, baseURL: "https://notopenai.com/v1" }).turn(limited);
    await openaiProvider({ ...options, maxTokensField: "max_tokens" }).turn(limited);
    expect(calls.map(({ body }) => ("max_tokens" in body ? "older" : "newer"))).toEqual([
      "newer",
      "newer",
      "older",
      "older",
      "older",
    ]);
  });

  it("warns once about things that are shown alike, and keeps what is shown alone", async () => {
    const warnings: string[] = [];
    const ports = { warn: (text: string) => void warnings.push(text) };
    let turn = 0;
    const fetch = async () =>
      Response.json({ choices: [{ message: { content: "x" }, finish_reason: `${"y".repeat(9_000)}${turn++}` }] });
    const provider = openaiProvider({ apiKey, model: "gpt-4o", fetch, ports });
    for (let asked = 0; asked < 3; asked++) await provider.turn(hello);
    expect(warnings).toHaveLength(1);
  });

  it("warns once about each thing an answer has and a response has no place for", async () => {
    const warnings: string[] = [];
    const fetch = async () => Response.json({ content: [{ type: "server_tool_use" }, { type: "text", text: "hi" }] });
    const provider = anthropicProvider({ apiKey, model: "m", fetch, ports: { warn: (text) => warnings.push(text) } });
    await provider.turn(hello);
    await provider.turn(hello);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('anthropic:m: the answer has a block of type "server_tool_use"');
  });
});

describe("the wire of a vendor", () => {
  const options = { model: "m", apiKey, fetch: () => Promise.reject(new Error("sent")) };
  const { traits } = VENDOR_TABLE.openai;

  it("that cannot be loaded fails the call, and the next call tries again", async () => {
    let loads = 0;
    const load = () => (++loads === 1 ? Promise.reject(new TypeError("no such file")) : VENDOR_TABLE.openai.load());
    const provider = createVendorProvider(traits, load, options, TURN_PATHS);
    const error = await refusal(() => provider.turn(hello));
    expect(error).toMatchObject({ code: "capability-missing", hint: expect.stringContaining("dist") as string });
    expect(error.message).toContain("no such file");
    expect((await refusal(() => provider.turn(hello))).message).toContain("sent");
  });

  it("is loaded after the request was taken, so a list that changes later changes nothing", async () => {
    let sent = "";
    const fetch: typeof globalThis.fetch = (_url, init) => {
      sent = String(init?.body);
      return Promise.reject(new Error("sent"));
    };
    const messages = [...hello.messages];
    const turn = createVendorProvider(traits, VENDOR_TABLE.openai.load, { ...options, fetch }, TURN_PATHS).turn({
      messages,
    });
    messages.push({ role: "user", content: "too late" });
    await refusal(() => turn);
    expect(sent).toContain("messages");
    expect(sent).not.toContain("too late");
  });
});
