// Checked by tsc alone: what cannot be struck does not compile.

import { expectTypeOf } from "vitest";
import {
  collect,
  countingIds,
  fixedClock,
  faultyProvider,
  faultyTool,
  memoryFiles,
  memoryHost,
  seededBytes,
  surviveFaults,
  type Fault,
} from "../../src/harness/index.js";
import type { SurvivalRow } from "../../src/harness/faults/survive.js";
import type { Scheduled } from "../../src/harness/faults/plan.js";
import type { Injected } from "../../src/harness/faults/plan.js";
import type { CollectedStream } from "../../src/harness/doubles/collect.js";
import type { CollectedRun } from "../../src/harness/doubles/collect.js";
import type { CustomTool, LlmProviderAdapter, LlmStreamEvent, RunResult } from "../../src/core/index.js";

declare const provider: LlmProviderAdapter;
declare const tool: CustomTool;
declare const result: Promise<RunResult>;
declare const stream: AsyncIterable<LlmStreamEvent>;

const drawn = faultyProvider(provider, { faults: [{ kind: "hang" }], rate: 0.5, seed: 1, maxFaults: 2 });
expectTypeOf(drawn.injected).toEqualTypeOf<readonly Injected<Fault>[]>();
expectTypeOf(drawn.pending).toEqualTypeOf<readonly Scheduled<Fault>[]>();
faultyProvider(provider, { schedule: drawn.injected, wire: "ollama", ports: fixedClock() });
faultyTool(tool, { faults: [{ kind: "slow", ms: 5 }] });
// @ts-expect-error -- Without options nothing would be struck.
faultyProvider(provider);
// @ts-expect-error -- Neither faults nor a schedule.
faultyProvider(provider, {});
// @ts-expect-error -- A schedule names its calls; a rate has nothing to say there.
faultyProvider(provider, { schedule: [], rate: 1 });
// @ts-expect-error -- Faults of its own together with a schedule.
faultyProvider(provider, { schedule: [], faults: [{ kind: "hang" }] });
// @ts-expect-error -- An unknown option.
faultyProvider(provider, { faults: [{ kind: "hang" }], seeds: 1 });
// @ts-expect-error -- An unknown kind.
faultyProvider(provider, { faults: [{ kind: "gone" }] });
// @ts-expect-error -- A latency of no length.
faultyProvider(provider, { faults: [{ kind: "latency" }] });
// @ts-expect-error -- A field that hangs have none of.
faultyProvider(provider, { faults: [{ kind: "hang", ms: 5 }] });
// @ts-expect-error -- A fault of tools.
faultyProvider(provider, { faults: [{ kind: "huge" }] });
// @ts-expect-error -- No provider.
faultyProvider(null, { faults: [{ kind: "hang" }] });
// @ts-expect-error -- A wire that nobody speaks.
faultyProvider(provider, { faults: [{ kind: "hang" }], wire: "smoke" });
// @ts-expect-error -- A tool sends no bodies.
faultyTool(tool, { faults: [{ kind: "hang" }], wire: "openai" });
// @ts-expect-error -- Without options nothing would be struck.
faultyTool(tool);

expectTypeOf(surviveFaults(() => result)).toEqualTypeOf<Promise<SurvivalRow[]>>();
// @ts-expect-error -- The run itself in place of how to start one.
void surviveFaults(result);
// @ts-expect-error -- A run whose result nobody returns.
void surviveFaults(async () => {});
// @ts-expect-error -- An unknown option.
void surviveFaults(() => result, { call: [0] });

expectTypeOf(collect(result)).toEqualTypeOf<Promise<CollectedRun>>();
expectTypeOf(collect(stream)).toEqualTypeOf<Promise<CollectedStream>>();
// @ts-expect-error -- Neither a run nor a stream.
void collect(5);
// @ts-expect-error -- A stream that may not be there.
void collect(provider.stream?.({ messages: [] }));
// @ts-expect-error -- A prefix is a text.
countingIds(5);
// @ts-expect-error -- A seed is a number.
seededBytes("a");
// @ts-expect-error -- Texts by path.
memoryFiles({ "a.txt": 5 });
// @ts-expect-error -- A moment is a number.
fixedClock(new Date());
// @ts-expect-error -- An unknown option.
memoryHost({ sed: 1 });
