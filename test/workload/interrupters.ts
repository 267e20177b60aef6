import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal } from '../../src/core/model/lifecycle.ts';
import { turnAgents } from './agents/turns.ts';
import { untilCanceled } from './cancellation.ts';
import { type Callee, modern, numbered } from './clients.ts';
import type { Gate } from './gate.ts';
import type { Said } from './ledger.ts';
import { timeouts } from './sender.ts';
import { Talkers } from './talkers.ts';
import type { VisitsOptions } from './visits.ts';

/** Clients that send messages to tasks whose agents work, at any gateway. */
export class Interrupters extends Talkers {
  readonly #options: VisitsOptions & { readonly gate: Gate };

  /** @param options `agents`: agents behind the gateways, which get each message at once */
  constructor(options: VisitsOptions & { readonly gate: Gate }) {
    super(options, [50, 400]);
    this.#options = options;
  }

  /** A task that gets one to four messages while it works, and an answer where it asks. */
  protected async converse(): Promise<void> {
    const { random, sender, watchers, agents } = this.#options;
    const isBehind = agents.length > 0 && random.chance(0.4);
    const agent = random.pick(isBehind ? agents : [...turnAgents, 'turns', 'turnsagain']);
    const callee = { agent, face: random.pick(modern) };
    const first = await sender.say({ ...callee, text: this.#openingOf(agent), manner: 'at once' });
    const { taskId } = first;
    if (taskId === undefined) return;
    watchers.watch({ ...callee, face: random.pick(numbered) }, taskId);
    const speak = (): Promise<Said> =>
      sender.say({
        ...callee,
        face: random.pick(modern),
        text: `work ${random.between(10, 600)}`,
        taskId,
        manner: random.chance(0.3) ? 'waits' : 'at once',
      });
    const count = random.between(1, 4);
    if (random.chance(0.5)) await Promise.all(Array.from({ length: count }, speak));
    else for (let i = 0; i < count; i += 1) await speak();
    await this.#end(callee, first, taskId);
  }

  #openingOf(agent: string): string {
    const { random, agents } = this.#options;
    if (agents.includes(agent)) return `slow ${random.between(200, 2_500)}`;
    const commands = agent === 'turnsalone' ? ['work'] : ['work', 'work', 'take', 'ask'];
    return `${random.pick(commands)} ${random.between(200, 2_500)}`;
  }

  /** Answers what the task asks until it is over. What goes on for ever is canceled. */
  async #end(callee: Callee, first: Said, taskId: string): Promise<void> {
    const { random, sender, clients } = this.#options;
    for (let reads = 0; reads < 60; reads += 1) {
      const read = clients.call({ ...callee, face: random.pick(modern) }, timeouts.ending, (client, signal) =>
        client.getTask({ id: taskId }, { signal }),
      );
      const state = await read.then(
        ({ value }) => value.status.state,
        () => 'TASK_STATE_UNSPECIFIED' as const,
      );
      if (isTerminal(state)) return;
      if (state === 'TASK_STATE_INPUT_REQUIRED') await sender.say({ ...callee, text: 'work 20', taskId });
      await delay(500);
    }
    await untilCanceled(this.#options, callee, taskId, first.marker);
  }
}
