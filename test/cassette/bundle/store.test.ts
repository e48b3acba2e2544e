import { posix } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkBundle, hashBundle, parseBundle } from "../../../src/cassette/bundle/check.js";
import type { AgentBundle, BundleFile } from "../../../src/cassette/bundle/format.js";
import { formatBundle } from "../../../src/cassette/bundle/bundle-files.js";
import { createBundleStore } from "../../../src/cassette/bundle/store.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import type { FilePort } from "../../../src/core/ports.js";
import { trioBundle } from "../../support/bundles.js";
import { memoryFiles, type MemoryFiles } from "../../support/memory-files.js";
import { verifyKept } from "../../support/oracle.js";
import { draft } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";

afterAll(verifyKept);

const PATH = "runs/trip.bundle.json";
const beside = (path: string, name = "") => posix.join(posix.dirname(path), name);
const storeOf = (files: FilePort) => createBundleStore(files, beside);

let old: AgentBundle;
let fresh: AgentBundle;
beforeAll(async () => {
  old = await trioBundle();
  fresh = await trioBundle({}, 100);
});

const fileOf = ({ bundle }: AgentBundle, id: string) => beside(PATH, bundle.agents[id]?.cassette);
const namesOf = (recording: AgentBundle) => Object.keys(recording.cassettes).map((id) => fileOf(recording, id));

async function saved(recording: AgentBundle, path = PATH, files = memoryFiles()): Promise<MemoryFiles> {
  await storeOf(files).save(path, recording);
  return files;
}

/** Lets `changes` writes and removals happen, then stops, as a kill does: nothing after it is done. */
function stopAfter(changes: number, files: FilePort): FilePort {
  let left = changes;
  const stop = () => {
    if (left-- <= 0) throw new Error("stopped");
  };
  return {
    ...files,
    write: (...args) => (stop(), files.write(...args)),
    remove: (...args) => (stop(), files.remove(...args)),
  };
}

describe("save and load", () => {
  it("gives back what was recorded", async () => {
    expect(await storeOf(await saved(old)).load(PATH)).toEqual(old);
  });

  it("writes the cassettes next to the bundle under the names it lists", async () => {
    const files = await saved(old);
    expect([...files.texts.keys()].sort()).toEqual([...namesOf(old), PATH].sort());
    expect(files.texts.get(fileOf(old, "actor"))).toBe(formatCassette(old.cassettes["actor"] as never));
  });

  it("writes the bundle in two spaces, keys in the order of the format and one final newline", async () => {
    const text = (await saved(old)).texts.get(PATH) ?? "";
    expect(text.startsWith('{\n  "bundleVersion": 1,\n  "plan": {\n    "entry": "researcher",')).toBe(true);
    expect(text.endsWith(`"bundleHash": "${old.bundle.bundleHash}"\n}\n`)).toBe(true);
    expect(formatBundle(parseBundle(text))).toBe(text);
  });

  it("writes the same bytes for the same run, clock and bytes", async () => {
    const again = await saved(await trioBundle());
    expect([...again.texts]).toEqual([...(await saved(old)).texts]);
  });
});

describe("load refuses", () => {
  const spoil = async (change: (files: MemoryFiles) => void) => {
    const files = await saved(old);
    change(files);
    return rejection(storeOf(files).load(PATH));
  };

  it("a bundle that is not there, or cannot be read", async () => {
    expect(await rejection(storeOf(memoryFiles()).load(PATH))).toMatchObject({ code: "file-not-found", file: PATH });
    expect(await spoil((files) => files.fail("read", { kind: "failed", message: "EACCES" }))).toMatchObject({
      code: "file-unreadable",
      summary: `${PATH} cannot be read: EACCES`,
    });
  });

  it("a file above the limit", async () => {
    const files = await saved(old);
    expect(await rejection(storeOf(files).load(PATH, { maxBytes: 10 }))).toMatchObject({ code: "too-large" });
  });

  it("a cassette that is missing, and names it with its agent", async () => {
    const error = await spoil((files) => files.texts.delete(fileOf(old, "actor")));
    expect(error).toMatchObject({
      code: "bundle-mismatch",
      file: fileOf(old, "actor"),
      summary: `${old.bundle.agents["actor"]?.cassette}, the cassette of agent "actor": it is missing`,
    });
  });

  it("cassettes that changed places", async () => {
    const error = await spoil((files) => {
      const [one, other] = [fileOf(old, "actor"), fileOf(old, "researcher")];
      const text = files.texts.get(one) ?? "";
      files.texts.set(one, files.texts.get(other) ?? "");
      files.texts.set(other, text);
    });
    expect(error).toMatchObject({ code: "bundle-mismatch", pointer: "/agentId" });
  });

  it("a sound cassette of the same agent from another recording", async () => {
    const other = formatCassette(fresh.cassettes["actor"] as never);
    const error = await spoil((files) => files.texts.set(fileOf(old, "actor"), other));
    expect(error).toMatchObject({ code: "bundle-mismatch", pointer: "/cassetteId" });
  });

  it("a cassette that was edited or torn, with the code of a cassette", async () => {
    const file = fileOf(old, "actor");
    const edit = (change: (text: string) => string) =>
      spoil((files) => files.texts.set(file, change(files.texts.get(file) ?? "")));
    expect(await edit((text) => text.replace("Umbrella packed", "Umbrella burned"))).toMatchObject({
      code: "response-hash",
      file,
      summary: expect.stringMatching(/the cassette of agent "actor": turn 0/) as string,
    });
    expect(await edit((text) => text.slice(0, -20))).toMatchObject({ code: "not-json", file });
    expect(await edit(() => '{"version":1,"recordedAt":"","recordedProvider":"","entries":[]}')).toMatchObject({
      code: "integrity-required",
    });
  });
});

