import { parseDuration } from '../../core/model/scalars.ts';
import { readPostgresUrl } from '../../stores/postgres/url.ts';
import { absolute } from '../context.ts';
import { finite, oneOf, positive, quantity, section, text } from '../schema-parts.ts';

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

/** `store`: where tasks are kept. */
export const store = text(expectedStore)
  .superRefine((value, cx) => {
    const message = storeFault(value);
    if (message !== undefined) cx.addIssue({ code: 'custom', message });
  })
  .default('sqlite:./data/gateway.db');

/** `durability`: acknowledged events survive the end of the process, or with `full` a power cut too. */
export const durability = oneOf('process', 'full').default('process');

const age = quantity('a duration such as 30d or 12h, or "forever"', (value) =>
  value === 'forever' ? Number.POSITIVE_INFINITY : positive(parseDuration(String(value))),
)
  .default(30 * 86_400_000)
  .transform(finite);

/** After which time data is deleted. Milliseconds; undefined: never. */
export interface RetentionConfig {
  /** Age after which a task at rest is deleted. */
  readonly tasks: number | undefined;
  /** Age up to which subscribers can read missed changes of knowledge. */
  readonly changes: number | undefined;
}

/** `retention`: after which time data is deleted. */
export const retention = section('retention', {
  tasks: age,
  changes: age,
});

/** A store with its path made absolute. */
export const resolveStore = (folder: string, store: string): string =>
  store === 'memory'
    ? 'memory:'
    : store.startsWith('sqlite:')
      ? `sqlite:${absolute(folder, store.slice('sqlite:'.length))}`
      : store;

/** A store as it may be shown: without the password. */
export const withoutPassword = (store: string): string =>
  store.startsWith('postgres') ? readPostgresUrl(store).shown : store;
