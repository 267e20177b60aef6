import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/index.ts';
import type { Message, StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { fold } from '../../../src/core/model/fold.ts';
import { hasty, startBridge } from '../../support/upstreams.ts';
import { chunkOf, ids, type Script, startScripted, statusOf, taskOf } from './scripted-agent.ts';

/** Messages that an agent sends while it works on a task. Each becomes a status update that contains it. */

const said = (text: string): Message => ({
  messageId: `said-${text}`,
  role: 'ROLE_AGENT',
  parts: [{ text }],
  ...ids,
});

async function bridgeTo(scripts: Readonly<Record<string, Script>>, streaming: boolean): Promise<Client> {
  const agent = await startScripted(scripts, { streaming });
  const bridge = await startBridge({ far: { url: agent.url, bounds: hasty } });
  return bridge.client('far');
}

/** The events of a task, one line each, and the task to which they fold, which is the stored one. */
async function sendAndFollow(client: Client): Promise<{ lines: string[]; task: Task }> {
  const lines: string[] = [];
  let folded: Task | undefined;
  for await (const event of client.sendStream('go')) {
    lines.push(lineOf(event));
    folded = fold(folded, structuredClone(event));
  }
  const task = await client.getTask({ id: folded?.id ?? expect.fail('no task') });
  expect(folded).toEqual(task);
  return { lines, task };
}

const textOf = (message: Message | undefined): string => message?.parts.map(({ text }) => text).join('') ?? '';

const lineOf = ({ task, statusUpdate, artifactUpdate, message }: StreamResponse): string => {
  if (message) return `message ${textOf(message)}`;
  if (artifactUpdate) return `artifact ${artifactUpdate.artifact.parts.map(({ text }) => text).join('')}`;
  const { state = '', message: words } = task?.status ?? statusUpdate?.status ?? {};
  return `${task ? 'task ' : ''}${state.slice('TASK_STATE_'.length)} ${textOf(words)}`.trim();
};

const historyOf = ({ history = [], status: { message } }: Task): string[] =>
  [...history, ...(message ? [message] : [])].map((one) => `${one.role.slice('ROLE_'.length)} ${textOf(one)}`);

it('a message that an agent sends within a task on a stream becomes a status update with the current state', async () => {
  const client = await bridgeTo(
    {
      SendStreamingMessage: ({ events, end }) => {
        events(
          { task: taskOf('SUBMITTED') },
          { message: said('Thinking') },
          statusOf('WORKING', 'At work', 'at-work'),
          { message: said('Halfway') },
          chunkOf('one', false),
          { message: said('Nearly there') },
          statusOf('COMPLETED', 'Done', 'done'),
        );
        end();
      },
    },
    true,
  );
  const { lines, task } = await sendAndFollow(client);
  expect(lines).toEqual([
    'task SUBMITTED',
    'SUBMITTED Thinking',
    'WORKING At work',
    'WORKING Halfway',
    'artifact one',
    'WORKING Nearly there',
    'COMPLETED Done',
  ]);
  expect(historyOf(task)).toEqual([
    'USER go',
    'AGENT Thinking',
    'AGENT At work',
    'AGENT Halfway',
    'AGENT Nearly there',
    'AGENT Done',
  ]);
  // Under the gateway's own ids.
  const named = [...(task.history ?? []), task.status.message].map((one) => [one?.taskId, one?.contextId]);
  expect(new Set(named.map(String))).toEqual(new Set([String([task.id, task.contextId])]));
});

it('a message that an agent sends within a task twice is reported once', async () => {
  const client = await bridgeTo(
    {
      SendStreamingMessage: ({ events, end }) => {
        events({ task: taskOf('WORKING') }, { message: said('Once') }, { message: said('Once') });
        events(statusOf('COMPLETED'));
        end();
      },
    },
    true,
  );
  expect((await sendAndFollow(client)).lines).toEqual(['task WORKING', 'WORKING Once', 'COMPLETED']);
});

it('a message that an agent sends within a task and shows in the history is reported when the gateway polls the task', async () => {
  const history: Message[] = [];
  const words = ['Thinking', 'Halfway', 'Nearly there'];
  const client = await bridgeTo(
    {
      SendMessage: ({ result }) => result({ task: taskOf('WORKING') }),
      GetTask: ({ result }) => {
        const next = words.shift();
        if (next === undefined) result(taskOf('COMPLETED', { history }));
        else {
          history.push(said(next));
          result(taskOf('WORKING', { history }));
        }
      },
    },
    false,
  );
  const { lines, task } = await sendAndFollow(client);
  const expected = ['Thinking', 'Halfway', 'Nearly there'].map((text) => `WORKING ${text}`);
  expect(lines).toEqual(['task WORKING', ...expected, 'COMPLETED']);
  expect(historyOf(task)).toEqual(['USER go', 'AGENT Thinking', 'AGENT Halfway', 'AGENT Nearly there']);
});

describe('several messages that an agent sends without a task', () => {
  const alone = (messageId: string, text: string): StreamResponse => ({
    message: { messageId, role: 'ROLE_AGENT', parts: [{ text }] },
  });
  const partsOf = (message: Message | undefined): (string | undefined)[] | undefined =>
    message?.parts.map(({ text }) => text);

  it.each<[string, (call: Parameters<Script>[0]) => void]>([
    ['ends its stream', ({ end }) => end()],
    ['leaves its stream open', () => undefined],
    ['breaks off', ({ res }) => void setImmediate(() => res.destroy())],
  ])(
    'several messages that an agent sends without a task are one message with the parts of all, where the agent %s',
    async (_, leave) => {
      const client = await bridgeTo(
        {
          SendStreamingMessage(call) {
            call.events(alone('a', 'one'), alone('b', 'two'), alone('b', ' and three'));
            leave(call);
          },
        },
        true,
      );
      expect(partsOf((await client.send('go')).message)).toEqual(['one', 'two and three']);
      const seen: StreamResponse[] = [];
      for await (const event of client.sendStream('go')) seen.push(event);
      expect(seen.map(({ message }) => partsOf(message))).toEqual([['one', 'two and three']]);
    },
  );

  it.each<[string, readonly StreamResponse[]]>([
    ['a task', [{ task: taskOf('WORKING') }, statusOf('COMPLETED', 'Done', 'done')]],
    ['a status', [statusOf('WORKING'), statusOf('COMPLETED', 'Done', 'done')]],
  ])(
    'several messages that an agent sends without a task belong to the task that follows, where that begins with %s',
    async (_, following) => {
      const client = await bridgeTo(
        {
          SendStreamingMessage({ events, end }) {
            events(alone('a', 'one'), alone('b', 'two'), ...following);
            end();
          },
        },
        true,
      );
      const { task } = await sendAndFollow(client);
      expect(historyOf(task)).toEqual(['USER go', 'AGENT one', 'AGENT two', 'AGENT Done']);
    },
  );

  it('several messages that an agent sends without a task are one task for a client whose dialect has no direct messages, with `keep: none` too', async () => {
    const agent = await startScripted({
      SendStreamingMessage({ events, end }) {
        events(alone('a', 'one'), alone('a', ' two'));
        end();
      },
    });
    const bridge = await startBridge({
      kept: { url: agent.url, bounds: hasty },
      far: { url: agent.url, bounds: hasty, keep: 'none' },
    });
    const sent = JSON.stringify({ role: 'user', parts: [{ type: 'text', text: 'go' }] });
    for (const name of ['kept', 'far']) {
      const response = await fetch(`${bridge.origin}/${name}/as/a2a-0.1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"jsonrpc":"2.0","id":1,"method":"tasks/sendSubscribe","params":{"id":"t-${name}","message":${sent}}}`,
      });
      const text = await response.text();
      expect(text.match(/"state":"completed"/g)).toHaveLength(1);
      expect(text).toContain('one two');
    }
  });
});
