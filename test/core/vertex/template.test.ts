import { describe, expect, it } from "vitest";
import { AgentError } from "../../../src/core/errors.js";
import { MAX_EXPRESSION_CHARACTERS, MAX_PROMPT_CHARACTERS, MAX_TEMPLATE_REFERENCES } from "../../../src/core/limits.js";
import { fillTemplate, type TemplateScope } from "../../../src/core/vertex/prompt/resolve.js";
import { findSecretReferences } from "../../../src/core/vertex/prompt/secrets.js";
import { scanTemplate } from "../../../src/core/vertex/prompt/template.js";
import { rejection } from "../../support/refusal.js";

const inputs = { topic: "rain", list: ["a", "b"], deep: { "a b": [{ c: 1 }] }, nothing: null, key: "hidden" };

function fill(text: string, scope: Partial<TemplateScope> = {}): Promise<string> {
  const runOutputs = new Map<string, unknown>([
    ["draft-1", { text: "hm" }],
    ["__proto__", "own"],
  ]);
  const { signal } = new AbortController();
  return fillTemplate(text, { inputs, ctx: { day: 3 }, runOutputs, signal, ...scope });
}

async function flaw(text: string, scope: Partial<TemplateScope> = {}): Promise<AgentError> {
  const error = await rejection(fill(text, scope));
  expect(error).toBeInstanceOf(AgentError);
  return error as AgentError;
}

describe("a template", () => {
  it.each([
    ["plain { text } }}", "plain { text } }}"],
    ["{{inputs.topic}} and {{ ctx.day }}", "rain and 3"],
    ['{{ run.outputs["draft-1"].text }}{{ run . outputs [ "draft-1" ] [ "text" ] }}', "hmhm"],
    ['{{ run.outputs["draft-1"] }}', '{"text":"hm"}'],
    ['{{ run.outputs["__proto__"] }}', "own"],
    ['{{ inputs.deep["a b"][0].c }}', "1"],
    ["{{ inputs.list[1] }} of {{ inputs.list | length }}", "b of 2"],
    ["{{ inputs.topic | json }} {{ inputs.list | json }}", '"rain" ["a","b"]'],
    ["{{ inputs.nothing }}", "null"],
    ['{{ inputs.absent | default("none") }} {{ inputs.nothing | default("none") }}', "none null"],
    ['{{ inputs.absent.more[3] | default("say \\"hi\\"") | json }}', '"say \\"hi\\""'],
    ['{{ "{{" }} inputs.topic {{ "}}" }}', "{{ inputs.topic }}"],
  ])("%s", async (text, filled) => {
    expect(await fill(text)).toBe(filled);
  });

  it("is filled in once: data is never read as a template", async () => {
    const data = '{{ inputs.key }} {{ "{{" }}';
    expect(await fill("{{ inputs.topic }}", { inputs: { topic: data } })).toBe(data);
  });

  it("writes data that is not JSON", async () => {
    const cycle: Record<string, unknown> = { big: 1n, half: "\ud800" };
    cycle["self"] = cycle;
    expect(await fill("{{ inputs.cycle }}", { inputs: { cycle } })).toContain("[Circular]");
  });

  it.each([
    ["a {{", "line 1, column 5"],
    ["a\nb {{ inputs.topic", "not closed"],
    ["{{ }}", "a name was expected"],
    ["{{ inputs. }}", "after the dot"],
    ["{{ inputs[x] }}", "a number or a quoted string"],
    ['{{ inputs["a" }}', "a ] was expected"],
    ["{{ inputs.topic + 1 }}", "}} was expected"],
    ["{{ inputs.topic | shout }}", "no filter shout"],
    ["{{ inputs.topic | default }}", "default needs a string"],
    ["{{ inputs }}", "must begin with"],
    ["{{ ctx }}", "must begin with"],
    ["{{ run.outputs }}", "must begin with"],
    ["{{ process.env }}", "must begin with"],
    ["{{ inputs.constructor }}", "value does not exist"],
    ["{{ inputs.list.length }}", "value does not exist"],
    ["{{ inputs.topic[0] }}", "value does not exist"],
    ["{{ inputs.topic.length }}", "value does not exist"],
    ["{{ ctx.day | length }}", "length needs"],
    ["{{ ctx.day | read_file }}", "needs a path"],
    ['{{ "a\\x" }}', "as in JSON"],
    ["{{ secrets.key }}", "must not refer to secrets"],
    ["{{ inputs.key }}", "must not refer to a secret input"],
    ['{{ inputs["key"] }}', "must not refer to a secret input"],
  ])("refuses %j with its place", async (text, what) => {
    const error = await flaw(text, { secretInputNames: new Set(["key"]) });
    expect(error.code).toBe("invalid-options");
    expect(error.message).toContain(what);
    expect(error.message).toMatch(/line \d+, column \d+/);
    expect(error.message).not.toContain("hidden");
  });

  it("has bounds", async () => {
    expect((await flaw("{{inputs.topic}}".repeat(MAX_TEMPLATE_REFERENCES + 1))).message).toContain("references");
    expect((await flaw(`{{ ${" ".repeat(MAX_EXPRESSION_CHARACTERS)} inputs.topic }}`)).message).toContain("too long");
    const topic = "x".repeat(MAX_PROMPT_CHARACTERS);
    expect((await flaw("{{ inputs.topic }}.", { inputs: { topic } })).message).toContain("longer than");
    expect((await flaw(" {{ inputs.topic }} ", { inputs: { topic: "\n" } })).message).toContain("empty");
  });

  it("REL-17 reads files by the host alone", async () => {
    const readFile = (path: string) => Promise.resolve(`<${path} {{ inputs.key }}>`);
    expect(await fill("{{ inputs.topic | read_file }}", { capabilities: { readFile } })).toBe(
      "<rain {{ inputs.key }}>",
    );
    expect((await flaw("{{ inputs.topic | read_file }}")).code).toBe("capability-missing");
    const broken = { readFile: () => Promise.reject(new Error("disk")) };
    expect((await flaw("{{ inputs.topic | read_file }}", { capabilities: broken })).code).toBe("capability-missing");
    const wrong = { readFile: () => Promise.resolve(1 as never) };
    expect((await flaw("{{ inputs.topic | read_file }}", { capabilities: wrong })).code).toBe("capability-missing");
  });
});

describe("scanTemplate", () => {
  it("lists references with their places", () => {
    expect(scanTemplate('a\n {{ inputs.x[0] | default("y") }}{{ "{{" }}')).toEqual([
      { namespace: "inputs", path: ["x", 0], filters: ["default"], line: 2, column: 2 },
    ]);
    expect(() => scanTemplate("{{ x")).toThrow("not closed");
  });
});

describe("findSecretReferences", () => {
  it("REL-32 finds secrets in all three texts, also in broken references", () => {
    const found = findSecretReferences(
      {
        prompt_template: "{{ inputs.topic }} {{ inputs.key }}",
        system_prompt: "{{secrets.token}} {{ not closed",
        system_prompt_append: '{{ secrets ?? }} {{ inputs["key"] | json }} {{ ctx.key }}',
      },
      new Set(["key"]),
    );
    expect(found.map(({ field, namespace, path }) => [field, namespace, ...path])).toEqual([
      ["prompt_template", "inputs", "key"],
      ["system_prompt", "secrets", "token"],
      ["system_prompt_append", "secrets"],
      ["system_prompt_append", "inputs", "key"],
    ]);
    expect(findSecretReferences({})).toEqual([]);
  });
});
