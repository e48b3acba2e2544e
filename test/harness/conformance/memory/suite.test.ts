// The suite against the store that ships, against SQLite, and against stores that are broken on purpose: each must fail in
// exactly the cases that speak of its fault.

import { afterAll, describe, expect, it } from "vitest";
import { createInMemoryRuntimeMemory } from "../../../../src/core/memory/memory.js";
import { canonicalize } from "../../../../src/core/canon/json.js";
import { AgentError } from "../../../../src/core/errors.js";
import type { JsonValue } from "../../../../src/core/canon/value.js";
import type { RuntimeMemory } from "../../../../src/core/model/memory.js";
import { memoryConformance } from "../../../../src/harness/conformance/memory/suite.js";
import { openSqliteMemory } from "../../../../src/host/memory/sqlite.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let files = 0;

describe("PLK-94 the memory in this process", () => {
  for (const { name, run } of memoryConformance(async () => createInMemoryRuntimeMemory())) it(name, run);
});

describe("PLK-99 the memory in a SQLite file", () => {
  for (const { name, run } of memoryConformance(() => openSqliteMemory(folder.path(`store-${files++}.db`))))
    it(name, run);
});

interface Entry {
  scope: string;
  key: string;
  value: JsonValue;
}

/** A store that is right, each method of which may be replaced by a wrong one. */
function store(broken: (entries: Map<string, Entry>, right: RuntimeMemory) => Partial<RuntimeMemory>): RuntimeMemory {
  const entries = new Map<string, Entry>();
  const id = (scope: string, key: string) => JSON.stringify([scope, key]);
  const right: RuntimeMemory = {
    get: (scope, key) => structuredClone(entries.get(id(scope, key))?.value),
    set(scope, key, value) {
      const own = createInMemoryRuntimeMemory();
      void own.set("", "", value);
      entries.set(id(scope, key), { scope, key, value: own.get("", "") as JsonValue });
    },
    delete: (scope, key) => entries.delete(id(scope, key)),
    keys: (scope) =>
      [...entries.values()]
        .filter((entry) => entry.scope === scope)
        .map(({ key }) => key)
        .sort(),
    clear(scope) {
      for (const [at, entry] of entries) if (entry.scope === scope) entries.delete(at);
    },
  };
  return { ...right, ...broken(entries, right) };
}

async function failuresOf(make: () => RuntimeMemory): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of memoryConformance(async () => make(), { patienceMs: 2_000 })) {
    await run().catch((error: unknown) => {
      expect(error).toBeInstanceOf(Error);
      // What went wrong, and then what to do: two sentences at least.
      expect((error as Error).message).toMatch(/^(.+: expected .*, got |it threw ).*\. [A-Z].*\.$/s);
      expect(Object.keys(error as Error)).toEqual(expect.arrayContaining(["expected", "actual"]));
      failed.push(name);
    });
  }
  return failed;
}

const WALK = "acts like a plain map over many mixed calls";
const HALVES = "keeps malformed keys separate, or refuses them with an AgentError";
const LONG = "keeps long keys separate, or refuses them with an AgentError";
const OF_OBJECTS = "keeps keys named like built-in object properties";
const MANY = "keeps and lists many keys of one scope";
const REFUSES = "refuses what is no JSON by an AgentError, and keeps the old value";

/** Gives up the thread before it works, as a store behind a socket does. */
const later = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Right, and written as nothing here is: one list of rows, texts of JSON, errors of its own class of refusals. */
class Rows implements RuntimeMemory {
  #rows: (readonly [scope: string, key: string, text: string])[] = [];

  async get(scope: string, key: string): Promise<JsonValue | undefined> {
    const row = this.#rows.find(([ownScope, ownKey]) => ownScope === scope && ownKey === key);
    return row === undefined ? undefined : (JSON.parse(row[2]) as JsonValue);
  }

  async set(scope: string, key: string, value: JsonValue): Promise<void> {
    if (key.length > 300 || !key.isWellFormed()) throw new AgentError("memory-failed", "no such key can be kept");
    const text = canonicalize(value);
    void this.delete(scope, key);
    this.#rows.unshift([scope, key, text]);
  }

  async delete(scope: string, key: string): Promise<boolean> {
    const before = this.#rows.length;
    this.#rows = this.#rows.filter(([ownScope, ownKey]) => ownScope !== scope || ownKey !== key);
    return this.#rows.length < before;
  }

