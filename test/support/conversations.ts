import type { Binding } from '../../src/client/bindings.ts';
import {
  A2AError,
  allDialects,
  type BindingName,
  bindings,
  type Client,
  type DialectName,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  type TaskState,
} from '../../src/client/index.ts';
import { fold } from '../../src/core/model/fold.ts';
import { isResting, isTerminal } from '../../src/core/model/lifecycle.ts';
import type { Dialect } from '../../src/dialects/kernel/dialect.ts';
import type { Method } from '../../src/dialects/kernel/wire.ts';
import { previews } from '../../src/dialects/registry.ts';
import type { OperationName } from '../../src/gen/services.ts';

/**
 * Conversations with the reference agent that every client can hold, whatever it speaks, and what comes of them. New
 * dialects and bindings join by themselves.
 */

/** One dialect over one binding. */
export interface DialectBinding {
  readonly dialect: Dialect;
  readonly as: DialectName;
  readonly via: BindingName;
  /** Operations that can be called over it, each with its method (the last, if it takes two). */
  readonly methods: ReadonlyMap<OperationName, Method>;
  /** Losses of the binding. */
  readonly losses: Dialect['losses'];
}

const byOperation = (methods: Iterable<Method>): Map<OperationName, Method> =>
  new Map([...methods].map((method) => [method.operation, method]));

/** The methods and the losses of a dialect over each kind of binding. */
const kinds: Readonly<Record<Binding['wireFormat'], (dialect: Dialect) => Pick<DialectBinding, 'methods' | 'losses'>>> =
  {
    jsonrpc: ({ jsonrpc, losses }) => ({
      methods: new Map([...(jsonrpc?.calls ?? [])].map(([name, { method, next = method }]) => [name, next])),
      losses,
    }),
    rest: ({ rest, losses }) => ({
      methods: byOperation(rest?.routes.map(({ method }) => method) ?? []),
      losses: rest?.losses ?? losses,
    }),
    grpc: ({ grpc, losses }) => ({
      methods: byOperation(grpc?.methods.values() ?? []),
      losses: grpc?.losses ?? losses,
    }),
  };

/** Every dialect over every binding that it can hold a conversation over; some serve no more than a card over one. */
export const dialectBindings: readonly DialectBinding[] = allDialects().flatMap((dialect) =>
  bindings
    .map(({ name, wireFormat }) => ({ dialect, as: dialect.name, via: name, ...kinds[wireFormat](dialect) }))
    .filter(({ methods }) => methods.has('SendMessage')),
);

/** The dialects and bindings that cards of the default configuration list. */
export const listedBindings: readonly (readonly [DialectName, BindingName])[] = dialectBindings
  .filter(({ as, via }) => !previews.some((name) => name === as) && (as !== 'a2a-0.3' || via !== 'connect'))
  .map(({ as, via }) => [as, via] as const);

/** A client's knowledge at the end. */
export interface Outcome {
  readonly task?: Task;
  /** Direct answers. */
  readonly message?: Message;
  /** Errors' kinds, in their order. */
  readonly errors?: readonly string[];
  /** Other data that the client received. */
  readonly others?: Readonly<Record<string, unknown>>;
}

export interface Conversation {
  /** Without these it cannot be held. */
  readonly needs?: readonly OperationName[];
  readonly hold: (client: Client) => Promise<Outcome>;
}

type Send = (client: Client, content: string | readonly Part[], taskId?: string) => Promise<Outcome>;

/** Folds a stream of events. Only a leading task contains the history, so it is left out. */
export function folded(events: readonly StreamResponse[]): Outcome {
  const [first] = events;
  if (first?.message && events.length === 1) return { message: first.message };
  let task: Task | undefined;
  for (const event of events) {
    if (!task && !event.task) {
      const { taskId = '', contextId = '' } = event.statusUpdate ?? event.artifactUpdate ?? {};
      task = { id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' } };
    }
    task = fold(task, structuredClone(event));
  }
  if (!task) throw new Error('the stream had no events');
  const { history: _, ...rest } = task;
  return { task: rest };
}

/** The task that there must be. */
export function taskOf({ task }: Outcome): Task {
  if (!task) throw new Error('there is no task');
  return task;
}

const inTask = (taskId: string | undefined): { taskId?: string } => (taskId === undefined ? {} : { taskId });

/** Says something and follows the stream until the task rests: what is a subscription underneath goes on then. */
export const streamed: Send = async (client, content, taskId) => {
  const events: StreamResponse[] = [];
  for await (const event of client.sendStream(content, inTask(taskId))) {
    events.push(event);
    // The task that leads the stream tells how it was before.
    const state = event.statusUpdate?.status.state;
    if (state !== undefined && isResting(state) && !isTerminal(state)) break;
  }
  return folded(events);
};

/** Says something and waits for the answer; a task as it then stands. */
export const answered: Send = async (client, content, taskId) => {
  const { task, message } = await client.send(content, inTask(taskId));
  if (!task) return message ? { message } : {};
  return { task: await rested(client, task) };
};

/** The task when it has got that far: some dialects answer before. */
async function when(client: Client, task: Task | undefined, reached: (state: TaskState) => boolean): Promise<Task> {
  let now = taskOf(task ? { task } : {});
  while (!reached(now.status.state)) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    now = await client.getTask({ id: now.id });
  }
  return now;
}

