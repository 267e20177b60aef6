import { type TestFile, testFiles } from './test-files.ts';

/**
 * Tier of a file of tests: `fast` files run with `npm run test:fast`, these and `default` files with `npm test`, and
 * all with `npm run test:all`. The imports of a file, at any distance, decide, so that there is no list of files.
 */
export type Tier = 'fast' | 'default' | 'slow';

/**
 * Modules that exclude the tests which import them from the fast tier, in which tests start no processes and open no
 * gateway.
 */
export const defaultModules: Readonly<Record<string, string>> = {
  'node:child_process': 'starts processes, such as PostgreSQL',
  '@a2a-js/sdk': 'runs an official SDK',
  'a2a-sdk-0.2': 'runs an official SDK',
  'a2a-sdk-0.3': 'runs an official SDK',
  'src/extensions/knowledge/alignment/alignment.ts': 'validates shapes in a process of its own',
  'src/extensions/knowledge/alignment/shapes/process.ts': 'validates shapes in a process of its own',
  'src/gateway/compose/gateway.ts': 'opens a whole gateway',
  'src/index.ts': 'opens a whole gateway',
};

/** Modules that make the tests which import them slow. Tests that are slow for another reason end in `.slow.test.ts`. */
export const slowModules: Readonly<Record<string, string>> = {
  'codegen/image.ts': 'generates code, with the packages of tools/compile',
  'test/core/limits/floods.ts': 'floods gateways in processes of their own, and measures their memory',
  'scripts/release/pack.ts': 'packs the package',
  'test/readme/type-check.ts': 'compiles the TypeScript of pages',
  'test/readme/workspace.ts': 'runs the commands of pages',
  'test/support/buf.ts': 'runs buf, a package of tools/compile',
  'test/support/browser.ts': 'starts Chromium',
  'test/support/cli.ts': 'starts gateways as processes of their own',
  'test/support/site.ts': 'builds the documentation site',
  'test/torture/gateway-process.ts': 'starts gateways as processes of their own',
};

/** The tier of a file of tests. */
export function tierOf({ path, reaches }: TestFile): Tier {
  const reachesOneOf = (modules: object): boolean => Object.keys(modules).some((each) => reaches.has(each));
  if (path.endsWith('.slow.test.ts') || reachesOneOf(slowModules)) return 'slow';
  return reachesOneOf(defaultModules) ? 'default' : 'fast';
}

/** The files of some tiers, by their paths from the project's root. */
export function filesOf(tiers: readonly string[], root: string): string[] {
  return testFiles(root)
    .filter((file) => tiers.includes(tierOf(file)))
    .map(({ path }) => path);
}