describe("a bundle is refused", () => {
  const rehashed = (change: (bundle: BundleFile & Record<string, unknown>) => void): string => {
    const bundle = draft(old.bundle) as BundleFile & Record<string, unknown>;
    change(bundle);
    bundle.bundleHash = hashBundle(bundle);
    return formatBundle(bundle).replace(/\n}\n$/, extra(bundle));
  };
  /** What `formatBundle` leaves out. */
  const extra = (bundle: Record<string, unknown>) => ("more" in bundle ? ',\n  "more": 1\n}\n' : "\n}\n");
  const member = (bundle: BundleFile, id = "actor") => bundle.agents[id] as BundleFile["agents"][string];

  it.each<[string, string, string, (bundle: BundleFile & Record<string, unknown>) => void]>([
    ["of a later version", "version-newer", "/bundleVersion", (bundle) => Object.assign(bundle, { bundleVersion: 2 })],
    ["of no version", "version-malformed", "/bundleVersion", (bundle) => Object.assign(bundle, { bundleVersion: "1" })],
    ["with a field nobody knows", "unknown-field", "/more", (bundle) => Object.assign(bundle, { more: 1 })],
    ["without a path", "missing-field", "/path", (bundle) => Reflect.deleteProperty(bundle, "path")],
    ["with an invalid plan", "wrong-type", "/plan", (bundle) => Object.assign(bundle, { plan: [] })],
    ["with an invalid end", "wrong-type", "/ended/kind", (bundle) => Object.assign(bundle.ended, { kind: "x" })],
    ["with no cassette", "bundle-mismatch", "/agents", (bundle) => Object.assign(bundle, { agents: {} })],
    ["with no entries", "wrong-type", "/agents/actor/entries", (bundle) => void (member(bundle).entries = 0)],
    [
      "with a path for a name",
      "wrong-type",
      "/agents/actor/cassette",
      (bundle) => void (member(bundle).cassette = "../actor.cassette.json"),
    ],
    [
      "with one file for two agents, but for case",
      "bundle-mismatch",
      "/agents/actor/cassette",
      (bundle) =>
        void (member(bundle).cassette = member(bundle, "researcher")
          .cassette.toUpperCase()
          .replace("CASSETTE.JSON", "cassette.json")),
    ],
    ["with an agent listed twice", "bundle-mismatch", "/unasked/1", (bundle) => bundle.unasked.push("actor")],
    ["with a stranger in its path", "bundle-mismatch", "/path/2", (bundle) => bundle.path.push("bob")],
    ["with a stranger for an exit", "bundle-mismatch", "/plan/exits/2", (bundle) => bundle.plan?.exits.push("bob")],
    ["with a cassette of an agent never entered", "bundle-mismatch", "/agents/actor", (bundle) => bundle.path.pop()],
  ])("%s, also when its hash was recomputed", (_what, code, pointer, change) => {
    expect(refusal(() => parseBundle(rehashed(change)))).toMatchObject({ code, pointer });
  });

  it("whose hash is not that of its fields", () => {
    const text = formatBundle(old.bundle).replace('"exit"', '"no-edge"');
    expect(refusal(() => parseBundle(text))).toMatchObject({ code: "bundle-hash", pointer: "/bundleHash" });
  });

  it.each([
    ["an object without cassettes", () => ({ bundle: old.bundle }), "wrong-type"],
    ["nothing", () => undefined, "wrong-type"],
    ["a cassette less", () => ({ ...old, cassettes: { actor: old.cassettes["actor"] } }), "bundle-mismatch"],
    ["a cassette more", () => ({ ...old, cassettes: { ...old.cassettes, bob: 1 } }), "bundle-mismatch"],
    ["a value that is not JSON", () => ({ ...old, bundle: { ...old.bundle, path: 1n } }), "not-json"],
  ])("as an object that is %s", (_what, value, code) => {
    expect(refusal(() => checkBundle(value()))).toMatchObject({ code });
  });
});

