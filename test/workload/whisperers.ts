import { setTimeout as delay } from 'node:timers/promises';
import { guardedAgent, secret } from './agents/whispers.ts';
import { modern, numbered } from './clients.ts';
import type { Gate } from './gate.ts';
import type { VisitsOptions } from './visits.ts';

/** Clients of an agent whose answers, and whose messages, a guard judges. */
export class Whisperers {
  readonly #options: VisitsOptions & { readonly gate: Gate };
  #stopped = false;

  constructor(options: VisitsOptions & { readonly gate: Gate }) {
    this.#options = options;
  }

  /** Talks with as many clients at a time until `stop` is called. Resolves when the last conversation is over. */
  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#talk()));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #talk(): Promise<void> {
    const { random, gate } = this.#options;
    while (!this.#stopped) {
      await gate.pass(() => this.#converse());
      await delay(random.between(50, 300));
    }
  }

  async #converse(): Promise<void> {
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
