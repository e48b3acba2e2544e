// What the core asks of a platform's cryptography. Both implementations are checked against each other and against
// published vectors in test/platform, test/laws and test/vectors.

/** A running SHA-256. `copy` forks the state, so a long common prefix is hashed once. */
export interface Sha256 {
  /** Adds the UTF-8 bytes of `text`. */
  update(text: string): Sha256;
  copy(): Sha256;
  /** 64 lower-case hex digits. The state is used up. */
  digest(): string;
}

/** An Ed25519 private key, imported once. */
export interface Signer {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The 64-byte signature of `message`. */
  sign(message: Uint8Array): Uint8Array;
}
