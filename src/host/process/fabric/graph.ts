// The graph of a fabric: agents with their specs, barriers, and wires with their filters and maps.

import { isObject, showValue, unknownOptions, type CustomTool, type JsonValue } from "../../../core/index.js";
import { layOut, PlumbError, type Layout } from "../../../core/process/index.js";
import { readAgentSpec, type Environment, type LoadedSpec } from "../spec-file.js";

/** A wire of a fabric. Its filter and its map run in this process. */
export interface Wire {
  readonly from: string;
  readonly to: string;
  /** Changes each message. */
  readonly map?: (value: JsonValue) => JsonValue | Promise<JsonValue>;
  /** Drops a message for which it is false. Runs before `map`. */
  readonly filter?: (value: JsonValue) => boolean | Promise<boolean>;
  /** Only from `NAME.ctrl_out`: numbers the replies from 0. Each becomes `{"__step":0,"payload":…}`, before `filter` and `map`. */
  readonly session?: true;
}

/** An agent of a fabric: its spec, and how its process is started. */
export interface FabricAgent {
  /** The path of its spec. */
  readonly spec: string;
  /** The command that runs it, to which the spec is added. Default: `cassette agent`. */
  readonly command?: readonly string[];
  /** Further variables. They win over those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its cassette, for `cassette agent`. */
  readonly cassette?: string;
  /** Tools that run in this process. The agent gets those that its spec names in `tools`. */
  readonly tools?: readonly CustomTool[];
}

/**
 * Agents, and the wires between them. A wire can end at `input`, `output`, the name of a barrier, or `__LABEL` for a further output. The
 * ends at an agent are its name for its data, `NAME.telemetry`, `NAME.ctrl_out` and `NAME.ctrl_in`. A barrier lists its own inputs.
 */
export interface FabricGraph {
  readonly agents: Readonly<Record<string, FabricAgent>>;
  readonly barriers?: Readonly<Record<string, readonly string[]>>;
  readonly wires: readonly Wire[];
}

export interface OpenedGraph {
  readonly layout: Layout;
  readonly specs: ReadonlyMap<string, LoadedSpec>;
}

/** Checks everything before a process is started. Throws `PlumbError`. */
export async function openGraph(graph: FabricGraph, env: Environment): Promise<OpenedGraph> {
  const flaws = findFlaws(graph);
  if (flaws.length > 0)
    throw new PlumbError("graph-invalid", `the graph cannot run: ${flaws.join("; ")}`, "Correct the graph.");
  const { agents, barriers, wires } = graph;
  const shape = wires.map(({ from, to, map, filter, session }) => ({
    from,
    to,
    inline: map !== undefined || filter !== undefined || session === true,
  }));
  const layout = layOut({ agents: Object.keys(agents), wires: shape, ...(barriers === undefined ? {} : { barriers }) });
  const specs = new Map<string, LoadedSpec>();
  for (const [name, { spec }] of Object.entries(agents))
    specs.set(name, await readAgentSpec(spec, { ...env, ...agents[name]?.env }));
  const missing = Object.entries(agents).flatMap(([name, { tools = [] }]) =>
    (specs.get(name)?.spec.tools ?? [])
      .filter((used) => !tools.some((tool) => tool.name === used))
      .map((used) => `the spec of ${name} uses the tool ${used}, which is not among its tools`),
  );
  const stepless = wires.filter(({ from, session }) => session === true && !from.endsWith(".ctrl_out"));
  missing.push(
    ...stepless.map(({ from, to }) => `the wire from ${from} to ${to} has a session, but carries no replies`),
  );
  if (missing.length > 0)
    throw new PlumbError("graph-invalid", `the graph cannot run: ${missing.join("; ")}`, "Correct the graph.");
  const deaf = wires
    .flatMap(({ from, to }) => [from, to])
    .find((port) => {
      const [name = "", stream = ""] = port.split(".");
      return stream.startsWith("ctrl") && specs.get(name)?.spec.control !== true;
    });
  if (deaf === undefined) return { layout, specs };
  throw new PlumbError(
    "graph-invalid",
    `${deaf} is wired, but the agent takes no control messages`,
    'Write "control": true into its spec.',
  );
}

/** The mistakes that JavaScript callers, and TypeScript callers with a cast, can make. The core checks how the parts fit together. */
function findFlaws(graph: unknown): string[] {
  if (!isObject(graph) || !isObject(graph["agents"]) || !Array.isArray(graph["wires"]))
    return ["it must be an object with an object `agents` and a list `wires`"];
  const { agents, barriers = {}, wires } = graph as { agents: object; barriers?: unknown; wires: readonly unknown[] };
  const flaws = unknownOptions(graph, ["agents", "barriers", "wires"]).map(
    (name) => `it has the unknown field ${name}`,
  );
  if (!isObject(barriers)) flaws.push(`barriers is ${showValue(barriers)}, but must be an object`);
  else
    for (const [name, inputs] of Object.entries(barriers))
      if (!isTexts(inputs)) flaws.push(`barrier ${name} is ${showValue(inputs)}, but must be a list of inputs`);
  for (const [name, agent] of Object.entries(agents))
    flaws.push(...flawsOf(`agent ${name}`, agent, AGENT_FIELDS, ["spec"]));
  for (const [index, wire] of wires.entries())
    flaws.push(...flawsOf(`wire ${index}`, wire, WIRE_FIELDS, ["from", "to"]));
  return flaws;
}

type Fields = Readonly<Record<string, readonly [is: (value: unknown) => boolean, what: string]>>;

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText);
const isFunction = (value: unknown): boolean => typeof value === "function";
const isTable = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((text) => typeof text === "string");
const AGENT_FIELDS: Fields = {
  spec: [isText, "the path of a file"],
  command: [isTexts, "a list of strings, the first of which is the program"],
  env: [isTable, "an object of strings"],
  cassette: [isText, "the path of a file"],
  tools: [(value) => Array.isArray(value) && value.every(isObject), "a list of tools"],
};
const WIRE_FIELDS: Fields = {
  from: [isText, "the end of a wire"],
  to: [isText, "the end of a wire"],
  map: [isFunction, "a function"],
  filter: [isFunction, "a function"],
  session: [(value) => value === true, "true"],
};

function flawsOf(what: string, value: unknown, fields: Fields, required: readonly string[]): string[] {
  if (!isObject(value)) return [`${what} is ${showValue(value)}, but must be an object`];
  const unknown = unknownOptions(value, Object.keys(fields)).map((name) => `${what} has the unknown field ${name}`);
  const wrong = Object.entries(fields).filter(([name, [isValid]]) =>
    value[name] === undefined ? required.includes(name) : !isValid(value[name]),
  );
  return [
    ...unknown,
    ...wrong.map(([name, [, wanted]]) => `${name} of ${what} is ${showValue(value[name])}, but must be ${wanted}`),
  ];
}

/** The label of the output that `observe` adds. */
const TELEMETRY_LABEL = "__telemetry";

/** Adds a wire to the further output `__telemetry` from the telemetry of each agent, unless a wire takes it already. */
export function observe(graph: FabricGraph): FabricGraph {
  const taken = new Set(graph.wires.map(({ from }) => from));
  const ports = Object.keys(graph.agents).map((name) => `${name}.telemetry`);
  const wires = ports.filter((port) => !taken.has(port)).map((from) => ({ from, to: TELEMETRY_LABEL }));
  return { ...graph, wires: [...graph.wires, ...wires] };
}
