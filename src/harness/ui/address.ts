// The addresses of the pages. Each is a query of one address, so none can lead to another server.

/** The query of a page. Without fields it is the list. */
export function addressOf(fields: Readonly<Record<string, string | undefined>>, place = ""): string {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [`${name}=${encode(value)}`],
  );
  return `?${parts.join("&")}${place === "" ? "" : `#${place}`}`;
}

/** Leaves only letters, digits and `%-._~*`, so that the template takes it as an address. A lone surrogate becomes U+FFFD. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A page in the folder of this page. Undefined for a file whose name has no extension `.html`. */
export function pageAddress(name: string): string | undefined {
  return /.\.html$/s.test(name) ? `./${encode(name)}` : undefined;
}

/** The page of a recording or report, at a turn if one is given. */
export function fileAddress(file: string, turn?: number): string {
  return addressOf({ file }, turn === undefined ? "" : `turn-${turn}`);
}
