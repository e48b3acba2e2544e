// What the one loop is given for a turn of a session.

import { defined } from "../../defined.js";
import type { LoopInput } from "../../loop/boundary.js";
import type { Budget } from "../../loop/budget.js";
import type { Journal } from "../../loop/journal.js";
import type { RunControl } from "../../loop/run-control.js";
import type { RunMemory } from "../../model/memory.js";
import { bindVerbs } from "../../runtime/verbs.js";
import type { House } from "../live/house.js";
import type { PluginSeat } from "../plugins/seat.js";
import type { ResumedTurn } from "../state/keeper.js";
import type { CallIds } from "./call-ids.js";
import { countAnswers } from "./count-answers.js";
import type { Steps } from "./steps.js";
import type { Talk } from "./talk.js";

export interface LoopParts {
  readonly house: House;
  readonly talk: Talk;
  readonly steps: Steps;
  readonly seat: PluginSeat;
  readonly budget: Budget;
  readonly control: RunControl;
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly memory: RunMemory;
  readonly emit: LoopInput["emit"];
  readonly callId: CallIds["of"];
  /** Called just before each request. */
  readonly asked: (() => void) | undefined;
  /** Called with each call of the model and each answer, if `asked` is given. */
  readonly called: () => () => void;
  readonly answered: () => void;
  readonly journal: Journal | undefined;
  readonly resumed: ResumedTurn | undefined;
}

export function toLoopInput(parts: LoopParts): LoopInput {
  const { house, talk, steps, seat, signal, memory, callId, resumed } = parts;
  const { id, provider, tools, settings, timeoutMs } = house.definition;
  const { streaming, onToolError, maxCorrections, policies = [] } = house.definition;
  const asked = { signal, agentId: id, memory };
  // A function runs its own tools, so no policy is asked about them.
  const model = house.openModel?.();
  const { provider: answers = provider } = model ?? {};
  const { tools: own = tools, journal } = steps.seams;
  const guards = model === undefined ? [...seat.policies(), ...policies] : [];
  return {
    provider: parts.asked === undefined ? answers : countAnswers(answers, parts.called, parts.answered),
    tools: model?.tools ?? own,
    ...defined({ settings, timeoutMs, streaming, onToolError, maxCorrections }),
    ...(guards.length > 0 ? { policies: guards } : {}),
    budget: parts.budget,
    context: { ...asked, pluck: bindVerbs(undefined, asked) },
    runId: parts.runId,
    callIds: (call, turnIndex, callIndex) => callId(turnIndex, callIndex, call.id),
    ports: house.ports,
    control: parts.control,
    emit: parts.emit,
    history: talk.history,
    boundary: steps.boundaryOf(model?.hasMore),
    prepare: () => {
      parts.asked?.();
      const messages = talk.overlays.apply(talk.history, talk.userIndex, steps.count === 0);
      return messages === undefined ? undefined : { messages };
    },
    ...defined({ journal: journal?.(parts.journal) ?? parts.journal, pendingCalls: resumed?.pendingCalls }),
  };
}
