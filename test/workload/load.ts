import { A2AError } from '../../src/client/index.ts';
import { untilCanceled } from './cancellation.ts';
import { all, faces, modern, numbered } from './clients.ts';
import { Effects } from './effects.ts';
import { Gate } from './gate.ts';
import { take, timeouts } from './sender.ts';
import { Visits, type VisitsOptions } from './visits.ts';

/** Activity of clients: conversations, each call at a gateway of its own, each tried until it is answered. */

export interface LoadOptions extends Omit<VisitsOptions, 'agents'> {
  /** Agents behind the gateways that speak one dialect each. Default: none. */
  readonly agents?: readonly string[];
  /** Holds conversations back. Default: nothing does. */
  readonly gate?: Gate;
}

/** Clients that go on talking until they are stopped. */
export class Load {
  readonly #options: LoadOptions;
  readonly #conversations: readonly (readonly [weight: number, hold: () => Promise<void>])[];
  #stopped = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    const effects = new Effects(options);
    this.#conversations = [
      [4, () => this.#ask()],
      [6, () => this.#echo()],
      [4, () => this.#stream()],
      [6, () => this.#begin()],
      [3, () => this.#cancel()],
      [2, () => this.#slow()],
      [14, () => effects.repeat()],
      [6, () => effects.sendOnce()],
      [8, () => effects.begin()],
      ...(options.agents?.length ? ([[20, new Visits({ ...options, agents: options.agents }).hold]] as const) : []),
    ];
  }

  /** Talks with as many clients at a time until `stop` is called. Resolves when the last conversation is over. */
  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#talk()));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #talk(): Promise<void> {
    const { random, gate = new Gate() } = this.#options;
    const weights = this.#conversations.flatMap(([weight, hold]) => Array.from({ length: weight }, () => hold));
    while (!this.#stopped) {
      await gate.pass(random.pick(weights));
      await new Promise((resolve) => setTimeout(resolve, random.between(20, 200)));
    }
  }

  /** Something comes back at once. */
  async #echo(): Promise<void> {
    const { random } = this.#options;
    const agent = random.pick(['local', 'patient', 'far', 'sdk']);
    await this.#options.sender.say({ agent, face: random.pick(all), text: 'hello' });
  }

  /** The answer takes a while, and the client waits. */
  async #slow(): Promise<void> {
    const { random } = this.#options;
    const [agent, text] = random.pick([
      ['local', 'slow 1500'],
      ['far', 'slow 1500'],
      ['sdk', 'slow'],
    ] as const);
    await this.#options.sender.say({ agent, face: random.pick(all), text });
  }

  /** A task at work that several follow, and a webhook now and then. */
  async #begin(): Promise<void> {
    const { random, watchers } = this.#options;
    const agent = random.pick(['local', 'patient', 'patient', 'far', 'far']);
    const text = `stream ${random.between(5, 60)} ${random.between(20, 120)}`;
    const face = random.pick([...modern, faces.legacy]);
    const push = face !== faces.legacy && random.chance(0.5);
    const { taskId } = await this.#options.sender.say({ agent, face, text, manner: 'at once', push });
    if (taskId === undefined) return;
    for (let i = random.between(1, 3); i > 0; i -= 1) {
      watchers.watch({ agent, face: random.pick(modern) }, taskId, { hasty: random.chance(0.5) });
    }
    watchers.watch({ agent, face: random.pick(numbered) }, taskId, { leading: true });
  }

  /** The stream of the message itself, taken up elsewhere when it breaks. */
  async #stream(): Promise<void> {
    const { random, clients, watchers, sender } = this.#options;
    const callee = { agent: random.pick(['local', 'patient', 'far']), face: random.pick(modern) };
    const text = `stream ${random.between(5, 40)} ${random.between(20, 100)}`;
    const said = sender.note({ ...callee, text, manner: 'streams' });
    const request = sender.request(said);
    await sender.settle(said, async () => {
      const { value, attempts } = await clients.call(callee, timeouts.prompt, async (client, signal) => {
        const control = new AbortController();
        const late = (): void => control.abort(signal.reason);
        signal.addEventListener('abort', late, { once: true });
        const options = { signal: control.signal, idempotencyKey: said.marker };
        const events = client.events('SendStreamingMessage', request, options)[Symbol.asyncIterator]();
        const first = await events.next();
        signal.removeEventListener('abort', late);
        if (first.done) throw new A2AError('unavailable', 'the stream has ended before it began');
        return { first: first.value, events, control };
      });
      said.attempts = attempts;
      const { first, events, control } = value;
      take(said, { events: [first] });
      if (said.taskId === undefined) return;
      const whole = {
        next: once(first, () => events.next()),
        return: async () => (await events.return?.()) ?? { done: true as const, value: undefined },
      };
      watchers.watch(callee, said.taskId, { opened: { events: whole, control } });
    });
  }

  /** A task that asks, and is answered elsewhere, while others listen. */
  async #ask(): Promise<void> {
    const { random, watchers } = this.#options;
    const agent = random.pick(['local', 'far', 'sdk']);
    const push = random.chance(0.3);
    const { taskId } = await this.#options.sender.say({ agent, face: random.pick(modern), text: 'ask', push });
    if (taskId === undefined) return;
    watchers.watch({ agent, face: random.pick(numbered) }, taskId, { hasty: true });
    watchers.watch({ agent, face: random.pick(numbered) }, taskId, { leading: random.chance(0.5) });
    const face = random.pick([...modern, faces.legacy]);
    // It is sent once more if it is known that it has not arrived.
    for (let again = true; again; ) {
      const { shown } = await this.#options.sender.say({ agent, face, text: 'Ada', taskId });
      again = shown === 'TASK_STATE_INPUT_REQUIRED';
    }
  }

  /** A task that would go on for ever, canceled elsewhere. */
  async #cancel(): Promise<void> {
    const { random, watchers } = this.#options;
    const callee = { agent: random.pick(['local', 'far', 'sdk']), face: random.pick(modern) };
    const { marker, taskId } = await this.#options.sender.say({
      ...callee,
      text: 'wait',
      manner: 'at once',
      push: random.chance(0.3),
    });
    if (taskId === undefined) return;
    watchers.watch({ ...callee, face: random.pick(modern) }, taskId);
    await new Promise((resolve) => setTimeout(resolve, random.between(0, 1_500)));
    await untilCanceled(this.#options, callee, taskId, marker);
  }
}

/** Gives what came first before what comes after it. */
function once<T>(first: T, next: () => Promise<IteratorResult<T>>): () => Promise<IteratorResult<T>> {
  let given = false;
  return async () => {
    if (given) return next();
    given = true;
    return { done: false, value: first };
  };
}