const rested = (client: Client, task: Task | undefined): Promise<Task> => when(client, task, isResting);

/** A task that waited for input still waits until its agent has read the message. */
const over = (client: Client, task: Task): Promise<Task> => when(client, task, isTerminal);

/** The kind of error that a call ends with. */
export const kindOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'no error',
    (thrown: unknown) => A2AError.from(thrown).kind,
  );

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const question =
  (send: Send): Conversation['hold'] =>
  async (client) => {
    const waiting = taskOf(await send(client, 'ask'));
    const answer = await send(client, 'Ada', waiting.id);
    return { task: await over(client, taskOf(answer)), others: { question: waiting.status } };
  };

/** Follows `wait` until it works, does something, and goes on until the end. */
async function whileWaiting(client: Client, act: (task: Task) => Promise<void>): Promise<Outcome> {
  const events: StreamResponse[] = [];
  let acted = false;
  for await (const event of client.sendStream('wait')) {
    events.push(event);
    const task = taskOf(folded(events));
    if (acted || task.status.state !== 'TASK_STATE_WORKING') continue;
    acted = true;
    await act(task);
  }
  return folded(events);
}

/** Conversations that end in a task or a message, by name. */
export const conversations: Readonly<Record<string, Conversation>> = {
  'a direct answer': { hold: (client) => answered(client, 'say hi') },
  'a direct answer as a stream': { hold: (client) => streamed(client, 'say hi') },
  'a stream in chunks': { hold: (client) => streamed(client, 'stream 5 0') },
  'chunks, waited for': { hold: (client) => answered(client, 'stream 5 0') },
  'an echo': { hold: (client) => answered(client, 'hello') },
  'an echo as a stream': { hold: (client) => streamed(client, 'hello') },
  'an echo, not waited for': {
    hold: async (client) => {
      const { task } = await client.send('hello', { returnImmediately: true });
      return { task: await rested(client, task) };
    },
  },
  'a question and its answer': { hold: question(answered) },
  'a question and its answer as streams': { hold: question(streamed) },
  failure: { hold: (client) => answered(client, 'fail') },
  'failure as a stream': { hold: (client) => streamed(client, 'fail') },
  rejection: { hold: (client) => answered(client, 'reject') },
  'authorization wanted': { hold: (client) => answered(client, 'auth') },
  cancellation: {
    needs: ['CancelTask'],
    hold: async (client) => {
      let answer: Task | undefined;
      const { id } = taskOf(
        await whileWaiting(client, async (task) => {
          answer = await client.cancelTask({ id: task.id });
        }),
      );
      return { task: await client.getTask({ id }), others: { answer: answer?.status } };
    },
  },
  data: { hold: (client) => answered(client, 'data') },
  'a file': { hold: (client) => streamed(client, 'file') },
  'parts of every kind': {
    hold: (client) =>
      answered(client, [
        { text: 'see', metadata: { note: 'with what follows' } },
        { data: { list: [1, 'two', null, { three: 3.5 }] } },
        { raw: pixel, mediaType: 'image/png', filename: 'pixel.png' },
        { url: 'https://files.example/report.pdf', mediaType: 'application/pdf', filename: 'report.pdf' },
      ]),
  },
  'a file by its URL': {
    hold: (client) => streamed(client, [{ url: 'https://files.example/report.pdf', mediaType: 'application/pdf' }]),
  },
  'two tasks of one context': {
    hold: async (client) => {
      const first = taskOf(await answered(client, 'hello'));
      const { contextId = '' } = first;
      const { task } = await client.send('again', { contextId });
      const second = await rested(client, task);
      return { task: second, others: { sameContext: second.contextId === contextId } };
    },
  },
  'listing the tasks of a context': {
    needs: ['ListTasks'],
    hold: async (client) => {
      const { contextId = '', id } = taskOf(await answered(client, 'hello'));
      const { tasks, totalSize } = await client.listTasks({ contextId, includeArtifacts: true });
      const own = tasks.every((task) => task.id === id);
      return { ...(tasks[0] && { task: tasks[0] }), others: { totalSize, own } };
    },
  },
};

