import { availableParallelism } from 'node:os';
import { readPostgresUrl } from '../../stores/postgres/url.ts';
import { absolute, type ReportProblem } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { age, flag, oneOf, processes, section, text } from '../schema-parts.ts';

const expectedStore = 'memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE';

/**
 * Returns the reason why a text does not name a store. Undefined if it does. `memory` is accepted for `memory:`, which
 * YAML requires in quotes.
 */
export function storeFault(value: string): string | undefined {
  if (!/^(?:memory:?|sqlite:.+|postgres(?:ql)?:\/\/.+)$/.test(value)) return `expected ${expectedStore}`;
  if (!value.startsWith('postgres')) return undefined;
  try {
    readPostgresUrl(value);
    return undefined;
  } catch (error) {
    return (error as TypeError).message;
  }
}

const url = text(expectedStore).superRefine((value, cx) => {
  const message = storeFault(value);
  if (message !== undefined) cx.addIssue({ code: 'custom', message });
});

/** `store`: location of the tasks. */
export const store = url
  .prefault('sqlite:./data/gateway.db')
  .describe('Location of the tasks: memory, an SQLite file, or PostgreSQL.');

/** `notifications`: the servers that carry notifications between replicas. */
export const notifications = text('nats://HOST:4222')
  .optional()
  .describe(
    'NATS servers that carry notifications between replicas: `nats://HOST:4222` or `tls://HOST:4222`, with user and password or a token if required. Separate several servers with commas. Default: PostgreSQL carries notifications.',
  );

/** `durability`: failures that acknowledged events survive. */
export const durability = oneOf('process', 'full')
  .prefault('process')
  .describe(
    'Whether acknowledged events survive only the end of the process (`process`), or also a power failure (`full`).',
  );

/** `fullText`: whether the words of tasks are indexed. */
export const fullText = flag
  .prefault(false)
  .describe(
    'Whether operators can search tasks for words in messages, artifacts and statuses. The index contains the words in the first 32 KiB of a task.',
  );

/** `workers`: number of processes that serve. */
export const workers = processes
  .prefault(1)
  .describe(
    'Number of processes that serve on the port, or `auto` for one per core. More than one requires PostgreSQL. Only `a2a-gateway serve` starts several processes.',
  );

/** `watch`: whether the gateway reloads when files change. */
export const watch = flag
  .prefault(false)
  .describe(
    'Whether the gateway reloads when files change, as on SIGHUP: this file, `agents.d/*.yaml` next to it, and the files that they name.',
  );

/** Returns the number of processes. `wanted` is 0 for one per core. */
export function resolveWorkers(wanted: number, store: string, report: ReportProblem): number {
  if (wanted !== 1 && !store.startsWith('postgres')) {
    const kind = store.startsWith('memory') ? 'memory belongs to one process' : 'SQLite is written by one process';
    report(['workers'], `expected 1: ${kind}; for more, set store to postgres://USER:PASSWORD@HOST/DATABASE`);
  }
  return wanted === 0 ? availableParallelism() : wanted;
}

/** `retention`: ages after which data is deleted. */
export const retention = section('retention', () => ({
  tasks: age.prefault('30d').describe('Age after which a task at rest is deleted, or `forever`.'),
  changes: age
    .prefault('30d')
    .describe(
      'Age after which changes of knowledge are deleted, so that subscribers can no longer read missed ones, or `forever`.',
    ),
})).register(schemaFacts, { input: 'RetentionSettings', output: 'RetentionConfig' });

/** Makes the path of a store absolute. */
export const resolveStore = (folder: string, store: string): string =>
  store === 'memory'
    ? 'memory:'
    : store.startsWith('sqlite:')
      ? `sqlite:${absolute(folder, store.slice('sqlite:'.length))}`
      : store;
