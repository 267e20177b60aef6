import type { AppliedUpdate, KnowledgeSpace } from '../../../core/model/knowledge.ts';
import { spaceKey } from '../spaces.ts';
import type { Applied, Update } from './apply.ts';

/** Patches per transaction, so that it blocks neither the event loop nor the database for long. */
const batchPatches = 1_000;

interface Queued {
  readonly update: Update;
  readonly resolve: (outcome: AppliedUpdate | undefined) => void;
  readonly reject: (error: unknown) => void;
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
export class UpdateQueue {
  readonly #commit: Commit;
  /** Whether an error affects all updates alike, as an unavailable database does. */
  readonly #isGeneral: (error: unknown) => boolean;
  readonly #queues = new Map<string, SpaceQueue>();

  constructor(commit: Commit, isGeneral: (error: unknown) => boolean) {
    this.#commit = commit;
    this.#isGeneral = isGeneral;
  }

  /** Durable when it resolves. */
  push(space: KnowledgeSpace, update: Update): Promise<AppliedUpdate | undefined> {
    return new Promise((resolve, reject) => {
      const queued = { update, resolve, reject };
      const key = spaceKey(space);
      const queue = this.#queues.get(key);
      if (queue) {
        queue.waiting.push(queued);
        return;
      }
      const waiting = [queued];
      this.#queues.set(key, { waiting, drained: this.#drain(key, space, waiting) });
    });
  }

  /** Resolves when all queues are empty. */
  async idle(): Promise<void> {
    while (this.#queues.size > 0) await Promise.all([...this.#queues.values()].map(({ drained }) => drained));
  }

  async #drain(key: string, space: KnowledgeSpace, waiting: Queued[]): Promise<void> {
    while (waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.#settle(space, takeBatch(waiting));
    }
    this.#queues.delete(key);
  }

  /** Never rejects. */
  async #settle(space: KnowledgeSpace, batch: readonly Queued[]): Promise<void> {
    try {
      const updates = batch.map(({ update }) => update);
      const { outcomes } = await this.#commit(space, updates);
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i]);
    } catch (error) {
      if (batch.length === 1 || this.#isGeneral(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One of the updates cannot be stored: apply each alone, so that the others are not affected.
      for (const queued of batch) await this.#settle(space, [queued]);
    }
  }
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
