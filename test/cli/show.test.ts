import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildCassette, type BuiltTurn } from "../../src/cassette/file/build.js";
import { createBundleStore } from "../../src/cassette/bundle/store.js";
import { hashPrompt } from "../../src/cassette/prompt/prompt-delta.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import { nodeFiles, pathBeside } from "../../src/host/files.js";
import { runOf } from "../cassette/diff/runs.js";
import { trioBundle } from "../support/bundles.js";
import { hasShared, sharedPath } from "../support/shared.js";
import { cli, documentOf, folder, place } from "./run.js";

const ESCAPE = "\u001b[2J\u001b]0;owned\u0007";

/** A cassette of one turn, with its prompt. */
function oneTurn(messages: LlmMessage[], response: BuiltTurn["response"]) {
  const promptHash = hashPrompt(messages);
  return buildCassette(
    { recordedAt: "2026-11-20T12:00:00.000Z", recordedProvider: `p${ESCAPE}`, cassetteId: "1".repeat(32) },
    [{ promptHash, prompt: { keep: 0, messages }, response }],
  );
}

const hostile = place(
  "hostile.json",
  oneTurn(
    [
      { role: "system", content: `be ${ESCAPE} brief` },
      {
        role: "user",
        content: [
          { type: "text", text: `look\nturn 9\n${ESCAPE}` },
          { type: "image", mediaType: "image/png", data: "AAAA" },
        ],
      },
      { role: "tool", toolCallId: ESCAPE, name: ESCAPE, content: "\u202e", isError: true },
    ],
    {
      message: {
        role: "assistant",
        content: ESCAPE,
        toolCalls: [{ id: ESCAPE, name: ESCAPE, arguments: { [ESCAPE]: "\u009b31m" } }],
        reasoning: [{ type: "text", text: ESCAPE }],
      },
      stopReason: "toolUse",
      model: ESCAPE,
    },
  ),
);

