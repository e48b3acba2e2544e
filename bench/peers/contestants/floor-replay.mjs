// The verified floor: the request hashed, the response verified, a fresh object.

import { createReplay } from "../../floor/cassette.mjs";
import { COMPLETION, CONTENT, REQUEST } from "../exchange.mjs";

export { CONTENT };

export async function open() {
  const answer = createReplay([{ messages: REQUEST, response: COMPLETION }]);
  return { ask: async () => (await answer(REQUEST)).choices[0].message.content };
}
