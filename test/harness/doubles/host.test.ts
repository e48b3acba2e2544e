import { describe, expect, it } from "vitest";
import { AgentError } from "../../../src/core/errors.js";
import { openaiProvider } from "../../../src/core/vendors/providers.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { memoryFiles } from "../../../src/harness/doubles/files.js";
import { memoryHost } from "../../../src/harness/doubles/host.js";
import { countingIds, seededBytes } from "../../../src/harness/doubles/ids.js";
import { ask, say, tool } from "../../support/script.js";
import { apiKey, hello } from "../../support/wire.js";

describe("A27 memoryHost", () => {
  it("gives two runs of one seed the same events, ids and times", async () => {
    const run = async (seed: number) => {
      const host = memoryHost({ seed });
      const wait = tool("wait", async () => host.clock.sleep(250).then(() => "waited"));
      const provider = scriptedProvider([ask([{ name: "wait" }]), say("done")]);
      const runtime = createRuntime({
        agents: [{ id: "ann", systemPrompt: "Be brief.", provider, customTools: [wait] }],
        ports: host.ports,
        memory: host.memory,
      });
      return host.clock.until(runtime.run({ goal: "go" }));
    };
    const [one, same, other] = [await run(1), await run(1), await run(2)];
    expect(same).toEqual(one);
    expect(other.runId).not.toBe(one.runId);
    expect(one.events.at(-1)?.at).toBe(Date.UTC(2026, 0, 1) + 250);
  });

  it("has no network, and says so as a machine without one does", async () => {
    const { ports } = memoryHost();
    const provider = openaiProvider({ apiKey, model: "m", ports });
    await expect(provider.turn(hello)).rejects.toMatchObject({ code: "provider-response", kind: "unavailable" });
    await expect(ports.fetch(new Request("https://a.example/"))).rejects.toThrow(TypeError);
  });

  it("takes a fetch, and keeps what is said in warnings", async () => {
    const host = memoryHost({ start: 7, fetch: async () => new Response("there"), files: { "a/b.txt": "text" } });
    expect(await (await host.ports.fetch("https://a.example/")).text()).toBe("there");
    host.ports.warn("careful");
    expect(host.warnings).toEqual(["careful"]);
    expect(host.ports.now()).toBe(7);
    expect(host.files.texts.get("a/b.txt")).toBe("text");
    expect(host.ids.next()).toBe("id-1");
  });

  it("refuses options nobody reads, and half a seed", () => {
    expect(() => memoryHost({ sed: 1 } as never)).toThrow(AgentError);
    expect(() => memoryHost({ seed: 0.5 })).toThrow("seed of memoryHost is 0.5");
  });
});

describe("countingIds", () => {
  it("counts ids and bytes together", () => {
    const ids = countingIds("call_");
    expect([ids.next(), ids.next()]).toEqual(["call_1", "call_2"]);
    expect([...ids.randomBytes(4)]).toEqual([0, 0, 0, 3]);
    expect(ids.next()).toBe("call_4");
    expect(ids.given).toBe(4);
  });

  it("carries into the byte before", () => {
    const ids = countingIds();
    for (let count = 0; count < 255; count++) ids.next();
    expect([...ids.randomBytes(3)]).toEqual([0, 1, 0]);
  });
});

describe("seededBytes", () => {
  it("gives the same for the same seed, and no two alike", () => {
    const [one, same, other] = [seededBytes(1), seededBytes(1), seededBytes(2)];
    const first = one(16);
    expect(same(16)).toEqual(first);
    expect(other(16)).not.toEqual(first);
    expect(one(16)).not.toEqual(first);
  });
});

describe("memoryFiles", () => {
  it("keeps the contract of the file port", async () => {
    const files = memoryFiles({ "runs/a.json": "é" });
    expect(await files.read("runs/a.json", 2)).toEqual({ kind: "read", bytes: new TextEncoder().encode("é") });
    expect(await files.read("runs/a.json", 1)).toEqual({ kind: "too-large", size: 2 });
    expect(await files.read("runs/b.json", 1)).toEqual({ kind: "not-found" });
    expect(await files.write("runs/a.json", "x", { overwrite: false })).toEqual({ kind: "exists" });
    expect(await files.write("runs/a.json", "x", { overwrite: true })).toEqual({ kind: "written" });
    expect(await files.append("runs/c/b.json", "y")).toEqual({ kind: "written" });
    expect(await files.append("runs/c/b.json", "z")).toEqual({ kind: "written" });
    expect(await files.list("runs", ".json")).toEqual(["a.json", "c/b.json"]);
    expect(await files.list(".", ".json")).toEqual(["runs/a.json", "runs/c/b.json"]);
    expect(await files.list("runs", ".txt")).toEqual([]);
    expect(await files.list("run", ".json")).toBeUndefined();
    expect(await files.remove("runs/a.json")).toEqual({ kind: "removed" });
    expect(await files.remove("runs/a.json")).toEqual({ kind: "not-found" });
    expect([...files.texts]).toEqual([["runs/c/b.json", "yz"]]);
  });

  it("keeps bytes, in which two halves of a character are never a whole one", async () => {
    const files = memoryFiles({ a: "\ud83d" });
    await files.append("a", "\ude00");
    await files.write("b", "\ud83d", { overwrite: true });
    expect([...files.texts]).toEqual([
      ["a", "\ufffd\ufffd"],
      ["b", "\ufffd"],
    ]);
  });

  it("has folders above the working one, as many as are asked for", async () => {
    const files = memoryFiles({ "a/b": "in" });
    for (const path of ["../x", "../../x", "a/../../x", "/x", "/../y"]) await files.append(path, "+");
    expect([...files.texts]).toEqual([
      ["a/b", "in"],
      ["../x", "++"],
      ["../../x", "+"],
      ["/x", "+"],
      ["/y", "+"],
    ]);
    expect(await files.list(".", "")).toEqual(["a/b"]);
    expect(await files.list("a/..", "")).toEqual(["a/b"]);
    expect(await files.list("../..", "x")).toEqual(["x"]);
    expect(await files.list("/", "")).toEqual(["x", "y"]);
  });

  it("fails as it is told to, and then does nothing", async () => {
    const files = memoryFiles({ a: "1" });
    const failed = { kind: "failed", message: "ENOSPC" } as const;
    for (const method of ["read", "write", "append", "remove"] as const) files.fail(method, failed);
    const answers = [files.read("a", 9), files.write("a", "2", { overwrite: true }), files.append("a", "3")];
    expect(await Promise.all([...answers, files.remove("a")])).toEqual([failed, failed, failed, failed]);
    expect([...files.texts]).toEqual([["a", "1"]]);
  });
});
