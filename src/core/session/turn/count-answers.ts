// Counts the calls and answers of a model as whoever wraps the model sees them, also those that an aborted turn has left.

import type { LlmProviderAdapter } from "../../model/provider.js";

/** `called` is called when a call begins, and its result when the call has ended. */
export function countAnswers(
  provider: LlmProviderAdapter,
  called: () => () => void,
  answered: () => void,
): LlmProviderAdapter {
  const stream = provider.stream?.bind(provider);
  const counted: LlmProviderAdapter = {
    async turn(request) {
      const ended = called();
      try {
        const response = await provider.turn(request);
        answered();
        return response;
      } finally {
        ended();
      }
    },
  };
  if (provider.name !== undefined) Object.assign(counted, { name: provider.name });
  if (stream === undefined) return counted;
  return {
    ...counted,
    async *stream(request) {
      const ended = called();
      try {
        for await (const event of stream(request)) {
          if (event.type === "response") answered();
          yield event;
        }
      } finally {
        ended();
      }
    },
  };
}
