// Skills in a folder: `<name>/SKILL.md`, which begins with a YAML header between lines of three hyphens.

import { join } from "node:path";
import {
  AgentError,
  decodeUtf8,
  isPlainObject,
  type Skill,
  type SkillStore,
  type SkillSummary,
} from "../../core/index.js";
import { nodeFiles } from "../files.js";
import { MAX_SKILL_BYTES, MAX_SKILLS } from "../limits.js";

const SKILL_NAME = /^[a-z0-9-]{1,64}$/;
const HEADER = /^---\r?\n([^]*?)\r?\n---(?:\r?\n|$)([^]*)$/;

/** Folders whose name is not a skill's are left out. A skill that cannot be read is `conversation-failed`, with its path. */
export function openSkills(folder: string): SkillStore {
  const files = nodeFiles();
  const read = async (name: string): Promise<Skill | undefined> => {
    if (!SKILL_NAME.test(name)) return undefined;
    const path = join(folder, name, "SKILL.md");
    const found = await files.read(path, MAX_SKILL_BYTES);
    if (found.kind === "not-found") return undefined;
    if (found.kind === "too-large")
      throw failed(path, `it has ${found.size} bytes, and the limit is ${MAX_SKILL_BYTES}`);
    if (found.kind === "failed") throw failed(path, found.message);
    return { name, ...(await readSkill(path, found.bytes)) };
  };
  return {
    async list() {
      const paths = (await files.list(folder, "SKILL.md")) ?? [];
      const names = paths.flatMap((path) => /^([a-z0-9-]{1,64})\/SKILL\.md$/.exec(path)?.[1] ?? []).sort();
      if (names.length > MAX_SKILLS)
        throw failed(folder, `it has ${names.length} skills, and the limit is ${MAX_SKILLS}`);
      const skills = await Promise.all(names.map(read));
      return skills.flatMap((skill): SkillSummary[] =>
        skill === undefined ? [] : [{ name: skill.name, description: skill.description }],
      );
    },
    load: read,
  };
}

async function readSkill(path: string, bytes: Uint8Array): Promise<Pick<Skill, "description" | "body">> {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw failed(path, "it is not UTF-8");
  const [, header, body] = HEADER.exec(text) ?? [];
  if (header === undefined) throw failed(path, "it has no header between lines of ---");
  // Loaded only for skills, because its modules take a tenth of a second to load.
  const { parse } = await import("yaml");
  let fields: unknown;
  try {
    fields = parse(header, { maxAliasCount: 0 });
  } catch (error) {
    throw failed(path, "its header is not YAML", error);
  }
  const description = isPlainObject(fields) ? fields["description"] : undefined;
  if (typeof description !== "string") throw failed(path, "its header has no description");
  return { description, body: (body ?? "").replaceAll("\r\n", "\n") };
}

function failed(path: string, why: string, cause?: unknown): AgentError {
  return new AgentError("conversation-failed", `the skill ${path} cannot be read: ${why}`, {
    hint: "Correct the file, or remove it.",
    ...(cause === undefined ? {} : { cause }),
  });
}
