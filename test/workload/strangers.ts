import { setTimeout as delay } from 'node:timers/promises';
import { A2AError, type Client, sendRequest } from '../../src/client/index.ts';
import { isTerminal } from '../../src/core/model/lifecycle.ts';
import { untilCanceled } from './cancellation.ts';
import { all, type Callee, faces, isPassing, modern, numbered } from './clients.ts';
import type { Gate } from './gate.ts';
import { markerOf } from './logs.ts';
import type { VisitsOptions } from './visits.ts';

/** Milliseconds that one attempt to see another's task may take. */
const within = 5_000;

/** Attempt of a caller with the id of another caller's task. */
type Attempt = (client: Client, id: string, signal: AbortSignal) => Promise<unknown>;

const attempts: Readonly<Record<string, Attempt>> = {
  read: (client, id, signal) => client.getTask({ id }, { signal }),
  cancel: (client, id, signal) => client.cancelTask({ id }, { signal }),
  continue: (client, id, signal) =>
    client.sendMessage(sendRequest({ parts: [{ text: 'hello' }, { text: 'marker-foreign' }] }, { taskId: id }), {
      signal,
    }),
  async follow(client, id, signal) {
    for await (const event of client.events('SubscribeToTask', { id }, { signal })) return event;
    return undefined;
  },
  async replay(client, id, signal) {
    for await (const event of client.events('SubscribeToTask', { id }, { signal, after: 0 })) return event;
    return undefined;
  },
  'list webhooks': (client, taskId, signal) => client.listTaskPushNotificationConfigs({ taskId }, { signal }),
  'read a webhook': (client, taskId, signal) => client.getTaskPushNotificationConfig({ taskId, id: '1' }, { signal }),
};

/** Callers with keys of their own, who try to see one another's tasks. */
export class Strangers {
  readonly #options: VisitsOptions & { readonly gate: Gate };
  #stopped = false;

  constructor(options: VisitsOptions & { readonly gate: Gate }) {
    this.#options = options;
  }

  /** Talks as each of the callers until `stop` is called. Resolves when the last conversation is over. */
  async run(callers: readonly string[]): Promise<void> {
    await Promise.all(callers.map((caller) => this.#talk(caller)));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #talk(caller: string): Promise<void> {
    const { random, gate } = this.#options;
    const kinds = [
      () => this.#work(caller),
      () => this.#pry(caller),
      () => this.#pry(caller),
      () => this.#list(caller),
    ];
    while (!this.#stopped) {
      await gate.pass(random.pick(kinds));
      await delay(random.between(20, 200));
    }
  }

  /** A task of the caller's own, which it follows, and cancels where it would go on for ever. */
  async #work(caller: string): Promise<void> {
    const { random, sender, watchers, agents } = this.#options;
    const text = random.pick(['hello', 'stream 8 60', 'stream 8 60', 'wait']);
    const agent = random.pick(text === 'wait' ? ['local', 'far'] : ['local', 'patient', 'far', ...agents]);
    const callee = { agent, caller, face: random.pick(text === 'hello' ? all : modern) };
    const manner = text === 'hello' ? 'waits' : 'at once';
    const said = await sender.say({ ...callee, text, manner, push: manner === 'at once' && random.chance(0.3) });
    if (said.taskId === undefined || manner === 'waits') return;
    watchers.watch({ ...callee, face: random.pick(numbered) }, said.taskId);
    if (text !== 'wait') return;
    await delay(random.between(0, 1_500));
    await untilCanceled(this.#options, callee, said.taskId, said.marker);
  }

  /** Tries something with the id of another's task, which must look as if there were no such task. */
  async #pry(caller: string): Promise<void> {
    const { random, ledger, clients } = this.#options;
    const others = ledger.said.filter((one) => one.taskId !== undefined && one.caller !== caller).slice(-20);
    if (others.length === 0) return;
    const { agent, taskId = '' } = random.pick(others);
    const what = random.pick(Object.keys(attempts));
    // Clients of the oldest dialect name their tasks themselves: whatever id they name is new to them.
    const face = random.pick(what === 'continue' ? [...modern, faces.legacy] : all);
    const gateway = clients.any();
    const [told, unknown] = [
      await this.#try({ agent, caller, face }, gateway, what, taskId),
      await this.#try({ agent, caller, face }, gateway, what, unknownLike(taskId)),
    ];
    if (told === undefined || unknown === undefined || told === unknown) return;
    ledger.foreign.push(`${caller} (${what}, ${face.as} by ${face.via}) was answered ${told} instead of ${unknown}`);
  }

  /** Returns the result of an attempt, without the id. Undefined: there was no answer. */
  async #try(callee: Callee, gateway: number, what: string, id: string): Promise<string | undefined> {
    const signal = AbortSignal.timeout(within);
    try {
      const client = await this.#options.clients.at(gateway, callee, signal);
      return JSON.stringify((await attempts[what]?.(client, id, signal)) ?? null).replaceAll(id, 'ID');
    } catch (thrown) {
      const error = A2AError.from(thrown);
      return isPassing(error) ? undefined : `${error.kind}: ${error.message}`.replaceAll(id, 'ID');
    }
  }

  /** A list has the caller's own tasks alone, and all of those that have ended. */
  async #list(caller: string): Promise<void> {
    const { random, ledger, clients } = this.#options;
    const own = ledger.said.filter((one) => one.caller === caller);
    if (own.length === 0) return;
    const { agent } = random.pick(own);
    const known = own.filter(
      (one) => one.agent === agent && one.taskId !== undefined && isTerminal(one.shown ?? 'TASK_STATE_WORKING'),
    );
    const signal = AbortSignal.timeout(within);
    try {
      const client = await clients.at(clients.any(), { agent, caller, face: random.pick(modern) }, signal);
      const { tasks } = await client.listTasks({ pageSize: 100, historyLength: 20 }, { signal });
      const markers = new Set(own.map(({ marker }) => marker));
      for (const { id, history = [] } of tasks) {
        const strange = history.map(markerOf).find((marker) => marker !== undefined && !markers.has(marker));
        if (strange !== undefined) ledger.foreign.push(`${caller} was shown the task ${id} of ${strange} in a list`);
      }
      const listed = new Set(tasks.map(({ id }) => id));
      const missing = known.filter(({ taskId = '' }) => !listed.has(taskId));
      if (tasks.length < 100 && missing.length > 0)
        ledger.foreign.push(`${caller} was not shown its own tasks ${missing.map(({ taskId }) => taskId).join(', ')}`);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (!isPassing(error)) ledger.refused.push({ what: `list the tasks of ${caller}`, error });
    }
  }
}

/** An id like this one, of no task. */
const unknownLike = (id: string): string => id.replace(/.{4}$/, (end) => (end === '0000' ? '1111' : '0000'));
