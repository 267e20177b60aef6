import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Packages that generated files import, by import specifier, with the required versions. */
const wanted: Readonly<Record<string, string>> = {
  zod: 'zod@^4.3.0',
  '@bufbuild/protobuf': '@bufbuild/protobuf@^2.17.0',
  '@grpc/grpc-js': '@grpc/grpc-js@^1.12.0',
  '@connectrpc/connect': '@connectrpc/connect@^2.0.0',
};

const importing = /^(?:import|export)\b[^'"]*?\bfrom ['"]((?:@[\w.-]+\/)?[a-z0-9][\w.-]*)(?:\/[^'"]*)?['"]/gm;

/**
 * Returns the packages that generated files import and that are missing or too old in a folder's project, as arguments
 * of `npm install`.
 *
 * @param others packages that the files need without importing them
 */
export function missingPackages(files: Iterable<string>, others: readonly string[], folder: string): string[] {
  const names = new Set(others);
  for (const text of files) for (const [, name = ''] of text.matchAll(importing)) names.add(name);
  return [...names]
    .filter((name) => {
      const version = versionOf(name, folder);
      return version === undefined || !isAtLeast(version, wanted[name]);
    })
    .map((name) => wanted[name] ?? name)
    .sort();
}

function versionOf(name: string, folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const manifest = join(at, 'node_modules', name, 'package.json');
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).version;
    if (dirname(at) === at) return undefined;
  }
}

/** @param range such as `zod@^4.3.0`; newer major versions are accepted too */
function isAtLeast(version: string, range = ''): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number);
  const [, major = 0, minor = 0] = (/\^(\d+)\.(\d+)/.exec(range) ?? []).map(Number);
  return first > major || (first === major && second >= minor);
}
