// What is known of a vendor without its wire. It checks the options of a provider and recognises requests.

import type { VendorTraits } from "../providers/vendor-options.js";

export interface VendorClient {
  /** The base URLs built into them. */
  readonly baseURLs: readonly string[];
  /** The variable that replaces the base URL, and the path that its value has after a server's address. */
  readonly variable: string;
  readonly path: string;
}

export interface Traits extends VendorTraits {
  readonly client: VendorClient;
  /** True for a request for a conversation turn. `path` has no query. */
  isTurn(request: { readonly method: string; readonly path: string }): boolean;
}
