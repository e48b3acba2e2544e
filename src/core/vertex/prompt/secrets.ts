// Finds references to secrets in authored text, for the host's parser. It also reads text that is never filled in, because references
// there would be sent as written.

import { createPlaces, Cursor, readPath, toReference, type TemplateReference } from "./template.js";

/** The authored texts that are searched. */
export interface AuthoredTexts {
  readonly prompt_template?: string;
  readonly system_prompt?: string;
  readonly system_prompt_append?: string;
}

/** A reference to a secret, and the field it is in. */
export interface SecretReference extends TemplateReference {
  readonly field: keyof AuthoredTexts;
}

const FIELDS = ["prompt_template", "system_prompt", "system_prompt_append"] as const;

/** Every `{{ secrets.… }}`, and every reference to one of these inputs, in the three texts. Also finds incomplete references. */
export function findSecretReferences(
  authored: AuthoredTexts,
  secretInputNames: ReadonlySet<string> = new Set(),
): SecretReference[] {
  return FIELDS.flatMap((field) => {
    const text = authored[field] ?? "";
    return references(text)
      .filter(({ namespace, path }) => isSecret(namespace, path, secretInputNames))
      .map((reference) => ({ field, ...reference }));
  });
}

export function isSecret(
  namespace: string,
  path: readonly (string | number)[],
  secretInputNames: ReadonlySet<string> | undefined,
): boolean {
  if (namespace === "secrets") return true;
  return namespace === "inputs" && secretInputNames !== undefined && secretInputNames.has(String(path[0]));
}

function references(text: string): TemplateReference[] {
  const found: TemplateReference[] = [];
  const placeOf = createPlaces(text);
  for (let at = text.indexOf("{{"); at >= 0; at = text.indexOf("{{", at + 2)) {
    const read = { namespace: "", path: [] as (string | number)[] };
    const cursor = new Cursor(text, at + 2);
    try {
      cursor.skip();
      readPath(cursor, read);
    } catch {
      // An incomplete path counts as far as it goes.
    }
    if (read.namespace !== "") found.push(toReference({ kind: "reference", ...read, filters: [], at }, placeOf));
  }
  return found;
}
