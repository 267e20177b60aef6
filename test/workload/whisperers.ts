import { guardedAgent, secret } from './agents/whispers.ts';
import { modern, numbered } from './clients.ts';
import type { Gate } from './gate.ts';
import { Talkers } from './talkers.ts';
import type { VisitsOptions } from './visits.ts';

/** Clients of an agent whose answers, and whose messages, a guard judges. */
export class Whisperers extends Talkers {
  readonly #options: VisitsOptions & { readonly gate: Gate };

  constructor(options: VisitsOptions & { readonly gate: Gate }) {
    super(options, [50, 300]);
    this.#options = options;
  }

  protected async converse(): Promise<void> {
    const { random, sender, watchers } = this.#options;
    const callee = { agent: guardedAgent, face: random.pick(modern) };
    if (random.chance(0.2)) {
      await sender.say({ ...callee, text: `tell ${secret}` });
      return;
    }
    const manner = random.pick(['waits', 'at once', 'streams'] as const);
    const push = random.chance(0.3);
    const { taskId } = await sender.say({ ...callee, text: `whisper ${random.between(0, 9_999)}`, manner, push });
    if (taskId !== undefined) watchers.watch({ ...callee, face: random.pick(numbered) }, taskId);
  }
}
