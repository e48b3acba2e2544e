// Messages of the two servers about requests that they do not accept.

/** What to do about other clients, such as one for embeddings. */
export const OWN_BASE =
  "Give clients for anything else their own base URL (the vendor's), so that only turns come here.";

/** Describes a request of a thread on the vendor's server. It follows the method and the path. */
export const SENT_AGAIN =
  "continues a conversation on the vendor's server (thread), which a recording cannot contain. There is nothing to do: toolRunner " +
  "and beta.messages.thread of @anthropic-ai/sdk now send the whole conversation.";
