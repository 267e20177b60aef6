import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Store } from '../../core/ports/store.ts';
import type { BackupChunk } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from './service.ts';

/** The operation that copies the store. One backup is made at a time. */
export function backupHandlers(store: Pick<Store, 'backUp'>): AdminHandlers<'BackUpStore'> {
  let isRunning = false;
  async function* events(signal: AbortSignal): AsyncGenerator<LoggedEvent<BackupChunk>> {
    if (isRunning)
      throw new A2AError('unavailable', 'Another backup is being made; try again later.', { retryAfter: 5 });
    isRunning = true;
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => undefined);
    const abort = (): void => ended.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    let seq = 0;
    const eventOf = (event: BackupChunk): LoggedEvent<BackupChunk> => {
      seq += 1;
      return { seq, at: Date.now(), generation: 0, event, json: JSON.stringify(event) };
    };
    try {
      const { expectedSize, parts } = await store.backUp();
      try {
        yield eventOf({ size: `${expectedSize}` });
        for (;;) {
          const { done, value } = await Promise.race([parts.next(), ended.promise]);
          if (done || !value) return;
          if ('data' in value) yield eventOf({ data: Buffer.from(value.data).toString('base64') });
          else yield eventOf({ size: `${value.size}`, sha256: value.sha256 });
        }
      } finally {
        void parts.return();
      }
    } finally {
      signal.removeEventListener('abort', abort);
      isRunning = false;
    }
  }
  return { BackUpStore: async (_request, { signal }) => ({ events: events(signal) }) };
}
