// The contract of Storage as cases for any test runner. `memoryConformance` checks the memory of a storage.

import type { Storage } from "../../../core/index.js";
import { assertSame, fail, toClauses, type Clause } from "../../contract/clause.js";
import { missingMethods } from "../../contract/check-inputs.js";
import { readPatience, suiteFactory, toCases, type ConformanceCase, type ConformanceOptions } from "../case.js";
import { memoryConformance } from "../memory/suite.js";
import { conversationClauses } from "./conversations.js";

/** Opens a storage that is new and empty at each call. */
export type OpenStorage = () => Storage | Promise<Storage>;

const OWNER = "storageConformance";

const skillClauses: readonly Clause<Storage>[] = toClauses<Storage>({
  "has three stores with all their methods": {
    advice: "Give conversations, skills and memory, each with the methods of its interface.",
    check({ conversations, skills, memory }) {
      const lacks = [
        ...missingMethods(conversations, ["length", "read", "append", "list", "delete"]),
        ...missingMethods(skills, ["list", "load"]),
        ...missingMethods(memory, ["get", "set", "delete", "keys", "clear"]),
      ];
      assertSame("the missing methods", lacks, []);
    },
  },
  "lists skills by name, and loads each that it lists": {
    advice: "Sort the list by name, and give the same name and description with the body.",
    async check({ skills }) {
      const listed = await skills.list();
      assertSame(
        "the names",
        listed.map(({ name }) => name),
        listed.map(({ name }) => name).sort(),
      );
      for (const { name, description } of listed) {
        const skill = await skills.load(name);
        assertSame(`load of ${name}`, { name: skill?.name, description: skill?.description }, { name, description });
        if (typeof skill?.body !== "string") fail(`the body of ${name}`, typeof skill?.body, "string");
      }
    },
  },
  "loads no skill that it does not list": {
    advice: "Return undefined for an unknown name. A name never leads to another folder.",
    async check({ skills }) {
      for (const name of ["", "no-such-skill", "..", "../skills", "a/b", "__proto__"])
        assertSame(`load of ${JSON.stringify(name)}`, await skills.load(name), undefined);
    },
  },
});

/**
 * The cases for the storage that `open` returns, a new one at each call, empty except for its skills. Each case closes its storage. The
 * names of the cases are not stable, and later versions may add cases. Throws `AgentError` `invalid-options` for a value that is not a
 * function, and for an unknown option.
 */
export function storageConformance(open: OpenStorage, options: ConformanceOptions = {}): ConformanceCase[] {
  const patienceMs = readPatience(OWNER, options);
  const kind = { suite: OWNER, kind: "storage", methods: [], patienceMs, made: new WeakSet<object>() };
  const opened = suiteFactory<[], Storage>(kind, "open", open);
  const own = toCases([...skillClauses, ...conversationClauses], opened, patienceMs, (storage) => storage.close?.());
  const memory = memoryConformance(async () => {
    const storage = await opened();
    const { memory: store } = storage;
    return {
      get: (scope, key) => store.get(scope, key),
      set: (scope, key, value) => store.set(scope, key, value),
      delete: (scope, key) => store.delete(scope, key),
      keys: (scope) => store.keys(scope),
      clear: (scope) => store.clear(scope),
      close: () => storage.close?.(),
    };
  }, options);
  return [...own, ...memory.map((each) => ({ name: `memory: ${each.name}`, run: () => each.run() }))];
}
