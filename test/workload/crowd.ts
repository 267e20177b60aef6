import { setTimeout as delay } from 'node:timers/promises';
import { A2AError, type LoggedEvent } from '../../src/client/index.ts';
import { untilCanceled } from './cancellation.ts';
import { type Callee, isPassing, numbered } from './clients.ts';
import type { Streamed } from './ledger.ts';
import type { VisitsOptions } from './visits.ts';

/** Name of the caller that exhausts the limit. */
export const crowd = 'crowd';

/** Milliseconds between two events of the task that the crowd follows, and for which a round lasts. */
const times = { event: 100, round: 2_500, beginning: 6_000, between: 500 } as const;

/** Streams that are opened beyond the limit. */
const excess = 4;

/** Milliseconds in which as many streams as are allowed must open when all is calm. */
const calm = 90_000;

/** A caller that opens more streams of one gateway than it may have. */
export class Crowd {
  readonly #options: VisitsOptions;
  readonly #limit: number;
  #stopped = false;

  /** @param limit streams that the caller may have at one gateway */
  constructor(options: VisitsOptions, limit: number) {
    this.#options = options;
    this.#limit = limit;
  }

  /** Presses against the limit of one gateway after the other until `stop` is called. */
  async run(): Promise<void> {
    const { clients } = this.#options;
    while (!this.#stopped) {
      await this.#press(clients.any());
      await delay(times.between);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Verifies after all work has ended that each gateway has a stream for as many readers as it allows. */
  async verify(gateways: number): Promise<void> {
    for (let gateway = 0; gateway < gateways; gateway += 1) {
      for (const until = Date.now() + calm; ; await delay(times.between)) {
        const opened = await this.#press(gateway, this.#limit);
        if (opened === this.#limit) break;
        if (Date.now() < until) continue;
        const what = `gateway ${gateway} opens ${opened} of ${this.#limit} streams, and nobody else has one`;
        this.#options.ledger.leaked.push(what);
        break;
      }
    }
  }

  /** Opens streams of one task, more than are allowed. Resolves with how many have brought something. */
  async #press(gateway: number, count = this.#limit + excess): Promise<number> {
    const { random, sender } = this.#options;
    const callee = { agent: 'patient', caller: crowd, face: random.pick(numbered) };
    const text = `stream 40 ${times.event}`;
    const said = await sender.say({ ...callee, text, manner: 'at once' });
    const { taskId } = said;
    if (taskId === undefined) return 0;
    const following = Array.from({ length: count }, () => this.#follow(gateway, callee, taskId));
    const streams = await Promise.all(following);
    await untilCanceled(this.#options, callee, taskId, said.marker);
    return streams.filter(({ from }) => from !== undefined).length;
  }

  /** Reads a stream for a while, and leaves it. */
  async #follow(gateway: number, callee: Callee, taskId: string): Promise<Streamed> {
    const { ledger, clients } = this.#options;
    const streamed: Streamed = { gateway, taskId, from: undefined, seq: 0 };
    ledger.streamed.push(streamed);
    const control = new AbortController();
    const timer = setTimeout(() => control.abort(), times.beginning);
    try {
      const client = await clients.at(gateway, callee, control.signal);
      const events = client.events('SubscribeToTask', { id: taskId }, { signal: control.signal, after: 0 });
      for await (const { seq } of events as AsyncIterable<LoggedEvent>) {
        streamed.from ??= Date.now();
        streamed.seq = seq;
        if (Date.now() > streamed.from + times.round) break;
      }
    } catch (thrown) {
      const error = A2AError.from(thrown);
      const isExpected = error.kind === 'tooManyRequests' || isPassing(error) || control.signal.aborted;
      if (!isExpected) ledger.refused.push({ what: `follow ${taskId} at gateway ${gateway}`, error });
    } finally {
      clearTimeout(timer);
    }
    return streamed;
  }
}
