// A path of a file as a URI reference (RFC 3986): relative where the path is, with everything escaped that is not a plain letter of
// a path segment, so that no name of a file can become a scheme, a query or another folder.

/** "a b/c#d.json" as "a%20b/c%23d.json", "/x/y" as "file:///x/y", "C:\\x" as "file:///C:/x". */
export function toUriReference(path: string): string {
  const slashed = /^[A-Za-z]:[\\/]|^[^/]*\\/.test(path) ? path.replaceAll("\\", "/") : path;
  const drive = /^[A-Za-z]:(?=\/)/.exec(slashed)?.[0];
  if (drive !== undefined) return `file:///${drive}${escaped(slashed.slice(2))}`;
  if (slashed.startsWith("/")) return `file://${escaped(slashed)}`;
  return escaped(slashed.replace(/^(?:\.\/+)+/, ""));
}

function escaped(path: string): string {
  return path
    .toWellFormed()
    .split("/")
    .map((segment) =>
      encodeURIComponent(segment).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join("/");
}
