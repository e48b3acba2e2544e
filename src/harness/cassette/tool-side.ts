// The tools of a replayed test: live ones that are compared with the tape, or recorded results in their place.

import {
  CassetteError,
  cassetteTools,
  formatToolDrift,
  type Cassette,
  type CassetteTools,
  type RedactOption,
  type TapeResult,
  type ToleranceUse,
  type Tolerances,
  type ToolDrift,
} from "../../cassette/index.js";
import {
  defined,
  type CustomTool,
  type LlmProviderAdapter,
  type LlmTurnRequest,
  type VerbBodies,
} from "../../core/index.js";

/** The replayed side: the model's answers, the results of the tools, or both. */
export type ReplaySide = "model" | "tools" | "both";

/** `stop`: the run gets the live answer and then misses. `collect`: it gets the recorded one, and `done` lists all differences. */
export type OnToolDrift = "stop" | "collect";

/** How recorded and live tools answered. */
export interface ToolReport {
  /** Live answers that differ from the recorded ones. */
  readonly drift: readonly ToolDrift[];
  /** Recorded results that no call used. Empty if no tool came from `tools` or `verbs`. */
  readonly unused: readonly TapeResult[];
  /** The tolerances by which calls with other arguments were answered. */
  readonly tolerances: readonly ToleranceUse[];
}

/** The tools of a test, live or recorded: a part of {@link CassetteHandle}. */
export interface ToolSide {
  /** The tools for the agent, in place of `tools`. The same tools if nothing is replayed. */
  tools(tools: readonly CustomTool[]): CustomTool[];
  /** The verbs for the agent. Live verbs are not compared. */
  verbs(verbs: VerbBodies): VerbBodies;
  toolReport(): ToolReport;
  /** The recorded results, for tools of other frameworks. Undefined if the tools run live. */
  tape(): CassetteTools | undefined;
}

export const liveSide: ToolSide = {
  tools: (tools) => [...tools],
  verbs: (verbs) => verbs,
  toolReport: () => ({ drift: [], unused: [], tolerances: [] }),
  tape: () => undefined,
};

/** The tools of a replay. The tape is read when it is first needed, since a cassette without prompts has none. */
export function createToolSide(
  cassette: Cassette,
  file: string,
  side: ReplaySide,
  onToolDrift: OnToolDrift,
  redact: RedactOption,
  tolerances: Tolerances | undefined,
): ToolSide & { assertNoMiss: () => void; assertNoDrift: () => void } {
  let tape: CassetteTools | undefined;
  const ports = { warn: () => undefined };
  const tolerated = defined({ tolerances });
  const open = (): CassetteTools => (tape ??= cassetteTools(cassette, { file, redact, ports, ...tolerated }));
  return {
    tools(tools) {
      if (side !== "model") return open().replace(tools);
      return open().watch(tools, { answer: onToolDrift === "collect" ? "recorded" : "live" });
    },
    verbs: (verbs) => (side === "model" ? verbs : open().verbs),
    toolReport: () => ({ drift: tape?.drift ?? [], unused: tape?.unused() ?? [], tolerances: tape?.tolerances ?? [] }),
    tape: () => (side === "model" ? undefined : open()),
    assertNoMiss: () => {
      const [miss] = tape?.misses ?? [];
      if (miss !== undefined) throw miss;
    },
    assertNoDrift: () => {
      const drift = tape?.drift ?? [];
      if (drift.length === 0 || side !== "model") return;
      const summary = `${drift.length} tool ${drift.length === 1 ? "call is" : "calls are"} answered differently than recorded`;
      throw new CassetteError("tool-drift", `${summary}\n${formatToolDrift(drift)}`, {
        file,
        hint: "Repair the tool if the change is not intended. Otherwise record again.",
      });
    },
  };
}

/** The provider's answers until a miss of the tape, since a framework gives the model that error as a result. */
export function afterTools(real: LlmProviderAdapter, assertNoMiss: () => void): Omit<LlmProviderAdapter, "name"> {
  const turn = real.turn.bind(real);
  const stream = real.stream?.bind(real);
  return {
    async turn(request) {
      assertNoMiss();
      return turn(request);
    },
    ...(stream && {
      async *stream(request: LlmTurnRequest) {
        assertNoMiss();
        yield* stream(request);
      },
    }),
    ...(real.destroy && { destroy: async () => real.destroy?.() }),
  };
}
