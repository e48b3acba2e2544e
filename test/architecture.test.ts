// The rules of the house, held against src; and each rule against an example that breaks it, so that it is known to fail.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { drawRooms, faceRooms, findViolations, loadedBy, type Sources } from "./support/architecture.js";

const root = fileURLToPath(new URL("../", import.meta.url));

function readSources(): Sources {
  const paths = readdirSync(`${root}src`, { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts"));
  return new Map(paths.sort().map((path) => [path, readFileSync(`${root}${path}`, "utf8")]));
}

/** Files with a header each, so that an example breaks the one rule it is for. */
function house(files: Readonly<Record<string, string>>): Sources {
  return new Map(Object.entries(files).map(([path, text]) => [`src/${path}`, `// A file.\n${text}`]));
}

const broken = (files: Readonly<Record<string, string>>) => findViolations(house(files)).map(({ rule }) => rule);

describe("the house", () => {
  const sources = readSources();

  it("has the files this test was written for", () => {
    expect([...sources.keys()]).toEqual(expect.arrayContaining(["src/core/index.ts", "src/core/loop/turn.ts"]));
  });

  it("keeps all its rules", () => {
    expect(findViolations(sources).map(({ rule, file, detail }) => `${rule}: ${file} ${detail}`)).toEqual([]);
  });

  it("draws src/cassette as at most 20 rooms and 95 arrows", () => {
    const { boxes, arrows } = drawRooms(sources, "cassette");
    expect(boxes).toContain("replay");
    expect(arrows).toContain("replay → prompt");
    expect(boxes.length).toBeLessThanOrEqual(20);
    expect(arrows.length).toBeLessThanOrEqual(95);
  });

  it("has no file that is neither TypeScript nor a folder in src", () => {
    const entries = readdirSync(`${root}src`, { recursive: true, withFileTypes: true });
    const strange = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".ts"));
    expect(strange.map(({ name }) => name)).toEqual([]);
  });
});

describe("the arrows", () => {
  const door = (layer: string) => `import { x } from "../${layer}/index.js";`;

  it.each([
    ["cli", "harness"],
    ["cli", "cassette"],
    ["cli", "core"],
    ["cli", "host"],
    ["harness", "cassette"],
    ["harness", "core"],
    ["cassette", "core"],
    ["host", "core"],
    ["entry", "core"],
    ["entry", "cassette"],
    ["entry", "harness"],
    ["entry", "host"],
    ["entry", "cli"],
  ])("%s may import the door of %s", (from, to) => {
    expect(broken({ [`${from}/a.ts`]: door(to) })).toEqual([]);
  });

  it.each([
    ["core", "cassette"],
    ["core", "harness"],
    ["core", "host"],
    ["core", "cli"],
    ["cassette", "harness"],
    ["cassette", "host"],
    ["cassette", "cli"],
    ["harness", "host"],
    ["harness", "cli"],
    ["host", "cassette"],
    ["host", "harness"],
    ["host", "cli"],
  ])("%s may not import %s", (from, to) => {
    expect(broken({ [`${from}/index.ts`]: door(to) })).toEqual(["arrow"]);
  });

  it.each([
    ["import", 'import { x } from "../cassette/index.js";'],
    ["a bare import", 'import "../cassette/index.js";'],
    ["import type", 'import type { X } from "../cassette/index.js";'],
    ["an inline type import", 'import { type X } from "../cassette/index.js";'],
    ["export from", 'export { x } from "../cassette/index.js";'],
    ["export star", 'export * from "../cassette/index.js";'],
    ["export type", 'export type { X } from "../cassette/index.js";'],
    ["a dynamic import", 'const x = await import("../cassette/index.js");'],
    ["a dynamic import of a template", "const x = await import(`../cassette/index.js`);"],
    ["an import in a type", 'type X = import("../cassette/index.js").X;'],
    ["typeof import", 'type X = typeof import("../cassette/index.js");'],
    ["import equals", 'import x = require("../cassette/index.js");'],
  ])("count %s", (_name, text) => {
    expect(broken({ "core/index.ts": text })).toEqual(["arrow"]);
  });

  it("count no import in a comment or a string", () => {
    expect(
      broken({ "core/index.ts": `// import "../cli/index.js";\nconst text = 'import "../cli/index.js"';` }),
    ).toEqual([]);
  });
});

