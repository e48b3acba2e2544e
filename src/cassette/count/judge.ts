// Recognises the recording of a judge: a model that grades the answers of others, and takes no part in the run that it grades.

import { isPlainObject, type JsonValue } from "../../core/index.js";
import { extensionsOf, type Cassette } from "../file/format.js";

/** True if every request asked for a reason and a whole grade, as those of `createJudge` do. */
export function isJudgeRecording(cassette: Cassette): boolean {
  const { contexts = [] } = extensionsOf(cassette);
  return contexts.length > 0 && contexts.every(({ settings }) => asksForGrade(settings?.["responseFormat"]));
}

/** The wires of some vendors have no place for the name of a format, so only its schema counts. */
function asksForGrade(format: JsonValue | undefined): boolean {
  const schema = isPlainObject(format) ? format["schema"] : undefined;
  const properties = isPlainObject(schema) ? schema["properties"] : undefined;
  if (!isPlainObject(properties) || Object.keys(properties).sort().join() !== "grade,reason") return false;
  const { grade } = properties;
  return isPlainObject(grade) && grade["type"] === "integer";
}
