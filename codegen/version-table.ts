import { header, literal } from './emit.ts';
import { versions } from './versions.ts';

const source = 'codegen/versions.ts';

/** Returns the source of the table of all versions of A2A 1.x. */
export function versionsSource(): string {
  const rows = versions.map(
    ({ name, version, preview }, at) => `  {
    name: ${literal(name)},
    version: ${literal(version)},
${preview ? `    preview: ${literal(preview)},\n` : ''}    newer: ${literal(versions.slice(0, at).map((newer) => newer.version))},
    image: async () => (await import('./${name}/image.ts')).image,
  },
`,
  );
  return `${header(source)}
import type { Version } from './api.ts';

/** Name of a version of A2A 1.x. */
export type VersionName = ${versions.map(({ name }) => literal(name)).join(' | ')};

/** The versions of A2A 1.x, newest first. The first is the canonical form. */
export const versions: readonly [Version<VersionName>, ...Version<VersionName>[]] = [
${rows.join('')}];
`;
}

/** Returns the source of the module that re-exports the newest version. */
export function canonicalSource(): string {
  const [{ name }] = versions;
  return `${header(source)}
export type * from './${name}/index.ts';
export { api } from './${name}/index.ts';
export { isStreamResponse } from './${name}/guards.ts';
export { operations } from './${name}/operations.ts';
`;
}

/** Returns the source of the module with the descriptions of the newest version's fields. */
export function canonicalHelpSource(): string {
  const [{ name }] = versions;
  return `${header(source)}
export { fieldTexts, summaries } from './${name}/help.ts';
`;
}

/** Returns the source of the module with the newest version's descriptors. */
export function canonicalImageSource(): string {
  const [{ name }] = versions;
  return `${header(source)}
export { image } from './${name}/image.ts';
`;
}
