import { setTimeout as delay } from 'node:timers/promises';
import { A2AError } from '../../src/client/index.ts';
import type { Random } from '../support/random.ts';
import { type Clients, isPassing, modern } from './clients.ts';
import { type Ledger, type Manner, misused, type Said } from './ledger.ts';
import { type RepeatOptions, type Sender, take, timeouts } from './sender.ts';

export interface EffectsOptions {
  readonly clients: Clients;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly sender: Sender;
}

/** Attempts to read a stream to its end. */
const mostReadings = 12;
/** Keys that are used once more when all is calm, and how many at a time. */
const [mostReplays, atOnce] = [300, 16];

/** Calls to agents with side effects: with keys that are used again and again, and without any. */
export class Effects {
  readonly #options: EffectsOptions;

  constructor(options: EffectsOptions) {
    this.#options = options;
  }

  /** One message, its key used at several gateways: at the same time, after its caller has hung up, and later. */
  async repeat(): Promise<void> {
    const { random, sender } = this.#options;
    const agent = random.pick(['once', 'once', 'once', 'restarted', 'restarted', 'patient', 'far', 'sdk']);
    const asks = agent === 'once' && random.chance(0.2);
    const manner = asks ? 'waits' : this.#manner(agent);
    const said = sender.note({ agent, face: random.pick(modern), text: asks ? 'ask' : this.#text(agent), manner });
    await this.#insist(said);
    if (asks && said.answers[0]?.task?.status.state === 'TASK_STATE_INPUT_REQUIRED') {
      const { taskId = '' } = said;
      await this.#insist(sender.note({ agent, face: random.pick(modern), text: this.#text(agent), taskId }));
    }
    if (random.chance(0.5)) {
      await delay(random.between(0, 8_000));
      await this.#again(said);
    }
    if (random.chance(0.15)) await this.#misuse(said);
  }

  /** Work that is over about as soon as its caller, who does not wait, is answered. */
  async begin(): Promise<void> {
    const { random, sender } = this.#options;
    const agent = random.pick(['once', 'restarted']);
    const text = `work 0 ${random.between(0, 400)}`;
    await sender.say({ agent, face: random.pick(modern), text, manner: 'at once' });
  }

  /** One message without a key, to one gateway, once. */
  async sendOnce(): Promise<void> {
    const { random, sender, clients } = this.#options;
    const agent = random.pick(['once', 'once', 'restarted', 'restarted', 'restarted', 'patient', 'far']);
    const [face, text, manner] = [random.pick(modern), this.#text(agent), this.#manner(agent)];
    await sender.sendOnce(sender.note({ agent, face, text, manner, keyed: false }), clients.any());
  }

  /**
   * Uses keys once more, when all is calm: first those whose callers gave up while gateways were being struck.
   *
   * @param from number of the first message whose key cannot have expired
   */
  async replay(from = 0): Promise<void> {
    const { ledger, sender } = this.#options;
    const recent = ledger.said.slice(from);
    for (const said of recent.filter(({ keyed, gaveUp }) => keyed && gaveUp)) {
      said.refusal = undefined;
      said.gaveUp = undefined;
      await sender.send(said);
    }
    const waiting = recent.filter(({ keyed, face }) => keyed && modern.includes(face)).slice(-mostReplays);
    const worker = async (): Promise<void> => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await this.#again(next, { timeouts: timeouts.calm });
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  #manner(agent: string): Manner {
    const manners = ['waits', 'at once', 'streams'] as const;
    // The SDK's agent is asked for what takes no time.
    return agent === 'sdk' ? 'waits' : this.#options.random.pick(manners);
  }

  #text(agent: string): string {
    const { random } = this.#options;
    if (agent === 'sdk') return 'hello';
    if (agent === 'far') return random.pick(['hello', 'slow 300', 'stream 5 40']);
    if (agent === 'patient') return `stream ${random.between(1, 10)} ${random.between(0, 100)}`;
    const before = random.pick([0, 0, 100, 800]);
    return random.chance(0.15) ? `reply ${before}` : `work ${before} ${random.pick([0, 30, 100, 200, 1_500])}`;
  }

  /** Several callers with one key, of which one may hang up before all others. */
  async #insist(said: Said): Promise<void> {
    const { random, sender } = this.#options;
    if (random.chance(0.25)) await this.#hangUp(said);
    const others = Array.from({ length: random.between(0, 2) }, async () => {
      await delay(random.between(0, 700));
      await this.#again(said);
    });
    if (said.manner === 'streams') await this.#again(said);
    else await sender.send(said);
    await Promise.all(others);
    said.ended = Date.now();
  }

  /** A caller that does not wait for the answer. */
  async #hangUp(said: Said): Promise<void> {
    const { random, sender, clients } = this.#options;
    const signal = AbortSignal.timeout(random.between(20, 600));
    try {
      const client = await clients.at(clients.any(), said, signal);
      take(said, await sender.answer(said, client, { signal, idempotencyKey: said.marker }));
    } catch {
      // It has not waited for it.
    }
  }

  /** Uses a key again, over any binding, until there is an answer; a stream is read to its end. */
  async #again(said: Said, how: RepeatOptions = {}): Promise<void> {
    const { random, sender } = this.#options;
    const callee = { ...said, face: random.pick(modern) };
    try {
      for (let reading = 1; reading <= mostReadings; reading += 1) {
        const answer = await sender.repeat(said, callee, how);
        take(said, answer);
        if (answer.whole !== false) break;
      }
      said.repeats += 1;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      said.refusal = `${error.kind}: ${error.message}`;
      said.gaveUp = isPassing(error);
    }
  }

  /** Another request under the same key is refused, and goes nowhere. */
  async #misuse(said: Said): Promise<void> {
    const { ledger, sender } = this.#options;
    if (said.refusal !== undefined) return;
    const { message, ...rest } = sender.request(said);
    const request = { ...rest, message: { ...message, parts: [{ text: 'another text' }, { text: misused }] } };
    const what = `another request with the key ${said.marker}`;
    try {
      await sender.repeat(said, said, { request });
      ledger.refused.push({ what, error: new A2AError('internal', 'it was answered') });
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.kind !== 'idempotencyConflict' && !isPassing(error)) ledger.refused.push({ what, error });
    }
  }
}
