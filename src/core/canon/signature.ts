// Ed25519 (RFC 8032) over bytes. The implementation comes by `#crypto`: node:crypto on Node, @noble/ed25519 elsewhere;
// signing is deterministic, so both give the same 64 bytes.

export { createSigner, verifySignature, type Signer } from "#crypto";
