import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mapping, Row, Table } from '../src/dialects/kernel/record.ts';
import type { Model } from './model.ts';
import { describeTables, mappings } from './records.ts';

/** Before this line, a page is written by hand. */
const marker = '<!-- From here on written by `npm run generate`, from the tables of the dialect. -->';

/** Sections of a page by the end of a mapping's name. */
const headings: Readonly<Record<string, string>> = {
  '': 'Fields over JSON-RPC',
  '-protobuf': 'Fields over gRPC and HTTP+JSON',
  '-card': 'Fields of the card',
};

/** Mappings by their heading, for each page. A2A 0.2 and the PHP SDK share some with A2A 0.3. */
export const pages: ReadonlyMap<string, ReadonlyMap<string, Mapping>> = pagesOf({
  'a2a-0.2': mappings['a2a-0.3'] as Mapping,
  ...mappings,
  'a2a-php-0.3-card': mappings['a2a-0.3-card'] as Mapping,
});

function pagesOf(all: typeof mappings): Map<string, Map<string, Mapping>> {
  const found = new Map<string, Map<string, Mapping>>();
  for (const [name, mapping] of Object.entries(all)) {
    const [, page = name, end = ''] = /^(.+?)(-protobuf|-card)?$/.exec(name) ?? [];
    found.set(page, (found.get(page) ?? new Map()).set(headings[end], mapping));
  }
  return found;
}

/**
 * The pages of `docs/dialects` that say field by field what becomes of A2A 1.0, by file name. What is written by hand in
 * a page stays.
 *
 * @param dir folder of the pages as they are
 */
export function dialectPages(model: Model, dir: string): Map<string, string> {
  return new Map(
    [...pages].map(([name, sections]) => {
      const file = join(dir, `${name}.md`);
      const [byHand = ''] = (existsSync(file) ? readFileSync(file, 'utf8') : `# ${name}\n`).split(marker);
      const generated = [...sections].map(([heading, mapping]) => section(heading, mapping, model));
      return [`${name}.md`, [byHand.trimEnd(), marker, ...generated].join('\n\n')];
    }),
  );
}

function section(heading: string, mapping: Mapping, model: Model): string {
  const described = describeTables(mapping, model);
  const titleOf = (table: Table): string => {
    const { name } = described.find((one) => one.table === table) ?? { name: '' };
    const alone = described.filter((one) => one.table.type === table.type).length === 1;
    return alone ? table.type : `${table.type} (${name})`;
  };
  const tables = described.map(({ table, fields, lost }) => {
    const carried = Object.entries(table.rows).filter(([, row]) => !row.lost);
    const rows = carried.map(([key, row]) => {
      const names = [key, ...(row.covers ?? [])].filter((field) => fields.has(field));
      return [code(names), row.unreported ? '' : code([row.as ?? key]), remarks(row, titleOf)];
    });
    const all = [...rows, ...lost.map(({ jsonName }) => [code([jsonName]), '', '**lost**'])];
    if (all.length === 0) return '';
    const lines = all.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`);
    return `### ${titleOf(table)}\n\n| A2A 1.0 | here | remarks |\n| --- | --- | --- |\n${lines.join('')}`;
  });
  return [`## ${heading}\n`, ...tables.filter((table) => table !== '')].join('\n');
}

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** What a row does besides giving a field another name. */
function remarks(row: Row, titleOf: (table: Table) => string): string {
  const { of, whole, note = of && 'note' in of ? of.note : whole?.note } = row;
  const lost = (paths: readonly string[] | undefined, how: string): string[] =>
    (paths ?? []).map((path) => (path === '' ? `some values are ${how}` : `${code([path])} of some values is ${how}`));
  return [
    ...(of && 'rows' in of ? [`${row.list ? 'list of ' : row.flat ? 'the members of ' : ''}${titleOf(of)}`] : []),
    ...(row.constant === undefined ? [] : [`always ${code([JSON.stringify(row.constant)])}`]),
    ...(row.required ? ['required'] : []),
    ...(row.orEmpty ? ['written even where it is empty'] : []),
    ...(note ? [note] : []),
    ...(row.unreported ? ['dropped without a report'] : []),
    ...lost(row.losses, '**lost**'),
    ...lost(row.unreportedLosses, 'dropped without a report'),
  ].join('; ');
}