  async keys(scope: string): Promise<string[]> {
    const own = this.#rows.filter(([ownScope]) => ownScope === scope).map(([, key]) => key);
    return own.sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  }

  async clear(scope: string): Promise<void> {
    this.#rows = this.#rows.filter(([ownScope]) => ownScope !== scope);
  }
}

describe("a store that is right", () => {
  it("fails in no case in another style: a class, rows, and keys that it refuses", async () => {
    expect(await failuresOf(() => new Rows())).toEqual([]);
  });

  it("fails in no case", async () => {
    expect(await failuresOf(() => store(() => ({})))).toEqual([]);
  });

  it("fails in no case when every call takes a while", async () => {
    const slow = () =>
      store((_entries, right) => ({
        get: async (scope, key) => later().then(() => right.get(scope, key)),
        // What is written is taken over before the wait, since the caller may change it afterwards.
        set: async (scope, key, value) => right.set(scope, key, value),
        delete: async (scope, key) => later().then(() => right.delete(scope, key)),
        keys: async (scope) => later().then(() => right.keys(scope)),
        clear: async (scope) => later().then(() => right.clear(scope)),
      }));
    expect(await failuresOf(slow)).toEqual([]);
  });
});

describe("a store that is broken", () => {
  it.each<[string, Parameters<typeof store>[0], string[]]>([
    [
      "gives out what it holds",
      (entries) => ({ get: (scope, key) => entries.get(JSON.stringify([scope, key]))?.value }),
      ["shares nothing with the value that was read"],
    ],
    [
      "holds what it was given",
      (entries, right) => ({
        set(scope, key, value) {
          right.set(scope, key, value);
          entries.set(JSON.stringify([scope, key]), { scope, key, value });
        },
      }),
      ["shares nothing with the value that was written"],
    ],
    [
      "joins scope and key with a colon",
      (_entries, right) => ({
        get: (scope, key) => right.get("", `${scope}:${key}`),
        set: (scope, key, value) => right.set("", `${scope}:${key}`, value),
        delete: (scope, key) => right.delete("", `${scope}:${key}`),
        keys: async (scope) =>
          (await right.keys(""))
            .filter((name) => name.startsWith(`${scope}:`))
            .map((name) => name.slice(scope.length + 1)),
        async clear(scope) {
          for (const name of await right.keys("")) if (name.startsWith(`${scope}:`)) await right.delete("", name);
        },
      }),
      ["keeps scopes separate, with any names", "clears only one scope", "deletes in only one scope", WALK],
    ],
    [
      "clears whatever begins alike",
      (entries) => ({
        clear(scope) {
          for (const [at, entry] of entries) if (entry.scope.startsWith(scope)) entries.delete(at);
        },
      }),
      ["clears only one scope", WALK],
    ],
    [
      "sorts keys by code point",
      (_entries, right) => ({
        keys: async (scope) => (await right.keys(scope)).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      }),
      ["sorts keys by code unit"],
    ],
    [
      "gives keys in the order of writing",
      (entries) => ({
        keys: (scope) => [...entries.values()].filter((entry) => entry.scope === scope).map(({ key }) => key),
      }),
      ["sorts keys by code unit", "keeps scopes separate, with any names", "clears only one scope", WALK].concat(
        "keeps every value of concurrent calls",
      ),
    ],
    [
      "says of every delete that it did something",
      (_entries, right) => ({
        delete: async (scope, key) => right.delete(scope, key) || true,
      }),
      [
        "reads a missing key as undefined, without losing other entries",
        "deletes one key, once",
        WALK,
        "deletes a key for only one of many concurrent calls",
      ],
    ],
    [
      "takes null for nothing",
      (_entries, right) => ({ get: async (scope, key) => (await right.get(scope, key)) ?? undefined }),
      ["keeps null as a value, different from no value", WALK],
    ],
    [
      "writes JSON with JSON.stringify alone",
      (entries) => ({
        set(scope, key, value) {
          const text = JSON.stringify(value) as string | undefined;
          if (text === undefined) throw new AgentError("memory-failed", "no JSON");
          entries.set(JSON.stringify([scope, key]), { scope, key, value: JSON.parse(text) as JsonValue });
        },
      }),
      [REFUSES],
    ],
    [
      "loses the old value when it refuses the new one",
      (_entries, right) => ({
        async set(scope, key, value) {
          await right.delete(scope, key);
          await right.set(scope, key, value);
        },
      }),
      [REFUSES],
    ],
    [
      "merges a new object into the old one",
      (_entries, right) => ({
        async set(scope, key, value) {
          const old = await right.get(scope, key);
          await right.set(scope, key, value);
          if (isObject(old) && isObject(value)) await right.set(scope, key, { ...old, ...value });
        },
      }),
      ["replaces the whole value with a new one"],
    ],
    [
      "assigns __proto__ instead of keeping it",
      (_entries, right) => ({
        async get(scope, key) {
          const value = await right.get(scope, key);
          return isObject(value) ? Object.assign({}, value) : value;
        },
      }),
      ["keeps __proto__ and the names of every object's methods as data"],
    ],
    [
      "normalises the text of its keys",
      (_entries, right) => ({
        get: (scope, key) => right.get(scope, key.normalize("NFC")),
        set: (scope, key, value) => right.set(scope, key.normalize("NFC"), value),
      }),
      ["sorts keys by code unit", "keeps keys separate that only look alike"],
    ],
    [
      "ends names at a NUL",
      (_entries, right) => ({
        get: (scope, key) => right.get(scope, key.split("\0")[0]!),
        set: (scope, key, value) => right.set(scope, key.split("\0")[0]!, value),
      }),
      [
        "sorts keys by code unit",
        "keeps keys separate that only look alike",
        "keeps scopes separate, with any names",
        "clears only one scope",
        "deletes in only one scope",
      ],
    ],
    [
      "keeps names as UTF-8",
      (_entries, right) => ({
        get: (scope, key) => right.get(scope, Buffer.from(key).toString()),
        set: (scope, key, value) => right.set(scope, Buffer.from(key).toString(), value),
      }),
      [HALVES],
    ],
    [
      "cuts off long texts",
      (_entries, right) => ({
        set: (scope, key, value) => right.set(scope, key, typeof value === "string" ? value.slice(0, 65_535) : value),
      }),
      ["keeps large values"],
    ],
    [
      "gives out its own list of keys",
      (_entries, right) => {
        const lists = new Map<string, string[]>();
        const forgetting =
          <A extends unknown[], R>(call: (scope: string, ...rest: A) => R) =>
          (scope: string, ...rest: A) => {
            lists.delete(scope);
            return call(scope, ...rest);
          };
        return {
          async keys(scope) {
            const list = lists.get(scope) ?? (await right.keys(scope));
            lists.set(scope, list);
            return list;
          },
          set: forgetting(right.set),
          delete: forgetting(right.delete),
          clear: forgetting(right.clear),
        };
      },
      ["gives a list of keys that is the caller's own"],
    ],
    [
      "reads, waits and writes back a whole scope",
      (_entries, right) => {
        const scopes = new Map<string, Map<string, JsonValue>>();
        const read = async (scope: string) => {
          const copy = new Map(scopes.get(scope));
          await later();
          return copy;
        };
        return {
          get: async (scope, key) => structuredClone(scopes.get(scope)?.get(key)),
          async set(scope, key, value) {
            await right.set(scope, key, value);
            const own = (await right.get(scope, key)) as JsonValue;
            scopes.set(scope, (await read(scope)).set(key, own));
          },
          async delete(scope, key) {
            const copy = await read(scope);
            const wasThere = copy.delete(key);
            scopes.set(scope, copy);
            return wasThere;
          },
          keys: async (scope) => [...(scopes.get(scope)?.keys() ?? [])].sort(),
          clear: async (scope) => void scopes.delete(scope),
        };
      },
      [
        "keeps every value of concurrent calls",
        "deletes a key for only one of many concurrent calls",
        "clears one scope while another is written",
        MANY,
      ],
    ],
    [
      "cuts keys off",
      (_entries, right) => ({
        get: (scope, key) => right.get(scope, key.slice(0, 255)),
        set: (scope, key, value) => right.set(scope, key.slice(0, 255), value),
      }),
      [LONG],
    ],
    [
      "refuses long keys by any error",
      (_entries, right) => ({
        set(scope, key, value) {
          if (key.length > 512) throw new RangeError("key too long");
          return right.set(scope, key, value);
        },
      }),
      [LONG],
    ],
    [
      "refuses half a character by any error",
      (_entries, right) => ({
        async set(scope, key, value) {
          if (!key.isWellFormed()) throw new TypeError("no UTF-8");
          await right.set(scope, key, value);
        },
      }),
      [HALVES],
    ],
    [
      "lists a page of keys",
      (_entries, right) => ({ keys: async (scope) => (await right.keys(scope)).slice(0, 256) }),
      [MANY],
    ],
    [
      "clears a page of keys",
      (_entries, right) => ({
        async clear(scope) {
          for (const key of (await right.keys(scope)).slice(0, 256)) await right.delete(scope, key);
        },
      }),
      [MANY],
    ],
    [
      "keeps entries in plain objects",
      () => {
        const scopes: Record<string, Record<string, string>> = {};
        return {
          get(scope, key) {
            const text = Object.hasOwn(scopes, scope) ? scopes[scope]?.[key] : undefined;
            return typeof text === "string" ? (JSON.parse(text) as JsonValue) : undefined;
          },
          set(scope, key, value) {
            const own = createInMemoryRuntimeMemory();
            void own.set("", "", value);
            if (!Object.hasOwn(scopes, scope)) Object.defineProperty(scopes, scope, { value: {}, enumerable: true });
            (scopes[scope] as Record<string, string>)[key] = JSON.stringify(value);
          },
          delete(scope, key) {
            const entries = Object.hasOwn(scopes, scope) ? (scopes[scope] as Record<string, string>) : {};
            return Object.hasOwn(entries, key) && Reflect.deleteProperty(entries, key);
          },
          keys: (scope) => (Object.hasOwn(scopes, scope) ? Object.keys(scopes[scope] as object).sort() : []),
          clear(scope) {
            const entries = Object.hasOwn(scopes, scope) ? (scopes[scope] as Record<string, string>) : {};
            for (const key of Object.keys(entries)) Reflect.deleteProperty(entries, key);
          },
        };
      },
      [OF_OBJECTS, "sorts keys by code unit", "keeps __proto__ and the names of every object's methods as data"],
    ],
    [
      "writes back the whole store",
      (entries, right) => ({
        async set(scope, key, value) {
          await right.set("copied", "copied", value);
          const own = structuredClone(entries.get(JSON.stringify(["copied", "copied"]))?.value as JsonValue);
          entries.delete(JSON.stringify(["copied", "copied"]));
          const before = [...entries];
          await later();
          entries.clear();
          for (const [at, entry] of before) entries.set(at, entry);
          entries.set(JSON.stringify([scope, key]), { scope, key, value: own });
        },
      }),
      ["keeps every value of concurrent calls", "clears one scope while another is written", MANY],
    ],
    [
      "ignores the case of scopes",
      (_entries, right) => ({
        get: (scope, key) => right.get(scope.toLowerCase(), key),
        set: (scope, key, value) => right.set(scope.toLowerCase(), key, value),
        delete: (scope, key) => right.delete(scope.toLowerCase(), key),
        keys: (scope) => right.keys(scope.toLowerCase()),
        clear: (scope) => right.clear(scope.toLowerCase()),
      }),
      ["keeps scopes separate, with any names", "clears only one scope", "deletes in only one scope"],
    ],
    [
      "takes an empty text for nothing",
      (_entries, right) => ({
        async get(scope, key) {
          const value = await right.get(scope, key);
          return value === "" ? undefined : value;
        },
      }),
      ["keeps every kind of JSON value", WALK],
    ],
    [
      "fails to close",
      () => ({
        close() {
          throw new Error("in use");
        },
      }),
      ["closes without an error"],
    ],
  ])("%s fails in the cases that say so, and in no other", async (_fault, broken, expected) => {
    expect((await failuresOf(() => store(broken))).sort()).toEqual([...expected].sort());
  });

  it("fails with both sides in the error", async () => {
    const cases = memoryConformance(async () => store(() => ({ delete: () => true })));
    const found = cases.find(({ name }) => name.startsWith("reads a missing key"))!;
    await expect(found.run()).rejects.toMatchObject({
      message:
        "delete: expected false, got true. " +
        "Return undefined for a missing key, false for its delete, and [] for its keys. Keep entries in a Map.",
      expected: false,
      actual: true,
    });
  });
});

describe("a case", () => {
  it("opens a store of its own and closes it, whether it fails or not", async () => {
    let open = 0;
    let opened = 0;
    const cases = memoryConformance(async () => {
      open += 1;
      opened += 1;
      return { ...store(() => ({ delete: () => true })), close: () => void (open -= 1) };
    });
    for (const { run } of cases) await run().catch(() => undefined);
    expect({ open, opened }).toEqual({ open: 0, opened: cases.length });
  });
});

function isObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
