import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { buildCassette, type BuiltTurn } from "../../../src/cassette/file/build.js";
import type { CassetteV1, CassetteV2 } from "../../../src/cassette/file/format.js";
import { hashPrompt } from "../../../src/cassette/prompt/prompt-delta.js";
import { signCassette } from "../../../src/cassette/trust/sign.js";
import type { LlmMessage, LlmTurnResponse } from "../../../src/core/index.js";
import { toBundlePage, toConversationPage } from "../../../src/harness/html/conversation-page.js";
import { MAX_PAGE_TEXT_CHARACTERS } from "../../../src/harness/limits.js";
import { trioBundle } from "../../support/bundles.js";
import { answer as jsonAnswer, get, post, recordExchanges } from "../../support/exchange-recording.js";
import { testKey } from "../../support/keys.js";
import { all, one, parsePage, type PageElement } from "../../support/page.js";

const HOSTILE = `</script></title></style></textarea>--><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>\u202e\0"' onclick='x`;

interface Turn {
  added?: LlmMessage[];
  response: LlmTurnResponse;
  keep?: number;
}

/** A cassette whose prompts are what each turn added to the one before. */
function recording(turns: readonly Turn[], extensions = {}): CassetteV2 {
  let prompt: LlmMessage[] = [];
  const built = turns.map(({ added = [], response, keep = prompt.length }): BuiltTurn => {
    prompt = [...prompt.slice(0, keep), ...added];
    return { promptHash: hashPrompt(prompt), prompt: { keep, messages: added }, response };
  });
  const head = {
    recordedAt: "2026-11-20T12:00:00.000Z",
    recordedProvider: "openai:gpt-4o",
    cassetteId: "1".repeat(32),
  };
  return buildCassette({ ...head, extensions }, built);
}

function answer(content: string, rest: Partial<LlmTurnResponse> = {}): LlmTurnResponse {
  return { message: { role: "assistant", content }, stopReason: "stop", ...rest };
}

function asks(name: string, id: string, args = {}): LlmTurnResponse {
  const toolCalls = [{ id, name, arguments: args }];
  return { message: { role: "assistant", content: "", toolCalls }, stopReason: "toolUse" };
}

function pageOf(cassette: Parameters<typeof toConversationPage>[0], isFull = false) {
  const { text, leftOut } = toConversationPage(cassette, { title: "run", isFull });
  return { text, leftOut, root: parsePage(text).documentElement };
}

const user = (content: string): LlmMessage => ({ role: "user", content });

const weather = recording([
  {
    added: [{ role: "system", content: "Be brief." }, user("Is it warm?")],
    response: {
      ...asks("weather", "c1", { city: "Paris" }),
      usage: { inputTokens: 1200, outputTokens: 7 },
      costUsd: 0.000273,
    },
  },
  {
    added: [
      asks("weather", "c1", { city: "Paris" }).message,
      { role: "tool", toolCallId: "c1", name: "weather", content: '{"degrees": 21}' },
    ],
    response: answer("Yes.", { model: "gpt-4o-2024-05-13" }),
  },
]);

