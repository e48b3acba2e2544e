// Dead Simple Signing Envelope 1.0.0 (secure-systems-lab/dsse, protocol.md and envelope.md). The signature covers the payload and its
// type, so that it is valid for one kind of statement only.

import { toBase64 } from "./bytes.js";

/** One signature of an envelope. The `keyid` is a hint for finding the key and proves nothing. */
export interface DsseSignature {
  keyid: string;
  /** Base64. */
  sig: string;
}

/** The JSON form. It holds no keys: the verifier must have them. */
export interface DsseEnvelope {
  payloadType: string;
  /** Base64. */
  payload: string;
  signatures: DsseSignature[];
}

const encoder = new TextEncoder();

/** `PAE(type, body)` of the protocol: the bytes that are signed. Lengths are in bytes. */
export function preAuthEncode(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = encoder.encode(payloadType);
  const head = encoder.encode(`DSSEv1 ${type.length} ${payloadType} ${payload.length} `);
  const bytes = new Uint8Array(head.length + payload.length);
  bytes.set(head);
  bytes.set(payload, head.length);
  return bytes;
}

export function toEnvelope(payloadType: string, text: string, signatures: DsseSignature[]): DsseEnvelope {
  return { payloadType, payload: toBase64(encoder.encode(text)), signatures };
}
