import { setTimeout as delay } from 'node:timers/promises';
import { A2AError } from '../../src/client/index.ts';
import { isTerminal } from '../../src/core/model/lifecycle.ts';
import { untilCanceled } from './cancellation.ts';
import { type Callee, isPassing, modern, numbered } from './clients.ts';
import { Gate } from './gate.ts';
import type { LoadOptions } from './load.ts';

/** Milliseconds that one answer to a reader may take. */
const readWithin = 5_000;

/** Clients that look closely: at tasks that take long, from several gateways, while others work on them. */
export class Probes {
  readonly #options: LoadOptions;
  #stopped = false;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Looks with as many clients at a time until `stop` is called. Resolves when all have ended. */
  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#probe()));
  }

  /** Follows and reads tasks at some gateways, with a client for each, until `stop` is called. */
  async follow(gateways: readonly number[]): Promise<void> {
    const { random, gate = new Gate() } = this.#options;
    const follow = async (gateway: number): Promise<void> => {
      while (!this.#stopped) {
        await gate.pass(() => this.#closely(gateway));
        await delay(random.between(20, 200));
      }
    };
    await Promise.all(gateways.map(follow));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #probe(): Promise<void> {
    const { random, gate = new Gate() } = this.#options;
    const kinds = [() => this.#slowly(), () => this.#slowly(), () => this.#steadily(), () => this.#cancel()];
    while (!this.#stopped) {
      await gate.pass(random.pick(kinds));
      await delay(random.between(20, 400));
    }
  }

  /** A task with few events over a long time, so that another gateway has time to take it over. */
  async #slowly(): Promise<void> {
    const { random } = this.#options;
    const text = `stream ${random.between(2, 5)} ${random.between(1_000, 4_000)}`;
    await this.#begin({ agent: random.pick(['patient', 'patient', 'far']), face: random.pick(modern) }, text);
  }

  /** A task of which much happens, one thing soon after the other. */
  async #steadily(): Promise<void> {
    const { random } = this.#options;
    const text = `stream ${random.between(10, 50)} ${random.between(5, 40)}`;
    await this.#begin({ agent: random.pick(['patient', 'local', 'far']), face: random.pick(modern) }, text);
  }

  /** A task that is read where it is followed, while its events come there from the gateway that works on it. */
  async #closely(gateway: number): Promise<void> {
    const { random, sender, watchers } = this.#options;
    const callee = { agent: random.pick(['patient', 'patient', 'local', 'far']), face: random.pick(modern) };
    const text = `stream ${random.between(15, 50)} ${random.between(30, 150)}`;
    const { taskId } = await sender.say({ ...callee, text, manner: 'at once' });
    if (taskId === undefined) return;
    const watched = watchers.watch({ ...callee, face: random.pick(numbered) }, taskId, { gateway });
    while (watched.seen.length === 0 && watched.failure === undefined && !this.#stopped) await delay(100);
    for (let reads = random.between(1, 3); reads > 0 && !this.#stopped; reads -= 1) {
      if (await this.#read({ ...callee, face: random.pick(modern) }, taskId, gateway)) return;
      await delay(random.between(100, 800));
    }
  }

  /** Begins a task, which others follow, and reads it again and again at any gateway. */
  async #begin(callee: Callee, text: string): Promise<void> {
    const { random, sender, watchers } = this.#options;
    const { taskId } = await sender.say({ ...callee, text, manner: 'at once' });
    if (taskId === undefined) return;
    watchers.watch({ ...callee, face: random.pick(modern) }, taskId, { hasty: true });
    for (let reads = random.between(2, 10); reads > 0 && !this.#stopped; reads -= 1) {
      const other = { ...callee, face: random.pick(modern) };
      const reader = { ...callee, face: random.pick(numbered) };
      if (random.chance(0.3)) watchers.watch(reader, taskId, { leading: true, hasty: true });
      if (await this.#read(other, taskId)) return;
      await delay(random.between(1, 300));
    }
  }

  /** Reads a task at one gateway. Returns whether it is over. */
  async #read(callee: Callee, taskId: string, gateway = this.#options.clients.any()): Promise<boolean> {
    const { clients, ledger } = this.#options;
    const signal = AbortSignal.timeout(readWithin);
    try {
      const client = await clients.at(gateway, callee, signal);
      const began = Date.now();
      const task = await client.getTask({ id: taskId }, { signal });
      ledger.read.push({ ...callee, taskId, gateway, task, began, ended: Date.now() });
      return isTerminal(task.status.state);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (!isPassing(error)) ledger.refused.push({ what: `read ${taskId} at gateway ${gateway}`, error });
      return false;
    }
  }

  /** A task that would go on for ever, canceled at any gateway. */
  async #cancel(): Promise<void> {
    const { random, sender } = this.#options;
    const callee = { agent: random.pick(['local', 'far']), face: random.pick(modern) };
    const { marker, taskId } = await sender.say({ ...callee, text: 'wait', manner: 'at once' });
    if (taskId === undefined) return;
    await delay(random.between(0, 4_000));
    await untilCanceled(this.#options, callee, taskId, marker);
  }
}
