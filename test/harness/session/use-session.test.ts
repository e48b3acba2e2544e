// One bundle for agents that delegate: recorded once, replayed exactly, and refused where it was changed or the run differs.

import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hashBundle } from "../../../src/cassette/bundle/check.js";
import type { BundleFile } from "../../../src/cassette/bundle/format.js";
import { hashEnvelope } from "../../../src/cassette/file/hashes.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../../src/core/model/provider.js";
import { Agent, resumeAndDrain } from "../../../src/core/session/agent.js";
import type { SessionEvent } from "../../../src/core/session/event.js";
import { createInMemoryExecutionHost } from "../../../src/core/session/memory-host/host.js";
import type { ExecutionHost, ExecutionStore } from "../../../src/core/session/ports/execution-host.js";
import { createUseSession, type UseSessionOptions } from "../../../src/harness/session/use-session.js";
import { memoryFiles } from "../../support/memory-files.js";
import { rejection } from "../../support/refusal.js";
import { ask, quietPorts, say } from "../../support/script.js";
import { readRun } from "../../support/sessions.js";
import { launch, taskIdsIn } from "../../support/subagents.js";

const FILE = "runs/desk.bundle.json";
const HELPERS = ["a", "b", "c"];

/** Launches the helpers, says so, and retrieves what a reminder names. */
function lead(messages: readonly LlmMessage[]): LlmTurnResponse {
  const last = messages.at(-1);
  const text = String(last?.content);
  if (text.startsWith("<system-reminder>"))
    return ask(
      taskIdsIn([last as LlmMessage]).map((task_id) => ({ name: "background_output", arguments: { task_id } })),
    );
  if (last?.role === "user") return ask(HELPERS.map((name) => launch(name)));
  return say(text.includes('"running"') ? "launched" : "done");
}

/** A model that answers after a while. */
function delayed(answer: (messages: readonly LlmMessage[]) => LlmTurnResponse): LlmProviderAdapter {
  return {
    async turn({ messages, signal }) {
      const sent = [...messages];
      await pause();
      signal?.throwIfAborted();
      return answer(sent);
    },
  };
}

const pause = (most = 8) => new Promise((resolve) => setTimeout(resolve, Math.random() * most));

function slow(model: LlmProviderAdapter): LlmProviderAdapter {
  return {
    ...(model.name === undefined ? {} : { name: model.name }),
    async turn(request) {
      await pause();
      request.signal?.throwIfAborted();
      return model.turn(request);
    },
  };
}

const never = (): LlmProviderAdapter => {
  throw new Error("a replay made the live provider");
};

interface Play extends UseSessionOptions {
  readonly live?: (name: string) => LlmProviderAdapter;
  readonly text?: string;
  /** Ends before the helpers are done. */
  readonly isShort?: boolean;
  /** The jobs are runs of a durable host, and a worker carries them out. */
  readonly isDurable?: boolean;
}

/** A host whose worker carries out background jobs, and leaves notifications to the test. Its answers come a while after their effect. */
function durableHost(agent: () => Agent): ExecutionHost {
  const host = createInMemoryExecutionHost({
    backgroundSubagents: "durable",
    async onResume(runId) {
      const run = await host.store.runs.get(runId);
      if (run?.kind === "background-subagent") await resumeAndDrain(agent(), runId);
    },
  });
  const transaction: ExecutionStore["transaction"] = async (work) => {
    let isClaim = false;
    const result = await host.store.transaction((tx) => {
      const claim: typeof tx.runs.claim = (...given) => {
        isClaim = true;
        return tx.runs.claim(...given);
      };
      return work({ ...tx, runs: { ...tx.runs, claim } });
    });
    if (isClaim) await pause(60);
    return result;
  };
  return { ...host, store: { ...host.store, transaction } };
}

async function play(
  texts: Record<string, string>,
  { live, text = "go", isShort = false, isDurable = false, ...options }: Play = {},
) {
  const files = memoryFiles(texts);
  const beside = (path: string, name = "") => join(dirname(path), name);
  const session = await createUseSession({ files, environment: {} }, beside)(FILE, options);
  const open = (name: string) => {
    const { model, ...rest } = session.agent(name, live === undefined ? never : () => live(name));
    return { ...rest, model: slow(model), ports: quietPorts() };
  };
  const subagents = HELPERS.map((name) => new Agent({ ...open(name), description: `Does ${name}.` }));
  const host = isDurable ? { host: durableHost(() => agent) } : {};
  const agent: Agent = new Agent({ ...open("lead"), subagents, ...host });
  const events: SessionEvent[] = await readRun(await agent.send(text));
  const own = agent.session("default");
  for (let id = isShort ? null : await own.nextNotification(); id !== null; id = await own.nextNotification())
    events.push(...(await readRun((await agent.resume(id)) as NonNullable<Awaited<ReturnType<typeof agent.resume>>>)));
  const done = () => session.done();
  return { files, done, events: events.filter(({ type }) => type !== "subagent-job-update") };
}

async function record(more: Play = {}) {
  const live = (name: string) => delayed(name === "lead" ? lead : () => say(`${name} is done`));
  const { files, done, events } = await play({}, { mode: "record", live, ...more });
  await done();
  return { texts: Object.fromEntries(files.texts), events };
}

