import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ImportExtension } from './files.ts';

/** Compiler options that allow imports ending in `.ts`. */
const allowing = ['allowImportingTsExtensions', 'rewriteRelativeImportExtensions'];

/**
 * Returns the extension for imports between the files, depending on what the compiler of the folder's project allows.
 */
export function importExtensionFor(folder: string): ImportExtension {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = join(at, 'tsconfig.json');
    if (existsSync(file)) return allowsTs(file) ? '.ts' : '.js';
    if (existsSync(join(at, 'package.json')) || dirname(at) === at) return '.js';
  }
}

function allowsTs(file: string, depth = 0): boolean {
  const { compilerOptions, extends: bases = [] } = readConfig(file);
  const own = allowing.map((name) => compilerOptions?.[name]);
  if (own.includes(true)) return true;
  if (own.includes(false) || depth > 8) return false;
  // Base configurations from packages are ignored: none that is known allows it.
  return [bases].flat().some((base) => {
    if (typeof base !== 'string' || !base.startsWith('.')) return false;
    const path = resolve(dirname(file), base);
    const found = [path, `${path}.json`].find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
    return found !== undefined && allowsTs(found, depth + 1);
  });
}

interface Config {
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
  readonly extends?: string | readonly string[];
}

/** Reads a compiler configuration: JSON with comments and trailing commas. */
function readConfig(file: string): Config {
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  const parts = /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*[}\]])/g;
  try {
    return JSON.parse(text.replace(parts, (_, string?: string) => string ?? '')) ?? {};
  } catch {
    return {};
  }
}
