// A field of a request that nobody knows may change the answer. So on every wire it is compared: a replay misses if it was added,
// removed or changed. The requests are recorded ones, where there are any, and else the smallest of each wire.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CassetteError } from "../../src/cassette/errors.js";
import { createRecorder } from "../../src/cassette/record/recorder.js";
import { createShelf } from "../../src/cassette/serve/shelf.js";
import { AgentError } from "../../src/core/errors.js";
import type { WireName } from "../../src/core/vendors/table.js";
import { VENDORS, wireOf } from "../../src/core/vendors/vendors.js";
import { NOT_COMPARED } from "../../src/core/wire/fields.js";
import { json } from "../support/arbitraries.js";
import { fixedPorts } from "../support/recording.js";
import { say } from "../support/script.js";
import { hasShared, readSharedLines } from "../support/shared.js";
import { TURN_PATHS, turnBody } from "../support/wire-turns.js";

type Body = Record<string, unknown>;

interface Asked {
  path: string;
  body: Body;
}

const FILES: Readonly<Record<WireName, readonly string[]>> = {
  openai: ["openai", "mistral"],
  responses: ["openai-responses"],
  anthropic: ["anthropic"],
  gemini: ["gemini"],
  bedrock: ["bedrock-converse"],
  cohere: ["cohere"],
  ollama: ["ollama"],
};
/** Recorded requests of each wire, spread over its files. */
const SAMPLES = 40;

function readable(wire: WireName, asked: Asked): boolean {
  if (VENDORS[wire].findHeldState(asked.body) !== undefined) return false;
  try {
    createRecorder(() => "v", { ports: fixedPorts() }).open(VENDORS[wire].parse(asked.body, asked.path).request);
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/** Some recorded bodies are cut. */
function parse(text: string): Body | undefined {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return undefined;
  }
}

function recordedRequests(wire: WireName): Asked[] {
  if (!hasShared) return [];
  const lines = FILES[wire].flatMap((name) =>
    readSharedLines<{ request: { method?: string; url: string; body?: string } }>(`data/http/${name}.jsonl.gz`),
  );
  const all = lines.flatMap(({ request: { method = "POST", url, body } }): Asked[] => {
    const { pathname: path } = new URL(url, "http://localhost");
    if (body === undefined || !body.startsWith("{") || wireOf({ method, path })?.name !== wire) return [];
    const parsed = parse(body);
    return parsed === undefined ? [] : [{ path, body: parsed }];
  });
  const every = Math.max(1, Math.floor(all.length / SAMPLES));
  return all.filter((_, index) => index % every === 0).filter((asked) => readable(wire, asked));
}

/** Null stands for the vendor's default, and thread is the id of a conversation in a field that we know. */
const value = json.filter((given) => given !== null);
const known = new Set(Object.keys(NOT_COMPARED));

/** Replays a recording of `recorded` for `now`. Undefined if it is answered, else the code of the miss or the refusal. */
async function replay(wire: WireName, recorded: Asked, now: Body): Promise<string | undefined> {
  const quiet = { ...fixedPorts(), warn: () => undefined };
  const recorder = createRecorder(() => "v", { ports: quiet, redact: false });
  recorder.open(VENDORS[wire].parse(recorded.body, recorded.path).request).answer(say("a"));
  const shelf = createShelf([{ file: "a", cassette: recorder.toCassette(), names: [] }], { redact: false });
  try {
    const { request } = VENDORS[wire].parse(now, recorded.path);
    await shelf.answer(VENDORS[wire], request);
    return undefined;
  } catch (error) {
    if (error instanceof AgentError || error instanceof CassetteError) return error.code;
    throw error;
  }
}

describe.each(Object.keys(VENDORS) as WireName[])("a field of a request to %s that nobody knows", (wire) => {
  const requests = [{ path: TURN_PATHS[wire][0], body: turnBody(wire, "q") }, ...recordedRequests(wire)];
  const field = fc
    .stringMatching(/^[a-z][a-z_]{2,20}$/)
    .map((name) => `x_${name}`)
    .filter((name) => !known.has(name));

  it("is compared if it was added, removed or changed", async () => {
    if (hasShared) expect(requests.length).toBeGreaterThan(5);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...requests), field, value, value, async (asked, name, one, other) => {
        const [bare, first, second] = [{}, { [name]: one }, { [name]: other }].map((more) => ({
          ...asked.body,
          ...more,
        }));
        const at = (body: Body | undefined): Asked => ({ path: asked.path, body: body ?? {} });
        expect(await replay(wire, at(bare), bare ?? {})).toBeUndefined();
        expect(await replay(wire, at(bare), first ?? {})).toBe("settings-changed");
        expect(await replay(wire, at(first), bare ?? {})).toBe("settings-changed");
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        if (!isSame && !Object.is(one, other)) {
          const code = await replay(wire, at(first), second ?? {});
          // Two spellings of one value are one.
          expect([undefined, "settings-changed"]).toContain(code);
        }
        expect(await replay(wire, at(first), { ...first })).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  // Gemini has no field with an underscore in its name, so these are unknown there.
  const exceptions = [...known].filter((name) => name !== "thread" && !(wire === "gemini" && name.includes("_")));
  it.each(exceptions)("%s is the exception: it is not compared", async (name) => {
    const [asked = { path: "", body: {} }] = requests;
    expect(await replay(wire, asked, { ...asked.body, [name]: name === "stream" ? true : "changed" })).toBeUndefined();
  });

  it.skipIf(!hasShared)("no recorded field is dropped: every one that is changed or removed is noticed", async () => {
    const unnoticed = { changed: new Set<string>(), removed: new Set<string>() };
    for (const asked of requests.slice(1)) {
      for (const name of Object.keys(asked.body)) {
        if (known.has(name) || asked.body[name] === null) continue;
        const { [name]: _, ...without } = asked.body;
        const said = JSON.stringify(asked.body[name]);
        if (!isEmpty.test(said) && (await replay(wire, asked, without)) === undefined) {
          unnoticed.removed.add(`${name}: ${said}`);
        }
        const changed = { ...asked.body, [name]: { brand_new: 1 } };
        if ((await replay(wire, asked, changed)) === undefined) unnoticed.changed.add(name);
      }
    }
    expect([[...unnoticed.changed], [...unnoticed.removed].sort()]).toEqual([[], SAME_IF_ABSENT[wire]]);
  });
});

/** Says nothing, as absence does. */
const isEmpty = /^(""|\[\]|\{\}|\{"parts":\{"text":""\}\}|\[\{"text":""\}\])$/;

/** Fields that say in some recordings what their absence says, too. */
const SAME_IF_ABSENT: Readonly<Record<WireName, readonly string[]>> = {
  openai: ["n: 1"],
  responses: ['include: ["reasoning.encrypted_content"]'],
  anthropic: ["max_tokens: 4096"],
  gemini: [],
  bedrock: [],
  cohere: [],
  ollama: [],
};
