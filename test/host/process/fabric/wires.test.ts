import { readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { runFabric } from "../../../../src/host/process/fabric/fabric.js";
import type { FabricOptions } from "../../../../src/host/process/fabric/options.js";
import type { FabricAgent, FabricGraph } from "../../../../src/host/process/fabric/graph.js";
import { codeOf, runAll, useFabricPlace } from "../../../support/process/fabric.js";
import { freePort } from "../../../../scripts/free-port.mjs";

const place = useFabricPlace();
const { own, serve } = place;

const raw = (name: string, mode: string, fields: object = {}): FabricAgent => place.peer(name, mode, "ipc", fields);

const line = (only: FabricAgent): FabricGraph => ({
  agents: { only },
  wires: [
    { from: "input", to: "only" },
    { from: "only", to: "output" },
  ],
});

/** An address of this machine for each stream. */
async function addresses(): Promise<(agent: string, stream: string) => string> {
  const ports = await Promise.all(Array.from({ length: 10 }, freePort));
  const taken = new Map<string, number>();
  return (agent, stream) => {
    const key = `${agent}.${stream}`;
    if (!taken.has(key)) taken.set(key, ports.pop() ?? 0);
    return `tcp://127.0.0.1:${taken.get(key)}`;
  };
}

describe("a fabric over ZeroMQ", () => {
  it.each(["ipc", "tcp"])(
    "PLM-08 PLM-10 PLM-11 PLM-12 PLM-25 PLM-26 PLM-27 PLM-30 PLM-45 runs our agents over %s as it does over standard streams",
    async (kind) => {
      await serve(({ system, user }) => JSON.stringify(`${system} of ${user.length}`));
      const graph: FabricGraph = {
        agents: { poet: own("poet", { control: true }), critic: own("critic") },
        wires: [
          { from: "input", to: "poet" },
          { from: "poet", to: "critic" },
          { from: "critic", to: "output" },
          { from: "poet.telemetry", to: "__telemetry" },
        ],
      };
      const transport = kind === "ipc" ? "ipc" : await addresses();
      const { outputs, lines, end } = await runAll(graph, ["rain", "snow", "hail"], { transport });
      expect(outputs).toEqual(["critic of 11", "critic of 11", "critic of 11"]);
      expect(lines[0]).toMatch(/^poet\t\{"kind":"config"/);
      expect(end.agents).toEqual({ poet: { exitCode: 0, signal: null }, critic: { exitCode: 0, signal: null } });
    },
  );

  it("PLM-35 PLM-37 PLM-41 PLM-62 runs a peer that is not ours, from its first word to the last end", async () => {
    const said: string[] = [];
    const onStderr = (_agent: string, text: string): void => void said.push(text);
    const inputs = Array.from({ length: 100 }, (_, at) => at);
    const options = { transport: "ipc", onStderr } as const;
    const { outputs } = await runAll(line(raw("only", "echo", { control: true })), inputs, options);
    expect(outputs).toEqual(inputs);
    expect(said).toEqual(["data_in ended", 'ctrl_in {"stop":true}', "ctrl_in ended"]);
    expect((await runAll(line(raw("only", "echo")), [1], { transport: "ipc" })).outputs).toEqual([1]);
  });

  it("takes only an end for the end of an output", async () => {
    const run = (mode: string): Promise<unknown> =>
      codeOf(runAll(line(raw("only", mode)), [1], { transport: "ipc", graceMs: 50 }));
    expect(await run("cut")).toBe("output-cut");
    expect(await run("garbage")).toBe("output-cut");
    expect(await run("two-frames")).toBe("output-cut");
  });

  it("leaves no folder behind", async () => {
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = place.folder;
    onTestFinished(() => {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    });
    await runAll(line(raw("only", "echo")), [1], { transport: "ipc" });
    expect(await codeOf(runFabric(line(raw("only", "exit")), { transport: "ipc" }))).toBe("agent-exited");
    expect(readdirSync(place.folder)).toEqual(["only.json"]);
  });

  it("refuses an address that strangers reach, an unusable one, and an unknown transport, before an agent starts", async () => {
    const refuse = (transport: unknown): Promise<unknown> =>
      codeOf(runFabric(line(raw("only", "echo")), { transport } as FabricOptions));
    expect(await refuse(() => "udp://127.0.0.1:5550")).toBe("endpoint-invalid");
    expect(await refuse(() => undefined)).toBe("endpoint-invalid");
    expect(await refuse(() => `ipc://${place.folder}/${"x".repeat(100)}`)).toBe("endpoint-invalid");
    expect(await refuse("pigeon")).toBe("graph-invalid");
  });
});
