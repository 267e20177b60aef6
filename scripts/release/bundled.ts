import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package whose code is in the files of this one. */
export interface Bundled {
  readonly name: string;
  readonly version: string;
  /** SPDX identifier. */
  readonly license: string;
  /** The text of its license. */
  readonly text: string;
}

/** Licenses that allow code to be shipped in a package, with their text. */
const permissive: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
]);

/** Whether a license, or every one in an SPDX expression with AND, lets code be shipped in a package with its text. */
export const isPermissive = (license: string | undefined): boolean =>
  (license ?? '')
    .replace(/^\((.*)\)$/, '$1')
    .split(' AND ')
    .every((name) => permissive.has(name));

/**
 * The packages whose code was included, sorted by name.
 *
 * @param paths of the files that were included
 * @param expected names of packages that have to be among them
 * @throws Error for a package without a permissive license, and for one of `expected` whose code is not used
 */
export function bundledPackages(paths: readonly string[], expected: readonly string[]): Bundled[] {
  const folders = new Set(
    paths.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(slashes(path))?.[0] ?? []),
  );
  for (const name of expected) {
    if (![...folders].some((folder) => folder.endsWith(`/node_modules/${name}`)))
      throw new Error(`Nothing in src uses ${name}`);
  }
  return [...folders].map((folder) => read(folder, paths)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

const slashes = (path: string): string => path.replaceAll('\\', '/');

function read(folder: string, paths: readonly string[]): Bundled {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const [file] = globSync('{LICENSE,LICENCE,License,license}*', { cwd: folder });
  const text = file === undefined ? noticesIn(folder, paths) : readFileSync(join(folder, file), 'utf8');
  if (!isPermissive(license) || text === '') throw new Error(`${folder} has no license for its code to be shipped`);
  return { name, version, license, text: text.replaceAll('\r\n', '\n').trim() };
}

/** The notices at the beginning of a package's included files, each once: for a package without a file for its license. */
function noticesIn(folder: string, paths: readonly string[]): string {
  const heads = paths
    .filter((path) => slashes(path).startsWith(`${folder}/`))
    .flatMap((path) => readFileSync(path, 'utf8').match(/(?:^\/\/.*\n)+|^\/\*[\s\S]*?\*\//gm) ?? [])
    .filter((comment) => comment.includes('Copyright'));
  return [...new Set(heads.map((comment) => comment.replaceAll(/^\/\/ ?|^\/\*+|\*+\/$/gm, '').trim()))].join('\n\n');
}

/**
 * Content of the package from other sources than npm packages: definitions that implementations of a protocol share.
 * Their license is that of this package, whose text is in LICENSE.
 */
const definitions = `Interface definitions in proto/, and what is generated from them in dist/

proto/a2a*: names, numbers, annotations and options are those of the protocol definitions of the A2A project
(https://github.com/a2aproject/A2A), Apache-2.0. proto/google: those of Google's API definitions
(https://github.com/googleapis/googleapis), Apache-2.0. proto/grpc: those of gRPC's health and reflection services
(https://github.com/grpc/grpc-proto), Apache-2.0. The text of this license is in LICENSE.`;

/** The text of THIRD-PARTY-NOTICES.txt. */
export function notices(bundled: readonly Bundled[]): string {
  const texts = bundled.map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}`);
  return `Code of these packages is in the files of this folder; sbom.cdx.json lists them, and the packages that npm installs
with this one.

${[...texts, definitions].join('\n\n\n')}
`;
}
