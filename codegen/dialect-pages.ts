import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mapping, Row, Table } from '../src/dialects/kernel/record.ts';
import type { Model } from './model.ts';
import { describeTables, mappings } from './records.ts';
import { versions } from './versions.ts';

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
 * The pages of `docs/dialects` that say field by field what becomes of A2A 1.x, by file name. What is written by hand in a
 * page stays.
 *
 * @param models the versions of A2A 1.x, newest first
 * @param dir folder of the pages as they are
 */
export function dialectPages(models: readonly Model[], dir: string): Map<string, string> {
  const page = (name: string, sections: readonly string[]): [string, string] => {
    const file = join(dir, `${name}.md`);
    const [byHand = ''] = (existsSync(file) ? readFileSync(file, 'utf8') : `# ${name}\n`).split(marker);
    return [`${name}.md`, [byHand.trimEnd(), marker, ...sections].join('\n\n')];
  };
  const older = versions.slice(1).map(({ name }, at) => page(name, [lackingSection(models, at + 1)]));
  const tabled = [...pages].map(([name, sections]) =>
    page(
      name,
      [...sections].map(([heading, mapping]) => section(heading, mapping, models)),
    ),
  );
  return new Map([...older, ...tabled]);
}

/** What the newest version has, and one of the older ones lacks: messages, and fields by message. */
function lackingFields([newest]: readonly Model[], older: Model): Map<string, string[]> {
  const lacking = (newest?.messages ?? []).map(({ name, fields }): [string, string[]] => {
    const known = older.messages.find((one) => one.name === name);
    if (!known) return [name, ['']];
    const names = fields.map(({ jsonName }) => jsonName);
    return [name, names.filter((jsonName) => !known.fields.some((one) => one.jsonName === jsonName))];
  });
  return new Map(lacking.filter(([, names]) => names.length > 0));
}

function lackingSection(models: readonly Model[], at: number): string {
  const lacking = lackingFields(models, models[at] as Model);
  const rows = [...lacking].flatMap(([message, names]) =>
    names.map((name) => `| ${code([name === '' ? message : `${message}.${name}`])} | **lost** |\n`),
  );
  return `## Fields that it lacks\n\n| A2A 1.x | here |\n| --- | --- |\n${rows.join('')}`;
}

/** Says from which version on A2A 1.x has a field, where not all versions have it. */
function since(models: readonly Model[], type: string, jsonName: string): string {
  const has = ({ messages }: Model): boolean =>
    messages.some(({ name, fields }) => name === type && fields.some((field) => field.jsonName === jsonName));
  const oldest = models.findLastIndex(has);
  return oldest === models.length - 1 ? '' : `; from A2A ${versions[oldest]?.version} on`;
}

function section(heading: string, mapping: Mapping, models: readonly Model[]): string {
  const described = describeTables(mapping, models[0] as Model);
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
    const missing = lost.map(({ jsonName }) => [
      code([jsonName]),
      '',
      `**lost**${since(models, table.type, jsonName)}`,
    ]);
    const all = [...rows, ...missing];
    if (all.length === 0) return '';
    const lines = all.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`);
    return `### ${titleOf(table)}\n\n| A2A 1.x | here | remarks |\n| --- | --- | --- |\n${lines.join('')}`;
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
