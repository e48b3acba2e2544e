import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import type { JsonValue } from "../../../../src/core/canon/value.js";
import { ToolPolicyError } from "../../../../src/core/errors.js";
import { defineTool, type CustomTool } from "../../../../src/core/tools/tool.js";
import { runFabric } from "../../../../src/host/process/fabric/fabric.js";
import type { FabricAgent, FabricGraph } from "../../../../src/host/process/fabric/graph.js";
import { codeOf, collect, peerProgram, runAll, TRANSPORTS, useFabricPlace } from "../../../support/process/fabric.js";

const place = useFabricPlace();

const TEXT = { type: "object", required: ["text"], properties: { text: { type: "string" } } };
type Invoke = CustomTool<{ text: string }>["invoke"];
const tool = (name: string, invoke: Invoke): CustomTool =>
  defineTool<{ text: string }>({ name, description: `does ${name}`, schema: TEXT, effect: "write", invoke });

const line = (poet: FabricAgent): FabricGraph => ({
  agents: { poet },
  wires: [
    { from: "input", to: "poet" },
    { from: "poet", to: "output" },
    { from: "poet.telemetry", to: "__telemetry" },
  ],
});

describe.each(TRANSPORTS)("the tools of an agent over %s", (transport) => {
  it("PLM-31 PLM-32 PLM-46 run in the process of the fabric, and the model reads their results and errors", async () => {
    await place.serve(({ user, isError }) => {
      if (isError) return JSON.stringify(`sorry: ${user}`);
      if (user.startsWith("loud")) return JSON.stringify(user);
      return { tool: "shout", args: user === '"numb"' ? { text: 5 } : { text: JSON.parse(user) as string } };
    });
    const shout = tool("shout", ({ text }) => {
      if (text === "broken") throw new Error("no voice");
      return `loud ${text}`;
    });
    const unused = tool("unused", () => expect.unreachable());
    const poet = { ...place.own("poet", { tools: ["shout"] }), tools: [unused, shout] };
    const { outputs, lines, end } = await runAll(line(poet), ["hello", "broken", "numb"], { transport });
    expect(outputs).toEqual(["loud hello", "sorry: no voice", "sorry: tool unavailable"]);
    expect(lines[0]).toContain('"tools":["shout","pin","unpin"]');
    expect(end.agents).toEqual({ poet: { exitCode: 0, signal: null } });
  });

  it("are aborted when the agent is killed in the middle of a call, and no file stays", async () => {
    await place.serve(() => ({ tool: "wait", args: { text: "a" } }));
    let reason: unknown;
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const wait = tool("wait", (_, { signal }) => {
      begin();
      return new Promise(() => signal.addEventListener("abort", () => (reason = signal.reason)));
    });
    const pids: number[] = [];
    const own = place.own("poet", { tools: ["wait"] });
    const env = {
      ...own.env,
      NODE_OPTIONS: `--import=data:text/javascript,console.error(process.pid,process.env.PLUMB_MCP_TOOLS)`,
    };
    let list = "";
    const fabric = await runFabric(line({ ...own, env, tools: [wait] }), {
      ...{ transport, graceMs: 50 },
      onStderr: (_agent, text) => {
        const [pid, path = ""] = text.split(" ");
        list ||= path;
        pids.push(Number(pid));
      },
    });
    await fabric.send(1);
    await begun;
    expect(JSON.parse(readFileSync(list, "utf8"))).toEqual([
      { name: "wait", description: "does wait", inputSchema: TEXT },
    ]);
    process.kill(pids[0] as number, "SIGKILL");
    expect(await codeOf(fabric.done())).toBe("agent-killed");
    expect(String(reason)).toContain("the agent has ended");
    expect(existsSync(list)).toBe(false);
  });

  it("PLM-95 number the replies of an agent where a wire has a session", async () => {
    await place.serve(({ user }) => user);
    const graph: FabricGraph = {
      agents: { poet: place.own("poet", { control: true }) },
      wires: [
        { from: "input", to: "poet" },
        { from: "poet.ctrl_out", to: "output", session: true, filter: (value) => typeof value === "object" },
        { from: "poet.ctrl_out", to: "__replies" },
      ],
    };
    const fabric = await runFabric(graph, { transport });
    const [outputs, plain] = [[] as JsonValue[], [] as string[]];
    const reading = Promise.all([
      collect(fabric.output, outputs),
      collect(fabric.extraOutput("__replies") as AsyncIterable<string>, plain),
    ]);
    const control = fabric.control("poet");
    await control.send({ pause: true });
    await control.send({ resume: true });
    await vi.waitUntil(() => outputs.length === 2);
    fabric.end();
    await Promise.all([fabric.done(), reading]);
    expect(outputs).toEqual([
      { __step: 0, payload: { kind: "pause_ack" } },
      { __step: 1, payload: { kind: "resume_ack" } },
    ]);
    expect(plain).toEqual(['poet\t{"kind":"pause_ack"}\n', 'poet\t{"kind":"resume_ack"}\n']);
  });
});

describe("the tools of a fabric", () => {
  const peer = (mode: string, fields: object = {}): FabricAgent => ({
    spec: place.spec("poet", fields),
    command: [process.execPath, peerProgram("stdio"), mode],
  });
  const shout = tool("shout", () => "loud");

  it("are refused before an agent starts if the spec uses another one, or a wire without replies has a session", async () => {
    const refuse = (graph: FabricGraph): Promise<unknown> => codeOf(runFabric(graph));
    expect(await refuse(line({ ...peer("echo", { tools: ["sing"] }), tools: [shout] }))).toBe("graph-invalid");
    expect(await refuse(line(peer("echo", { tools: ["sing"] })))).toBe("graph-invalid");
    expect(await refuse(line({ ...peer("echo"), tools: ["sing"] as never }))).toBe("graph-invalid");
    const wires = [{ from: "input", to: "poet", session: true as const }];
    expect(await refuse({ agents: { poet: peer("echo") }, wires })).toBe("graph-invalid");
    const broken = { ...shout, schema: { type: "nothing" } };
    expect(await refuse(line({ ...peer("echo", { tools: ["shout"] }), tools: [broken] }))).toBe("invalid-options");
  });

  it("end the fabric if a tool forbids a call, or a request cannot be answered", async () => {
    const forbid = tool("shout", () => {
      throw new ToolPolicyError("not today");
    });
    const ask = (request: object, agent: object): Promise<unknown> => {
      const said = JSON.stringify(JSON.stringify({ __port: "tool_req", payload: request }));
      const program = `process.stdin.pipe(process.stdout); process.stdin.once("data", () => console.log(${said}))`;
      const command = [process.execPath, "-e", program];
      return codeOf(runAll(line({ ...peer("", agent), command, tools: [forbid] }), [1], { graceMs: 50 }));
    };
    const call = { id: "1", name: "shout", arguments: { text: "a" } };
    expect(await ask(call, { tools: ["shout"] })).toBe("tool-denied");
    expect(await ask({ ...call, id: 1 }, { tools: ["shout"] })).toBe("frame-malformed");
    expect(await ask(call, {})).toBe("graph-invalid");
  });
});
