import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { importsOf } from './imports.ts';

/** A test file, with its direct and indirect imports: modules by path, packages by name. */
export interface TestFile {
  readonly path: string;
  /** Starts with the file itself; nearer modules come first. */
  readonly reaches: ReadonlySet<string>;
}

/** Results by root: imports are read once per process. */
const known = new Map<string, readonly TestFile[]>();

/** All files of tests, by their paths from the project's root. Imports of modules of `src` are not followed. */
export function testFiles(root: string): readonly TestFile[] {
  const files = known.get(root) ?? readTestFiles(root);
  known.set(root, files);
  return files;
}

function readTestFiles(root: string): TestFile[] {
  const imports = new Map<string, readonly string[]>();
  const importsFrom = (path: string): readonly string[] => {
    const known = imports.get(path);
    if (known !== undefined) return known;
    const found = /^(?:test|scripts|codegen|tools)\/.*\.ts$/.test(path) ? read(join(root, path)) : [];
    const modules = found.map((each) =>
      each.startsWith('.') ? posix.join(posix.dirname(path), each) : packageOf(each),
    );
    imports.set(path, modules);
    return modules;
  };
  return globSync('test/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => {
      const reaches = new Set([path]);
      for (const each of reaches) for (const next of importsFrom(each)) reaches.add(next);
      return { path, reaches };
    });
}

/** Returns the name of a package, such as `@a2a-js/sdk` for `@a2a-js/sdk/client`. */
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

function read(file: string): string[] {
  try {
    return importsOf(readFileSync(file, 'utf8')).map(({ specifier }) => specifier);
  } catch (error) {
    // A test may write a module, and import it.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