describe("the doors", () => {
  it("another layer is entered by its index.ts alone", () => {
    expect(broken({ "cassette/a.ts": 'import type { X } from "../core/canon/json.js";' })).toEqual(["door"]);
    expect(broken({ "cassette/a.ts": 'import { x } from "../core/errors.js";' })).toEqual(["door"]);
    expect(broken({ "entry/a.ts": 'import { x } from "../core/canon/index.js";' })).toEqual(["door"]);
  });

  it("no file imports the door of its own layer", () => {
    expect(broken({ "core/canon/json.ts": 'import { x } from "../index.js";' })).toEqual(["own-door"]);
    expect(broken({ "host/store.ts": 'export type { X } from "./index.js";' })).toEqual(["own-door"]);
  });

  it("nobody imports entry, entry included", () => {
    expect(broken({ "cli/main.ts": 'import "../entry/vitest.js";' })).toEqual(["entry"]);
    expect(broken({ "entry/harness.ts": 'import "./vitest.js";' })).toEqual(["entry"]);
  });

  it("the platform is reached by #crypto alone and imports nothing of ours", () => {
    expect(broken({ "core/canon/digest.ts": 'import { x } from "#crypto";' })).toEqual([]);
    expect(
      broken({ "platform/crypto-node.ts": 'import type { X } from "./contract.js";\nimport "node:crypto";' }),
    ).toEqual([]);
    expect(broken({ "core/canon/digest.ts": 'import type { X } from "../../platform/contract.js";' })).toEqual([
      "platform",
    ]);
    expect(broken({ "entry/a.ts": 'import "../platform/index.js";' })).toEqual(["platform"]);
    expect(broken({ "platform/crypto-node.ts": 'import { x } from "../core/index.js";' })).toEqual(["platform"]);
  });
});

describe("the rooms that need a package which may be absent", () => {
  const peer = 'import fc from "fast-check";';

  it("alone import that package", () => {
    expect(broken({ "harness/arbitraries/text.ts": peer })).toEqual([]);
    expect(broken({ "harness/properties/law.ts": peer })).toEqual([]);
    expect(broken({ "harness/index.ts": peer })).toEqual(["peer"]);
    expect(broken({ "harness/drift/gate.ts": 'import type { Arbitrary } from "fast-check";' })).toEqual(["peer"]);
    expect(broken({ "core/canon/json.ts": 'const fc = await import("fast-check");' })).toEqual(["peer"]);
    expect(broken({ "entry/harness.ts": peer })).toEqual(["peer"]);
  });

  it("are not known to the rest of their layer, its door included", () => {
    expect(broken({ "harness/properties/tool.ts": 'import { x } from "../arbitraries/json.js";' })).toEqual([]);
    expect(broken({ "harness/index.ts": 'export { x } from "./arbitraries/json.js";' })).toEqual(["peer"]);
    expect(broken({ "harness/drift/gate.ts": 'import type { X } from "../properties/tool.js";' })).toEqual(["peer"]);
  });

  it("have a door that entry opens and nobody else", () => {
    const door = 'export * from "../harness/arbitraries/index.js";';
    expect(broken({ "entry/fast-check.ts": door })).toEqual([]);
    expect(broken({ "cli/main.ts": door })).toEqual(["door"]);
    expect(broken({ "entry/fast-check.ts": 'export * from "../harness/arbitraries/json.js";' })).toEqual(["door"]);
    expect(broken({ "harness/properties/law.ts": 'import { x } from "../arbitraries/index.js";' })).toEqual([
      "own-door",
    ]);
    expect(broken({ "entry/a.ts": 'import { x } from "../harness/drift/index.js";' })).toEqual(["door"]);
  });
});

