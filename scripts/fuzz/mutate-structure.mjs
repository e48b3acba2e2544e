// The highest level: changes the values of a parsed file as an editor, a merge or an attacker would, and writes the
// file again. So only the format's own checks can notice the change.

/** Makes one or a few changes to the value of a file. `other` is the value of another file. */
export function mutateStructure(original, random, other) {
  let value = structuredClone(original);
  const done = [];
  for (let left = 1 + (random.chance(0.3) ? random.below(3) : 0); left > 0; left--) {
    const ways = Array.isArray(value?.entries) ? [...PLACE_WAYS, ...CASSETTE_WAYS, ...CASSETTE_WAYS] : PLACE_WAYS;
    const [name, way] = random.pick(ways);
    value = way(value, random, other) ?? value;
    done.push(name);
  }
  const indent = random.pick([0, 2, "\t"]);
  return { bytes: new TextEncoder().encode(JSON.stringify(value, null, indent) ?? "null"), what: done.join("+") };
}

const LEAVES = [null, true, false, 0, -1, 1, 2, 1.5, 1e21, 2 ** 53, "", "0", "__proto__", "\u202e", [], {}];

/** Changes in one place, for any file. */
const PLACE_WAYS = Object.entries({
  set: (value, random) => atPlace(value, random, (owner, key) => define(owner, key, random.pick(LEAVES))),
  edit: (value, random) => atPlace(value, random, (owner, key) => define(owner, key, edit(owner[key], random))),
  drop: (value, random) =>
    atPlace(value, random, (owner, key) => (Array.isArray(owner) ? owner.splice(key, 1) : delete owner[key])),
  double: (value, random) =>
    atPlace(value, random, (owner, key) =>
      Array.isArray(owner) ? owner.splice(key, 0, owner[key]) : define(owner, `${key}_`, owner[key]),
    ),
  swap: (value, random) =>
    atPlace(value, random, (owner, key) => {
      const other = random.pick(Object.keys(owner));
      const kept = owner[key];
      define(owner, key, owner[other]);
      define(owner, other, kept);
    }),
  graft: (value, random, source) =>
    atPlace(value, random, (owner, key) =>
      atPlace(structuredClone(source), random, (from, at) => define(owner, key, from[at])),
    ),
  "add-key": (value, random) =>
    atPlace(value, random, (owner) => {
      if (!Array.isArray(owner)) define(owner, random.pick(["__proto__", "constructor", "toString", "x", ""]), 1);
    }),
  reorder: (value, random) => atPlace(value, random, (owner) => reorder(owner)),
});

/** Changes that know the format. */
const CASSETTE_WAYS = Object.entries({
  relabel: (value) => void (value.version = value.version === 2 ? 1 : 2),
  "strip-to-1": ({ agentId, recordedAt, recordedProvider, entries }) => ({
    version: 1,
    ...(agentId === undefined ? {} : { agentId }),
    recordedAt,
    recordedProvider,
    entries: entries.map((entry) => pickFields(entry, ["turnIndex", "promptHash", "response"])),
  }),
  "strip-in-part": (value, random) => {
    value.version = 1;
    delete value[random.pick(["cassetteId", "envelopeHash", "extensions", "signature"])];
  },
  "cut-signature": (value) => void delete value.signature,
  "other-key-id": (value) => void (value.signature && (value.signature.keyId = "somebody")),
  "cut-prompts": ({ entries }) => void entries.forEach((entry) => delete entry?.prompt),
  "cut-mark": ({ extensions }) => void (extensions && delete extensions.prompts),
  "move-cut": ({ entries }, random) => moveCut(entries, random),
  "drop-entry": ({ entries }, random) => void entries.splice(random.below(entries.length), 1),
  "swap-entries": ({ entries }, random) => {
    const [a, b] = [random.below(entries.length), random.below(entries.length)];
    if (entries.length > 0) [entries[a], entries[b]] = [entries[b], entries[a]];
  },
  "take-entry": ({ entries }, random, other) => {
    if (Array.isArray(other?.entries) && other.entries.length > 0)
      entries.push(structuredClone(random.pick(other.entries)));
  },
  renumber: ({ entries }) =>
    void entries.forEach((entry, index) => isObject(entry) && define(entry, "turnIndex", index)),
  "take-head": (value, random, other) => {
    const field = random.pick([
      "cassetteId",
      "recordedAt",
      "recordedProvider",
      "agentId",
      "extensions",
      "envelopeHash",
    ]);
    if (isObject(other) && Object.hasOwn(other, field)) value[field] = structuredClone(other[field]);
  },
  "swap-hashes": ({ entries }, random) => {
    const entry = random.pick(entries);
    if (isObject(entry)) [entry.promptHash, entry.responseHash] = [entry.responseHash, entry.promptHash];
  },
});

/** The same prompts, cut into `keep` and `messages` at another place. That is another spelling, not a change. */
function moveCut(entries, random) {
  const index = 1 + random.below(entries.length - 1);
  const [before, entry] = [wholePrompt(entries, index - 1), entries[index]];
  if (before === undefined || !Array.isArray(entry?.prompt?.messages)) return;
  const whole = [...before.slice(0, entry.prompt.keep), ...entry.prompt.messages];
  const keep = random.below(Math.min(before.length, whole.length) + 1);
  const isSame = keep <= entry.prompt.keep;
  entry.prompt = { keep, messages: isSame ? whole.slice(keep) : whole.slice(entry.prompt.keep) };
}

function wholePrompt(entries, last) {
  let whole = [];
  for (const entry of entries.slice(0, last + 1)) {
    if (!Array.isArray(entry?.prompt?.messages)) return undefined;
    whole = [...whole.slice(0, entry.prompt.keep), ...entry.prompt.messages];
  }
  return whole;
}

/** Calls `change` with a container somewhere in `value` and one of its keys. Does nothing if there is no container. */
function atPlace(value, random, change) {
  const owners = containersIn(value).filter((owner) => Object.keys(owner).length > 0);
  if (owners.length === 0) return undefined;
  const owner = random.pick(owners);
  const key = random.pick(Object.keys(owner));
  change(owner, Array.isArray(owner) ? Number(key) : key);
  return undefined;
}

function containersIn(value) {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(containersIn)];
}

function edit(leaf, random) {
  switch (typeof leaf) {
    case "string": {
      const at = random.below(leaf.length);
      return random.pick([
        `${leaf}.`,
        leaf.slice(1),
        leaf.slice(0, at) + "a" + leaf.slice(at + 1),
        leaf.toUpperCase(),
        ` ${leaf}`,
      ]);
    }
    case "number":
      return random.pick([leaf + 1, -leaf, leaf * 10, String(leaf), leaf + 0.5]);
    case "boolean":
      return !leaf;
    default:
      return leaf === null ? 0 : random.pick([null, [leaf], {}]);
  }
}

function reorder(owner) {
  if (Array.isArray(owner)) return void owner.reverse();
  const pairs = Object.entries(owner).reverse();
  for (const [key] of pairs) delete owner[key];
  for (const [key, value] of pairs) define(owner, key, value);
}

/** Sets a key as data, `__proto__` included. */
function define(owner, key, value) {
  Object.defineProperty(owner, key, { value, writable: true, enumerable: true, configurable: true });
}

function pickFields(entry, names) {
  return isObject(entry)
    ? Object.fromEntries(names.filter((name) => name in entry).map((name) => [name, entry[name]]))
    : entry;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
