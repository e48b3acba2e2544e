// The shape of a bundle file, version 1: which cassettes belong to one run of several agents, the plan it followed and the
// path it took. Specification: docs/replay.md.

import type { CassetteV2 } from "../file/format.js";

/** What a bundle file's name ends with. */
export const BUNDLE_SUFFIX = ".bundle.json";

/** `conditional`: the edge had a `when`. Functions cannot be kept, so what it decided is kept as the path. */
export interface BundleEdge {
  from: string;
  to: string;
  conditional: boolean;
}

/** The plan of a run as a bundle keeps it: agents by id, and of conditions and inputs only that there was one. */
export interface BundlePlan {
  entry: string;
  /** In declared order, since the first edge that matches is taken. */
  edges: BundleEdge[];
  exits: string[];
}

/** How a run of several agents came to its end. */
export type BundleEnd = { kind: "exit" } | { kind: "no-edge" } | { kind: "cycle"; agentId: string; limit: number };

/** Which cassette is an agent's. Everything but the file's name is repeated from the cassette and must be equal there. */
export interface BundleMember {
  /** A plain file name beside the bundle. */
  cassette: string;
  cassetteId: string;
  envelopeHash: string;
  entries: number;
}

/** A bundle file, version 1 (docs/replay.md). */
export interface BundleFile {
  bundleVersion: 1;
  /** Absent when the run had no plan. */
  plan?: BundlePlan;
  /** The agents in the order they were entered, at least one. */
  path: string[];
  ended: BundleEnd;
  /** By the agent's id. */
  agents: Record<string, BundleMember>;
  /** Agents of the run that no model was asked for: they have no cassette. */
  unasked: string[];
  /** SHA-256 (hex) of all other fields as canonical JSON. */
  bundleHash: string;
}

/** A bundle with the cassettes it lists, each by its agent's id. */
export interface AgentBundle {
  bundle: BundleFile;
  cassettes: Record<string, CassetteV2>;
}

/** What is read of a plan as the runtime takes it. */
export interface PlanLike {
  readonly entry: string;
  readonly edges: readonly { readonly from: string; readonly to: string; readonly when?: unknown }[];
  readonly exits: readonly string[];
}

/** What is read of a run's result. */
export interface RunLike {
  readonly visits: readonly { readonly agentId: string }[];
  readonly ended: Readonly<BundleEnd>;
}