describe("the rooms of faces", () => {
  const use = 'import { x } from "../core/env/index.js";';

  it("have a door that their own entry opens and nobody else", () => {
    expect(broken({ "entry/env.ts": 'export * from "../core/env/index.js";' })).toEqual([]);
    expect(broken({ "entry/playhead.ts": use })).toEqual(["face"]);
    expect(broken({ "entry/env.ts": 'export * from "../core/session/index.js";' })).toEqual(["face"]);
    expect(broken({ "host/a.ts": use })).toEqual(["door", "face"]);
    expect(broken({ "entry/env.ts": 'export { x } from "../core/env/runtime.js";' })).toEqual(["door"]);
  });

  it("have a door that their own face opens in another layer, and no other face", () => {
    const process = 'import { x } from "../../core/process/index.js";';
    expect(broken({ "host/process/a.ts": process })).toEqual([]);
    expect(broken({ "host/postgres/a.ts": process })).toEqual(["door"]);
    expect(broken({ "host/process/a.ts": 'import { x } from "../../core/session/index.js";' })).toEqual(["door"]);
    expect(broken({ "cli/process/a.ts": 'import { x } from "../../harness/properties/index.js";' })).toEqual(["door"]);
  });

  it("are not known to the rest of their layer, but for types that its door passes on", () => {
    expect(broken({ "core/index.ts": 'export { x } from "./env/runtime.js";' })).toEqual(["face"]);
    expect(broken({ "core/index.ts": 'export type { X } from "./env/runtime.js";' })).toEqual([]);
    expect(broken({ "core/runtime/a.ts": 'import type { X } from "../env/runtime.js";' })).toEqual(["room", "face"]);
    expect(broken({ "core/env/a.ts": 'import { x } from "./b.js";\nimport { y } from "../loop/loop.js";' })).toEqual(
      [],
    );
    expect(broken({ "core/session/a.ts": 'import { x } from "../env/storage.js";' })).toEqual([]);
    expect(broken({ "core/env/a.ts": 'import { x } from "../session/agent.js";' })).toEqual(["room"]);
  });

  it("are not loaded by the package itself", () => {
    const loaded = loadedBy("src/entry/playhead.ts", readSources());
    expect(loaded).toContain("src/core/loop/loop.ts");
    expect(loaded.filter((file) => faceRooms.some((room) => file.startsWith(`${room}/`)))).toEqual([]);
  });

  it("are found where a chain of imports loads them, and not behind a type", () => {
    const files = {
      "entry/playhead.ts": 'import "../core/index.js";',
      "core/index.ts": 'export { a } from "./loop/a.js";\nexport type { X } from "./env/x.js";',
      "core/loop/a.ts": 'import { y } from "../env/y.js";',
    };
    expect(loadedBy("src/entry/playhead.ts", house(files))).toEqual(
      expect.arrayContaining(["src/core/loop/a.ts", "src/core/env/y.ts"]),
    );
    expect(loadedBy("src/entry/playhead.ts", house(files))).not.toContain("src/core/env/x.ts");
  });
});

describe("the second implementation of the hashes", () => {
  const file = "cli/verify/independent/canonical.ts";

  it.each(["json-canonicalize", "@noble/hashes/sha2.js", "@noble/ed25519", "node:module", "./json.js"])(
    "may import %s",
    (specifier) => {
      expect(broken({ [file]: `import { x } from "${specifier}";` })).toEqual([]);
    },
  );

  it.each([
    ["canonical JSON and its hashes", "../../../core/index.js"],
    ["the cassette layer", "../../../cassette/index.js"],
    ["a room of the command line", "../layers.js"],
    ["cryptography chosen by the platform", "#crypto"],
    ["a package that the first implementation uses", "@cfworker/json-schema"],
  ])("may not import %s", (_what, specifier) => {
    expect(broken({ [file]: `import { x } from "${specifier}";` })).toEqual(["closed"]);
    expect(broken({ [file]: `import type { X } from "${specifier}";` })).toEqual(["closed"]);
    expect(broken({ [file]: `const x = await import("${specifier}");` })).toEqual(["closed"]);
  });

  it("is there, and is entered by one file alone", () => {
    const sources = [...readSources()];
    expect(sources.filter(([path]) => path.startsWith("src/cli/verify/independent/")).length).toBeGreaterThan(4);
    const users = sources.filter(
      ([path, text]) =>
        !path.includes("/independent/") && /import \{(?!.*\btype\b)[^}]*\} from "\.\/independent\//.test(text),
    );
    expect(users.map(([path]) => path)).toEqual(["src/cli/verify/second-opinion.ts"]);
  });
});

