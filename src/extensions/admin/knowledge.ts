import type { RefusedUpdate } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from './service.ts';

export interface KnowledgeHandlersDeps {
  /** The updates that rules refused, the latest first: those of one agent's knowledge, or all. */
  readonly refusedUpdates: (agent?: string) => RefusedUpdate[];
}

/** The operations about knowledge. */
export function knowledgeHandlers({ refusedUpdates }: KnowledgeHandlersDeps): AdminHandlers<'ListRefusedUpdates'> {
  return {
    async ListRefusedUpdates({ agent }) {
      return { value: { updates: refusedUpdates(agent || undefined) } };
    },
  };
}