describe("the page of a cassette", () => {
  it("has each turn once, with its call next to the result", () => {
    const { root } = pageOf(weather);
    const turns = all(root, "article.turn");
    expect(turns.map(({ id }) => id)).toEqual(["turn-0", "turn-1"]);
    const call = one(turns[0] as PageElement, "details.call");
    expect(all(call, "pre").map(({ textContent }) => textContent)).toEqual([
      '{\n  "city": "Paris"\n}',
      '{\n  "degrees": 21\n}',
    ]);
    expect(one(call, "summary").textContent).toContain('city: "Paris"');
    expect(all(turns[1] as PageElement, ".row").map(({ className }) => className)).toEqual(["row assistant"]);
    expect(all(root, ".rail a").map((link) => link.getAttribute("href"))).toEqual(["#turn-0", "#turn-1"]);
  });

  it("says the tokens and the price of each turn and in all, and what is unknown", () => {
    const { root } = pageOf(weather);
    const facts = all(root, ".turn-head .facts").map(({ textContent }) => textContent.replaceAll(/\s+/g, " ").trim());
    expect(facts[0]).toContain("1,200 in · 7 out$0.000273");
    expect(facts[1]).toContain("tokens and cost unknown");
    const [head] = all(root, ".about-run").map(({ textContent }) => textContent.replaceAll(/\s+/g, " "));
    expect(head).toContain("1,200 in · 7 out, and 1 turn unknown");
    expect(head).toContain("$0.000273, and 1 turn unknown");
    expect(
      one(pageOf(recording([{ response: answer("a", { costUsd: 0 }) }])).root, ".about-run").textContent,
    ).toContain("$0");
  });

  it("has no byte from elsewhere, and gives the same bytes again", () => {
    const { text, root } = pageOf(weather);
    expect(pageOf(weather).text).toBe(text);
    expect(text.endsWith("</html>\n")).toBe(true);
    expect(all(root, "link, iframe, object, embed, base, form, [srcset]")).toEqual([]);
    expect(text).not.toMatch(/https?:|@import|url\(/);
  });

  it("names its script and its style in the policy by their hashes, and allows nothing else", () => {
    const { root } = pageOf(weather);
    const hash = (element: PageElement) =>
      `'sha256-${createHash("sha256").update(element.textContent).digest("base64")}'`;
    expect(one(root, "meta[http-equiv]").getAttribute("content")).toBe(
      `default-src 'none'; img-src data:; style-src ${hash(one(root, "style"))}; script-src ${hash(one(root, "script"))}; ` +
        "base-uri 'none'; form-action 'none'",
    );
    expect(() => new Function(one(root, "script").textContent)).not.toThrow();
  });

  it("has unique ids, a summary in every fold, and names for its landmarks", () => {
    const { root } = pageOf(weather);
    const ids = all(root, "[id]").map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const fold of all(root, "details")) expect(fold.children[0]?.tagName).toBe("SUMMARY");
    for (const named of all(root, "[aria-labelledby]")) expect(ids).toContain(named.getAttribute("aria-labelledby"));
    for (const link of all(root, "a")) expect(ids).toContain(link.getAttribute("href")?.slice(1));
    expect(one(root, "nav").getAttribute("aria-label")).toBe("Turns");
    expect(all(root, "main, h1").length).toBe(2);
    expect(one(root, "label[for=find]").textContent.trim()).not.toBe("");
    expect(one(root, "a.skip").getAttribute("href")).toBe("#conversation");
    expect(all(root, "body > *")[0]?.className).toBe("skip");
  });
});

