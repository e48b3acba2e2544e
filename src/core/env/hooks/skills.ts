// A hook that offers skills: the model sees their names, and loads the text of one when it needs it.

import { ToolArgError } from "../../errors.js";
import { MAX_SKILL_DESCRIPTION } from "../../limits.js";
import { shorten } from "../../text/show.js";
import { toVisible } from "../../text/visible.js";
import type { Hook, ToolSchema } from "../hook.js";
import type { SkillStore } from "../storage/storage.js";

const NAME = "skill";

/**
 * Offers the tool `skill`. Its definition lists the skills that the store has now, with the first 200 characters of each description,
 * so that it is the same in every run. Without a skill it offers no tool.
 */
export async function skillHook(skills: SkillStore): Promise<Hook> {
  const listed = await skills.list();
  if (listed.length === 0) return {};
  const names = listed.map(({ name }) => name);
  const lines = listed.map(
    ({ name, description }) => `- ${name}: ${toVisible(shorten(description, MAX_SKILL_DESCRIPTION))}`,
  );
  const schema: ToolSchema = {
    name: NAME,
    description: `Load the instructions of a skill before you do what it is for. The skills:\n${lines.join("\n")}`,
    effect: "read",
    schema: {
      type: "object",
      properties: { name: { type: "string", enum: names } },
      required: ["name"],
      additionalProperties: false,
    },
  };
  return {
    schema: () => [schema],
    dispatch: (name, { args }) => (name === NAME ? load(skills, args["name"] as string) : undefined),
  };
}

async function load(skills: SkillStore, name: string): Promise<unknown> {
  const skill = await skills.load(name);
  if (skill === undefined) throw new ToolArgError(`the skill ${name} no longer exists`, { tool: NAME, field: "/name" });
  return skill.body;
}
