// The shape of a bundle file, version 1: the cassettes of one run of several agents. Specification: docs/replay.md.

import type { CassetteV2 } from "../file/format.js";

export const BUNDLE_SUFFIX = ".bundle.json";

/** `conditional`: the edge had a `when`. A function cannot be kept; the path shows what it decided. */
export interface BundleEdge {
  from: string;
  to: string;
  conditional: boolean;
}

/** The plan of a run as a bundle keeps it: agents by id, and whether an edge had a condition. */
export interface BundlePlan {
  entry: string;
  /** In declared order, since the first edge that matches is taken. */
  edges: BundleEdge[];
  exits: string[];
}

export type BundleEnd = { kind: "exit" } | { kind: "no-edge" } | { kind: "cycle"; agentId: string; limit: number };

/** The cassette of an agent. All fields but the file name repeat the cassette's, and must equal them. */
export interface BundleMember {
  /** A plain file name in the bundle's folder. */
  cassette: string;
  cassetteId: string;
  envelopeHash: string;
  entries: number;
}

export interface BundleFile {
  bundleVersion: 1;
  /** Absent when the run had no plan. */
  plan?: BundlePlan;
  /** The agents in the order they were entered, at least one. */
  path: string[];
  ended: BundleEnd;
  /** By the agent's id. */
  agents: Record<string, BundleMember>;
  /** Agents that made no model call, and so have no cassette. */
  unasked: string[];
  /** SHA-256 (hex) of all other fields as canonical JSON. */
  bundleHash: string;
}

/** A bundle with the cassettes it lists, each by its agent's id. */
export interface AgentBundle {
  bundle: BundleFile;
  cassettes: Record<string, CassetteV2>;
}

/** The part of the runtime's plan that is read. */
export interface PlanLike {
  readonly entry: string;
  readonly edges: readonly { readonly from: string; readonly to: string; readonly when?: unknown }[];
  readonly exits: readonly string[];
}

/** The part of a run's result that is read. */
export interface RunLike {
  readonly visits: readonly { readonly agentId: string }[];
  readonly ended: Readonly<BundleEnd>;
}
