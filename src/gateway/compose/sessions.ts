import type { createSessions, Sessions } from '../../auth/sessions.ts';
import type { Store } from '../../core/ports/store.ts';

/** The sessions of the console. They are opened with its first request. */
export function openSessions({
  store,
  ...options
}: Omit<Parameters<typeof createSessions>[0], 'secret' | 'ended'> & {
  readonly store: Pick<Store, 'extend' | 'secret'>;
}) {
  let opening: Promise<Sessions> | undefined;
  const create = async (): Promise<Sessions> => {
    const [{ createSessions }, { openEndedSessions }] = await Promise.all([
      import('../../auth/sessions.ts'),
      import('../../stores/cluster/ended-sessions.ts'),
    ]);
    const [secret, ended] = await Promise.all([store.secret('console'), store.extend(openEndedSessions)]);
    return createSessions({ ...options, secret, ended });
  };
  return {
    open(): Promise<Sessions> {
      opening ??= create().catch((thrown: unknown) => {
        opening = undefined;
        throw thrown;
      });
      return opening;
    },
    close: () => void opening?.then((sessions) => sessions.close()).catch(() => undefined),
  };
}
