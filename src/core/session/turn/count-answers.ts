// Counts the answers of a model as whoever wraps the model sees them, also one that an aborted turn never takes.

import type { LlmProviderAdapter } from "../../model/provider.js";

export function countAnswers(provider: LlmProviderAdapter, answered: () => void): LlmProviderAdapter {
  const stream = provider.stream?.bind(provider);
  const counted: LlmProviderAdapter = {
    async turn(request) {
      const response = await provider.turn(request);
      answered();
      return response;
    },
  };
  if (provider.name !== undefined) Object.assign(counted, { name: provider.name });
  if (stream === undefined) return counted;
  return {
    ...counted,
    async *stream(request) {
      for await (const event of stream(request)) {
        if (event.type === "response") answered();
        yield event;
      }
    },
  };
}
