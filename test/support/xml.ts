// A strict reader of the XML that we write: elements, attributes, the five entities and text. It throws for anything
// else, and for everything that XML 1.0 forbids.

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

export function parseXml(text: string): XmlElement {
  // eslint-disable-next-line no-control-regex
  const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(text);
  if (forbidden !== null) throw new Error(`character ${JSON.stringify(forbidden[0])} at ${forbidden.index}`);
  const root: XmlElement = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  const tokens = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "").matchAll(/<[^>]*>|[^<]+/g);
  for (const [token] of tokens) {
    const parent = open.at(-1) as XmlElement;
    if (!token.startsWith("<")) parent.text += decode(token);
    else if (token.startsWith("</")) {
      if (token !== `</${parent.name}>`) throw new Error(`${token} closes <${parent.name}>`);
      open.pop();
    } else {
      const found = /^<([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>$/.exec(token);
      if (found === null) throw new Error(`no element: ${token}`);
      const pairs = [...(found[2] ?? "").matchAll(/ ([a-z]+)="([^"]*)"/g)];
      const attributes = Object.fromEntries(pairs.map(([, name, value]) => [name, decode(value ?? "")]));
      if (Object.keys(attributes).length < pairs.length) throw new Error(`an attribute twice: ${token}`);
      const element: XmlElement = { name: found[1] ?? "", attributes, children: [], text: "" };
      parent.children.push(element);
      if (found[3] !== "/") open.push(element);
    }
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name ?? ""}> is never closed`);
  if (root.children.length !== 1) throw new Error(`${root.children.length} roots`);
  return root.children[0] as XmlElement;
}

function decode(text: string): string {
  return text.replace(/&([^;]*);?/g, (whole, name: string) => {
    const character = whole.endsWith(";") ? ENTITIES[name] : undefined;
    if (character === undefined) throw new Error(`no entity: ${whole}`);
    return character;
  });
}
