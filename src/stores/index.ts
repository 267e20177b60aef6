import type { Logger, Store } from '../core/ports.ts';
import { SqlStore } from './store.ts';

export { taskKey } from '../core/task-key.ts';

export interface StoreOptions {
  /** Name of this gateway, for people; the store adds what makes it unique. */
  readonly instance: string;
  /**
   * What an acknowledged event survives: the death of the process (the default), or with `full` also a power cut, at
   * one flush to the disk for each batch. Of SQLite only; PostgreSQL's `synchronous_commit` is the server's own matter.
   */
  readonly durability?: 'process' | 'full';
  readonly logger?: Logger;
}

/**
 * A store of tasks. Nothing is opened before `open()`, which rejects with A2AError `unavailable` and a message that
 * says why.
 *
 * @param url `memory:` (gone with the process), `sqlite:PATH` (its folder is made) or
 *   `postgres://USER:PASSWORD@HOST/DATABASE`, where settings of node-postgres may follow a question mark
 *   (`?statement_timeout=20000`). Throws TypeError for anything else.
 */
export function createStore(url: string, options: StoreOptions): Store {
  const { instance, logger, durability = 'process' } = options;
  const [scheme] = url.split(':', 1);
  const sqlite = (path: string, shown: string): Store =>
    new SqlStore({
      shown,
      instance,
      logger,
      connect: async () => (await import('./sqlite.ts')).openSqlite({ path, flush: durability === 'full' }),
    });
  if (scheme === 'memory') return sqlite(':memory:', 'memory:');
  if (scheme === 'sqlite' && url.length > 'sqlite:'.length) {
    return sqlite(url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, ''), url);
  }
  if (/^postgres(?:ql)?:\/\/./.test(url) && URL.canParse(url)) {
    const connect = async () => (await import('./postgres.ts')).openPostgres(url, logger);
    return new SqlStore({ shown: withoutPassword(url), instance, logger, connect });
  }
  throw new TypeError(
    `Unknown store ${scheme}: expected memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE`,
  );
}

function withoutPassword(text: string): string {
  const url = new URL(text);
  url.password = '';
  url.search = '';
  return url.href;
}
