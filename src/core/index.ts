// The door of the core. Other layers import this file alone.

export * from "./errors.js";
export { systemPorts, withSystemPorts, type Ports } from "./ports.js";
export { canonicalize } from "./canon/json.js";
export { copyJson, isSealed, seal } from "./canon/copy.js";
export {
  isPlainObject,
  MAX_JSON_DEPTH,
  NotJsonError,
  setOwn,
  toPointer,
  type JsonObject,
  type JsonValue,
  type NotJsonReason,
} from "./canon/value.js";
export { createSha256, hashJson, sha256Hex, type Sha256 } from "./canon/digest.js";
export { createSigner, verifySignature, type Signer } from "./canon/signature.js";
export * from "./model/message.js";
export * from "./model/usage.js";
export * from "./model/provider.js";