describe("cassette show", () => {
  it("writes every escape sequence of a recording so that it can be seen and does nothing", async () => {
    for (const argv of [
      ["show", hostile],
      ["show", "--full", hostile],
      ["show", "--json", hostile],
    ]) {
      const ran = await cli(argv, { isTTY: true, env: { NO_COLOR: "1" } });
      expect(ran.code).toBe(0);
      expect(ran.out).toContain("\\u001b[2J");
      expect(ran.out).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}]/u);
    }
  });

  it("keeps recorded lines behind a bar, so that none passes for a heading", async () => {
    const { out } = await cli(["show", hostile]);
    expect(out).toContain("    | look\n    | turn 9\n    | \\u001b[2J");
    expect(out.split("\n").filter((line) => line.startsWith("turn"))).toEqual(["turn 0"]);
    expect(out).toContain("[image image/png, 4 base64 characters]");
  });

  it("colours its own words alone on a terminal", async () => {
    const { out } = await cli(["show", hostile], { isTTY: true });
    expect(out.replace(/\u001b\[\d+m/g, "")).toBe((await cli(["show", hostile])).out);
  });

  it("shows scores, and how well repeated grades agree, and no value that is not a score", async () => {
    const scores = { helpful: [4, 5, 5], brief: 1 / 3, [ESCAPE]: 1, late: "yes" };
    const { entries: _, ...head } = runOf([{ say: "hi" }]);
    const messages: LlmMessage[] = [{ role: "user", content: "hi" }];
    const response = { message: { role: "assistant", content: "hi" }, stopReason: "stop" } as const;
    const turn = { promptHash: hashPrompt(messages), prompt: { keep: 0, messages }, response };
    const path = place("scored.json", buildCassette({ ...head, extensions: { scores } }, [turn]));
    const { out, code } = await cli(["show", path]);
    expect(code).toBe(0);
    expect(out.split("\n").filter((line) => line.startsWith("  score"))).toEqual([
      "  score brief 0.333333",
      "  score helpful 4.66667 (4, 5, 5: repeated grades of 1 answer are equal in 33.3% of pairs)",
    ]);
  });

  it("cuts long texts with a mark, and shows all with --full", async () => {
    const path = place("long.json", runOf([{ say: "x".repeat(1_000) }]));
    const cut = (await cli(["show", path])).out;
    expect(cut).toContain(`    | ${"x".repeat(400)}\n    | … 600 more characters; --full shows all\n`);
    expect((await cli(["show", "--full", path])).out).toContain(`    | ${"x".repeat(1_000)}\n`);
  });

  it("cuts texts of many lines, and never half a character", async () => {
    const many = (await cli(["show", place("many.json", runOf([{ say: "a\n".repeat(50) }]))])).out;
    expect(many.match(/ {4}\| a\n/g)).toHaveLength(12);
    expect(many).toContain("… 77 more characters");
    const pair = (await cli(["show", place("pair.json", runOf([{ say: `${"x".repeat(399)}😀` }]))])).out;
    expect(pair).toContain(`    | ${"x".repeat(399)}\n    | … 2 more characters`);
  });

  it.each(["2", "-1", "1.0", "two", ""])("exits 2 for the turn %j of a cassette of two", async (turn) => {
    const path = place("two.json", runOf([{ say: "a" }, { say: "b" }]));
    expect(await cli(["show", path, `--turn=${turn}`])).toEqual({
      code: 2,
      out: "",
      err: `error: there is no turn ${JSON.stringify(turn)}: it has turns 0 to 1\n  file: ${path}\n  hint: Turns are counted from 0.\n`,
    });
  });

  it("prints one turn alone", async () => {
    const path = place("one.json", runOf([{ say: "first" }, { say: "second" }]));
    const { out } = await cli(["show", path, "--turn", "1"]);
    expect(out).toContain("second");
    expect(out).not.toContain("first");
    expect(documentOf(await cli(["show", path, "--turn", "1", "--json"]))["turns"]).toHaveLength(1);
  });

  it("exits 2 with three lines for a missing file and for a folder", async () => {
    expect(await cli(["show", "gone.json"])).toEqual({
      code: 2,
      out: "",
      err: "error: there is no cassette at gone.json\n  file: gone.json\n  hint: Check the path, or record it first (CASSETTE_MODE=record).\n",
    });
    const ran = await cli(["show", folder]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("is a folder, and show takes one cassette");
  });

  it("exits 3 for a damaged file, on stderr or as a document", async () => {
    const path = join(folder, "torn.json");
    writeFileSync(path, '{"version": 2,');
    const ran = await cli(["show", path]);
    expect(ran.code).toBe(3);
    expect(ran.err).toMatch(
      /^error: the file is not JSON, or was cut short: .*\n {2}file: .*torn\.json\n {2}hint: Restore/,
    );
    expect(documentOf(await cli(["show", "--json", path])).error).toMatchObject({ code: "not-json", file: path });
  });

  it.each([
    ["a bundle", '{"bundleVersion":1,"agents":{}}', "the file is a bundle, not a cassette"],
    ["something else", '{"name":"package"}', "the file is JSON of another kind, not a cassette"],
  ])("exits 2 for %s, which nobody tampered with", async (name, text, message) => {
    const path = join(folder, `${name.replaceAll(" ", "-")}.json`);
    writeFileSync(path, text);
    const ran = await cli(["show", path]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(message)]);
  });

  it("still exits 3 where a version was taken out", async () => {
    const path = join(folder, "no-version.json");
    writeFileSync(path, '{"recordedProvider":"p","entries":[]}');
    expect((await cli(["show", path])).code).toBe(3);
  });

  it("shows fields that loading does not check, whatever they hold", async () => {
    const path = place(
      "odd.json",
      oneTurn([{ role: "user", content: "q" }], {
        message: { role: "assistant", content: "", reasoning: [null, { type: "video" }] as never },
        stopReason: "stop",
      }),
    );
    const ran = await cli(["show", path]);
    expect(ran.code).toBe(0);
    expect(ran.out.match(/thought, not readable/g)).toHaveLength(2);
  });
});

