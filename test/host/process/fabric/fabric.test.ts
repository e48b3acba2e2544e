import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { JsonValue } from "../../../../src/core/canon/value.js";
import type { Ports } from "../../../../src/core/ports.js";
import { runFabric } from "../../../../src/host/process/fabric/fabric.js";
import { observe, type FabricAgent, type FabricGraph } from "../../../../src/host/process/fabric/graph.js";
import { repositoryRoot } from "../../../support/built.js";
import { PATIENCE } from "../../../support/patience.js";
import { codeOf, collect, peerProgram, runAll, TRANSPORTS, useFabricPlace } from "../../../support/process/fabric.js";
import { describePython, python } from "../../../support/python.js";

const place = useFabricPlace();
const { spec, serve } = place;

/** True while a process with this id exists. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.each(TRANSPORTS)("a fabric of processes that are not ours, over %s", (transport) => {
  const peer = (name: string, mode: string): FabricAgent => place.peer(name, mode, transport);

  it("PLM-150 PLM-152 passes messages through two agents in order, and ends them", async () => {
    const graph: FabricGraph = {
      agents: { first: peer("first", "echo"), second: peer("second", "echo") },
      wires: [
        { from: "input", to: "first" },
        { from: "first", to: "second", filter: (value) => (value as number) % 2 === 0 },
        { from: "second", to: "output", map: (value) => (value as number) * 10 },
      ],
    };
    const inputs = Array.from({ length: 100 }, (_, at) => at);
    const { outputs, end } = await runAll(graph, inputs, { transport });
    expect(outputs).toEqual(inputs.filter((at) => at % 2 === 0).map((at) => at * 10));
    expect(end.agents).toEqual({ first: { exitCode: 0, signal: null }, second: { exitCode: 0, signal: null } });
  });

  it("PLM-36 PLM-151 says at once that an agent exited, and in time that one was never ready", async () => {
    const line = (mode: string): FabricGraph => ({
      agents: { only: peer("only", mode) },
      wires: [{ from: "input", to: "only" }],
    });
    await expect(runFabric(line("exit"), { transport })).rejects.toMatchObject({
      code: "agent-exited",
      agent: "only",
      hint: expect.stringContaining("no luck") as string,
    });
    expect(await codeOf(runFabric(line("deaf"), { transport, readyMs: 300, graceMs: 50 }))).toBe("not-ready");
  });

  it("does not take a cut output for a whole one, nor a killed agent for one that ended", async () => {
    const graph = (mode: string): FabricGraph => ({
      agents: { only: peer("only", mode), other: peer("other", "echo") },
      wires: [
        { from: "input", to: "only" },
        { from: "only", to: "other" },
        { from: "other", to: "output" },
      ],
    });
    expect(await codeOf(runAll(graph("cut"), [1], { transport }))).toBe("output-cut");
    const pids: number[] = [];
    const kill = join(place.folder, "kill.mjs");
    writeFileSync(
      kill,
      "process.stderr.write(`${process.pid}\\n`); await import(process.argv[2]);".replace(
        "process.argv[2]",
        JSON.stringify(peerProgram(transport)),
      ),
    );
    const killed: FabricGraph = {
      ...graph("echo"),
      agents: {
        only: { spec: spec("only"), command: [process.execPath, kill, "hang"] },
        other: { spec: spec("other"), command: [process.execPath, kill, "echo"] },
      },
    };
    const fabric = await runFabric(killed, {
      ...{ transport, graceMs: 50 },
      onStderr: (agent, text) => void (pids[agent === "only" ? 0 : 1] = Number(text)),
    });
    await vi.waitUntil(() => pids[0] !== undefined && pids[1] !== undefined, PATIENCE);
    await fabric.send(1);
    process.kill(pids[0] as number, "SIGKILL");
    expect(await codeOf(fabric.done())).toBe("agent-killed");
    await fabric.cancel();
    await fabric.cancel();
    expect(pids.map(isAlive)).toEqual([false, false]);
  });
});

describe("a fabric", () => {
  const peer = (name: string, mode: string): FabricAgent => place.peer(name, mode);

  it("PLM-47 waits for its filters and maps when it is cancelled, and says if one does not return", async () => {
    const warnings: string[] = [];
    let begin: () => void = () => undefined;
    let finish: (value: number) => void = () => undefined;
    for (const returns of [true, false]) {
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const map = (): Promise<number> => {
        begin();
        return new Promise((resolve) => (finish = resolve));
      };
      const graph: FabricGraph = {
        agents: { only: peer("only", "echo") },
        wires: [
          { from: "input", to: "only" },
          { from: "only", to: "output", map },
        ],
      };
      // Two seconds pass at once, once the fabric waits for them.
      const timer: Ports["timer"] = (ms, fire) => {
        const id = setTimeout(() => (ms === 2_000 && returns ? finish(1) : fire()), ms === 2_000 ? 0 : ms);
        return () => clearTimeout(id);
      };
      const ports = { timer, warn: (text: string) => void warnings.push(text) };
      const fabric = await runFabric(graph, { ports, graceMs: 50 });
      await fabric.send(1);
      await begun;
      await fabric.cancel();
      expect(warnings).toEqual(returns ? [] : ["1 filter or map did not return after the fabric was cancelled"]);
    }
  });

  it.each(["chatty", "endless"])("fails at once if an agent prints anything else: %s", async (mode) => {
    const graph: FabricGraph = { agents: { only: peer("only", mode) }, wires: [{ from: "input", to: "only" }] };
    // It never ends by itself, and it would have an hour to be ready.
    const work = runFabric(graph, { readyMs: 3_600_000, graceMs: 50 });
    await expect(work).rejects.toMatchObject({
      code: "output-cut",
      message: expect.stringContaining("Loading") as string,
    });
  });

  it("ends with the error of an inline wire, and after too many messages", async () => {
    const graph = (wire: object): FabricGraph => ({
      agents: { only: peer("only", "echo") },
      wires: [
        { from: "input", to: "only" },
        { from: "only", to: "output", ...wire },
      ],
    });
    const throwing = {
      map: () => {
        throw new Error("no");
      },
    };
    expect(await codeOf(runAll(graph(throwing), [1], { graceMs: 50 }))).toBe("graph-invalid");
    expect(await codeOf(runAll(graph({}), [1, 2, 3], { maxMessages: 4, graceMs: 50 }))).toBe("too-many-messages");
  });

  it("ends its agents after a failure that nobody waits for", async () => {
    const echo = "console.error(process.pid); process.stdin.pipe(process.stdout)";
    const graph: FabricGraph = {
      agents: { only: { spec: spec("only"), command: [process.execPath, "-e", echo] } },
      wires: [
        { from: "input", to: "only" },
        { from: "only", to: "output" },
      ],
    };
    const stop = new AbortController();
    const pids: number[] = [];
    const onStderr = (_agent: string, line: string): void => void pids.push(Number(line));
    const fabric = await runFabric(graph, { signal: stop.signal, graceMs: 50, onStderr });
    await fabric.send(1);
    await vi.waitUntil(() => pids.length > 0, PATIENCE);
    stop.abort();
    await vi.waitUntil(() => !isAlive(Number(pids[0])), PATIENCE);
    expect(await codeOf(fabric.done())).toBe("aborted");
  });

  it.skipIf(process.platform === "win32")("ends an agent that was stopped by a signal", async () => {
    const echo = "console.error(process.pid); process.stdin.pipe(process.stdout)";
    const agents = { only: { spec: spec("only"), command: [process.execPath, "-e", echo] } };
    const pids: number[] = [];
    const onStderr = (_agent: string, line: string): void => void pids.push(Number(line));
    const fabric = await runFabric({ agents, wires: [{ from: "input", to: "only" }] }, { graceMs: 50, onStderr });
    await vi.waitUntil(() => pids.length > 0, PATIENCE);
    process.kill(Number(pids[0]), "SIGSTOP");
    await fabric.send(1);
    await fabric.cancel();
    expect(isAlive(Number(pids[0]))).toBe(false);
  });

  it("refuses a message that has no JSON, whoever made it", async () => {
    const wires = [
      { from: "input", to: "only" },
      { from: "only", to: "output", map: () => undefined as unknown as JsonValue },
    ];
    const graph = { agents: { only: peer("only", "echo") }, wires };
    const fabric = await runFabric(graph, { graceMs: 50 });
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    for (const value of [undefined, cyclic]) expect(await codeOf(fabric.send(value as JsonValue))).toBe("not-json");
    await fabric.send(1);
    await expect(fabric.done()).rejects.toThrow("the result of map is undefined");
  });
});

describe("the cassettes of a fabric", () => {
  const pipeline = (endpoint: string | undefined, cassettes: string): FabricGraph => ({
    agents: {
      poet: {
        spec: spec("poet", { ...(endpoint === undefined ? {} : { endpoint }) }),
        cassette: join(cassettes, "poet.cassette.json"),
      },
      critic: {
        spec: spec("critic", { ...(endpoint === undefined ? {} : { endpoint }) }),
        cassette: join(cassettes, "critic.cassette.json"),
      },
    },
    wires: [
      { from: "input", to: "poet" },
      { from: "poet", to: "critic" },
      { from: "critic", to: "output" },
      { from: "poet.telemetry", to: "__telemetry" },
      { from: "critic.telemetry", to: "__telemetry" },
    ],
  });

  const run = (graph: FabricGraph, env: Record<string, string>) => {
    const agents = Object.fromEntries(
      Object.entries(graph.agents).map(([name, agent]) => [name, { ...agent, env: { CI: "", ...env } }]),
    );
    return runAll({ ...graph, agents }, ["rain", "snow"]);
  };

  it("PLM-14 PLM-60 PLM-112 records each agent into its own cassette, and replays both without a key", async () => {
    const vendor = await serve(({ system, user }) => JSON.stringify(`${system} of ${user.length}`));
    const recorded = await run(pipeline(vendor.endpoint, place.folder), {
      CASSETTE_MODE: "record",
      ANTHROPIC_API_KEY: "k",
    });
    expect(recorded.outputs).toEqual(["critic of 11", "critic of 11"]);
    expect(vendor.asked).toHaveLength(4);
    for (const name of ["poet", "critic"]) {
      const own = recorded.lines.filter((line) => line.startsWith(`${name}\t{`));
      expect(own[0]).toContain('"kind":"config"');
      expect(own).toHaveLength(5);
    }
    const replayed = await run(pipeline(undefined, place.folder), { CASSETTE_MODE: "replay", ANTHROPIC_API_KEY: "" });
    expect(replayed.outputs).toEqual(recorded.outputs);
    expect(vendor.asked).toHaveLength(4);
  });
});

describe.each(TRANSPORTS)("a fabric of our agents, over %s", (transport) => {
  it("PLM-78 PLM-142 shortens the conversation of an agent from outside, and refuses half a one", async () => {
    const vendor = await serve(() => "1");
    const fields = { endpoint: vendor.endpoint, control: true };
    const graph: FabricGraph = {
      agents: { poet: { spec: spec("poet", fields), env: { ANTHROPIC_API_KEY: "k" } } },
      wires: [
        { from: "input", to: "poet" },
        { from: "poet", to: "output" },
      ],
    };
    const fabric = await runFabric(graph, { transport });
    const outputs: JsonValue[] = [];
    const reading = collect(fabric.output, outputs);
    await fabric.send("a");
    await fabric.send("b");
    const control = fabric.control("poet");
    const sizes: number[] = [];
    while (outputs.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    const done = await control.compact(({ messages }) => {
      sizes.push(messages.length);
      return [
        { role: "user", content: "short" },
        { role: "assistant", content: "1" },
      ];
    });
    expect([sizes, done]).toEqual([[4], { old_messages: 4, new_messages: 2 }]);
    const read: unknown[] = [];
    const listening = (async () => {
      for await (const reply of fabric.control("poet").replies) read.push(reply);
    })();
    expect(await control.compact(({ messages }) => messages as never)).toEqual({ old_messages: 2, new_messages: 2 });
    expect(await codeOf(control.compact(() => [{ role: "user" }]))).toBe("memory-invalid");
    expect(await codeOf(control.compact(() => Promise.reject(Object.assign(new Error("no"), { code: "own" }))))).toBe(
      "own",
    );
    await fabric.send("c");
    fabric.end();
    await fabric.done();
    await Promise.all([reading, listening]);
    expect(read).toEqual([]);
    expect(outputs).toEqual([1, 1, 1]);
    expect(() => fabric.control("nobody")).toThrow(/takes no control/);
  });

  it("PLM-74 ends a loop through an observer of telemetry", async () => {
    const vendor = await serve(({ system }) => JSON.stringify(system));
    const env = { ANTHROPIC_API_KEY: "k" };
    const fields = { endpoint: vendor.endpoint };
    const graph: FabricGraph = {
      agents: { composer: { spec: spec("composer", fields), env }, angel: { spec: spec("angel", fields), env } },
      wires: [
        { from: "input", to: "composer" },
        { from: "composer", to: "output" },
        {
          from: "composer.telemetry",
          to: "angel",
          filter: (event) => (event as { content?: unknown }).content === "composer" && asks++ < 1,
        },
        { from: "angel", to: "composer" },
      ],
    };
    let asks = 0;
    const { outputs, end } = await runAll(graph, ["draft"], { transport });
    expect(outputs).toEqual(["composer", "composer"]);
    expect(Object.values(end.agents).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  });
});

describe("a fabric that is killed", () => {
  it("leaves no agent behind when the fabric is killed", { timeout: 180_000 }, async () => {
    let isAsked: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const vendor = await serve(() => {
      isAsked?.();
      return new Promise(() => undefined);
    });
    const wrapper = join(place.folder, "wrapper.mjs");
    const bin = JSON.stringify(join(repositoryRoot, "dist/cli/bin.js"));
    writeFileSync(
      wrapper,
      `process.stderr.write(\`\${process.pid}\\n\`); process.argv.splice(2, 0, "agent"); await import(${bin});`,
    );
    const program = join(place.folder, "program.mjs");
    const own = {
      spec: spec("poet", { endpoint: vendor.endpoint }),
      command: [process.execPath, wrapper],
      env: { ANTHROPIC_API_KEY: "k" },
    };
    const graph = {
      agents: { poet: own },
      wires: [
        { from: "input", to: "poet" },
        { from: "poet", to: "output" },
      ],
    };
    writeFileSync(
      program,
      `import { runFabric } from ${JSON.stringify(join(repositoryRoot, "dist/entry/process.js"))};
const fabric = await runFabric(${JSON.stringify(graph)}, { onStderr: (agent, line) => console.log(line) });
await fabric.send(1);`,
    );
    const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
    const pid = await new Promise<number>((resolve) =>
      child.stdout.once("data", (text: Buffer) => resolve(Number(text))),
    );
    await asked;
    expect(isAlive(pid)).toBe(true);
    child.kill("SIGKILL");
    await vi.waitUntil(() => !isAlive(pid), PATIENCE);
  });
});

describe("a graph of the wrong shape", () => {
  const wires = [{ from: "input", to: "a" }];
  const agents = { a: { spec: "a.json" } };
  const withAgent = (a: unknown): object => ({ agents: { a }, wires });
  it.each([
    [undefined, "it must be an object with an object `agents` and a list `wires`"],
    [{}, "it must be an object with an object `agents` and a list `wires`"],
    [{ agents, wires, loops: 1 }, "it has the unknown field loops"],
    [withAgent(null), "agent a is null, but must be an object"],
    [withAgent({ spec: "a", command: "node" }), 'command of agent a is "node", but must be a list of strings'],
    [withAgent({ spec: "a", command: [] }), "command of agent a is a list, but must be a list of strings"],
    [withAgent({}), "spec of agent a is undefined, but must be the path of a file"],
    [withAgent({ spec: "a", env: { X: 1 } }), "env of agent a is an object, but must be an object of strings"],
    [{ agents, wires: [{ ...wires[0], filter: 5 }] }, "filter of wire 0 is 5, but must be a function"],
    [{ agents, wires: ["a"] }, 'wire 0 is "a", but must be an object'],
    [{ agents, wires, barriers: { b: "a" } }, 'barrier b is "a", but must be a list of inputs'],
  ])("is refused: %j", async (graph, flaw) => {
    const message = expect.stringContaining(`the graph cannot run: ${flaw}`) as string;
    await expect(runFabric(graph as unknown as FabricGraph)).rejects.toMatchObject({ code: "graph-invalid", message });
  });
});

describe("the telemetry of a whole graph", () => {
  it("PLM-59 PLM-61 is a further output, added once", () => {
    const graph: FabricGraph = {
      agents: { a: { spec: "a.json" }, b: { spec: "b.json" } },
      wires: [
        { from: "input", to: "a" },
        { from: "a.telemetry", to: "b" },
      ],
    };
    const observed = observe(graph);
    expect(observed.wires.slice(2)).toEqual([{ from: "b.telemetry", to: "__telemetry" }]);
    expect(observe(observed)).toEqual(observed);
  });
});

describePython("an agent in Python", () => {
  it("needs no package of ours", async () => {
    const graph: FabricGraph = {
      agents: {
        shout: {
          spec: spec("shout"),
          command: [python ?? "python3", join(repositoryRoot, "examples/process/peer.py")],
        },
      },
      wires: [
        { from: "input", to: "shout" },
        { from: "shout", to: "output" },
      ],
    };
    expect((await runAll(graph, ["a", "b"])).outputs).toEqual(["A", "B"]);
  });
});
