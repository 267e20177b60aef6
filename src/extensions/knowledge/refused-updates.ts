import { A2AError } from '../../core/model/errors.ts';
import type { RefusedUpdate } from '../../gen/admin-v1/types.ts';
import type { KnowledgeUpdateParams, KnowledgeUpdateResponseResult } from '../../gen/knowledge-v1/types.ts';

/** Number of refused updates that are kept for each agent. */
const perAgent = 50;
/** Maximum UTF-16 units of the JSON of an update's kept changes. */
const maxChanges = 8_192;
/** Maximum UTF-16 units of a kept text. */
const maxText = 2_000;

/** Author of an update, and the agent whose knowledge the update concerns. */
interface Proposer {
  readonly agent: string;
  readonly principal: string;
}

type Outcome = Pick<RefusedUpdate, 'verificationStatus' | 'verificationDetails'>;

/** The latest updates that rules refused, kept in the memory of this replica. Their number and size are bounded. */
export class RefusedUpdates {
  /** Refused updates, latest first. */
  #updates: readonly RefusedUpdate[] = [];

  /** Applies an update, and records it if rules reject or forbid it. */
  async watch(
    proposer: Proposer,
    request: KnowledgeUpdateParams,
    update: () => Promise<KnowledgeUpdateResponseResult>,
  ): Promise<KnowledgeUpdateResponseResult> {
    try {
      const result = await update();
      if (!result.success) this.#add(proposer, request, result);
      return result;
    } catch (thrown) {
      if (thrown instanceof A2AError && thrown.kind === 'alignmentViolation') {
        const { message: verificationDetails } = thrown;
        this.#add(proposer, request, { verificationStatus: 'Forbidden', verificationDetails });
      }
      throw thrown;
    }
  }

  /** Returns the recorded updates, latest first. */
  list(agent?: string): RefusedUpdate[] {
    return this.#updates.filter((update) => agent === undefined || update.agent === agent);
  }

  /** Deletes the recorded updates of a caller. Returns their number. */
  forget(principal: string): number {
    const former = this.#updates.length;
    this.#updates = this.#updates.filter((update) => update.principal !== principal);
    return former - this.#updates.length;
  }

  #add({ agent, principal }: Proposer, { mutations }: KnowledgeUpdateParams, outcome: Outcome): void {
    const update = {
      time: new Date().toISOString(),
      agent,
      principal,
      ...shortened(outcome),
      mutations: firstOf(mutations),
      proposed: mutations.length,
    };
    const forgotten = this.list(agent)[perAgent - 1];
    this.#updates = [update, ...this.#updates.filter((other) => other !== forgotten)];
  }
}

const shortened = ({ verificationStatus = '', verificationDetails = '' }: Outcome): Required<Outcome> => ({
  verificationStatus: verificationStatus.slice(0, maxText),
  verificationDetails: verificationDetails.slice(0, maxText),
});

/** Returns as many of the first changes as fit the limit. */
function firstOf(mutations: KnowledgeUpdateParams['mutations']): NonNullable<RefusedUpdate['mutations']> {
  let left = maxChanges;
  const end = mutations.findIndex((mutation) => {
    left -= JSON.stringify(mutation).length;
    return left < 0;
  });
  return mutations.slice(0, end < 0 ? undefined : end).map((mutation) => ({ ...mutation }));
}
