import { availableParallelism } from 'node:os';
import { readPostgresUrl } from '../../stores/postgres/url.ts';
import { absolute, type ReportProblem } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { age, flag, oneOf, processes, section, text } from '../schema-parts.ts';

const expectedStore = 'memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE';

/** Why a text is not a store; undefined when it is. `memory` is accepted for `memory:`, which YAML would need in quotes. */
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

/** `store`: where tasks are kept. */
export const store = url
  .prefault('sqlite:./data/gateway.db')
  .describe('Where tasks are kept: in memory, in a file, or in PostgreSQL.');

/** `notifications`: the servers that carry notifications between replicas. */
export const notifications = text('nats://HOST:4222')
  .optional()
  .describe(
    'NATS servers that carry notifications between replicas: `nats://HOST:4222` or `tls://HOST:4222`, with user and password or a token if needed; separate several with commas. Default: PostgreSQL carries them.',
  );

/** `durability`: what acknowledged events survive. */
export const durability = oneOf('process', 'full')
  .prefault('process')
  .describe('Whether acknowledged events survive only the end of the process, or, with `full`, also a power failure.');

/** `fullText`: whether words are indexed. */
export const fullText = flag
  .prefault(false)
  .describe(
    'Whether operators can find tasks by the words of messages, artifacts and statuses. The index contains the words of the first 32 KiB of a task.',
  );

/** `workers`: how many processes serve. */
export const workers = processes
  .prefault(1)
  .describe(
    'Number of processes that serve on the port, or `auto` for one per core. More than one needs PostgreSQL. Only `a2a-gateway serve` starts them.',
  );

/** `watch`: whether a changed file takes effect by itself. */
export const watch = flag
  .prefault(false)
  .describe(
    'Whether the gateway reloads when files change, as on SIGHUP: this file, `agents.d/*.yaml` next to it, and the files that they name.',
  );

/** @param wanted 0: one for each core */
export function resolveWorkers(wanted: number, store: string, report: ReportProblem): number {
  if (wanted !== 1 && !store.startsWith('postgres')) {
    const kind = store.startsWith('memory') ? 'memory belongs to one process' : 'SQLite is written by one process';
    report(['workers'], `expected 1: ${kind}; for more, set store to postgres://USER:PASSWORD@HOST/DATABASE`);
  }
  return wanted === 0 ? availableParallelism() : wanted;
}

/** `retention`: after which time data is deleted. */
export const retention = section('retention', () => ({
  tasks: age.prefault('30d').describe('Age after which a task at rest is deleted, or `forever`.'),
  changes: age
    .prefault('30d')
    .describe('Age up to which subscribers can read missed changes of knowledge, or `forever`.'),
})).register(schemaFacts, { input: 'RetentionSettings', output: 'RetentionConfig' });

/** A store with its path made absolute. */
export const resolveStore = (folder: string, store: string): string =>
  store === 'memory'
    ? 'memory:'
    : store.startsWith('sqlite:')
      ? `sqlite:${absolute(folder, store.slice('sqlite:'.length))}`
      : store;
