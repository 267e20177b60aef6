import type { Observation } from './observe.ts';

/** One place in which two observations of the same conversation are not the same. */
export interface Difference {
  /** Name of the conversation. */
  readonly conversation: string;
  /** Fields from the observation to the place, such as `client.task.artifacts.name`; `[]` ends one in a list's length. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Observations by the names of their conversations. */
export type Observations = ReadonlyMap<string, Observation>;

/** Differences between conversations that were held; each place is listed once. */
export function differences(expected: Observations, actual: Observations): Difference[] {
  const found: Difference[] = [];
  for (const [conversation, observation] of actual) {
    const paths = new Set<string>();
    const report: Report = (path, one, other) => {
      if (paths.has(path)) return;
      paths.add(path);
      found.push({ conversation, path, expected: one, actual: other });
    };
    // A log that was not observed is not compared.
    const { log, ...rest } = expected.get(conversation) ?? {};
    compare('log' in observation ? { ...rest, log } : rest, observation, '', report);
  }
  return found;
}

type Report = (path: string, expected: unknown, actual: unknown) => void;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members whose contents an agent or a user chooses: they are compared as a whole. */
const whole: ReadonlySet<string> = new Set(['data', 'metadata']);

function compare(expected: unknown, actual: unknown, path: string, report: Report): void {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) report(`${path}[]`, expected, actual);
    else for (const [at, item] of expected.entries()) compare(item, actual[at], path, report);
  } else if (isObject(expected) && isObject(actual) && !whole.has(path.slice(path.lastIndexOf('.') + 1))) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      compare(expected[key], actual[key], path === '' ? key : `${path}.${key}`, report);
    }
  } else if (JSON.stringify(sorted(expected)) !== JSON.stringify(sorted(actual))) {
    report(path, expected, actual);
  }
}

/** With the keys of objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
}
