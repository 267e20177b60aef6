import type { Random } from '../support/random.ts';
import { untilCanceled } from './cancellation.ts';
import { all, type Clients, faces, modern, numbered } from './clients.ts';
import type { Ledger } from './ledger.ts';
import type { Sender } from './sender.ts';
import type { Watchers } from './watchers.ts';

export interface VisitsOptions {
  readonly clients: Clients;
  readonly watchers: Watchers;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly sender: Sender;
  /** Agents that are called. */
  readonly agents: readonly string[];
}

/** Conversations with agents of every dialect behind the gateways. */
export class Visits {
  readonly #options: VisitsOptions;

  constructor(options: VisitsOptions) {
    this.#options = options;
  }

  /** Holds one conversation. */
  readonly hold = async (): Promise<void> => {
    const { random, agents } = this.#options;
    const agent = random.pick(agents);
    await random.pick([this.#speak, this.#speak, this.#follow, this.#follow, this.#ask, this.#cancel])(agent);
  };

  /** One message, with a key or without one. */
  readonly #speak = async (agent: string): Promise<void> => {
    const { random, sender, clients } = this.#options;
    const text = random.pick(['hello', 'say well', 'slow 400', 'stream 4 30', 'fail']);
    if (random.chance(0.6)) await sender.say({ agent, face: random.pick(all), text });
    else {
      const manner = random.pick(['waits', 'at once', 'streams'] as const);
      await sender.sendOnce(
        sender.note({ agent, face: random.pick(modern), text, manner, keyed: false }),
        clients.any(),
      );
    }
  };

  /** A task at work that several follow. */
  readonly #follow = async (agent: string): Promise<void> => {
    const { random, sender, watchers } = this.#options;
    const text = `stream ${random.between(5, 40)} ${random.between(20, 120)}`;
    const push = random.chance(0.3);
    const { taskId } = await sender.say({ agent, face: random.pick(modern), text, manner: 'at once', push });
    if (taskId === undefined) return;
    watchers.watch({ agent, face: random.pick(modern) }, taskId, { hasty: random.chance(0.5) });
    watchers.watch({ agent, face: random.pick(numbered) }, taskId, { leading: true });
  };

  /** A task that asks, and is answered at another gateway. */
  readonly #ask = async (agent: string): Promise<void> => {
    const { random, sender, watchers } = this.#options;
    const asked = await sender.say({ agent, face: random.pick(modern), text: 'ask' });
    const { taskId, shown } = asked;
    if (taskId === undefined || shown !== 'TASK_STATE_INPUT_REQUIRED') return;
    watchers.watch({ agent, face: random.pick(numbered) }, taskId, { leading: random.chance(0.5) });
    const face = random.pick([...modern, faces.legacy]);
    for (let again = true; again; ) {
      const answer = await sender.say({ agent, face, text: 'Ada', taskId });
      again = answer.shown === 'TASK_STATE_INPUT_REQUIRED';
    }
  };

  /** A task that would go on for ever, canceled at another gateway. */
  readonly #cancel = async (agent: string): Promise<void> => {
    const { random, sender, watchers } = this.#options;
    const callee = { agent, face: random.pick(modern) };
    const { marker, taskId } = await sender.say({ ...callee, text: 'wait', manner: 'at once' });
    if (taskId === undefined) return;
    watchers.watch({ ...callee, face: random.pick(modern) }, taskId);
    await new Promise((resolve) => setTimeout(resolve, random.between(0, 1_500)));
    await untilCanceled(this.#options, callee, taskId, marker);
  };
}
