import type { Family, Sample } from './family.ts';

/** How metrics are written. */
export interface TextFormat {
  readonly mediaType: string;
  write(families: readonly Family[]): string;
}

/** Prometheus' text format, version 0.0.4. */
export const prometheusText: TextFormat = {
  mediaType: 'text/plain; version=0.0.4; charset=utf-8',
  write: (families) => families.map((family) => write(family, family.name, escapeHelp)).join(''),
};

/** OpenMetrics 1.0: counters are named without `_total`, which only their samples have. */
export const openMetrics: TextFormat = {
  mediaType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  write: (families) => {
    const named = (family: Family): string =>
      family.type === 'counter' ? family.name.replace(/_total$/, '') : family.name;
    return `${families.map((family) => write(family, named(family), escapeValue)).join('')}# EOF\n`;
  },
};

function write({ name, type, help, samples }: Family, family: string, escaped: (text: string) => string): string {
  let text = `# HELP ${family} ${escaped(help)}\n# TYPE ${family} ${type}\n`;
  for (const sample of samples) text += `${name}${sample.suffix ?? ''}${labelsOf(sample)} ${numberOf(sample.value)}\n`;
  return text;
}

function labelsOf({ labels }: Sample): string {
  let text = '';
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escapeValue(labels[name] as string)}"`;
  return text === '' ? '' : `{${text}}`;
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

const escapeValue = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');

const numberOf = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? '+Inf' : value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);

/** What of a media range in `Accept` counts: its q, 1 where none is given. */
const weightOf = (range: string): number => Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1);

/** The format that a value of `Accept` prefers; Prometheus' own where it says nothing else. */
export function formatFor(accept: string | undefined): TextFormat {
  let best: TextFormat = prometheusText;
  let weight = 0;
  for (const range of (accept ?? '').split(',')) {
    const type = (range.split(';', 1)[0] ?? '').trim().toLowerCase();
    const format = type === 'application/openmetrics-text' ? openMetrics : prometheusText;
    const given = weightOf(range);
    if (given <= weight) continue;
    best = format;
    weight = given;
  }
  return best;
}
