import type { Family, Labels } from './family.ts';

export interface TextFormat {
  readonly mediaType: string;
  write(families: readonly Family[]): string;
}

/** Prometheus' text format, version 0.0.4. */
export const prometheusText: TextFormat = {
  mediaType: 'text/plain; version=0.0.4; charset=utf-8',
  write: (families) => families.map((family) => write(family, family.name, escapeHelp)).join(''),
};

/** OpenMetrics 1.0: the names of counters end with `_total` in their samples only. */
export const openMetrics: TextFormat = {
  mediaType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  write: (families) => {
    const named = ({ type, name }: Family): string => (type === 'counter' ? name.replace(/_total$/, '') : name);
    return `${families.map((family) => write(family, named(family), escapeValue)).join('')}# EOF\n`;
  },
};

function write({ name, type, help, samples }: Family, family: string, escaped: (text: string) => string): string {
  let text = `# HELP ${family} ${escaped(help)}\n# TYPE ${family} ${type}\n`;
  for (const { labels, suffix = '', value } of samples) {
    text += `${name}${suffix}${written(labels)} ${value}\n`;
  }
  return text;
}

function written(labels: Labels): string {
  let text = '';
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escapeValue(labels[name] as string)}"`;
  return text === '' ? '' : `{${text}}`;
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

const escapeValue = (text: string): string => (/[\\"\n]/.test(text) ? escapeHelp(text).replaceAll('"', '\\"') : text);

/** Returns the format that an `Accept` header prefers. Default: Prometheus' own. */
export function formatFor(accept = ''): TextFormat {
  let best = { format: prometheusText, weight: 0 };
  for (const range of accept.split(',')) {
    const type = range.split(';', 1)[0]?.trim().toLowerCase();
    const format = type === 'application/openmetrics-text' ? openMetrics : prometheusText;
    const weight = Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1);
    if (weight > best.weight) best = { format, weight };
  }
  return best.format;
}
