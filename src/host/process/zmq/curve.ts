// Keys of CURVE. A socket talks only to the peers whose keys are on its list.

import { defined } from "../../../core/index.js";
import type { Environment } from "../spec-file.js";
import { invalid } from "./endpoint.js";
import type { ZmqDriver, ZmqReply } from "./driver.js";

/** Keys are text in Z85, 40 characters each. */
export interface CurveKeys {
  readonly publicKey: string;
  readonly secretKey: string;
  /** Who may connect. This process itself connects to the first one. */
  readonly peers: readonly [string, ...string[]];
}

const Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
const KEY_CHARACTERS = 40;
const KEY = /^[0-9a-zA-Z.\-:+=^!/*?&<>()[\]{}@%$#]{40}$/;

/** Throws `PlumbError` `endpoint-invalid`. No error shows a key. */
export function readCurveKeys(env: Environment): CurveKeys | undefined {
  const names = ["PLUMB_CURVE_PUBLIC", "PLUMB_CURVE_SECRET", "PLUMB_CURVE_PEER"] as const;
  const [publicKey, secretKey, peer] = names.map((name) => env[name] ?? "") as [string, string, string];
  if (`${publicKey}${secretKey}${peer}` === "") return undefined;
  const [first = "", ...others] = peer.split(",");
  if ([publicKey, secretKey, first, ...others].every((key) => KEY.test(key)))
    return { publicKey, secretKey, peers: [first, ...others] };
  const hint = `Set all three to keys in Z85, of ${KEY_CHARACTERS} characters. PLUMB_CURVE_PEER may list several, with commas.`;
  throw invalid(`${names.join(", ")} are not the keys that CURVE needs`, hint);
}

/** Five characters are four bytes, big-endian. */
function decodeZ85(text: string): Buffer {
  const bytes = Buffer.alloc((text.length / 5) * 4);
  for (let at = 0; at < text.length; at += 5) {
    let word = 0;
    for (const one of text.slice(at, at + 5)) word = word * 85 + Z85.indexOf(one);
    bytes.writeUInt32BE(word, (at / 5) * 4);
  }
  return bytes;
}

/** Decides who may connect to the sockets of a context (RFC 27, ZAP). Without it, any key would do. */
export async function guard(driver: ZmqDriver, context: object | undefined, { peers }: CurveKeys): Promise<ZmqReply> {
  const allowed = peers.map(decodeZ85);
  const socket = new driver.Reply({ ...defined({ context }), linger: 0 });
  await socket.bind("inproc://zeromq.zap.01");
  void (async () => {
    while (!socket.closed) {
      const [version = "", id = "", , , , mechanism, key] = await socket.receive();
      const isCurve = mechanism !== undefined && Buffer.from(mechanism).toString() === "CURVE";
      const isAllowed = isCurve && key !== undefined && allowed.some((one) => one.equals(key));
      await socket.send([version, id, isAllowed ? "200" : "400", isAllowed ? "OK" : "no", "", ""]);
    }
  })().catch(() => undefined);
  return socket;
}
