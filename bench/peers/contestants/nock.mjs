// nock: an interceptor that stays.

import nock from "nock";
import { ask, COMPLETION_TEXT, CONTENT, HOST, JSON_TYPE, PATH } from "./exchange.mjs";

export { CONTENT };

export async function open() {
  nock.disableNetConnect();
  nock(HOST).persist().post(PATH).reply(200, COMPLETION_TEXT, JSON_TYPE);
  return { ask: () => ask(fetch, HOST) };
}
