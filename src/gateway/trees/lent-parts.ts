import type { AskGateway } from '../../core/model/agent.ts';
import { leasePath } from '../../core/model/call.ts';
import { isObject } from '../../core/model/json.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { TreeBudgets } from '../../stores/cluster/tree-budgets.ts';
import type { Lease } from './path.ts';

/** Parts at other gateways that are remembered. Those of tasks that wait for ever stay spent. */
const maxLent = 10_000;

/** A part of a budget at another gateway. */
interface LentPart {
  /** Of the budget that it was taken from. */
  readonly budget: string;
  readonly lease: Lease;
  readonly path: string;
  readonly ask: AskGateway;
}

/** Parts of budgets at other gateways, by the keys of the tasks that they were taken for. */
export class LentParts {
  readonly #parts = new Map<string, LentPart>();
  readonly #budgets: () => Promise<TreeBudgets>;
  readonly #logger: Logger;

  constructor(budgets: () => Promise<TreeBudgets>, logger: Logger) {
    this.#budgets = budgets;
    this.#logger = logger;
  }

  /** The part that a task has already. */
  leaseOf(key: string): Lease | undefined {
    return this.#parts.get(key)?.lease;
  }

  add(key: string, part: LentPart): void {
    this.#parts.set(key, part);
    const [oldest] = this.#parts.keys();
    if (this.#parts.size > maxLent && oldest !== undefined) this.#parts.delete(oldest);
  }

  /**
   * Takes back what another gateway has left of a part of a budget, when the task is over for which it was taken. Where that
   * gateway does not answer, the part stays spent.
   *
   * @param reported what the task reported as its cost, which the other gateway has counted, too
   */
  async takeBack(key: string, reported: number): Promise<void> {
    const lent = this.#parts.get(key);
    if (!lent) return;
    this.#parts.delete(key);
    const { budget, lease, path, ask } = lent;
    try {
      const left = await ask(leasePath, path);
      if (!isObject(left)) return;
      const { calls, bytes, cost } = lease;
      await (await this.#budgets()).give(budget, {
        calls: Math.floor(partOf(calls, left.calls)),
        bytes: Math.floor(partOf(bytes, left.bytes)),
        cost: partOf(cost, typeof left.cost === 'number' ? left.cost + reported : undefined),
      });
    } catch (err) {
      this.#logger.debug({ err, task: key }, 'a part of a budget was not given back by another gateway');
    }
  }
}

/** A part of what was lent, as another gateway says: not less than nothing, and not more than it was. */
const partOf = (lent: number | undefined, left: unknown): number =>
  typeof left === 'number' && left > 0 ? Math.min(left, lent ?? 0) : 0;
