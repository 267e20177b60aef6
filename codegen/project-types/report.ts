import type { Change } from '../update/diff.ts';
import { changeLine, type NewLoss } from './changes.ts';
import type { Use } from './uses.ts';

/** Actions and findings of a run. */
export interface Report {
  /** Title of the specification, and path of the folder. */
  readonly title: string;
  readonly folder: string;
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  readonly removed: readonly string[];
  /** Title of the specification of the last run; undefined if there was none. */
  readonly before: string | undefined;
  readonly changes: readonly Change[];
  readonly losses: readonly NewLoss[];
  readonly uses: readonly Use[];
  /** Packages that the files import and the project lacks. */
  readonly missing: readonly string[];
}

/** Maximum number of lines of a list. */
const shown = 40;

/** Formats the report. Empty chapters are omitted. */
export function reportText(report: Report): string {
  const { written, unchanged, removed, before, title, changes } = report;
  const files = [
    ...written.map((name) => `wrote ${name}`),
    ...unchanged.map((name) => `unchanged ${name}`),
    ...removed.map((name) => `removed ${name}`),
  ];
  const since = before === undefined || before === title ? 'the last run' : before;
  const nothing = before !== undefined && changes.length === 0 && written.length > 0;
  const parts = [
    chapter(`${title}, in ${report.folder}`, files),
    chapter(`Changed since ${since}`, changes.map(changeLine)),
    nothing ? `The specification equals that of ${since}, except for comments and order.` : '',
    chapter(
      'Lost in older generations',
      report.losses.map(({ name, dialects }) => `${name}: ${dialects.join(', ')}`),
    ),
    chapter('Named in your project', report.uses.map(useLine)),
    report.missing.length === 0
      ? ''
      : `The files import packages that the project lacks:\n  npm install ${report.missing.join(' ')}`,
  ];
  return `${parts.filter((text) => text !== '').join('\n\n')}\n`;
}

function chapter(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const more = lines.length - shown;
  const list = more > 0 ? [...lines.slice(0, shown), `and ${more} more`] : lines;
  return [`${title}:`, ...list.map((line) => `  ${line}`)].join('\n');
}

function useLine({ file, line, changes }: Use): string {
  const named = changes.map(({ change, kind, name }) => `${change} ${kind} ${name}`);
  const [first = '', ...others] = [...new Set(named)];
  return `${file}:${line}: ${first}${others.length > 0 ? `, and ${others.length} more` : ''}`;
}
