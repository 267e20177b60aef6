import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasIn } from '../src/dialects/a2a-1.x/narrowed.ts';
import type { Mapping, Row, Table } from '../src/dialects/kernel/record.ts';
import type { Model, ModelField } from './model.ts';
import { describeTables, mappings } from './records.ts';
import { versions } from './versions.ts';

/** The part of a page before this line is written by hand. */
const marker = '<!-- From here on written by `npm run generate`, from the tables of the dialect. -->';

/** Section headings by the end of a mapping's name. */
const headings: Readonly<Record<string, string>> = {
  '': 'Fields over JSON-RPC',
  '-protobuf': 'Fields over gRPC and HTTP+JSON',
  '-card': 'Fields of the card',
};

/** Mappings by heading, for each page. A2A 0.2 and the PHP SDK share some with A2A 0.3. */
export const pages: ReadonlyMap<string, ReadonlyMap<string, Mapping>> = pagesOf({
  'a2a-0.2': mappings['a2a-0.3'] as Mapping,
  ...mappings,
  'a2a-php-0.3-card': mappings['a2a-0.3-card'] as Mapping,
});

type Place = Parameters<typeof hasIn>[0];

function pagesOf(all: typeof mappings): Map<string, Map<string, Mapping>> {
  const found = new Map<string, Map<string, Mapping>>();
  for (const [name, mapping] of Object.entries(all)) {
    const [, page = name, end = ''] = /^(.+?)(-protobuf|-card)?$/.exec(name) ?? [];
    found.set(page, (found.get(page) ?? new Map()).set(headings[end], mapping));
  }
  return found;
}

/**
 * Returns the pages of `docs/dialects` that describe, field by field, how A2A 1.x is converted, by file name.
 * Hand-written text is preserved.
 *
 * @param model canonical form, with version marks
 * @param dir folder of the existing pages
 */
export function dialectPages(model: Model, dir: string): Map<string, string> {
  const page = (name: string, sections: readonly string[]): [string, string] => {
    const file = join(dir, `${name}.md`);
    const [byHand = ''] = (existsSync(file) ? readFileSync(file, 'utf8') : `# ${name}\n`).split(marker);
    return [`${name}.md`, [byHand.trimEnd(), marker, ...sections].join('\n\n')];
  };
  const older = versions.flatMap(({ name, version }, at) => {
    const place = { version, newer: versions.slice(0, at).map((newer) => newer.version) };
    const sections = [lackingSection(model, place), changedSection(model, place)].filter((text) => text !== '');
    // The page of the newest version is hand-written if the version has everything unchanged.
    return at === 0 && sections.length === 0 ? [] : [page(name, sections)];
  });
  const tabled = [...pages].map(([name, sections]) =>
    page(
      name,
      [...sections].map(([heading, mapping]) => section(heading, mapping, model)),
    ),
  );
  return new Map([...older, ...tabled]);
}

function lackingSection({ messages }: Model, place: Place): string {
  const isLacking = (row: Parameters<typeof hasIn>[1]): boolean => !hasIn(place, row);
  const names = messages.flatMap((message) =>
    isLacking(message)
      ? [message.name]
      : message.fields.filter(isLacking).map(({ jsonName }) => `${message.name}.${jsonName}`),
  );
  if (names.length === 0) return '';
  const rows = names.map((name) => `| ${code([name])} | **lost** |\n`);
  return `## Fields that it lacks\n\n| A2A 1.x | here |\n| --- | --- |\n${rows.join('')}`;
}

/** Lists the fields, enum values and operations for which a version uses another name or type. */
function changedSection({ messages, enums, operations }: Model, { version }: Place): string {
  const fields = messages.flatMap(({ name, fields }) =>
    fields.flatMap((field) => {
      const own = field.changed?.[version];
      const isSame = own?.jsonName === field.jsonName && typeText(own) === typeText(field);
      return own && !isSame ? [[`${name}.${field.jsonName}`, own.jsonName, typeText(own)]] : [];
    }),
  );
  const values = enums.flatMap(({ values }) =>
    values.flatMap(({ name, changed }) => (changed?.[version] === undefined ? [] : [[name, changed[version], '']])),
  );
  const rpcs = operations.flatMap(({ name, changed }) =>
    changed?.[version] ? [[name, changed[version].rpc, '']] : [],
  );
  const rows = [...fields, ...values, ...rpcs].map(
    ([name = '', own = '', type = '']) => `| ${code([name])} | ${code([own])} | ${type === '' ? '' : code([type])} |\n`,
  );
  if (rows.length === 0) return '';
  return `## Names and types of its own\n\n| A2A 1.x | here | type |\n| --- | --- | --- |\n${rows.join('')}`;
}

const typeText = ({ kind, type, repeated }: ModelField): string =>
  `${repeated ? 'repeated ' : kind === 'map' ? 'map of ' : ''}${type}`;

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
    const whole = model.messages.find(({ name }) => name === table.type);
    const missing = lost.map(({ jsonName, since = whole?.since }) => [
      code([jsonName]),
      '',
      since === undefined ? '**lost**' : `**lost**; from A2A ${since} on`,
    ]);
    const all = [...rows, ...missing];
    if (all.length === 0) return '';
    const lines = all.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`);
    return `### ${titleOf(table)}\n\n| A2A 1.x | here | remarks |\n| --- | --- | --- |\n${lines.join('')}`;
  });
  return [`## ${heading}\n`, ...tables.filter((table) => table !== '')].join('\n');
}

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** Describes the effects of a row other than renaming the field. */
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
