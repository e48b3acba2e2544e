// Our replay of a cassette of one turn, read from its JSON and verified anew for each completion.

import { cassetteProvider } from "playhead/cassette";
import { recordExchanges } from "../../replay.mjs";
import { CONTENT, REQUEST } from "../exchange.mjs";

export { CONTENT };

export async function open() {
  const { messages } = REQUEST;
  const response = { message: { role: "assistant", content: CONTENT }, finalAnswer: CONTENT, stopReason: "stop" };
  const text = await recordExchanges([{ messages, response }]);
  return {
    ask: async () => (await cassetteProvider(JSON.parse(text)).turn({ messages })).message.content,
  };
}