describe("a hostile cassette", () => {
  const response = (): LlmTurnResponse => ({
    message: {
      role: "assistant",
      content: HOSTILE,
      toolCalls: [{ id: HOSTILE, name: HOSTILE, arguments: { [HOSTILE]: HOSTILE }, malformedArguments: HOSTILE }],
      reasoning: [{ type: "text", text: HOSTILE }],
    },
    stopReason: "toolUse",
    model: HOSTILE,
  });
  const added: LlmMessage[] = [
    { role: "system", content: HOSTILE },
    {
      role: "user",
      content: [
        { type: "text", text: HOSTILE },
        { type: "image", url: `javascript:${HOSTILE}` },
        { type: "image", mediaType: `image/png"${HOSTILE}`, data: "AAAA" },
        { type: "image", mediaType: "image/png", data: `AAAA" onerror="alert(1)` },
        { type: "image", mediaType: "image/svg+xml", data: "PHN2Zz4=" },
      ],
    },
    { role: "tool", toolCallId: HOSTILE, name: HOSTILE, content: HOSTILE, isError: true },
  ];
  const cassette = recording([{ added, response: response() }], {
    [HOSTILE]: HOSTILE,
    redacted: [HOSTILE],
    filtered: true,
    filters: [HOSTILE],
    forkedFrom: { cassetteId: HOSTILE, at: 1 },
    import: {
      format: HOSTILE,
      repairs: { [HOSTILE]: 1 },
      model: HOSTILE,
      outcome: { [HOSTILE]: HOSTILE },
      trailing: [user(HOSTILE), { role: HOSTILE }],
    },
  });
  const { text } = toConversationPage({ ...cassette, agentId: HOSTILE }, { title: HOSTILE });
  const root = parsePage(text).documentElement;

  it("opens no element, no script and no attribute of its own", () => {
    expect([all(root, "script").length, all(root, "style").length, all(root, "img").length]).toEqual([1, 1, 0]);
    const attributes = all(root, "*").flatMap((element) => Array.from(element.attributes, ({ name }) => name));
    expect(attributes.filter((name) => name.startsWith("on") || name === "style")).toEqual([]);
    const addresses = all(root, "[href], [src]").map((e) => e.getAttribute("href") ?? e.getAttribute("src") ?? "");
    expect(addresses.filter((address) => !/^#[\w-]+$/.test(address))).toEqual([]);
  });

  it("leaves nothing unseen: directions, NUL and escapes are written out", () => {
    expect(text).not.toMatch(/[\u202e\0\u001b]/);
    expect(one(root, "h1").textContent).toContain("\\u202e\\u0000");
    expect(all(root, ".sign").length).toBeGreaterThan(10);
  });
});

describe("where a recording comes from", () => {
  it("says of a migrated cassette that nothing proves what it held before", () => {
    const { root } = pageOf(recording([], { migrated: { fromVersion: 1, sourceHash: "0".repeat(64) } }));
    expect(one(root, ".proof.warn").textContent).toContain(
      "Migrated from version 1: nothing proves what it held before.",
    );
    expect(one(root, ".proof:not(.warn)").textContent).toContain("every hash is valid since then");
  });

  it("says which rules redacted and which filters rewrote what was recorded", () => {
    const { root } = pageOf(recording([], { redacted: ["github-token"], filtered: true, filters: ["uuid"] }));
    const proof = one(root, ".proof").textContent;
    expect(proof).toContain("Secrets were redacted by the rules github-token.");
    expect(proof).toContain("Prompts were rewritten by a hashFilter: uuid.");
    expect(all(root, ".proof.warn")).toEqual([]);
  });
});

describe("what is recorded and how it is shown", () => {
  it("shows images of kinds without script, from the recording alone", () => {
    const content = [{ type: "image" as const, mediaType: "image/png", data: "iVBORw0KGgo=" }];
    const { root } = pageOf(recording([{ added: [{ role: "user", content }], response: answer("a dot") }]));
    const image = one(root, "img");
    expect(image.getAttribute("src")).toBe("data:image/png;base64,iVBORw0KGgo=");
    expect(image.getAttribute("alt")).not.toBe("");
  });

  it("leaves out an image that is too large, and says so", () => {
    const content = [{ type: "image" as const, mediaType: "image/png", data: "A".repeat(1_400_000) }];
    const { root, leftOut } = pageOf(recording([{ added: [{ role: "user", content }], response: answer("a") }]), true);
    expect([all(root, "img").length, leftOut.images]).toEqual([0, 1]);
    expect(one(root, ".top .warn").textContent).toContain("1 image left out");
  });

  it("cuts a long text and says by how much, and has it whole with isFull", () => {
    const long = recording([{ added: [user("x".repeat(MAX_PAGE_TEXT_CHARACTERS + 5))], response: answer("a") }]);
    const cut = pageOf(long);
    expect(cut.leftOut).toEqual({ texts: 1, characters: 5, items: 0, images: 0 });
    expect(one(cut.root, ".cut").textContent).toContain("5 more characters");
    expect(one(cut.root, ".top .warn").textContent).toContain("1 text cut by 5 characters");
    const full = pageOf(long, true);
    expect(full.leftOut.texts).toBe(0);
    expect(one(full.root, ".user .prose").textContent).toHaveLength(MAX_PAGE_TEXT_CHARACTERS + 5);
  });

  it("never cuts half a character", () => {
    const { text } = pageOf(recording([{ response: answer("x".repeat(MAX_PAGE_TEXT_CHARACTERS - 1) + "😀") }]));
    expect(text.isWellFormed()).toBe(true);
  });

  it("says that version 1 proves nothing, and under which key a signature holds", async () => {
    const v1: CassetteV1 = {
      version: 1,
      recordedAt: "2026-11-20T12:00:00.000Z",
      recordedProvider: "p",
      entries: [{ turnIndex: 0, promptHash: "0".repeat(64), response: answer("a") }],
    };
    expect(one(pageOf(v1).root, ".proof").textContent).toContain("Nothing protects these contents");
    expect(one(pageOf(weather).root, ".proof").textContent).toContain("every hash is valid. Not signed.");
    const { seed, keyId } = testKey(7);
    const signed = await signCassette(weather, seed);
    expect(one(pageOf(signed).root, ".proof").textContent).toContain(`is valid for key ${keyId}`);
  });

  it("says where a prompt was rewritten, and shows a result again that belongs to no open call", () => {
    const { root } = pageOf(
      recording([
        { added: [user("a")], response: answer("b") },
        { keep: 0, added: [{ role: "tool", toolCallId: "z", name: "t", content: "r" }], response: answer("c") },
      ]),
    );
    expect(one(root, "#turn-1 .note").textContent).toContain("it kept 0 of 1 message");
    expect(one(root, "#turn-1 .call .tool").textContent).toContain("t");
  });

  it("says of a call without a result that none was recorded, and finds one after the last answer", () => {
    expect(one(pageOf(recording([{ response: asks("t", "c") }])).root, ".gave").textContent).toContain(
      "no result recorded",
    );
    const trailing = [{ role: "tool", toolCallId: "c", name: "t", content: "late" }, user("thanks")];
    const { root } = pageOf(recording([{ response: asks("t", "c") }], { import: { trailing } }));
    expect(one(root, ".gave").textContent).toContain("late");
    expect(all(root, ".turn").at(-1)?.textContent).toContain("thanks");
  });

  it("gives a result to the newest call where a vendor uses an id again", () => {
    const result = (content: string): LlmMessage => ({ role: "tool", toolCallId: "c", name: "t", content });
    const { root } = pageOf(
      recording([
        { response: asks("t", "c") },
        { added: [asks("t", "c").message, result("one")], response: asks("t", "c") },
        { added: [asks("t", "c").message, result("two")], response: answer("done") },
      ]),
    );
    expect(all(root, ".gave").map(({ textContent }) => /one|two/.exec(textContent)?.[0])).toEqual(["one", "two"]);
  });
});

describe("the rail", () => {
  const flags = (turns: readonly Turn[]) =>
    all(pageOf(recording(turns)).root, ".rail li").map((line) => line.querySelector(".bad")?.textContent);

  it("marks turns whose tools failed, whose arguments were malformed, and whose answer was cut short", () => {
    const malformed = asks("t", "m");
    Object.assign(malformed.message.toolCalls?.[0] ?? {}, { malformedArguments: "{" });
    expect(
      flags([
        { response: asks("t", "c") },
        { added: [{ role: "tool", toolCallId: "c", name: "t", content: "no", isError: true }], response: malformed },
        { response: answer("half", { stopReason: "length" }) },
        { response: answer("whole") },
      ]),
    ).toEqual(["error", "error", "length", undefined]);
  });
});

describe("the page of a bundle", () => {
  it("has a section for each agent, in the order of its path", async () => {
    const bundle = await trioBundle();
    const root = parsePage(toBundlePage(bundle, { title: "trio" }).text).documentElement;
    const names = all(root, "section.agent > h2").map(({ textContent }) => textContent);
    expect(names).toEqual([...new Set(bundle.bundle.path)].filter((name) => Object.hasOwn(bundle.cassettes, name)));
    const ids = all(root, "[id]").map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(all(root, ".rail-agent").length).toBe(names.length);
  });
});

describe("exchanges", () => {
  it("are listed after the turns, with hostile paths as text", () => {
    const cassette = recordExchanges([
      [post("/v1/embeddings", { input: "a" }), jsonAnswer({ data: [] })],
      [get("/v1/<script>alert(1)</script>"), jsonAnswer({ error: 1 }, 404)],
    ]);
    const { root, text } = pageOf(cassette);
    const lines = all(root, "main li").map(({ textContent }) => textContent.replace(/\s+/g, " ").trim());
    expect(lines).toEqual([
      "0 POST /v1/embeddings status 200, 13 bytes sent, 11 bytes received",
      expect.stringMatching(/^1 GET \/v1\/.*script.* status 404, 0 bytes sent, 11 bytes received$/),
    ]);
    expect(text).not.toContain("<script>alert");
    expect(pageOf(recording([{ added: [user("Hi")], response: answer("Hello.") }])).text).not.toContain("not turns");
  });
});
