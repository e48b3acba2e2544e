// Hooks of helper modules. Test files share loaded modules, and a hook at the top of a module would only run for the first file.

type Hook = () => unknown;

/** The hooks run in the order in which they were added. `run-hooks.ts` runs them. */
export const afterTests: Hook[] = [];
export const afterFiles: Hook[] = [];

/** Runs `hook` after each test of every file. */
export function afterEachTest(hook: Hook): void {
  afterTests.push(hook);
}

/** Runs `hook` after the last test of every file. */
export function afterEachFile(hook: Hook): void {
  afterFiles.push(hook);
}
