// HTTP requests and answers as the doors hand them over. Bodies are plain bytes: the door has undone any content encoding.

/** A request as it came over HTTP. */
export interface PlainRequest {
  readonly method: string;
  /** Path and query, or a whole URL. */
  readonly url: string;
  /** The header `content-type`. */
  readonly type?: string | undefined;
  readonly body?: Uint8Array | undefined;
}

/** An answer as it came over HTTP, or as a recording gives it. */
export interface PlainAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The connection was cut before the answer was complete. */
  readonly isCut?: true;
}
