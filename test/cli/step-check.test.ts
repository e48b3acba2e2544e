import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildCassette } from "../../src/cassette/file/build.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { loadCassette } from "../../src/entry/cassette.js";
import { say } from "../support/script.js";
import { recorded, RECORDED, TOOLS } from "../harness/step-check/recorded.js";
import { cli, documentOf, folder, place } from "./run.js";

const SECOND = { goal: "Sun?", turns: [say("Yes.")] };

/** A module that answers by the number of the turn and counts its calls in a file. `answers` is the body of a function. */
function moduleOf(name: string, answers: string): { spec: string; calls: () => number } {
  const log = join(folder, `${name}.calls`);
  writeFileSync(
    join(folder, `${name}.mjs`),
    `import { appendFileSync } from "node:fs";
const recorded = ${JSON.stringify(RECORDED)};
const say = (content) => ({ message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" });
const usage = { inputTokens: 100, outputTokens: 10 };
function answer(turn, request) { ${answers} }
export default () => ({
  name: "mine",
  async turn(request) {
    appendFileSync(${JSON.stringify(log)}, "x");
    return answer(request.messages.filter(({ role }) => role === "assistant").length, request);
  },
});
`,
  );
  return { spec: `module:./${name}.mjs`, calls: () => (existsSync(log) ? readFileSync(log, "utf8").length : 0) };
}

async function tree(name: string): Promise<string> {
  mkdirSync(join(folder, name, "inner"), { recursive: true });
  place(`${name}/a.cassette.json`, await recorded());
  place(`${name}/inner/b.cassette.json`, await recorded(SECOND));
  return name;
}

