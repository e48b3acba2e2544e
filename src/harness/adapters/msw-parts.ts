// The parts of MSW that the handlers need. They are apart from the adapter, which loads the wires of all vendors.

/** What is needed of MSW. */
export interface MswParts<Handler> {
  /** A handler for every method at the URLs that match. */
  handle(urls: RegExp, answer: (request: Request) => Promise<Response>): Handler;
  /** Sends a request past all handlers. */
  send(request: Request): Promise<Response>;
}

interface MswModule<Handler> {
  readonly http: { all(urls: RegExp, answer: (info: { request: Request }) => Promise<Response>): Handler };
  readonly bypass: (request: Request) => Request;
}

/** The parts of MSW 2 or 3. */
export function toMswParts<Handler>({ http, bypass }: MswModule<Handler>): MswParts<Handler> {
  return {
    handle: (urls, answer) => http.all(urls, ({ request }) => answer(request)),
    send: (request) => fetch(bypass(request)),
  };
}
