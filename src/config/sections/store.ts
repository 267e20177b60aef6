import { readPostgresUrl } from '../../stores/postgres/url.ts';

/** What may be written for the store. */
export const expectedStore = 'memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE';

/** What is wrong with a text that should name a store. `memory` stands for `memory:`, which YAML wants in quotes. */
export function storeFault(value: string): string | undefined {
  if (!/^(?:memory:?|sqlite:.+|postgres(?:ql)?:\/\/.+)$/.test(value)) {
    return `expected ${expectedStore}`;
  }
  if (!value.startsWith('postgres')) return undefined;
  try {
    readPostgresUrl(value);
    return undefined;
  } catch (error) {
    return (error as TypeError).message;
  }
}

/** A store as it may be shown: without the password. */
export const withoutPassword = (store: string): string =>
  store.startsWith('postgres') ? readPostgresUrl(store).shown : store;