describe("the rooms", () => {
  it.each([
    ["core/loop/turn.ts", "../tools/call.js"],
    ["core/loop/turn.ts", "./budget.js"],
    ["core/loop/turn.ts", "../events/event.js"],
    ["core/canon/value.ts", "../errors.js"],
    ["core/events/log.ts", "../ports.js"],
    ["core/session/agent.ts", "../env/storage.js"],
    ["cassette/diff/diff.ts", "../file/format.js"],
    ["cassette/import/har.ts", "../export/log.js"],
    ["cassette/bundle/store.ts", "../trust/cassette-store.js"],
    ["cassette/index.ts", "./diff/diff.js"],
    ["core/index.ts", "./runtime/runtime.js"],
  ])("%s may import %s", (file, specifier) => {
    expect(broken({ [file]: `import { x } from "${specifier}";` })).toEqual([]);
  });

  it.each([
    ["core/canon/json.ts", "../model/message.js"],
    ["core/model/provider.ts", "../tools/tool.js"],
    ["core/tools/call.ts", "../events/log.js"],
    ["core/tools/call.ts", "../providers/echo.js"],
    ["core/providers/echo.ts", "../events/event.js"],
    ["core/events/log.ts", "../loop/budget.js"],
    ["core/memory/pins.ts", "../loop/loop.js"],
    ["core/loop/loop.ts", "../runtime/agent.js"],
    ["core/receipts/chain.ts", "../runtime/agent.js"],
    ["core/session/agent.ts", "../vertex/executor.js"],
    ["core/env/runtime.ts", "../session/agent.js"],
    ["core/errors.ts", "./canon/value.js"],
    ["core/ports.ts", "./model/usage.js"],
    ["cassette/record/recording-provider.ts", "../diff/diff.js"],
    ["cassette/trust/cassette-store.ts", "../bundle/store.js"],
    ["cassette/trust/load-cassette.ts", "../import/log.js"],
    ["cassette/diff/diff.ts", "../export/har.js"],
    ["cassette/diff/diff.ts", "../import/log.js"],
  ])("%s may not import %s", (file, specifier) => {
    expect(broken({ [file]: `import type { X } from "${specifier}";` })).toEqual(["room"]);
  });

  it("a folder that is not a room of its layer is refused, and so is a file of core in no room", () => {
    expect(broken({ "core/stuff/a.ts": "" })).toEqual(["unknown-room"]);
    expect(broken({ "cassette/stuff/a.ts": "" })).toEqual(["unknown-room"]);
    expect(broken({ "core/agent.ts": "" })).toEqual(["unknown-room"]);
  });

  it("a folder of src that is not a layer is refused, and so is a file outside the layers", () => {
    expect(broken({ "tools/a.ts": "" })).toEqual(["layer"]);
    expect(broken({ "main.ts": "" })).toContain("layer");
  });
});

describe("the limits of a layer", () => {
  it.each(["MAX_NAMES", "DEFAULT_MAX_NAMES", "QUIET_MS", "TITLE_BYTES", "READ_TIMEOUT", "GRACE"])(
    "%s lies in limits.ts",
    (name) => {
      expect(broken({ "core/limits.ts": `export const ${name} = 2 * (8 - 1);` })).toEqual([]);
      expect(broken({ "core/loop/a.ts": `const ${name} = 2 * (8 - 1);` })).toEqual(["limits"]);
      expect(broken({ "host/a.ts": `export const ${name}: number = -8;` })).toEqual(["limits"]);
      expect(broken({ "host/threads/limits.ts": `export const ${name} = OTHER;` })).toEqual(["limits"]);
    },
  );

  it.each([
    "const SHOWN_NAMES = 3;",
    "const VERSION = 2;",
    'const MAX_NAME = "max";',
    "function f() { const MAX_A = 1; }",
  ])("`%s` stays where it is used", (text) => {
    expect(broken({ "host/a.ts": text })).toEqual([]);
  });

  it("may be imported by any room, and import no file of the layer", () => {
    expect(broken({ "core/text/a.ts": 'import { MAX_A } from "../limits.js";' })).toEqual([]);
    expect(broken({ "cassette/limits.ts": 'import { MAX_A } from "../core/index.js";' })).toEqual([]);
    expect(broken({ "cassette/limits.ts": 'import { A } from "./errors.js";' })).toEqual(["limits"]);
  });

  it("have names of their own", () => {
    const text = "export const MAX_A = 1;";
    expect(broken({ "core/limits.ts": text, "host/limits.ts": text })).toEqual(["limits"]);
  });
});