describe.skipIf(!hasShared)("cassette show of the vectors", () => {
  it("prints prompts, answers, calls and usage", async () => {
    const { code, out } = await cli(["show", sharedPath("vectors/cassettes/good-with-prompts.json")]);
    expect(code).toBe(0);
    expect(out).toContain("turn 0\n  prompt: 2 added\n  + system\n    | Read the URL and summarise the key facts.\n");
    expect(out).toContain("  call extract (call_1)\n    | {");
    expect(out).toContain("stop reason toolUse, 41 tokens in, 17 out, 0.000273 USD");
    expect(out).toContain(
      "turn 1\n  prompt: 2 messages kept, 2 added\n  + assistant: the answer of turn 0\n  + tool extract (call_1)\n",
    );
  });

  it("says what version 1 and a cassette without prompts cannot show", async () => {
    const v1 = await cli(["show", sharedPath("vectors/cassettes/good-v1.json")]);
    expect(v1.out).toContain("version 1: nothing proves its contents");
    const hashes = await cli(["show", sharedPath("vectors/cassettes/good-hashes-only.json")]);
    expect(hashes.out).toContain(
      "prompt: only its hash was kept, 3a266688b76bec0062c15eda5238149170e27f37c43bc52f6f4a1c5a07ce4dfb",
    );
  });
});

describe("cassette show --html", () => {
  const run = () => place("page.cassette.json", runOf([{ say: "hello <b>" }, { say: "bye" }]));

  it("writes one page next to the cassette, and says so", async () => {
    const file = run();
    const out = join(folder, "page.html");
    const ran = await cli(["show", file, "--html"]);
    expect(ran).toEqual({ code: 0, out: `written ${out}: 2 turns\n`, err: "" });
    expect(readFileSync(out, "utf8")).toContain("hello &lt;b&gt;");
  });

  it("leaves a file that exists as it was, unless --force is given", async () => {
    const out = join(folder, "kept.html");
    writeFileSync(out, "mine");
    const ran = await cli(["show", run(), "--html", out]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("exists and was not replaced")]);
    expect(readFileSync(out, "utf8")).toBe("mine");
    expect((await cli(["show", run(), `--html=${out}`, "--force"])).code).toBe(0);
    expect(readFileSync(out, "utf8")).toMatch(/^<!doctype html>/);
  });

  it("says what was cut, on stdout and in the document, and cuts nothing with --full", async () => {
    const long = place("long-page.json", runOf([{ say: "x".repeat(100_001) }]));
    const out = join(folder, "long-page.html");
    const cut = await cli(["show", long, "--force", "--html", out]);
    expect(cut.out).toBe(`written ${out}: 1 turn; 1 text cut (--full has all text)\n`);
    const document = documentOf(await cli(["show", long, "--json", "--full", "--force", "--html", out]));
    expect(document).toMatchObject({ html: out, turns: 1, leftOut: { texts: 0, characters: 0, items: 0, images: 0 } });
  });

  it.each([
    [["--turn", "0", "--html"], "--turn was given with --html"],
    [["--force"], "--force was given without --html"],
  ])("exits 2 for %j", async (flags, message) => {
    const ran = await cli(["show", run(), ...flags]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(message)]);
  });

  it("writes nothing for a cassette that is refused", async () => {
    const file = join(folder, "edited.cassette.json");
    writeFileSync(file, readFileSync(run(), "utf8").replace("hello", "hollo"));
    expect((await cli(["show", file, "--html"])).code).toBe(3);
    expect(existsSync(join(folder, "edited.html"))).toBe(false);
  });

  it("writes a bundle as one page", async () => {
    const file = join(folder, "trio.bundle.json");
    await createBundleStore(nodeFiles(), pathBeside).save(file, await trioBundle());
    const ran = await cli(["show", file, "--html"]);
    expect([ran.code, ran.err]).toEqual([0, ""]);
    expect(readFileSync(join(folder, "trio.html"), "utf8").match(/<section class="agent"/g)?.length).toBeGreaterThan(1);
  });
});

