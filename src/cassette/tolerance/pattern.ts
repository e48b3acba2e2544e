// A pattern as a test of a text.

/** The test of a pattern, or why there is none. */
export type CompiledPattern =
  | { readonly kind: "compiled"; readonly matches: (text: string) => boolean }
  | { readonly kind: "refused"; readonly reason: string };

export function compilePattern(pattern: string): CompiledPattern {
  try {
    const compiled = new RegExp(pattern, "u");
    return { kind: "compiled", matches: (text) => compiled.test(text) };
  } catch (error) {
    return { kind: "refused", reason: (error as Error).message };
  }
}
