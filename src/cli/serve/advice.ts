// Hints of the two servers about requests that they do not accept.

/** For a client of other APIs, such as embeddings. */
export const OWN_BASE = "Give a client of other APIs the vendor's base URL, so that only turns come here.";

/** For a request that continues a thread. It follows the method and the path. */
export const SENT_AGAIN =
  "continues a conversation on the vendor's server (thread), which no recording holds. toolRunner and beta.messages.thread " +
  "of @anthropic-ai/sdk now send the whole conversation by themselves: nothing to do.";
