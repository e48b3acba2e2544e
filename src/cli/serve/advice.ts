// What the two servers say about requests that they do not take, in the same words.

/** What to do about a client of something else, such as embeddings. */
export const OWN_BASE =
  "Give a client that asks for anything else a base URL of its own (the vendor's), so that only turns come here.";

/** A request of a thread on the vendor's server, and what its client does next; to be said after the method and the path. */
export const SENT_AGAIN =
  "continues a conversation on the vendor's server (thread), which no recording holds. toolRunner and beta.messages.thread " +
  "of @anthropic-ai/sdk now send the whole conversation by themselves: nothing to do.";
