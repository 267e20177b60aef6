import { timestamp } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Erasure as ShownErasure } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import { fault } from '../requests.ts';
import type { Erasures } from './erasures.ts';
import { type Erasure, resultOf } from './model.ts';
import { erasureIdOf } from './store.ts';

/** Most characters of a principal. */
const longest = 1_000;
/** Milliseconds for which a call waits for the end of the erasure. */
const waitsFor = 3_000;

const shown = ({ id, begunBy, before, endedAt, progress }: Erasure): ShownErasure => ({
  id,
  state: endedAt === undefined ? 'running' : 'done',
  begunBy,
  begunAt: timestamp(before),
  ...(endedAt !== undefined && { endedAt: timestamp(endedAt) }),
  erased: Object.entries(progress.erased).map(([kind, count]) => ({ kind, count })),
  remaining: Object.entries(progress.remaining).map(([kind, { count, ids }]) => ({ kind, count, ids: [...ids] })),
  missingReplicas: [...progress.missing],
});

export interface EraseHandlersDeps {
  readonly store: Pick<Store, 'secret'>;
  /** Opens the erasures. The first call does it. */
  readonly open: () => Promise<Pick<Erasures, 'begin' | 'find'>>;
}

/** Returns the operation that erases a caller and reports the progress. */
export function eraseHandlers({ store, open }: EraseHandlersDeps): AdminHandlers<'EraseCaller'> {
  return {
    async EraseCaller({ principal, again = false }, { principal: { id: begunBy } }, facts) {
      // The audit log never names the erased caller.
      facts.subject = 'a caller';
      if (principal.length > longest) throw fault('principal', `must have at most ${longest} characters`);
      if (principal === begunBy) throw fault('principal', 'is your own: the audit log would name what was erased');
      const id = await erasureIdOf(store, principal);
      facts.subject = id;
      const erasures = await open();
      const known = await erasures.find(id);
      if (known?.endedAt === undefined || again) await erasures.begin({ id, principal, begunBy }, waitsFor);
      const found = await erasures.find(id);
      if (!found) throw new A2AError('unavailable', 'The erasure cannot be read', { retryAfter: 1 });
      facts.reason = `${found.endedAt === undefined ? 'running' : 'done'}; ${resultOf(found.progress)}`;
      return { value: shown(found) };
    },
  };
}
