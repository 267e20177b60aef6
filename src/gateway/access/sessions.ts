import type { Sessions, SessionsOptions } from '../../auth/sessions.ts';
import { once } from '../../core/model/timing.ts';
import type { Store } from '../../core/ports/store.ts';

/** The sessions of the console. They are opened with its first request. */
export function openSessions({
  store,
  ...options
}: Omit<SessionsOptions, 'secret' | 'ended'> & {
  readonly store: Pick<Store, 'extend' | 'secret'>;
}) {
  let sessions: Sessions | undefined;
  const open = once(async () => {
    const [{ Sessions }, { openEndedSessions }] = await Promise.all([
      import('../../auth/sessions.ts'),
      import('../../stores/cluster/ended-sessions.ts'),
    ]);
    const [secret, ended] = await Promise.all([store.secret('console'), store.extend(openEndedSessions)]);
    sessions = new Sessions({ ...options, secret, ended });
    return sessions;
  });
  return { open, close: () => sessions?.close() };
}
