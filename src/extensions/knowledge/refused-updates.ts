import { A2AError } from '../../core/model/errors.ts';
import type { RefusedUpdate } from '../../gen/admin-v1/types.ts';
import type { KnowledgeUpdateParams, KnowledgeUpdateResponseResult } from '../../gen/knowledge-v1/types.ts';

/** Refused updates that are remembered for each agent. */
const perAgent = 50;
/** UTF-16 units of the JSON of an update's remembered changes. */
const maxChanges = 8_192;
/** UTF-16 units of a remembered text. */
const maxText = 2_000;

/** Who proposed an update, and for which agent's knowledge. */
interface Proposer {
  readonly agent: string;
  readonly principal: string;
}

type Outcome = Pick<RefusedUpdate, 'verificationStatus' | 'verificationDetails'>;

interface Remembered {
  readonly position: number;
  readonly update: RefusedUpdate;
}

/** The latest updates that rules refused, in the memory of this replica. Their number and their size are bounded. */
export class RefusedUpdates {
  readonly #byAgent = new Map<string, Remembered[]>();
  #count = 0;

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
    const lists = agent === undefined ? [...this.#byAgent.values()] : [this.#byAgent.get(agent) ?? []];
    return lists
      .flat()
      .toSorted((a, b) => b.position - a.position)
      .map(({ update }) => update);
  }

  #add({ agent, principal }: Proposer, { mutations }: KnowledgeUpdateParams, outcome: Outcome): void {
    const updates = this.#byAgent.get(agent) ?? [];
    this.#byAgent.set(agent, updates);
    this.#count += 1;
    updates.unshift({
      position: this.#count,
      update: {
        ...{ time: new Date().toISOString(), agent, principal },
        ...shortened(outcome),
        mutations: firstOf(mutations),
        proposed: mutations.length,
      },
    });
    updates.splice(perAgent);
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