describe("cassette show of a folder", () => {
  it("names the cassettes in it", async () => {
    mkdirSync(join(folder, "rec"));
    for (const name of ["a", "b", "c", "d"]) {
      writeFileSync(join(folder, `rec/${name}.cassette.json`), "{}");
    }
    const ran = await cli(["show", "rec"], { cwd: folder });
    expect([ran.code, ran.out]).toEqual([2, ""]);
    expect(ran.err).toContain("rec is a folder, and show takes one cassette");
    expect(ran.err).toContain(
      "Name one of them: rec/a.cassette.json, rec/b.cassette.json, rec/c.cassette.json and 1 more.",
    );
    expect((await cli(["show", "rec", "--html"], { cwd: folder })).err).toContain("takes one cassette or bundle");
    mkdirSync(join(folder, "empty"));
    expect((await cli(["show", "empty"], { cwd: folder })).err).toContain("The folder contains no cassette.");
  });
});

describe("the totals of cassette show", () => {
  it("print the tokens that a cache was read or written for, as stats does, so that the cost can be computed", async () => {
    const usage = { inputTokens: 1_000, outputTokens: 10, cacheReadTokens: 600, cacheWriteTokens: 300 };
    const turn = {
      promptHash: "0".repeat(64),
      response: { message: { role: "assistant" as const, content: "a" }, stopReason: "stop" as const, usage },
    };
    const head = { recordedAt: "2026-11-20T12:00:00.000Z", cassetteId: "1".repeat(32) };
    const recordedProvider = "anthropic:claude-sonnet-5-5";
    const path = place("cached.cassette.json", buildCassette({ ...head, recordedProvider }, [turn]));
    const cached = "(600 read from cache, 300 written to cache)";
    const { out } = await cli(["show", path]);
    expect(out).toContain(`stop reason stop, 1000 tokens in ${cached}, 10 out`);
    const cost = (100 * 2 + 600 * 0.1 + 300 * 2.5 + 10 * 10) / 1e6;
    expect(out).toContain(`in all  1000 tokens in ${cached}, 10 out, ${cost} USD`);
    expect((await cli(["stats", path])).out).toContain(`1000 in ${cached}, 10 out`);
  });

  it("are summed exactly, and say of how many turns nothing is known", async () => {
    const known = { usage: { inputTokens: 10, outputTokens: 2 }, costUsd: 0.1 };
    const turns = [known, { ...known, costUsd: 0.2 }, {}].map((rest) => ({
      promptHash: "0".repeat(64),
      response: { message: { role: "assistant" as const, content: "a" }, stopReason: "stop" as const, ...rest },
    }));
    const head = { recordedAt: "2026-11-20T12:00:00.000Z", recordedProvider: "p", cassetteId: "1".repeat(32) };
    const path = place("sums.json", buildCassette(head, turns));
    const { out } = await cli(["show", path]);
    expect(out).toContain("in all  20 tokens in, 4 out (unknown for 1 turn), 0.3 USD (unknown for 1 turn)\n");
    expect(documentOf(await cli(["show", path, "--json"]))["totals"]).toEqual({
      turns: 3,
      inputTokens: 20,
      outputTokens: 4,
      turnsWithoutTokens: 1,
      costUsd: 0.3,
      turnsWithoutCost: 1,
    });
    expect((await cli(["show", path, "--turn", "0"])).out).not.toContain("in all");
  });
});

describe("a turn that a fallback chain answered", () => {
  it("lists the steps to its answer, with nothing that a terminal would obey", async () => {
    const messages: LlmMessage[] = [{ role: "user", content: "hi" }];
    const response = { message: { role: "assistant" as const, content: "Hi." }, stopReason: "stop" as const };
    const { entries, extensions: _none, ...head } = oneTurn(messages, response);
    const steps = [
      { outcome: "skipped", provider: `p${ESCAPE}`, model: "m-1" },
      { outcome: "failed", provider: "p2", model: "m-2", kind: "rate-limit" },
      { outcome: "answered", provider: "p3", model: "m-3" },
    ];
    const built = buildCassette({ ...head, extensions: { answeredBy: [{ turn: 0, steps }] } }, entries);
    const { out } = await cli(["show", place("answered-by.cassette.json", built)]);
    expect(out).toContain("  failed by p2, model m-2 (rate-limit)\n  answered by p3, model m-3\n");
    expect(out).not.toContain(ESCAPE);
  });
});
