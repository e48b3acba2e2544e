// A second front door of the turn core: a session that keeps its messages from one message of its user to the next.

import type { NodeEventBody } from "../../src/core/vertex/events.js";
import { createNodeProjection } from "../../src/core/vertex/events.js";
import { createHeard } from "../../src/core/vertex/attempts.js";
import { runAgentTurn, type AgentTurnInput } from "../../src/core/vertex/turn.js";
import { seal } from "../../src/core/canon/copy.js";
import { systemPorts } from "../../src/core/ports.js";
import type { LlmMessage } from "../../src/core/model/message.js";

type Given = Pick<AgentTurnInput, "provider" | "tools" | "limits"> & { readonly signal?: AbortSignal };

export function openSession({ signal = new AbortController().signal, ...given }: Given) {
  const messages: LlmMessage[] = [];
  const events: NodeEventBody[] = [];
  const emit = (event: NodeEventBody) => void events.push(event);
  return {
    messages,
    events,
    async send(content: string) {
      messages.push(seal({ role: "user", content }));
      const project = createNodeProjection({ nodeId: "session", model: "m-1" });
      const heard = createHeard((fact) => {
        const event = project(fact);
        if (event !== undefined) emit(event);
      });
      const names = { nodeId: "session", model: "m-1" };
      return runAgentTurn({
        ...names,
        ...given,
        messages,
        heard,
        project,
        emit,
        signal,
        maxCorrections: 3,
        ports: systemPorts,
      });
    },
  };
}
