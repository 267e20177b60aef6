import type { KnowledgeSpace } from '../../../../core/model/knowledge.ts';
import type { AppliedUpdate } from '../../model/graph.ts';
import { spaceKey } from '../spaces.ts';
import type { Applied, Update } from './apply.ts';

/** Patches per transaction, so that it blocks neither the event loop nor the database for long. */
const batchPatches = 1_000;

interface Queued extends Pick<PromiseWithResolvers<AppliedUpdate | undefined>, 'resolve' | 'reject'> {
  readonly update: Update;
}

interface SpaceQueue {
  readonly waiting: Queued[];
  readonly drained: Promise<void>;
}

/** Commits updates of one space in one transaction. */
type Commit = (space: KnowledgeSpace, updates: readonly Update[]) => Promise<Applied>;

/**
 * Group commit, as for tasks: updates of a space that arrive while a transaction is under way share the next one. Each
 * is applied entirely or not at all, in order of arrival.
 */
export function createUpdateQueue(commit: Commit, isGeneral: (error: unknown) => boolean) {
  const queues = new Map<string, SpaceQueue>();

  /** Durable when it resolves. */
  function push(space: KnowledgeSpace, update: Update): Promise<AppliedUpdate | undefined> {
    return new Promise((resolve, reject) => {
      const queued = { update, resolve, reject };
      const key = spaceKey(space);
      const queue = queues.get(key);
      if (queue) queue.waiting.push(queued);
      else {
        const waiting = [queued];
        queues.set(key, { waiting, drained: drain(key, space, waiting) });
      }
    });
  }

  /** Resolves when all queues are empty. */
  async function idle(): Promise<void> {
    while (queues.size > 0) await Promise.all([...queues.values()].map(({ drained }) => drained));
  }

  async function drain(key: string, space: KnowledgeSpace, waiting: Queued[]): Promise<void> {
    while (waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await settle(space, takeBatch(waiting));
    }
    queues.delete(key);
  }

  /** Never rejects. */
  async function settle(space: KnowledgeSpace, batch: readonly Queued[]): Promise<void> {
    try {
      const updates = batch.map(({ update }) => update);
      const { outcomes } = await commit(space, updates);
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i]);
    } catch (error) {
      if (batch.length === 1 || isGeneral(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One of the updates cannot be stored: apply each alone, so that the others are not affected.
      for (const queued of batch) await settle(space, [queued]);
    }
  }

  return { push, idle };
}

/** Takes the updates of the next transaction. */
function takeBatch(waiting: Queued[]): Queued[] {
  let patches = 0;
  const end = waiting.findIndex(({ update }, i) => {
    patches += update.drafts.length;
    return i > 0 && patches > batchPatches;
  });
  return waiting.splice(0, end < 0 ? waiting.length : end);
}
