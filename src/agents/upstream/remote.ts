import { noteLoss } from '../../core/model/call.ts';
import type { RemoteAgent } from '../../core/model/remote-agent.ts';
import { callUpstream } from './calls.ts';
import type { UpstreamConnection } from './connection/connection.ts';
import type { IdMapping } from './ids.ts';

/**
 * An upstream agent, for operations that extensions add.
 *
 * @param timeout milliseconds that an answer, or the beginning of a stream, may take
 * @param idsOf maps the ids of a caller's tasks and contexts
 */
export const createRemote = (
  connection: UpstreamConnection,
  timeout: number,
  idsOf: (principal: string, tenant: string) => IdMapping,
): RemoteAgent => ({
  get card() {
    return connection.card;
  },
  async open() {
    await connection.open();
  },
  call(operation, request, context, bounds) {
    const { notes } = context;
    const origin = {
      ...context,
      activate: (extension: string) => void notes.extensions.add(extension),
      drop: (path: string, dialect?: string) => noteLoss(notes, path, dialect),
    };
    return callUpstream(connection, origin, operation, request, { ...bounds, timeout });
  },
  idsOf(principal, tenant) {
    const mapping = idsOf(principal, tenant);
    return {
      task: async (id) => (await mapping.task(id))?.id,
      context: (id) => mapping.context(id),
    };
  },
  errorFor: (thrown, context) => connection.errorForCaller(thrown, context),
});
