import { expect } from 'vitest';

/** Samples by name and labels as they are written, such as `a2a_gateway_streams_open{binding="rest"}`. */
export type Samples = ReadonlyMap<string, number>;

/** One family as it is served. */
export interface Served {
  readonly type: string;
  readonly help: string;
  readonly labels: ReadonlySet<string>;
}

export const samplesOf = (text: string): Samples =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, number] => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1).replace('+Inf', 'Infinity'))];
      }),
  );

/** The families of a page in Prometheus' own format. */
export function familiesOf(text: string): Map<string, Served> {
  const families = new Map<string, Served & { labels: Set<string> }>();
  let name = '';
  let help = '';
  for (const line of text.split('\n')) {
    const [, kind, of = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') [name, help] = [of, rest];
    else if (kind === 'TYPE') families.set(name, { type: rest, help, labels: new Set() });
    else if (line !== '') {
      const [, labels = ''] = /\{(.*)\}/.exec(line) ?? [];
      for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) families.get(name)?.labels.add(label);
    }
  }
  return families;
}

export async function readText(origin: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`${origin}/metrics`, { headers });
  expect(answer.status).toBe(200);
  return answer.text();
}

export const read = async (origin: string): Promise<Samples> => samplesOf(await readText(origin));

/** Counts that change without a request, since the gateway maintains its store by itself. */
const byItself = /^a2a_gateway_(?:store_|push_oldest|.*_(?:sum|bucket|count)\b)/;

/** Changes of the gateway's own counts from one reading to the next. */
export function changes(before: Samples, after: Samples): Record<string, number> {
  const changed = [...after].flatMap(([key, value]): [string, number][] => {
    const difference = value - (before.get(key) ?? 0);
    return difference === 0 || !key.startsWith('a2a_gateway_') || byItself.test(key) ? [] : [[key, difference]];
  });
  return Object.fromEntries(changed);
}
