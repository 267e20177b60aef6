import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { allDialects, type Client, connect, type StreamResponse, type Task } from '../../../src/client/index.ts';
import type { TaskStatus } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { type Ask, askingStatus, opened } from '../../../src/core/model/ask.ts';
import { type Receiver, startReceiver } from '../../push/receiver.ts';
import { dialectBindings } from '../../support/conversations.ts';
import { userMessage } from '../../support/core.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** Tasks that wait until people agree, as callers of each dialect see them. */

const ask: Ask = { by: 'policy test', of: ['bob'], quorum: 1, self: false, wait: 60_000, otherwise: 'deny' };
const question = 'The agent gets this call when bob agrees (policy test).';
const heldStatus = (ids: { taskId: string; contextId: string }): TaskStatus =>
  askingStatus(opened({ asks: [ask], parts: {}, extensions: [], hops: 0 }, 1, Date.now()), ids, Date.now());

const showWorking: ReadonlySet<string> = new Set(['a2a-0.2', 'a2a-0.1', 'agentvault-0.2']);
const stateIn = (dialect: string) => (showWorking.has(dialect) ? 'TASK_STATE_WORKING' : 'TASK_STATE_AUTH_REQUIRED');

/** Functions that let a task go on, by the text of its message. */
const releases = new Map<string, () => void>();

/** An agent whose tasks wait: for people, or, after `mine`, for an authorization of the agent's own. */
const agent: Agent = {
  ...createReferenceAgent(),
  async *execute({ message }, { taskId, contextId }) {
    const ids = { taskId, contextId };
    const { promise, resolve } = Promise.withResolvers<void>();
    const text = message.parts[0]?.text ?? '';
    releases.set(text, resolve);
    const status: TaskStatus = text.startsWith('mine') ? { state: 'TASK_STATE_AUTH_REQUIRED' } : heldStatus(ids);
    yield { statusUpdate: { ...ids, status } };
    await promise;
    yield { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' } } };
  },
};

let gateway: Opened;
let receiver: Receiver;
beforeAll(async () => {
  gateway = await openGateway('agents: { held: { kind: reference } }\n', { agents: { held: agent } });
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const clientOf = async (as: string, via: string): Promise<Client> => {
  const client = await connect(`${gateway.url}/held/as/${as}`, { as, via } as never);
  afterTest(() => client.close());
  return client;
};

const stateOf = ({ task, statusUpdate }: StreamResponse) => (statusUpdate ?? task)?.status.state;
const asks = (value: unknown): boolean => JSON.stringify(value).includes(question);

/** The states in a stream; the task goes on once the stream has shown who is asked. */
async function statesIn(events: AsyncIterable<StreamResponse>, text: string): Promise<unknown[]> {
  const states: unknown[] = [];
  for await (const event of events) {
    states.push(stateOf(event));
    if (asks(event)) releases.get(text)?.();
  }
  return states;
}

describe.each(dialectBindings.map((one) => ({ ...one, title: `${one.as} over ${one.via}` })))(
  '$title',
  ({ as, via, dialect }) => {
    const state = stateIn(as);
    const isWorking = showWorking.has(as);

    it(`a held task is ${state} in the answers to its message and to queries`, async () => {
      const client = await clientOf(as, via);
      const { task } = await client.send(`answer ${as} ${via}`);
      expect(task?.status.state).toBe(state);
      expect(asks(task)).toBe(true);
      expect((await client.getTask({ id: (task as Task).id })).status.state).toBe(state);
    });

    it(`a held task is ${state} in the stream of its message${isWorking ? ', which goes on' : ', which ends'}`, async () => {
      const text = `stream ${as} ${via}`;
      const states = await statesIn((await clientOf(as, via)).sendStream(text), text);
      expect(states).toContain(state);
      expect(states).not.toContain('TASK_STATE_INPUT_REQUIRED');
      expect(states.includes('TASK_STATE_AUTH_REQUIRED')).toBe(!isWorking);
      expect(states.at(-1)).toBe(isWorking ? 'TASK_STATE_COMPLETED' : state);
    });

    it(`a held task is ${state} in a subscription to it`, async () => {
      const client = await clientOf(as, via);
      const text = `subscription ${as} ${via}`;
      const { task } = await client.send(text);
      const states = await statesIn(client.subscribeToTask({ id: (task as Task).id }), text);
      expect(states).toContain(state);
      expect(states).not.toContain('TASK_STATE_INPUT_REQUIRED');
    });

    it('a task that waits for an authorization of the agent waits for the caller', async () => {
      const text = `mine ${as} ${via}`;
      const states = await statesIn((await clientOf(as, via)).sendStream(text), text);
      expect(states.at(-1)).toMatch(/^TASK_STATE_(?:AUTH|INPUT)_REQUIRED$/);
    });

    if (!dialect.push) return;

    it(`a held task is ${state} in push notifications`, async () => {
      const client = await clientOf(as, via);
      const text = `push ${as} ${via}`;
      const path = `/${as}/${via}`;
      const configuration = { taskPushNotificationConfig: { url: `${receiver.url}${path}` } };
      await client.sendMessage({ message: userMessage(text), configuration });
      const bodies = (await receiver.until((got) => got.some((one) => one.path === path && asks(one.body))))
        .filter((one) => one.path === path)
        .map(({ body }) => JSON.stringify(body));
      const waits = bodies.some((body) => /"[^"]*(?:AUTH|INPUT|auth|input)[-_](?:REQUIRED|required)"/.test(body));
      expect(waits).toBe(!isWorking);
    });
  },
);

it.each([
  ['a2a-0.2', 'task', { status: { state: 'working' } }],
  ['a2a-0.2', 'event', { status: { state: 'working' }, final: false }],
  ['a2a-0.1', 'task', { status: { state: 'working' } }],
  ['a2a-0.1', 'event', { status: { state: 'working' }, final: false }],
  ['agentvault-0.2', 'task', { state: 'WORKING' }],
  ['agentvault-0.2', 'event', [{ event: 'task_message' }, { event: 'task_status', data: { state: 'WORKING' } }]],
])('a held task works in a document of %s: %s', (name, type, expected) => {
  const codec = allDialects().find((one) => one.name === name)?.types[type] ?? expect.fail();
  const ids = { taskId: 't', contextId: 'c' };
  const status = heldStatus(ids);
  const v1 = type === 'task' ? { id: 't', contextId: 'c', status } : { statusUpdate: { ...ids, status } };
  const written = codec.encode(v1, { losses: new Set() });
  expect(written).toMatchObject(expected);
  expect(asks(written)).toBe(true);
});
