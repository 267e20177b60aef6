import { isDeepStrictEqual } from 'node:util';
import type { Model } from './model.ts';
import { versions } from './versions.ts';

/** An older version of A2A 1.x is not the newest one without what came later. */
export class VersionError extends Error {}

/**
 * The newest version of A2A 1.x, in which all that older versions lack is marked with the version that it came with. From
 * the marks the program knows the older versions: no code is generated for them.
 *
 * @param models all versions, newest first
 * @throws VersionError naming what an older version has alone, or has in another way
 */
export function markedModel(models: readonly [Model, ...Model[]]): Model {
  const problems: string[] = [];
  /**
   * One part of something.
   *
   * @param wholes it as each version has it that has it
   * @param inside the parts of a row, from the rows of the versions that have it
   */
  const marked = <K extends string, W extends Readonly<Record<K, readonly object[]>>>(
    wholes: readonly W[],
    part: K,
    nameOf: (row: W[K][number]) => string,
    inside: (rows: readonly W[K][number][], name: string) => object = () => ({}),
  ): Pick<W, K> => {
    const names = new Set(wholes.flatMap((whole) => whole[part].map(nameOf)));
    const all = [...names].flatMap((name) => {
      const found = wholes.map((whole) => whole[part].find((row) => nameOf(row) === name));
      const rows = found.filter((row) => row !== undefined);
      const oldest = found.findLastIndex((row) => row !== undefined);
      const [newest] = rows;
      if (newest === undefined || rows.length <= oldest) {
        problems.push(`${versions[oldest]?.name} has ${name}, which ${versions[found.indexOf(undefined)]?.name} lacks`);
        return [];
      }
      const other = rows.findIndex((row) => !isDeepStrictEqual(ownPart(row), ownPart(newest)));
      if (other > 0) problems.push(`${name} is not the same in ${versions[0].name} and ${versions[other]?.name}`);
      const since = oldest < wholes.length - 1 ? versions[oldest]?.version : undefined;
      if (since && 'required' in newest && newest.required)
        problems.push(`${name} is required, and older versions lack it`);
      return [{ ...newest, ...inside(rows, name), ...(since && { since }) }];
    });
    return { [part]: all } as unknown as Pick<W, K>;
  };
  const byFullName = ({ fullName }: { readonly fullName: string }): string => fullName;
  const model: Model = {
    ...models[0],
    ...marked(models, 'messages', byFullName, (rows, type) => ({
      ...marked(rows, 'fields', ({ jsonName }) => `${type}.${jsonName}`),
      ...marked(rows, 'oneofs', ({ name }) => `${type}.${name}`),
    })),
    ...marked(models, 'enums', byFullName, (rows, type) => marked(rows, 'values', ({ name }) => `${type}.${name}`)),
    ...marked(
      models,
      'operations',
      ({ service, rpc }) => `${service}.${rpc}`,
      (rows, rpc) => marked(rows, 'http', ({ verb, path }) => `${rpc} ${verb} ${path}`),
    ),
  };
  if (problems.length === 0) return model;
  const help = 'docs/reference/spec-updates.md says how they may differ';
  throw new VersionError(`The versions of A2A 1.x do not fit together (${help}):\n  ${problems.join('\n  ')}`);
}

const remarks = new Set(['description', 'deprecated']);

/** What the program knows of something, without its parts and its comments. */
function ownPart(row: object): object {
  const entries = Object.entries(row).filter(([key, value]) => !Array.isArray(value) && !remarks.has(key));
  return Object.fromEntries(entries);
}