describe("save", () => {
  it("leaves an existing bundle and its folder as they are unless told to overwrite", async () => {
    const files = await saved(old);
    const before = new Map(files.texts);
    expect(await rejection(storeOf(files).save(PATH, fresh))).toMatchObject({ code: "file-exists", file: PATH });
    expect(files.texts).toEqual(before);
  });

  it("replaces a bundle and takes its cassettes away", async () => {
    const files = await saved(old);
    await storeOf(files).save(PATH, fresh, { overwrite: true });
    expect([...files.texts.keys()].sort()).toEqual([...namesOf(fresh), PATH].sort());
    expect(await storeOf(files).load(PATH)).toEqual(fresh);
  });

  it("keeps an old cassette that another bundle of the folder lists", async () => {
    const files = await saved(old);
    await saved(old, "runs/copy.bundle.json", files);
    await storeOf(files).save(PATH, fresh, { overwrite: true });
    expect(await storeOf(files).load("runs/copy.bundle.json")).toEqual(old);
  });

  it("keeps the old cassettes while a bundle of the folder cannot be understood", async () => {
    const files = await saved(old);
    files.texts.set("runs/torn.bundle.json", "{");
    await storeOf(files).save(PATH, fresh, { overwrite: true });
    expect([...files.texts.keys()]).toEqual(expect.arrayContaining(namesOf(old)));
  });

  it("keeps every file when it replaces a bundle that is damaged", async () => {
    const files = await saved(old);
    files.texts.set(PATH, "{");
    await storeOf(files).save(PATH, fresh, { overwrite: true });
    expect([...files.texts.keys()]).toEqual(expect.arrayContaining(namesOf(old)));
    expect(await storeOf(files).load(PATH)).toEqual(fresh);
  });

  it("never replaces a file of a cassette's name with other contents unasked", async () => {
    const files = memoryFiles({ [fileOf(old, "actor")]: "precious" });
    expect(await rejection(storeOf(files).save(PATH, old))).toMatchObject({
      code: "file-exists",
      file: fileOf(old, "actor"),
    });
    expect(files.texts.get(fileOf(old, "actor"))).toBe("precious");
    expect(files.texts.has(PATH)).toBe(false);
  });

  it("writes nothing that load would refuse: a changed bundle, a wrong name, a file above the limit", async () => {
    const files = memoryFiles();
    const edited = { ...old, bundle: { ...old.bundle, ended: { kind: "no-edge" as const } } };
    expect(await rejection(storeOf(files).save(PATH, edited))).toMatchObject({ code: "bundle-hash" });
    expect(await rejection(storeOf(files).save("runs/trip.json", old))).toMatchObject({ code: "invalid-options" });
    expect(await rejection(storeOf(files).save(PATH, old, { maxBytes: 1_500 }))).toMatchObject({ code: "too-large" });
    expect(files.texts.size).toBe(0);
  });

  it("says what the disk said", async () => {
    const files = memoryFiles();
    files.fail("write", { kind: "failed", message: "ENOSPC" });
    expect(await rejection(storeOf(files).save(PATH, old))).toMatchObject({
      code: "file-unreadable",
      summary: expect.stringContaining("ENOSPC") as string,
    });
  });
});

describe("a save that is stopped", () => {
  const CHANGES = 5; // two cassettes, the bundle, two removals

  it("leaves the old bundle loadable until the new one is, wherever it is stopped", async () => {
    for (let changes = 0; changes <= CHANGES; changes++) {
      const files = await saved(old);
      const stopped = stopAfter(changes, files);
      const outcome = storeOf(stopped).save(PATH, fresh, { overwrite: true });
      if (changes < CHANGES) expect(await rejection(outcome)).toMatchObject({ message: "stopped" });
      else await outcome;
      expect(await storeOf(files).load(PATH), `after ${changes} changes`).toEqual(changes < 3 ? old : fresh);
    }
  });

  it("leaves nothing that stands in the way of saving again", async () => {
    for (let changes = 0; changes <= CHANGES; changes++) {
      const files = await saved(old);
      await storeOf(stopAfter(changes, files))
        .save(PATH, fresh, { overwrite: true })
        .catch(() => undefined);
      await storeOf(files).save(PATH, fresh, { overwrite: true });
      expect(await storeOf(files).load(PATH)).toEqual(fresh);
    }
  });

  it("is taken up where it stopped when there was no bundle before", async () => {
    for (let changes = 0; changes < 3; changes++) {
      const files = memoryFiles();
      await rejection(storeOf(stopAfter(changes, files)).save(PATH, old));
      expect(await rejection(storeOf(files).load(PATH))).toMatchObject({ code: "file-not-found" });
      await storeOf(files).save(PATH, old);
      expect(await storeOf(files).load(PATH)).toEqual(old);
    }
  });
});
