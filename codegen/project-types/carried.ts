import { existsSync, readFileSync } from 'node:fs';

/** The fields of A2A 1.x that older dialects carry: by dialect, newest first, and by message that a table of it converts. */
export type CarriedFields = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Place of the list in the package, beside the built generator. */
export const carriedFile = 'specs/carried.json';

/** Reads the list: in the package what its build has written, in a checkout the tables of the dialects. */
export async function readCarried(): Promise<CarriedFields> {
  const file = new URL(`./${carriedFile}`, import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : computeCarried();
}

/** The list from the tables of the dialects. */
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
