/** One line of Prometheus' text format. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples by the full name of their lines, such as `a2a_gateway_request_duration_seconds_bucket`. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

const text = String.raw`"((?:[^"\\\n]|\\.)*)"`;
const label = new RegExp(String.raw`([a-zA-Z_]\w*)=${text}`, 'g');
/** A name, labels and a value. A time may follow. */
const line = new RegExp(
  String.raw`^([a-zA-Z_:][\w:]*)(?:\{((?:[ \t,]*[a-zA-Z_]\w*=${text})*)[ \t,]*\})?[ \t]+(\S+)`,
  'gm',
);

/**
 * Reads Prometheus' text format, version 0.0.4. Lines of other names than the wanted ones are left out, and so are lines that
 * cannot be read.
 */
export function parseMetrics(exposed: string, wanted: ReadonlySet<string>): Samples {
  const samples = new Map<string, Sample[]>();
  for (const [, name = '', labels = '', , word = ''] of exposed.matchAll(line)) {
    const value = Number(word.replace('Inf', 'Infinity'));
    if (!wanted.has(name) || Number.isNaN(value)) continue;
    const pairs = Array.from(labels.matchAll(label), ([, key = '', of = '']) => [key, unescaped(of)]);
    const sample = { labels: Object.fromEntries(pairs), value };
    const list = samples.get(name);
    if (list) list.push(sample);
    else samples.set(name, [sample]);
  }
  return samples;
}

const unescaped = (written: string): string =>
  written.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
