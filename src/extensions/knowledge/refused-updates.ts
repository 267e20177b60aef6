import { A2AError } from '../../core/model/errors.ts';
import type { RefusedUpdate } from '../../gen/admin-v1/types.ts';
import type { KnowledgeUpdateParams, KnowledgeUpdateResponseResult } from '../../gen/knowledge-v1/types.ts';

/** Refused updates that are remembered for each agent. */
const perAgent = 50;
/** UTF-16 units of the JSON of an update's remembered changes. */
const maxChanges = 8_192;
/** UTF-16 units of a remembered text. */
const maxText = 2_000;

/** Author of an update, and the agent whose knowledge it concerns. */
interface Proposer {
  readonly agent: string;
  readonly principal: string;
}

type Outcome = Pick<RefusedUpdate, 'verificationStatus' | 'verificationDetails'>;

/** The latest updates that rules refused, in the memory of this replica. Their number and their size are bounded. */
export class RefusedUpdates {
  /** The latest first. */
  #updates: readonly RefusedUpdate[] = [];

  /** Carries an update out, and remembers it if the rules reject or forbid it. */
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

  /** The remembered updates, the latest first. */
  list(agent?: string): RefusedUpdate[] {
    return this.#updates.filter((update) => agent === undefined || update.agent === agent);
  }

  /** Forgets the updates of a caller. Returns their number. */
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

/** The first changes, as many as fit. */
function firstOf(mutations: KnowledgeUpdateParams['mutations']): NonNullable<RefusedUpdate['mutations']> {
  let left = maxChanges;
  const end = mutations.findIndex((mutation) => {
    left -= JSON.stringify(mutation).length;
    return left < 0;
  });
  return mutations.slice(0, end < 0 ? undefined : end).map((mutation) => ({ ...mutation }));
}
