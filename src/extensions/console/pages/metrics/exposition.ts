/** One line of Prometheus' text format. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples by the full name of their lines, such as `a2a_gateway_request_duration_seconds_bucket`. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/**
 * Reads Prometheus' text format, version 0.0.4. Lines of other names than the wanted ones are skipped unread, and so are
 * lines that cannot be read.
 */
export function parseMetrics(text: string, wanted: ReadonlySet<string>): Samples {
  const samples = new Map<string, Sample[]>();
  for (let start = 0; start < text.length; ) {
    const end = endOfLine(text, start);
    const name = nameAt(text, start);
    if (wanted.has(name)) {
      const sample = sampleIn(text.slice(start + name.length, end));
      const list = samples.get(name);
      if (sample && list) list.push(sample);
      else if (sample) samples.set(name, [sample]);
    }
    start = end + 1;
  }
  return samples;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

const names = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;

function nameAt(text: string, start: number): string {
  names.lastIndex = start;
  return names.exec(text)?.[0] ?? '';
}

const label = /[\s,]*([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/y;
const labelsEnd = /[\s,]*\}/y;

/** The labels and the value of a line, without its name. */
function sampleIn(line: string): Sample | undefined {
  const labels: Record<string, string> = {};
  let at = 0;
  if (line.startsWith('{')) {
    at = 1;
    for (;;) {
      label.lastIndex = at;
      const found = label.exec(line);
      if (!found) break;
      const [whole, name = '', value = ''] = found;
      labels[name] = unescaped(value);
      at += whole.length;
    }
    labelsEnd.lastIndex = at;
    const closing = labelsEnd.exec(line);
    if (!closing) return undefined;
    at += closing[0].length;
  }
  // A time may follow the value.
  const [word = ''] = line.slice(at).trim().split(/\s+/, 1);
  const value = numberIn(word);
  return value === undefined ? undefined : { labels, value };
}

const special: Readonly<Record<string, number>> = { '+Inf': Infinity, '-Inf': -Infinity, NaN: Number.NaN };

function numberIn(word: string): number | undefined {
  const known = special[word];
  if (known !== undefined) return known;
  const value = Number(word);
  return word === '' || Number.isNaN(value) ? undefined : value;
}

const unescaped = (text: string): string =>
  text.includes('\\') ? text.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)) : text;
