import { existsSync, readFileSync } from 'node:fs';

/**
 * Fields of A2A 1.x that older dialects can express: by dialect, newest first, and by message that a table of the
 * dialect converts.
 */
export type CarriedFields = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Path of the list in the package, relative to the built generator. */
export const carriedFile = 'specs/carried.json';

/** Reads the list: in the package from the file that the build has written, in a checkout from the dialect tables. */
export async function readCarried(): Promise<CarriedFields> {
  const file = new URL(`./${carriedFile}`, import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : computeCarried();
}

/** Computes the list from the dialect tables. */
export async function computeCarried(): Promise<CarriedFields> {
  const { pages } = await import('../dialect-pages.ts');
  const rows = [...pages].map(([dialect, sections]) => {
    const carried: Record<string, Set<string>> = {};
    for (const { tables } of sections.values()) {
      for (const { type, rows } of Object.values(tables)) {
        const names = carried[type] ?? new Set<string>();
        carried[type] = names;
        for (const [key, { covers = [], lost }] of Object.entries(rows)) {
          for (const name of lost ? covers : [key, ...covers]) names.add(name);
        }
      }
    }
    const sorted = Object.entries(carried).map(([type, names]) => [type, [...names].sort()] as const);
    return [dialect, Object.fromEntries(sorted)] as const;
  });
  const version = (dialect: string): string => dialect.slice(dialect.lastIndexOf('-') + 1);
  return Object.fromEntries(rows.sort(([a], [b]) => version(b).localeCompare(version(a)) || a.localeCompare(b)));
}
