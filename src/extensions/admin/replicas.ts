import { timestamp } from '../../core/model/agent-events.ts';
import type { Store } from '../../core/ports/store.ts';
import type { AdminHandlers } from './service.ts';

export interface ReplicaHandlersDeps {
  readonly store: Pick<Store, 'replicas'>;
  /** Version of this gateway. */
  readonly version: string;
}

/** The operations about replicas. */
export function replicaHandlers({ store, version }: ReplicaHandlersDeps): AdminHandlers<'ListReplicas'> {
  return {
    async ListReplicas() {
      const replicas = await store.replicas();
      const statuses = replicas.map(({ id, host, pid, startedAt, heartbeatAt, isAlive, isThis, tasks }) => ({
        ...{ id, host, pid, tasks, alive: isAlive, isThis },
        ...{ startedAt: timestamp(startedAt), heartbeatAt: timestamp(heartbeatAt) },
        ...(isThis && { version }),
      }));
      return { value: { replicas: statuses } };
    },
  };
}