describe("cassette step-check", () => {
  it("tells each recording's first disagreement, the tools that were confused, and the rate; exits 1", async () => {
    const { spec } = moduleOf("words", `return turn === 1 ? { ...say("I will not."), usage } : recorded[turn];`);
    const ran = await cli(["step-check", await tree("words"), "--provider", spec, "--price", "2.5,10"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toBe(
      `words/a.cassette.json: 2 of 3 turns agree
  turn 1: an answer instead of calls
    recorded  send({"text":"rain","to":"ann"})
    chosen    "I will not."
words/inner/b.cassette.json: 0 of 1 turn agree
  turn 0: calls instead of an answer
    recorded  "Yes."
    chosen    search({"q":"rain"}) + read({"page":1})
tools, recorded → chosen
      3  the same tool, or an answer on both sides
      1  (answer) → read
      1  (answer) → search
      1  send → (answer)
differs: ${spec} agrees in 50 % of 4 turns (95 % interval 15 % to 85 %; required 100 %)
  2 same, 1 answered, 1 called
  tokens 100 in, 10 out, unknown for 3 turns; cost at least 0.00035 USD, unknown for 3 turns
`,
    );
    expect(ran.err).toBe("4 turns requested now; the answers were not kept (--record keeps them)\n");
  });

  it("tolerates what the file of tolerances does, and says which were used", async () => {
    const { spec } = moduleOf(
      "tolerant",
      `if (turn !== 1) return recorded[turn];
       const text = JSON.stringify(recorded[1]).replace('"rain"', '" Rain"');
       return JSON.parse(text);`,
    );
    place("tolerant.cassette.json", await recorded());
    const tools = { send: { "/text": ["trim", "case"] } };
    writeFileSync(join(folder, "send.tolerances.json"), JSON.stringify({ version: 1, tools }));
    const argv = ["step-check", "tolerant.cassette.json", "--provider", spec];
    expect((await cli(argv)).code).toBe(1);
    const ran = await cli([...argv, "--tolerances", "send.tolerances.json"]);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("tolerances of send.tolerances.json: used 2 times");
    expect(ran.out).toContain("send:/text  trim, 1 time");
    const used = [
      { tolerance: "case", tool: "send", pointer: "/text", times: 1 },
      { tolerance: "trim", tool: "send", pointer: "/text", times: 1 },
    ];
    expect(documentOf(await cli([...argv, "--tolerances", "send.tolerances.json", "--json"]))).toMatchObject({
      tolerancesFile: "send.tolerances.json",
      summary: { tolerances: used },
      cassettes: [{ turns: [{ state: "compared" }, { verdict: "same", tolerances: used }, {}] }],
    });
  });

  it("passes where as many turns agree as were asked for, and says so in one document", async () => {
    const { spec } = moduleOf("rate", `return turn === 1 ? say("No.") : recorded[turn];`);
    const argv = ["step-check", await tree("rate"), "--provider", spec, "--json", "--min-agreement"];
    const ran = await cli([...argv, "0.5"]);
    expect(ran.code).toBe(0);
    expect(documentOf(ran)).toMatchObject({
      command: "step-check",
      verdict: "agrees",
      summary: { compared: 4, verdicts: { same: 2 } },
      cassettes: [
        { file: "rate/a.cassette.json", provider: spec, recordedProvider: "old", first: { turn: 1 } },
        { file: "rate/inner/b.cassette.json", turns: [{ turn: 0, verdict: "called", recorded: '"Yes."' }] },
      ],
      leftOut: [],
    });
    expect((await cli([...argv, "0.51"])).code).toBe(1);
  });

  it("keeps the answers, asks for the missing alone, and says the same from them without a model, in CI too", async () => {
    const { spec, calls } = moduleOf("kept", `return turn === 1 ? say("No.") : recorded[turn];`);
    const path = await tree("kept");
    const argv = ["step-check", path, "--provider", spec, "--record", "kept-answers"];
    const first = await cli([...argv, "--max-turns", "2"]);
    expect(first.out).toContain("2 turns not asked (max-turns)".replace("2 turns", "1 turn"));
    expect(calls()).toBe(2);
    const live = await cli(argv);
    expect(calls()).toBe(4);
    expect(live.err).toBe("2 turns requested now; the answers are in kept-answers\n");
    const answers = await loadCassette(join(folder, "kept-answers/inner/b.cassette.json"));
    expect(answers).toMatchObject({ recordedProvider: spec, extensions: { stepCheck: { turns: [0] } } });

    rmSync(join(folder, "kept.mjs"));
    for (const replay of [argv, ["step-check", path, "--replay", "kept-answers"]]) {
      const again = await cli(replay, { env: { CI: "true" } });
      expect([again.code, again.out]).toEqual([live.code, live.out]);
    }
    expect(calls()).toBe(4);
    rmSync(join(folder, "kept-answers/inner/b.cassette.json"));
    const lacking = await cli(["step-check", path, "--replay", "kept-answers"]);
    expect([lacking.code, lacking.out]).toEqual([
      2,
      expect.stringMatching(/left out .*b\.cassette\.json .*no answers/),
    ]);
  });

  it("asks no model where CI is set", async () => {
    const { spec, calls } = moduleOf("ci", "return recorded[turn];");
    const ran = await cli(["step-check", await tree("ci"), "--provider", spec, "--json"], { env: { CI: "1" } });
    expect(ran.code).toBe(2);
    expect(documentOf(ran).error).toMatchObject({
      code: "live-in-ci",
      hint: expect.stringContaining("--replay") as string,
    });
    expect(calls()).toBe(0);
  });

  it("counts a call that fails as failed, keeps the others, and exits 1", async () => {
    const { spec } = moduleOf("fails", `if (turn === 1) throw new Error("down"); return recorded[turn];`);
    const file = place("fails.cassette.json", await recorded());
    const ran = await cli(["step-check", file, "--provider", spec, "--record", "fails.out.cassette.json"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/ {2}turn 1 failed: .*down\n/);
    expect(ran.out).toContain("incomplete: ");
    const kept = await loadCassette(join(folder, "fails.out.cassette.json"));
    expect(kept.entries).toHaveLength(2);
  });

  it("exits 2 where nothing was compared, and 3 where a recording or its answers were edited", async () => {
    const { spec } = moduleOf("none", "return recorded[turn];");
    mkdirSync(join(folder, "none"));
    const hashes = place("none/hashes.cassette.json", await recorded({ prompts: false }));
    const ran = await cli(["step-check", hashes, "--provider", spec]);
    expect(ran.code).toBe(2);
    expect(ran.out).toMatch(/left out .*not-checkable: .*hashes[\s\S]*nothing was compared\n$/);
    // Beside one that can be checked it decides nothing.
    const good = place("none/good.cassette.json", await recorded());
    expect((await cli(["step-check", "none", "--provider", spec, "--record", "none-out"])).code).toBe(0);
    for (const path of [join(folder, "none-out/good.cassette.json"), good]) {
      writeFileSync(path, readFileSync(path, "utf8").replaceAll('"rain"', '"hail"'));
      expect((await cli(["step-check", "none", "--replay", "none-out"])).code).toBe(3);
    }
    mkdirSync(join(folder, "empty"));
    expect((await cli(["step-check", "empty", "--provider", spec])).code).toBe(2);
  });

  it("never mixes the answers of two models or two recordings", async () => {
    const [one, two] = [moduleOf("one", "return recorded[turn];"), moduleOf("two", "return recorded[turn];")];
    const file = place("mixed.cassette.json", await recorded());
    expect((await cli(["step-check", file, "--provider", one.spec, "--record", "mixed-out"])).code).toBe(0);
    const kept = readFileSync(join(folder, "mixed-out/mixed.cassette.json"), "utf8");
    const other = await cli(["step-check", file, "--provider", two.spec, "--record", "mixed-out"]);
    expect([other.code, other.out]).toEqual([2, expect.stringContaining("answers-unfit")]);
    place("mixed.cassette.json", await recorded({ goal: "Snow?" }));
    expect((await cli(["step-check", file, "--replay", "mixed-out"])).code).toBe(2);
    expect(readFileSync(join(folder, "mixed-out/mixed.cassette.json"), "utf8")).toBe(kept);
    expect(two.calls()).toBe(0);
    const itself = await cli(["step-check", file, "--provider", one.spec, "--record", file]);
    expect([itself.code, itself.err]).toEqual([2, expect.stringContaining("is the recording itself")]);
  });

  it("leaves out answers that lie among the recordings", async () => {
    const { spec } = moduleOf("among", "return recorded[turn];");
    mkdirSync(join(folder, "among"));
    place("among/a.cassette.json", await recorded());
    const argv = ["step-check", "among", "--provider", spec, "--record", "among/answers"];
    expect((await cli(argv)).code).toBe(0);
    const again = await cli(argv);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("it holds the answers of a step check")]);
  });

  it("takes the tools from a file where none are recorded", async () => {
    const { entries, extensions, envelopeHash, ...head }: CassetteV2 = await recorded();
    const file = place("bare.cassette.json", buildCassette(head, entries));
    const { spec } = moduleOf("bare", "return request.tools[2].name === 'send' ? recorded[turn] : say('?');");
    const argv = ["step-check", file, "--provider", spec];
    expect((await cli(argv)).out).toContain("does not say which tools were offered");
    writeFileSync(join(folder, "tools.json"), JSON.stringify(TOOLS));
    expect((await cli([...argv, "--tools", "tools.json"])).code).toBe(0);
    writeFileSync(join(folder, "no-tools.json"), `[{"name":"send"}]`);
    const ran = await cli([...argv, "--tools", "no-tools.json"]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("item 0 must be { name, description, schema }")]);
  });

  it("keeps to --max-cost, and refuses it where no price is known", async () => {
    const { spec, calls } = moduleOf("cost", "return { ...recorded[turn], usage };");
    const file = place("cost.cassette.json", await recorded());
    const argv = ["step-check", file, "--provider", spec, "--max-cost", "0.01"];
    const refused = await cli(argv);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("--allow-unknown-cost")]);
    const dear = await cli([...argv, "--price", "100,100"]);
    expect([dear.code, dear.out]).toEqual([2, expect.stringContaining("3 turns not asked (max-cost), from turn 0 on")]);
    expect(calls()).toBe(0);
    expect((await cli([...argv, "--allow-unknown-cost"])).code).toBe(0);
  });

  it("asks a vendor by its wire, with the key of the environment, and never prints it", async () => {
    const asked: { body: { model: string; tools: unknown[]; temperature: number }; key: string | undefined }[] = [];
    const server = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk: Buffer) => (text += chunk.toString()));
      request.on("end", () => {
        asked.push({ body: JSON.parse(text) as never, key: request.headers.authorization });
        response.setHeader("content-type", "application/json");
        response.end(
          JSON.stringify({
            model: "gpt-4o",
            choices: [{ message: { role: "assistant", content: "No." }, finish_reason: "stop" }],
            usage: { prompt_tokens: 1000, completion_tokens: 100 },
          }),
        );
      });
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    try {
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      const file = place("wire.cassette.json", await recorded());
      const argv = ["step-check", file, "--provider", "openai:gpt-4o", "--base-url", base, "--max-cost", "5"];
      const missing = await cli(argv);
      expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("OPENAI_API_KEY is not set")]);
      const key = ["sk", "proj", "loopback0123456789abcdef"].join("-");
      const ran = await cli([...argv, "--json"], { env: { OPENAI_API_KEY: key } });
      expect(ran.out + ran.err).not.toContain(key);
      expect(documentOf(ran)).toMatchObject({
        summary: { compared: 3, verdicts: { same: 1, answered: 2 }, usage: { inputTokens: 3000, costUsd: 0.0105 } },
      });
      expect(asked.map((one) => one.key)).toEqual(Array(3).fill(`Bearer ${key}`));
      expect(asked[0]?.body).toMatchObject({ model: "gpt-4o", temperature: 0, tools: [{}, {}, {}] });
    } finally {
      server.close();
    }
  });

  it.each([
    [["a"], "no --provider was given"],
    [["a", "--provider", "gpt-4o"], "Use VENDOR:MODEL"],
    [["a", "--provider", "openai:x", "--record", "o", "--replay", "o"], "--record and --replay were both given"],
    [["a", "--provider", "openai:x", "--max-cost", "0"], "Give an amount above 0"],
    [["a", "--provider", "openai:x", "--min-agreement", "90"], "Give a number from 0 to 1"],
    [["a", "--provider", "openai:x", "--price", "2"], "Give two figures"],
    [["a", "--provider", "openai:x", "--concurrency", "100"], "concurrency of a step check is 100"],
  ])("refuses %j", async (argv, words) => {
    const ran = await cli(["step-check", ...argv]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(words)]);
  });

  it.each([
    ["is not there", "module:./gone.mjs", "cannot be loaded"],
    ["is not a provider", "module:./odd.mjs", "is not a provider"],
  ])("refuses a module that %s", async (_name, spec, words) => {
    writeFileSync(join(folder, "odd.mjs"), "export default 1;");
    const file = place("module.cassette.json", await recorded());
    const ran = await cli(["step-check", file, "--provider", spec]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(words)]);
  });
});
