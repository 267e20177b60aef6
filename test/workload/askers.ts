import { setTimeout as delay } from 'node:timers/promises';
import { A2AError, type AdminClient, openAdmin, sendRequest } from '../../src/client/index.ts';
import { isTerminal } from '../../src/core/model/lifecycle.ts';
import { untilCanceled } from './cancellation.ts';
import { all, type Callee, isPassing, keyOf, modern, numbered } from './clients.ts';
import type { Gate } from './gate.ts';
import type { Decided, Said } from './ledger.ts';
import { timeouts } from './sender.ts';
import { Talkers } from './talkers.ts';
import type { VisitsOptions } from './visits.ts';

/** Agents that get a message when two of three people agree. The second may be given a message again. */
export const askedAgents = ['asked', 'askedagain'] as const;

/** The people who may agree, and one who may not. */
export const people = ['boss', 'chief', 'third'] as const;
export const bystander = 'bystander';

/** Number of people who must agree, and milliseconds that they have. */
export const agreement = { quorum: 2, within: 25_000 } as const;

/** Milliseconds that a decision is tried for, and one attempt may take. */
const deciding = { attempt: 6_000, total: 20_000 } as const;

/** Callers whose calls wait until people agree, and these people, who decide at any gateway. */
export class Askers extends Talkers {
  readonly #options: VisitsOptions & { readonly gate: Gate; readonly urls: readonly string[] };
  readonly #admins = new Map<string, Promise<AdminClient>>();

  constructor(options: VisitsOptions & { readonly gate: Gate; readonly urls: readonly string[] }) {
    super(options, [50, 400]);
    this.#options = options;
  }

  /** Talks with as many callers at a time until `stop` is called. Resolves when the last conversation is over. */
  override async run(callers: number): Promise<void> {
    await super.run(callers);
    await Promise.allSettled([...this.#admins.values()].map(async (admin) => (await admin).close()));
  }

  /** A call about which some people decide, some do not, and some twice, while its caller tries to agree himself. */
  protected async converse(): Promise<void> {
    const { random, sender, watchers } = this.#options;
    const callee = { agent: random.pick(askedAgents), face: random.pick(all) };
    const manner = modern.includes(callee.face) ? random.pick(['waits', 'at once', 'streams'] as const) : 'waits';
    const said = await sender.say({ ...callee, text: `work 0 ${random.between(0, 400)}`, manner });
    const { taskId } = said;
    if (taskId === undefined) return;
    const reader = { ...callee, face: random.pick(modern) };
    watchers.watch({ ...callee, face: random.pick(numbered) }, taskId);
    if (random.chance(0.2)) await this.#insist(reader, taskId);
    const decisions = this.#decisions(taskId);
    if (random.chance(0.5)) await Promise.all(decisions.map((decide) => decide()));
    else for (const decide of decisions) await decide();
    if (random.chance(0.1)) await untilCanceled(this.#options, reader, taskId, said.marker);
    await this.#end(reader, said, taskId);
  }

  /** The decisions of one conversation, which may contradict each other. */
  #decisions(taskId: string): (() => Promise<void>)[] {
    const { random } = this.#options;
    const denies = random.chance(0.2);
    const chosen = [...people, bystander].flatMap((by) => {
      const decision = denies && by === 'third' ? ('deny' as const) : ('approve' as const);
      const decide = () => this.#decide(taskId, by, decision);
      return random.chance(0.75) ? (random.chance(0.2) ? [decide, decide] : [decide]) : [];
    });
    return chosen;
  }

  /** Decides as one person, at one gateway after the other until one answers. */
  async #decide(taskId: string, by: string, decision: Decided['decision']): Promise<void> {
    const { ledger, clients } = this.#options;
    const decided: Decided = { taskId, by, decision, outcome: 'unknown' };
    ledger.decided.push(decided);
    const until = Date.now() + deciding.total;
    for (;;) {
      try {
        const admin = await this.#adminAt(clients.any(), by);
        const signal = AbortSignal.timeout(deciding.attempt);
        await admin.answerQuestion({ key: taskId, parts: [{ data: { decision } }] }, { signal });
        decided.outcome = 'done';
        return;
      } catch (thrown) {
        const error = A2AError.from(thrown);
        if (!isPassing(error) || Date.now() > until) {
          // An attempt before this one may have been carried out.
          if (!isPassing(error)) decided.outcome = error.kind;
          return;
        }
        await clients.waitAfter(error);
      }
    }
  }

  #adminAt(gateway: number, by: string): Promise<AdminClient> {
    const key = `${gateway} ${by}`;
    const url = this.#options.urls[gateway] ?? '';
    const admin = this.#admins.get(key) ?? openAdmin(url, { apiKey: keyOf(by) });
    this.#admins.set(key, admin);
    admin.catch(() => this.#admins.delete(key));
    return admin;
  }

  /** The caller tries to agree himself: while the call waits, or when it is over, he is refused. */
  async #insist(callee: Callee, taskId: string): Promise<void> {
    const { clients, ledger } = this.#options;
    try {
      await clients.call(callee, timeouts.prompt, (client, signal) =>
        client.sendMessage(sendRequest({ parts: [{ text: 'approve' }] }, { taskId }), { signal }),
      );
      ledger.foreign.push(`the caller of ${taskId} could agree to his own call`);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      const isExpected = error.kind === 'unsupportedOperation' || isPassing(error);
      if (!isExpected) ledger.refused.push({ what: `agree to ${taskId}`, error });
    }
  }

  /** Waits until the task is over: people agree or deny, or their time is up. */
  async #end(callee: Callee, { marker }: Said, taskId: string): Promise<void> {
    const { clients } = this.#options;
    for (let reads = 0; reads < 120; reads += 1) {
      const read = clients.call(callee, timeouts.ending, (client, signal) =>
        client.getTask({ id: taskId }, { signal }),
      );
      const state = await read.then(
        ({ value }) => value.status.state,
        () => 'TASK_STATE_UNSPECIFIED' as const,
      );
      if (isTerminal(state)) return;
      await delay(500);
    }
    await untilCanceled(this.#options, callee, taskId, marker);
  }
}