describe("a crowded room", () => {
  const files = (folder: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${folder}/file-${n}.ts`, ""]));

  it("is refused from the fifteenth loose file on, not counting its door", () => {
    expect(broken({ ...files("harness/room", 14), "harness/room/index.ts": "" })).toEqual([]);
    expect(broken(files("harness/room", 15))).toEqual(["crowd"]);
    expect(broken(files("cli/commands", 40))).toEqual([]);
  });
});

describe("cycles", () => {
  it("of two files are found", () => {
    const files = { "host/a.ts": 'import { b } from "./b.js";', "host/b.ts": 'import { a } from "./a.js";' };
    expect(broken(files)).toEqual(["cycle"]);
  });

  it("of type imports and re-exports are found, and named", () => {
    const files = {
      "host/a.ts": 'import type { B } from "./b.js";',
      "host/b.ts": 'export type { C } from "./c.js";',
      "host/c.ts": 'type A = import("./a.js").A;',
    };
    expect(findViolations(house(files))).toEqual([
      { rule: "cycle", file: "src/host/a.ts", detail: "src/host/a.ts → src/host/b.ts → src/host/c.ts → src/host/a.ts" },
    ]);
  });

  it("are not seen in a diamond", () => {
    const files = {
      "host/a.ts": 'import "./b.js";\nimport "./c.js";',
      "host/b.ts": 'import "./d.js";',
      "host/c.ts": 'import "./d.js";',
      "host/d.ts": "",
    };
    expect(broken(files)).toEqual([]);
  });
});

describe("determinism", () => {
  it.each(["node:fs", "fs", "fs/promises", "node:crypto", "path"])("core and cassette do not import %s", (name) => {
    expect(broken({ "core/canon/a.ts": `import "${name}";` })).toEqual(["node"]);
    expect(broken({ "cassette/a.ts": `const x = await import("${name}");` })).toEqual(["node"]);
    expect(broken({ "host/a.ts": `import "${name}";` })).toEqual([]);
  });

  it.each([
    "const t = Date.now();",
    'const t = Date["now"]();',
    "const t = new Date();",
    "const t = new Date;",
    "const t = Date();",
    "const r = Math.random();",
    "const f = Math.random;",
    "setTimeout(run, 1);",
    "setInterval(run, 1);",
    "setImmediate(run);",
    'await fetch("x");',
    "const send = options.fetch ?? fetch;",
    "const ports = { fetch };",
    'console.log("x");',
    "const home = process.env.HOME;",
    "const t = performance.now();",
    "const id = crypto.randomUUID();",
    "const id = globalThis.crypto.randomUUID();",
    'const id = globalThis["crypto"];',
    "const send = globalThis.fetch;",
    "const signal = AbortSignal.timeout(5);",
  ])("core and cassette do not say `%s`", (text) => {
    expect(broken({ "core/loop/a.ts": text })).toEqual(["ambient"]);
    expect(broken({ "cassette/a.ts": text })).toEqual(["ambient"]);
    expect(broken({ "core/ports.ts": text })).toEqual([]);
    expect(broken({ "host/a.ts": text })).toEqual([]);
  });

  it.each([
    "const t = new Date(ports.now());",
    "const t = Date.parse(text) + Math.max(1, 2);",
    "ports.fetch(url); ports.timer(1, run);",
    "export function send(fetch: Send) { return fetch(1); }",
    "const { fetch, console } = ports; fetch(1); console.log(1);",
    "type Send = typeof globalThis.fetch; type F = typeof fetch;",
    "interface Ports { fetch: Send; process(): void }",
    'const text = "Date.now() and process.env";',
    "// Date.now(), Math.random(), setTimeout",
    "/** console.log */ const process = 1; const x = process + 1;",
    "const table = { process: 1, console: 2 }; table.process;",
    'import { fetch } from "x"; fetch(1);',
    "const signal = AbortSignal.any([a, b]);",
  ])("core and cassette may say `%s`", (text) => {
    expect(broken({ "core/loop/a.ts": text })).toEqual([]);
  });
});

describe("a file", () => {
  it("has 300 lines at most", () => {
    expect(broken({ "host/a.ts": "x;\n".repeat(299) })).toEqual([]);
    expect(broken({ "host/a.ts": "x;\n".repeat(300) })).toEqual(["size"]);
  });

  it("starts with a comment, after a #! line at most", () => {
    const rules = (text: string) => findViolations(new Map([["src/host/a.ts", text]])).map(({ rule }) => rule);
    expect(rules("/** What it is. */\nx;")).toEqual([]);
    expect(rules("#!/usr/bin/env node\n// What it is.\nx;")).toEqual([]);
    expect(rules('import "x"; // late')).toEqual(["header"]);
    expect(rules("")).toEqual(["header"]);
  });

  it.each(["host/fileStore.ts", "host/File.ts", "host/file_store.ts", "host/file-.ts", "host/fileStores/a.ts"])(
    "is not named %s",
    (path) => {
      expect(broken({ [path]: "" })).toEqual(["kebab-case"]);
    },
  );

  it.each(["utils", "helpers", "common", "misc"])("does not lie in a folder named %s, nor has that name", (name) => {
    expect(broken({ [`host/${name}/a.ts`]: "" })).toEqual(["vague-name"]);
    expect(broken({ [`host/${name}.ts`]: "" })).toEqual(["vague-name"]);
  });

  it.each(["./b", "./b.ts", "../host/b", "./b.mjs"])(
    "does not import %s: a relative import ends in .js",
    (specifier) => {
      expect(broken({ "host/a.ts": `import "${specifier}";` })).toEqual(["extension"]);
    },
  );
});