const hook = { id: 'hook', url: 'http://127.0.0.1:9/hook', token: 'sent-with-each' };

/** Whether a configuration is the one that was made. */
const isHook = ({
  id,
  url,
  token,
}: {
  id?: string;
  url: string;
  token?: string;
}): Readonly<Record<string, boolean>> => ({
  id: id === hook.id,
  url: url === hook.url,
  token: token === hook.token,
});

/** Requests besides the conversation itself, by name. */
export const others: Readonly<Record<string, Conversation>> = {
  'joining a task under way': {
    needs: ['SubscribeToTask', 'CancelTask'],
    hold: async (client) => {
      let joined: Promise<StreamResponse[]> | undefined;
      await whileWaiting(client, async ({ id }) => {
        const begun = Promise.withResolvers<void>();
        joined = (async () => {
          const events: StreamResponse[] = [];
          for await (const event of client.subscribeToTask({ id })) {
            events.push(event);
            begun.resolve();
          }
          return events;
        })();
        await Promise.race([begun.promise, joined]);
        await client.cancelTask({ id });
      });
      return folded((await joined) ?? []);
    },
  },
  'the latest of the history': {
    hold: async (client) => {
      const waiting = taskOf(await answered(client, 'ask'));
      const { id } = await over(client, taskOf(await answered(client, 'Ada', waiting.id)));
      const read = async (historyLength: number) => (await client.getTask({ id, historyLength })).history ?? [];
      return { others: { none: (await read(0)).length, latest: await read(1) } };
    },
  },
  'a push configuration': {
    needs: ['CreateTaskPushNotificationConfig', 'GetTaskPushNotificationConfig'],
    hold: async (client) => {
      const { id: taskId } = taskOf(await answered(client, 'ask'));
      const created = await client.createTaskPushNotificationConfig({ taskId, ...hook });
      const read = await client.getTaskPushNotificationConfig({ taskId, id: created.id ?? hook.id });
      return { others: { push: { created: isHook(created), read: isHook(read) } } };
    },
  },
  'listing and deleting push configurations': {
    needs: ['CreateTaskPushNotificationConfig', 'ListTaskPushNotificationConfigs', 'DeleteTaskPushNotificationConfig'],
    hold: async (client) => {
      const { id: taskId } = taskOf(await answered(client, 'ask'));
      const list = async () => (await client.listTaskPushNotificationConfigs({ taskId })).configs?.map(isHook) ?? [];
      const { id = hook.id } = await client.createTaskPushNotificationConfig({ taskId, ...hook });
      const before = await list();
      await client.deleteTaskPushNotificationConfig({ taskId, id });
      return { others: { push: { before, after: await list() } } };
    },
  },
  'the card': {
    hold: async ({ card: { name, description, version, skills } }) => ({
      others: { card: { name, description, version, skills } },
    }),
  },
  'the extended card': {
    needs: ['GetExtendedAgentCard'],
    hold: async (client) => {
      const { name, description, version, skills } = await client.getExtendedAgentCard({});
      return { others: { card: { name, description, version, skills } } };
    },
  },
};

/** Mistakes, by name: each ends in errors. */
export const mistakes: Readonly<Record<string, Conversation>> = {
  'a task that there is not': {
    needs: ['CancelTask'],
    hold: async (client) => {
      const request = { id: 'no-such-task' };
      return { errors: [await kindOf(client.getTask(request)), await kindOf(client.cancelTask(request))] };
    },
  },
  'a task that is over': {
    needs: ['CancelTask'],
    hold: async (client) => {
      const { id } = taskOf(await answered(client, 'hello'));
      const canceled = await kindOf(client.cancelTask({ id }));
      return { errors: [canceled, await kindOf(client.send('more', { taskId: id }))] };
    },
  },
};

/** The conversations of a table that can be held in a dialect over a binding. */
export const heldOver = (
  table: Readonly<Record<string, Conversation>>,
  { methods }: DialectBinding,
): [name: string, conversation: Conversation][] =>
  Object.entries(table).filter(([, { needs = [] }]) => needs.every((name) => methods.has(name)));