/** The texts with the arrivals of the coordinator changed. `isSealed`: with all hashes taken again. */
function withArrivals(
  texts: Record<string, string>,
  change: (arrivals: { at: string }[]) => unknown[],
  isSealed: boolean,
) {
  const bundle = JSON.parse(texts[FILE] as string) as BundleFile;
  const member = bundle.agents["lead"] as BundleFile["agents"][string];
  const file = `runs/${member.cassette}`;
  const cassette = JSON.parse(texts[file] as string) as CassetteV2;
  const extensions = cassette.extensions as { arrivals: { at: string }[] };
  extensions.arrivals = change(extensions.arrivals) as { at: string }[];
  if (isSealed) {
    cassette.envelopeHash = hashEnvelope(cassette);
    member.envelopeHash = cassette.envelopeHash;
    bundle.bundleHash = hashBundle(bundle);
  }
  return { ...texts, [FILE]: JSON.stringify(bundle), [file]: JSON.stringify(cassette) };
}

describe("useSession", () => {
  it("PSS-57 replays a coordinator and its background jobs with other delays: equal events, nothing unused", async () => {
    const { texts, events } = await record();
    const bundle = JSON.parse(texts[FILE] as string) as BundleFile;
    expect(Object.keys(bundle.agents).sort()).toEqual(["a", "b", "c", "lead"]);
    expect([...bundle.path].sort().filter((name) => name !== "lead")).toEqual(["a", "b", "c"]);
    for (let round = 0; round < 10; round++) {
      const replay = await play(texts);
      expect(replay.events).toEqual(events);
      await replay.done();
    }
  });

  it("PSS-57 PSS-85 replays jobs of a durable host with other delays, there and in one process", async () => {
    const { texts, events } = await record({ isDurable: true });
    for (let round = 0; round < 50; round++) {
      const replay = await play(texts, { isDurable: round % 2 === 0 });
      expect(replay.events).toEqual(events);
      await replay.done();
    }
  });

  it.each([false, true])(
    "PSS-40 replays a job that was cancelled half-way, with no turn unused (durable: %s)",
    async (isDurable) => {
      const cancelling = (messages: readonly LlmMessage[]): LlmTurnResponse => {
        const text = String(messages.at(-1)?.content);
        if (messages.length === 1) return ask(HELPERS.map((name) => launch(name)));
        if (!text.includes('"running"')) return say("stopped");
        return ask(taskIdsIn(messages).map((task_id) => ({ name: "background_cancel", arguments: { task_id } })));
      };
      const endless = () => ask([{ name: "nothing" }]);
      const live = (name: string) => delayed(name === "lead" ? cancelling : endless);
      for (let round = 0; round < 5; round++) {
        const recorded = await play({}, { mode: "record", live, isDurable });
        await recorded.done();
        const replayed = await play(Object.fromEntries(recorded.files.texts), { isDurable });
        expect(replayed.events).toEqual(recorded.events);
        await replayed.done();
      }
    },
  );

  it("refuses arrivals that were changed by hand", async () => {
    const { texts } = await record();
    const moved = withArrivals(texts, (arrivals) => arrivals.map((one) => ({ ...one, at: "9.idle" })), false);
    expect(await rejection(play(moved))).toMatchObject({ code: "envelope-hash" });
    const malformed = withArrivals(texts, () => [{ session: 0, task: "x", at: "never" }], true);
    expect(await rejection(play(malformed))).toMatchObject({ code: "wrong-type" });
  });

  it("names the drift of arrivals that were changed and sealed again", async () => {
    const { texts } = await record();
    const foreign = { session: 0, task: "bg_0000000000000000", at: "1.0.step-end" };
    const added = await play(withArrivals(texts, (arrivals) => [foreign, ...arrivals], true));
    expect(added.events.at(-1)).toMatchObject({ type: "turn-error", code: "arrival-drift" });
    const late = await play(
      withArrivals(texts, (arrivals) => arrivals.map((one) => ({ ...one, at: "9.idle" })), true),
      {
        isShort: true,
      },
    );
    expect(["path-changed", "unconsumed"]).toContain(((await rejection(late.done())) as { code: string }).code);
  });

  it("fails on a miss, on unused turns and on an agent that was not opened", async () => {
    const { texts } = await record();
    const other = await play(texts, { text: "something else", isShort: true });
    expect(await rejection(other.done())).toMatchObject({ code: "prompt-changed" });
    const files = memoryFiles(texts);
    const session = await createUseSession({ files, environment: {} }, (path, name = "") => join(dirname(path), name))(
      FILE,
    );
    session.agent("lead", never);
    expect(() => session.agent("lead", never)).toThrow(/opened already/);
    expect(() => session.agent("z", never)).toThrow(/was not recorded/);
    expect(await rejection(session.done())).toMatchObject({ code: "plan-changed" });
  });

  it("refuses a file that exists before anything is spent, and a mode that cannot be", async () => {
    const { texts } = await record();
    expect(await rejection(play(texts, { mode: "record", live: never }))).toMatchObject({ code: "file-exists" });
    expect(await rejection(play(texts, { mode: "from-first-miss" }))).toMatchObject({ code: "invalid-options" });
    expect(await rejection(play({}))).toMatchObject({ code: "file-not-found" });
  });
});
