import { spawnSync } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { rebuildPrompts } from "../../../src/cassette/prompt/rebuild.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { MAX_RECEIPTS_BYTES } from "../../../src/cli/limits.js";
import { createSigner } from "../../../src/core/canon/signature.js";
import { createEventLog } from "../../../src/core/events/log.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { agent, runtime } from "../../support/agents.js";
import { assertBuilt, cassetteBin } from "../../support/built.js";
import { fileOf, makeChain, openChain, otherSeed, publicKey, seed } from "../../support/receipts.js";
import { ask, quietPorts, say, tool } from "../../support/script.js";
import { runOf } from "../../cassette/diff/runs.js";
import { cli, documentOf, folder, place } from "../run.js";

const key = Buffer.from(publicKey).toString("hex");
const pem = createPublicKey({
  ...{ key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(publicKey).toString("base64url") }, format: "jwk" as const },
}).export({ type: "spki", format: "pem" }) as string;
const chain = await makeChain(4);

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return name;
}

write("good.jsonl", fileOf(chain));
write("key.pem", pem);

describe("cassette verify --receipts", () => {
  it.each<[string, string, Record<string, string>]>([
    ["a file", "key.pem", {}],
    ["the key itself", key, {}],
    ["the text of a PEM file", pem, {}],
    ["a variable", "env:RECEIPT_KEY", { RECEIPT_KEY: pem }],
  ])("says what holds, with the key from %s", async (_name, given, env) => {
    const ran = await cli(["verify", "--receipts", "good.jsonl", "--key", given], { env });
    expect(ran).toEqual({
      ...{ code: 0, err: "" },
      out: `ok         good.jsonl  5 receipts  1 run  1 agent  chain ${chain[0]?.chainId.slice(0, 8) ?? ""}  head ${chain[4]?.sig.slice(0, 8) ?? ""}\n           complete: the end of the chain is there, so no tail is missing\n`,
    });
  });

  it("says that a chain without its end may have lost its tail, and passes it", async () => {
    write("open.jsonl", fileOf(chain.slice(0, 3)));
    const ran = await cli(["verify", "--receipts", "open.jsonl", "--key", key]);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("not complete: there is no end, so a tail may have been cut off");
  });

  it("exits 3 and names the lines of what does not hold", async () => {
    write(
      "edited.jsonl",
      fileOf(chain.toSpliced(1, 1))
        .replace('"turn 2"', "")
        .replace(/"outcome":"ok"/, '"outcome":"failed"'),
    );
    const ran = await cli(["verify", "--receipts", "edited.jsonl", "--key", key]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("refused    edited.jsonl  3 receipts signed by the key\n");
    expect(ran.out).toContain("  line 2  removed: 1 receipt is missing between receipt 0 and receipt 2\n");
    expect(ran.out).toContain("  line 3  edited: it is not what the key signed\n");
  });

  it("prints so many findings and counts the others", async () => {
    write("foreign.jsonl", fileOf(await makeChain(30, { key: otherSeed })));
    const { out } = await cli(["verify", "--receipts", "foreign.jsonl", "--key", key]);
    expect(out.match(/foreign-key/g)).toHaveLength(20);
    expect(out).toContain("  and 11 more\n");
  });

  it("prints one JSON document", async () => {
    const good = documentOf(await cli(["verify", "--json", "--receipts", "good.jsonl", "--key", key]));
    expect(good["receipts"]).toMatchObject([
      { file: "good.jsonl", kind: "ok", receipts: 5, complete: true, openCalls: 0 },
    ]);
    expect(JSON.stringify(good)).not.toContain('"chain":');
    write("torn.jsonl", fileOf(chain).slice(0, -20));
    const torn = documentOf(await cli(["verify", "--json", "--receipts", "torn.jsonl", "--key", key]));
    expect(torn).toMatchObject({
      ...{ exitCode: 3, files: [] },
      receipts: [{ kind: "broken", receipts: 4, more: 0, findings: [{ kind: "torn-tail", line: 5 }] }],
    });
  });

  it("exits 2 for receipts that are not there, too many, or none", async () => {
    write("none.jsonl", "");
    truncateSync(join(folder, write("large.jsonl", "")), MAX_RECEIPTS_BYTES + 1);
    for (const [name, text] of [
      ["missing.jsonl", "missing.jsonl does not exist"],
      ["large.jsonl", "more than the limit"],
      [".", "cannot be read"],
      ["none.jsonl", "there is no receipt, so nothing is proven"],
    ] as const) {
      const ran = await cli(["verify", "--receipts", name, "--key", key]);
      expect(ran.code).toBe(2);
      expect(ran.out + ran.err).toContain(text);
    }
  });

  it("refuses to run without a key, without receipts, and with neither path nor receipts", async () => {
    const noKey = await cli(["verify", "--receipts", "good.jsonl"]);
    expect(noKey).toMatchObject({
      code: 2,
      err: expect.stringContaining("without the public key nothing is proven") as string,
    });
    expect(await cli(["verify", "--key", key])).toMatchObject({
      code: 2,
      err: expect.stringContaining("Add --receipts") as string,
    });
    expect(await cli(["verify"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("no path was given") as string,
    });
  });

  it("refuses an invalid key without repeating it", async () => {
    const secret = "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp";
    const env = { K: secret };
    for (const given of [secret, "env:K", "env:MISSING", "good.jsonl"]) {
      const ran = await cli(["verify", "--receipts", "good.jsonl", "--key", given], { env });
      expect(ran.code).toBe(2);
      expect(ran.out + ran.err).not.toContain(secret.slice(0, 9));
    }
  });

  it("escapes what stands in a receipt before it reaches a terminal", async () => {
    const evil = chain.map((receipt, index) => (index === 1 ? { ...receipt, keyId: "\u001b[2J" } : receipt));
    write("evil.jsonl", fileOf(evil));
    const ran = await cli(["verify", "--receipts", "evil.jsonl", "--key", key], {
      isTTY: true,
      env: { NO_COLOR: "1" },
    });
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("it names the key \\u001b[2J");
    expect(ran.out).not.toContain("\u001b");
  });

  it("says for each cassette whether the chain covers its turns", async () => {
    const steps = [ask([{ name: "t" }]), say("done")];
    const recorder = recordingProvider(scriptedProvider(steps));
    const signed = runtime([agent(recorder, { customTools: [tool("t", () => 1)] })], { signingKey: seed });
    await signed.run({ goal: "go" });
    await signed.destroy();
    write("run.jsonl", fileOf(signed.receipts));
    place("run.cassette.json", recorder.toCassette());
    place("other.cassette.json", runOf([{ say: "elsewhere" }]));
    const own = await cli(["verify", "--receipts", "run.jsonl", "--key", key, "run.cassette.json"]);
    expect(own.code).toBe(0);
    expect(own.out).toContain("covered    run.cassette.json  2 of 2 turns\n");
    const both = await cli([
      "verify",
      "--receipts",
      "run.jsonl",
      "--key",
      key,
      "run.cassette.json",
      "other.cassette.json",
    ]);
    expect(both.code).toBe(3);
    expect(both.out).toContain("covered    other.cassette.json  0 of 1 turn, not 0\n");
    const document = documentOf(
      await cli(["verify", "--json", "--receipts", "run.jsonl", "--key", key, "run.cassette.json"]),
    );
    expect(document["files"]).toMatchObject([
      { file: "run.cassette.json", status: "ok", coverage: { turns: 2, uncovered: [] } },
    ]);
  });

  it("covers nothing with a chain that does not hold, and still checks the cassettes", async () => {
    place("plain.cassette.json", runOf([{ say: "plain" }]));
    const ran = await cli([
      "verify",
      "--receipts",
      "edited.jsonl",
      "--key",
      key,
      "plain.cassette.json",
      "missing.json",
    ]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("2 paths checked: 1 ok, 0 refused, 1 unreadable");
    expect(ran.out).not.toContain("covered");
    const unread = await cli(["verify", "--receipts", "good.jsonl", "--key", key, "missing.json"]);
    expect(unread.code).toBe(2);
  });

  it("needs a receipt for each of two turns with one answer", async () => {
    const twice = runtime([agent(scriptedProvider([say("same")]))], { signingKey: createSigner(seed) });
    await twice.run({ goal: "x" });
    await twice.destroy();
    write("once.jsonl", fileOf(twice.receipts));
    const recorder = recordingProvider(scriptedProvider([say("same"), say("same")]));
    const asked = runtime([agent(recorder)]);
    for (const goal of ["x", "x"]) await asked.run({ goal });
    place("twice.cassette.json", recorder.toCassette());
    const ran = await cli(["verify", "--receipts", "once.jsonl", "--key", key, "twice.cassette.json"]);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("1 of 2 turns, not 1\n");
  });

  it("PLK-07 reads every file of receipts that is given, and all must hold", async () => {
    write("bad.jsonl", fileOf(chain.toSpliced(1, 1)));
    for (const order of [
      ["bad.jsonl", "good.jsonl"],
      ["good.jsonl", "bad.jsonl"],
    ]) {
      const ran = await cli(["verify", ...order.flatMap((name) => ["--receipts", name]), "--key", key]);
      expect(ran.code).toBe(3);
      expect(ran.out).toContain("ok         good.jsonl");
      expect(ran.out).toContain("refused    bad.jsonl");
    }
    write("open-too.jsonl", fileOf(chain.slice(0, 3)));
    const both = ["verify", "--receipts", "open-too.jsonl", "--receipts", "good.jsonl", "--key", key];
    expect((await cli(both)).code).toBe(0);
    expect((await cli([...both, "--require-complete"])).code).toBe(3);
  });
});

describe("cassette verify --receipts with a recording", () => {
  /** A run of `ada`: it reads a ticket, whose text is "approved: no", and answers. */
  const recorder = recordingProvider(
    scriptedProvider([ask([{ name: "read" }]), ask([{ name: "read" }]), say("Nothing to pay.")]),
  );
  const read = tool("read", () => "approved: no");

  async function recordRun(): Promise<CassetteV2> {
    const signed = runtime([agent(recorder, { id: "ada", customTools: [read] })], { signingKey: seed });
    await signed.run({ goal: "go" });
    await signed.destroy();
    write("ada.jsonl", fileOf(signed.receipts));
    return recorder.toCassette({ agentId: "ada" });
  }
  const recorded = recordRun();

  /** The same cassette with other turns, hashed and sealed as whoever holds no key can do. */
  async function forge(name: string, change: (turns: LlmTurnRequest[], by: { agentId?: string }) => void) {
    const cassette = await recorded;
    const messages: LlmMessage[] = [];
    const requests = cassette.entries.map(({ prompt }): LlmTurnRequest => {
      messages.splice(prompt?.keep ?? 0, Infinity, ...(prompt?.messages ?? []));
      return { messages: structuredClone(messages) };
    });
    const by = { agentId: "ada" };
    const answers = new Map(requests.map((request, index) => [request, cassette.entries[index]?.response]));
    change(requests, by);
    const steps = requests.map((request) => structuredClone(answers.get(request) as LlmTurnResponse));
    const forger = recordingProvider(scriptedProvider(steps));
    for (const request of requests) await forger.turn(request);
    place(name, forger.toCassette(by));
    return cli(["verify", "--receipts", "ada.jsonl", "--key", key, "--require-complete", name]);
  }

  it("covers the turns of the run", async () => {
    const ran = await forge("same.cassette.json", () => undefined);
    expect(ran.out).toContain("covered    same.cassette.json  3 of 3 turns\n");
    expect(ran.code).toBe(0);
  });

  it.each<[string, Parameters<typeof forge>[1], string]>([
    ["another agent", (_turns, by) => void (by.agentId = "bob"), "0 of 3 turns, not 0, 1, 2"],
    [
      "another system prompt",
      (turns) => {
        for (const { messages } of turns) (messages[0] as { content: string }).content = "Pay whatever is asked.";
      },
      "0 of 3 turns, not 0, 1, 2",
    ],
    [
      "another tool result",
      (turns) => {
        for (const { messages } of turns) {
          for (const message of messages) if (message.role === "tool") message.content = "approved: YES";
        }
      },
      "1 of 3 turns, not 1, 2",
    ],
    ["the last turns dropped", (turns) => void turns.splice(1), "1 of 1 turn\n"],
    ["the first turns dropped", (turns) => void turns.splice(0, 2), "1 of 1 turn\n"],
    ["two turns swapped", (turns) => void turns.reverse(), "1 of 3 turns, not 1, 2\n"],
    ["a turn repeated", (turns) => void turns.push(turns[2] as LlmTurnRequest), "3 of 4 turns, not 3\n"],
    ["no agent, and another tool result", forgeWithoutAgent, "1 of 3 turns, not 1, 2"],
  ])("refuses a recording with %s", async (name, change, text) => {
    const ran = await forge(`${name.replaceAll(" ", "-")}.cassette.json`, change);
    expect(ran.out).toContain(text);
    expect(ran.code).toBe(3);
  });

  /** Whoever leaves the agent out lets receipts of any agent count, but no more than that. */
  function forgeWithoutAgent(turns: LlmTurnRequest[], by: { agentId?: string }): void {
    delete by.agentId;
    for (const { messages } of turns) {
      for (const message of messages) if (message.role === "tool") message.content = "approved: YES";
    }
  }

  it("refuses a recording put together from two runs, with receipts of both", async () => {
    const both = recordingProvider(
      scriptedProvider([ask([{ name: "read" }]), say("A."), ask([{ name: "read" }]), say("B.")]),
    );
    const signed = runtime([agent(both, { id: "ada", customTools: [read] })], { signingKey: seed });
    for (const goal of ["first", "second"]) await signed.run({ goal });
    await signed.destroy();
    write("two.jsonl", fileOf(signed.receipts));
    const cassette = both.toCassette();
    const prompts = rebuildPrompts(cassette);
    // The first turn of the first run, and the second of the second.
    const steps = [0, 3].map((turn) => structuredClone(cassette.entries[turn]?.response as LlmTurnResponse));
    const forger = recordingProvider(scriptedProvider(steps));
    for (const turn of [0, 3]) await forger.turn({ messages: prompts?.[turn] ?? [] });
    place("spliced.cassette.json", forger.toCassette({ agentId: "ada" }));
    const ran = await cli(["verify", "--receipts", "two.jsonl", "--key", key, "spliced.cassette.json"]);
    expect(ran.code).toBe(3);
    expect(ran.out.match(/not recorded: turn \d of agent ada/g)).toEqual([
      "not recorded: turn 1 of agent ada",
      "not recorded: turn 0 of agent ada",
    ]);
  });

  it(
    "is refused by the built program too, one forgery next to the recording itself",
    { timeout: 180_000 },
    async () => {
      assertBuilt();
      await forge("program.cassette.json", () => undefined);
      await forge("program-agent.cassette.json", (_turns, by) => void (by.agentId = "bob"));
      await forge("program-turns.cassette.json", (turns) => void turns.splice(1));
      const args = ["verify", "--receipts", "ada.jsonl", "--key", key, "--require-complete", "program.cassette.json"];
      const program = (...more: string[]) =>
        spawnSync(process.execPath, [cassetteBin, ...args, ...more], { cwd: folder, encoding: "utf8" });
      expect(program()).toMatchObject({ status: 0, stderr: "" });
      for (const name of ["program-agent.cassette.json", "program-turns.cassette.json"]) {
        const { status, stdout } = program(name);
        expect(status).toBe(3);
        expect(stdout).toContain("covered    program.cassette.json  3 of 3 turns\n");
      }
    },
  );

  it("names the turns of the run that have a receipt and are not in the recording", async () => {
    const ran = await forge("short.cassette.json", (turns) => void turns.splice(1));
    expect(ran.out).toMatch(/not recorded: turn 1 of agent ada in run [0-9a-f]{8} has a receipt\n/);
    expect(ran.out).toMatch(/not recorded: turn 2 of agent ada/);
    const document = documentOf(
      await cli(["verify", "--json", "--receipts", "ada.jsonl", "--key", key, "short.cassette.json"]),
    );
    expect(document["files"]).toMatchObject([
      { coverage: { turns: 1, uncovered: [], promptUncovered: [], unrecorded: [{ turnIndex: 1 }, { turnIndex: 2 }] } },
    ]);
  });

  it("covers the answers alone by receipts of earlier versions, which hold no prompt hash, and says so", async () => {
    const cassette = await recorded;
    const { chain: old } = openChain();
    const log = createEventLog(quietPorts(), { runId: "ab".repeat(16), tap: old.tap });
    for (const { response, turnIndex } of cassette.entries) {
      log.append("ada", turnIndex, { type: "llm-turn", stopReason: "stop", toolCalls: 1 }, { kind: "turn", response });
    }
    await old.close();
    write("old.jsonl", fileOf(old.receipts));
    place("ada.cassette.json", cassette);
    const ran = await cli(["verify", "--receipts", "old.jsonl", "--key", key, "ada.cassette.json"]);
    expect(ran.out).toContain("complete: the end of the chain is there");
    expect(ran.out).toContain("covered    ada.cassette.json  3 of 3 turns\n");
    expect(ran.out).toContain("prompt not covered: turn 0, 1, 2, whose receipts have no prompt hash\n");
    expect(ran.code).toBe(0);
  });
});
