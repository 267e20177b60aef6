import { isDeepStrictEqual } from 'node:util';
import { type Change, changeLine } from './diff.ts';
import { type Loss, olderDialects } from './losses.ts';
import type { Place } from './mentions.ts';
import type { UpdateReport } from './update.ts';

/** Formats the report. Empty chapters are omitted. */
export function formatReport(report: UpdateReport): string {
  const { changes, comments, touched, generatedSchema } = report;
  return [
    changes.length === 0 ? 'No changes.' : chapter('Changes', changes.map(changeLine)),
    ...report.later.map((later) => laterText(later, changes)),
    comments > 0 ? `Comments: ${counted(comments, 'declaration')} with other comments; the project keeps its own.` : '',
    generatedSchema ? 'The JSON Schema bundle was generated from the proto.' : '',
    chapter('Lost in older dialects', lossLines(report.losses)),
    chapter('Touched', [
      ...row('operations', touched.operations),
      ...row('scopes', touched.scopes),
      ...touched.movedScopes.map(({ operation, from, to }) => `${operation} needs ${to} instead of ${from}`),
      ...row(
        'errors named by the proto',
        touched.errors.map(({ error, at }) => `${error} (${at})`),
      ),
      ...row('documents', touched.documents),
    ]),
    chapter('Left to write', placeLines(report.left)),
    chapter('Tables that may carry it', tableLines(report.rows)),
    chapter(
      report.result === 'refused' || report.dryRun ? 'Files that would change' : 'Files',
      fileLines(report.files),
    ),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Describes the changes in a later version; briefly if they are the same. */
const laterText = ({ version, changes }: UpdateReport['later'][number], same: readonly Change[]): string =>
  isDeepStrictEqual(changes, same)
    ? `${version} adopts the same changes.`
    : chapter(`Changes in ${version} by that`, changes.map(changeLine));

const chapter = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');

const row = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`${title}: ${items.join(', ')}`];

/** Returns one line for each path, with the dialects that lose it. */
function lossLines(losses: readonly Loss[]): string[] {
  return grouped(
    losses,
    ({ type, path }) => `${type} ${path}`,
    ({ dialect }) => dialect,
  ).map(([path, dialects]) => `${path}: ${dialects.length === olderDialects.length ? 'all' : dialects.join(', ')}`);
}

/** Returns one line for each place, with its first reason. Tests are only counted. */
function placeLines(places: readonly Place[]): string[] {
  const isTest = ({ file }: Place): boolean => file.startsWith('test/');
  const tests = places.filter(isTest);
  const files = new Set(tests.map(({ file }) => file)).size;
  return [
    ...places.filter((place) => !isTest(place)).map(placeLine),
    ...(tests.length > 0
      ? [`test: ${counted(tests.length, 'place')} in ${counted(files, 'file')}; --json lists them`]
      : []),
  ];
}

function placeLine({ file, line, name, why }: Place): string {
  const at = [line === undefined ? file : `${file}:${line}`, name].filter((part) => part !== undefined);
  const [first = '', ...more] = why.split('; ');
  return `${at.join(' ')}: ${first}${more.length > 0 ? `, and ${more.length} more` : ''}`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function tableLines(places: readonly Place[]): string[] {
  return grouped(
    places,
    ({ file }) => file,
    ({ name = '' }) => name,
  ).map(([file, names]) => `${file}: ${names.join(', ')}`);
}

/** Lists files. Generated files are only counted. */
function fileLines(files: readonly string[]): string[] {
  const isGenerated = (file: string): boolean => file.startsWith('src/gen/');
  const generated = files.filter(isGenerated).length;
  const others = files.filter((file) => !isGenerated(file));
  return [...others, ...(generated > 0 ? [`${counted(generated, 'file')} in src/gen`] : [])];
}

function grouped<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  labelOf: (item: T) => string,
): [key: string, values: string[]][] {
  const found = new Map<string, Set<string>>();
  for (const item of items) found.set(keyOf(item), (found.get(keyOf(item)) ?? new Set()).add(labelOf(item)));
  return [...found].map(([key, values]) => [key, [...values].sort()]);
}
