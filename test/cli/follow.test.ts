import { expect, it } from 'vitest';
import { follow } from '../../src/cli/follow.ts';
import { createClient } from '../../src/client/client.ts';
import {
  A2AError,
  type Client,
  type LoggedEvent,
  type StreamResponse,
  type TaskState,
} from '../../src/client/index.ts';
import type { Invoke, Replay } from '../../src/core/model/call.ts';
import { logged } from '../transports/http/serving.ts';

const task = (state: TaskState): NonNullable<StreamResponse['task']> => ({
  id: 't',
  contextId: 'c',
  status: { state },
});
const status = (state: TaskState): StreamResponse => ({
  statusUpdate: { taskId: 't', contextId: 'c', status: { state } },
});

/** A client whose subscriptions are these, one after the other: events, then an end or an error. */
function scripted(subscriptions: (LoggedEvent | Error)[][], states: TaskState[], streaming = true) {
  const replays: (Replay | undefined)[] = [];
  const invoke: Invoke = async ({ operation, context }) => {
    if (operation === 'GetTask')
      return { value: task(states.length > 1 ? (states.shift() as TaskState) : (states[0] as TaskState)) };
    replays.push(context.replay);
    const script = subscriptions.shift() ?? [new A2AError('unsupportedOperation')];
    if (script[0] instanceof Error) throw script[0];
    return {
      events: (async function* () {
        for (const step of script) {
          if (step instanceof Error) throw step;
          yield step;
        }
      })(),
    };
  };
  const card = { name: 'x', capabilities: { streaming } } as Client['card'];
  const agentInterface = { url: 'http://x', protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
  const client = createClient({
    card,
    document: card,
    binding: 'jsonrpc',
    dialect: 'a2a-1.0',
    interface: agentInterface,
    notes: [],
    invoke,
    async close() {},
  });
  return { client, replays };
}

async function run(client: Client, untilSettled = false) {
  const seen: StreamResponse[] = [];
  const end = await follow(client, 't', { untilSettled, onEvent: (event) => seen.push(event) });
  return { seen: seen.length, state: end.status.state };
}

it('following a task takes a broken stream up again where it broke', async () => {
  const { client, replays } = scripted(
    [
      [
        logged(3, { task: task('TASK_STATE_WORKING') }),
        logged(4, status('TASK_STATE_WORKING')),
        new A2AError('upstreamUnreachable'),
      ],
      [new A2AError('upstreamUnreachable')],
      [logged(5, status('TASK_STATE_COMPLETED'))],
    ],
    ['TASK_STATE_COMPLETED'],
  );
  expect(await run(client)).toEqual({ seen: 3, state: 'TASK_STATE_COMPLETED' });
  expect(replays).toEqual([undefined, { after: 4 }, { after: 4 }]);
});

it('following a task follows across questions, unless it has to stop at the first', async () => {
  const script = () => [[logged(1, status('TASK_STATE_INPUT_REQUIRED')), logged(2, status('TASK_STATE_COMPLETED'))]];
  const through = scripted(script(), ['TASK_STATE_COMPLETED']);
  expect((await run(through.client)).seen).toBe(2);
  const until = scripted(script(), ['TASK_STATE_INPUT_REQUIRED']);
  expect(await run(until.client, true)).toEqual({ seen: 1, state: 'TASK_STATE_INPUT_REQUIRED' });
});

it('following a task polls when there is no stream', async () => {
  const { client, replays } = scripted([], ['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'], false);
  expect(await run(client)).toEqual({ seen: 2, state: 'TASK_STATE_COMPLETED' });
  expect(replays).toEqual([]);
});

it('following a task reads a task that has ended before', async () => {
  const { client } = scripted([], ['TASK_STATE_FAILED']);
  expect(await run(client)).toEqual({ seen: 1, state: 'TASK_STATE_FAILED' });
});

it('following a task gives up on what will not pass', async () => {
  const { client } = scripted([[new A2AError('taskNotFound')]], ['TASK_STATE_WORKING']);
  await expect(run(client)).rejects.toMatchObject({ kind: 'taskNotFound' });
});
