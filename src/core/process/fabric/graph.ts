// The shape of a fabric: agents, barriers and the wires between their ports. Here a graph is checked, and its loops are found.

import { plural } from "../../text/show.js";
import { PlumbError } from "../errors.js";
import { NODE_NAME } from "../wire/item.js";
import { findLoops } from "./loops.js";

/** One wire. `inline`: the host changes or drops its messages on the way. */
export interface ShapeWire {
  readonly from: string;
  readonly to: string;
  readonly inline?: boolean;
}

/**
 * Ends of wires: `input`, `output`, `NAME` (the data of an agent, or a barrier), `NAME.telemetry`, `NAME.ctrl_out`, `NAME.ctrl_in`, and
 * `__LABEL` for a further output of the fabric. A barrier lists its own inputs.
 */
export interface GraphShape {
  readonly agents: readonly string[];
  readonly barriers?: Readonly<Record<string, readonly string[]>>;
  readonly wires: readonly ShapeWire[];
}

/** A wire, or half of an inline wire, which has a node in its middle. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

export interface Layout {
  readonly agents: readonly string[];
  readonly barriers: readonly string[];
  readonly edges: readonly Edge[];
  /** Wires whose messages the host handles: the name of the node for each, by its index in `wires`. */
  readonly inline: ReadonlyMap<number, string>;
  /** The loop of each node that is in one, numbered from 0. */
  readonly loopOf: ReadonlyMap<string, number>;
}

export function nodeOf(port: string): string {
  const dot = port.indexOf(".");
  return dot === -1 ? port : port.slice(0, dot);
}

/** The part after the dot. "" for data. */
export function streamOf(port: string): string {
  return port.slice(nodeOf(port).length + 1);
}

const RESERVED = ["input", "output"];
const SOURCES = ["", "telemetry", "ctrl_out"];
const TARGETS = ["", "ctrl_in"];
const LABEL = /^__[A-Za-z0-9_]{1,62}$/;

/** Checks a graph and finds its loops. Throws `PlumbError` `graph-invalid`, which names every flaw. */
export function layOut(shape: GraphShape): Layout {
  const flaws = findFlaws(shape);
  if (flaws.length > 0) throw invalidGraph(flaws);
  const barriers = Object.entries(shape.barriers ?? {});
  const inline = new Map<number, string>();
  const edges: Edge[] = barriers.flatMap(([to, inputs]) => inputs.map((from) => ({ from, to })));
  for (const [index, wire] of shape.wires.entries()) {
    if (wire.inline !== true) edges.push({ from: wire.from, to: wire.to });
    else {
      const node = `wire:${index}`;
      inline.set(index, node);
      edges.push({ from: wire.from, to: node }, { from: node, to: wire.to });
    }
  }
  const nodes = [...shape.agents, ...barriers.map(([name]) => name), ...inline.values()];
  const loopOf = findLoops(nodes, dataPaths(edges));
  const layout = { agents: shape.agents, barriers: barriers.map(([name]) => name), edges, inline, loopOf };
  const stuck = [...findClosedLoops(layout), ...findWaitingLoops(layout)];
  if (stuck.length > 0) throw invalidGraph(stuck);
  return layout;
}

function findFlaws({ agents, barriers = {}, wires }: GraphShape): string[] {
  const names = [...agents, ...Object.keys(barriers)];
  const flaws = names
    .filter((name) => !NODE_NAME.test(name) || RESERVED.includes(name) || LABEL.test(name))
    .map((name) => `${JSON.stringify(name)} cannot be the name of an agent or a barrier`);
  flaws.push(
    ...names.filter((name, index) => names.indexOf(name) < index).map((name) => `two nodes are named ${name}`),
  );
  if (agents.length === 0) flaws.push("the graph has no agent");

  const isAgent = (name: string): boolean => agents.includes(name);
  const isBarrier = (name: string): boolean => Object.hasOwn(barriers, name);
  const isSource = (port: string): boolean =>
    port === "input" || isBarrier(port) || (isAgent(nodeOf(port)) && SOURCES.includes(streamOf(port)));
  const isTarget = (port: string): boolean =>
    port === "output" || LABEL.test(port) || (isAgent(nodeOf(port)) && TARGETS.includes(streamOf(port)));

  for (const { from, to } of wires) {
    const wire = `the wire from ${from} to ${to}`;
    if (!isSource(from)) flaws.push(`${wire} begins at ${from}, which sends nothing`);
    if (isBarrier(to)) flaws.push(`${wire} ends at a barrier, which lists its own inputs`);
    else if (!isTarget(to)) flaws.push(`${wire} ends at ${to}, which takes nothing`);
  }
  for (const [name, inputs] of Object.entries(barriers)) {
    if (inputs.length < 2) flaws.push(`barrier ${name} has ${plural(inputs.length, "input")}, but needs 2 or more`);
    for (const from of inputs.filter((port) => !isSource(port)))
      flaws.push(`barrier ${name} has the input ${from}, which sends nothing`);
  }
  const fed = new Set(wires.map(({ to }) => to));
  flaws.push(...agents.filter((name) => !fed.has(name)).map((name) => `no wire ends at agent ${name}`));
  return flaws;
}

/** Loops that nothing can enter. They would wait for themselves for ever. */
function findClosedLoops({ edges, loopOf }: Layout): string[] {
  const entered = new Set(
    edges.filter(({ from, to }) => loopOf.get(nodeOf(from)) !== loopOf.get(to)).map(({ to }) => loopOf.get(to)),
  );
  return [...new Set(loopOf.values())]
    .filter((loop) => !entered.has(loop))
    .map((loop) => `nothing enters the loop of ${nodesOf(loopOf, loop).join(", ")}`);
}

/** Loops that pass no merge, so that each message in them would need an earlier one. */
function findWaitingLoops({ agents, barriers, edges, inline }: Layout): string[] {
  const inputs = (port: string): number => edges.filter(({ to }) => to === port).length;
  const nodes = [...agents, ...barriers, ...inline.values()].filter(
    (name) => barriers.includes(name) || inputs(name) < 2,
  );
  const loopOf = findLoops(nodes, dataPaths(edges));
  return [...new Set(loopOf.values())].map((loop) => `${nodesOf(loopOf, loop).join(", ")} wait for each other`);
}

/** Control does not lead to data. */
function dataPaths(edges: readonly Edge[]): [string, string][] {
  return edges.filter(({ to }) => streamOf(to) === "").map(({ from, to }) => [nodeOf(from), to]);
}

function nodesOf(loopOf: ReadonlyMap<string, number>, loop: number): string[] {
  return [...loopOf].filter(([name, own]) => own === loop && !name.includes(":")).map(([name]) => name);
}

function invalidGraph(flaws: readonly string[]): PlumbError {
  return new PlumbError("graph-invalid", `the graph cannot run: ${flaws.join("; ")}`, "Correct the graph.");
}
