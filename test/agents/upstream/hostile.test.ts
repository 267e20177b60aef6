import { expect, it } from 'vitest';
import type { Client } from '../../../src/client/index.ts';
import type { StreamResponse, Task } from '../../../src/core/model/a2a.ts';
import { fold } from '../../../src/core/model/fold.ts';
import { outline } from '../../support/core.ts';
import { startBridge, type UpstreamSettings } from '../../support/upstreams.ts';
import { chunkOf, type Script, type ScriptedAgent, startScripted, statusOf, taskOf } from './scripted-agent.ts';

/** Upstream agents that violate the protocol: a task still reports the true outcome, once, and no caller hangs. */

async function bridgeTo(
  scripts: Readonly<Record<string, Script>>,
  options: { streaming?: boolean } & Partial<UpstreamSettings> = {},
): Promise<{ agent: ScriptedAgent; client: Client }> {
  const { streaming = true, ...settings } = options;
  const agent = await startScripted(scripts, { streaming });
  const bridge = await startBridge({ far: { url: agent.url, ...settings } });
  return { agent, client: await bridge.client('far') };
}

async function follow(events: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const foldAll = (events: readonly StreamResponse[]): Task =>
  events.reduce((task: Task | undefined, event) => fold(task, structuredClone(event)), undefined) as Task;

const partsOf = (task: Task): unknown[] => task.artifacts?.flatMap(({ parts }) => parts.map(({ text }) => text)) ?? [];

it.each([
  ['is cut off', (res: Parameters<Script>[0]['res']) => void setTimeout(() => res.destroy(), 20)],
  ['ends', (res: Parameters<Script>[0]['res']) => res.end()],
  [
    'tells of a crash',
    (res: Parameters<Script>[0]['res']) =>
      res.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32603, message: 'boom' } })}\n\n`),
  ],
])(
  'a stream of an upstream agent that %s fails the task although the agent always answers that it works',
  async (_, end) => {
    const { client } = await bridgeTo(
      {
        SendStreamingMessage: ({ events, res }) => {
          events(leading('WORKING'));
          end(res);
        },
        GetTask: ({ result }) => result(taskOf('WORKING')),
        SubscribeToTask: ({ error }) => error(-32001, 'no such stream'),
      },
      { silence: 300 },
    );
    const last = (await follow(client.sendStream('go'))).at(-1)?.statusUpdate?.status;
    expect(last?.state).toBe('TASK_STATE_FAILED');
    expect(last?.message?.parts[0]?.text).toMatch(/no sign of life for 300 ms: /);
  },
);

it.each([
  ['and nothing but comments', (res: Parameters<Script>[0]['res']) => void res.write(': ping\n\n')],
  ['with the task as it was', undefined],
])(
  'a stream of an upstream agent that is cut off fails the task although a subscription stays open, %s',
  async (_, say) => {
    const timers: NodeJS.Timeout[] = [];
    const { client } = await bridgeTo(
      {
        SendStreamingMessage: ({ events, res }) => {
          events(leading('WORKING'), chunkOf('one', false), chunkOf('two'));
          setTimeout(() => res.destroy(), 20);
        },
        GetTask: ({ result }) =>
          result(taskOf('WORKING', { artifacts: [{ artifactId: 'a', parts: [{ text: 'one' }, { text: 'two' }] }] })),
        SubscribeToTask: ({ events, res }) => {
          events(...(say ? [] : [leading('WORKING')]));
          if (say) timers.push(setInterval(() => say(res), 50));
        },
      },
      { silence: 300 },
    );
    const last = (await follow(client.sendStream('go'))).at(-1)?.statusUpdate?.status;
    for (const timer of timers) clearInterval(timer);
    expect(last?.state).toBe('TASK_STATE_FAILED');
    expect(last?.message?.parts[0]?.text).toMatch(/no sign of life for 300 ms: /);
  },
);

it('a stream of an upstream agent that is cut off does not fail the task while the agent reports changes', async () => {
  const { client } = await bridgeTo(
    {
      SendStreamingMessage: ({ events, res }) => {
        events(leading('WORKING'));
        setTimeout(() => res.destroy(), 20);
      },
      GetTask: ({ result, before }) => {
        const parts = Array.from({ length: before + 1 }, (_, at) => ({ text: String(at) }));
        result(taskOf(before < 6 ? 'WORKING' : 'COMPLETED', { artifacts: [{ artifactId: 'a', parts }] }));
      },
      SubscribeToTask: ({ error }) => error(-32001, 'no such stream'),
    },
    { silence: 300 },
  );
  expect(foldAll(await follow(client.sendStream('go'))).status.state).toBe('TASK_STATE_COMPLETED');
});

it('an answer of an upstream agent that has no method for streams makes the gateway poll the agent from then on', async () => {
  const { client, agent } = await bridgeTo({
    SendStreamingMessage: ({ error }) => error(-32601, 'no streams'),
    SendMessage: ({ result, params }) => {
      expect(params.configuration).toEqual({ returnImmediately: true });
      result({ task: taskOf('WORKING') });
    },
    GetTask: ({ result, before }) => {
      const parts = [{ text: 'one' }, { text: 'two' }].slice(0, before + 1);
      result(taskOf(before < 1 ? 'WORKING' : 'COMPLETED', { artifacts: [{ artifactId: 'a', parts }] }));
    },
  });
  expect(outline(await follow(client.sendStream('go')))).toEqual(['task', 'artifact', 'artifact', 'completed']);
  await client.send('again');
  expect(agent.calls.filter((name) => name === 'SendStreamingMessage')).toHaveLength(1);
});

it.each([
  ['one way round', ['odd', 'go']],
  ['the other way round', ['go', 'odd', 'go']],
])(
  'an answer of an upstream agent that refuses one message does not stop the gateway from streaming the next, %s',
  async (_, said) => {
    const refuse = 'of no use';
    const { client, agent } = await bridgeTo({
      SendStreamingMessage({ error, events, end, params }) {
        if (JSON.stringify(params).includes('odd')) return error(-32004, refuse);
        events(leading('SUBMITTED'), statusOf('COMPLETED'));
        end();
      },
      SendMessage: ({ error }) => error(-32004, refuse),
    });
    for (const text of said) {
      const outcome = await follow(client.sendStream(text)).then(outline, ({ message }: Error) => message);
      expect(outcome).toEqual(text === 'odd' ? refuse : ['task', 'completed']);
    }
    expect(agent.calls.filter((name) => name === 'SendStreamingMessage')).toHaveLength(said.length);
  },
);

it('an answer of an upstream agent that refuses to resume a stream does not stop the gateway from streaming other messages', async () => {
  const { client, agent } = await bridgeTo({
    SendStreamingMessage({ events, end, before }) {
      events(leading('SUBMITTED'), statusOf(before === 0 ? 'WORKING' : 'COMPLETED'));
      end();
    },
    SubscribeToTask({ events, res }) {
      events(leading('WORKING'));
      res.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32004, message: 'over' } })}\n\n`);
    },
    GetTask: ({ result, before }) => result(taskOf(before < 1 ? 'WORKING' : 'COMPLETED')),
  });
  expect(outline(await follow(client.sendStream('go'))).at(-1)).toBe('completed');
  expect(outline(await follow(client.sendStream('go')))).toEqual(['task', 'completed']);
  const sent = agent.calls.filter((name) => name.startsWith('Send') || name.startsWith('Subscribe'));
  expect(sent).toEqual(['SendStreamingMessage', 'SubscribeToTask', 'SendStreamingMessage']);
});

it('an answer of an upstream agent that refuses a message to a task leaves the state of the task, and gives the reason', async () => {
  const { client } = await bridgeTo({
    SendStreamingMessage: ({ before, events, end, error }) => {
      if (before === 1) {
        error(-32602, 'their-task wants a number');
        return;
      }
      events(
        ...(before === 0 ? [leading('SUBMITTED'), statusOf('INPUT_REQUIRED', 'how many?')] : [statusOf('COMPLETED')]),
      );
      end();
    },
    GetTask: ({ result }) => result(taskOf('INPUT_REQUIRED')),
  });
  const question = (await client.send('go')).task as Task;
  const { task: still } = await client.send('many', { taskId: question.id });
  expect(still?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(still?.status.message?.parts[0]?.text).toBe(
    `The upstream agent did not accept the message: ${question.id} wants a number`,
  );
  expect((await client.send('7', { taskId: question.id })).task?.status.state).toBe('TASK_STATE_COMPLETED');
});

it('an answer of an upstream agent with the same question again leaves the task waiting for input', async () => {
  const question = { messageId: 'q', role: 'ROLE_AGENT' as const, parts: [{ text: 'how many?' }] };
  const waiting = taskOf('INPUT_REQUIRED');
  const { client } = await bridgeTo(
    {
      SendMessage: ({ result }) => result({ task: { ...waiting, status: { ...waiting.status, message: question } } }),
    },
    { streaming: false },
  );
  const first = (await client.send('go')).task as Task;
  const again = (await client.send('many', { taskId: first.id })).task as Task;
  expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(again.history?.map(({ parts }) => parts[0]?.text)).toEqual(['go', 'how many?', 'many']);
});

it('a task of an upstream agent is reported once although two streams follow it', async () => {
  let finish: () => void = () => undefined;
  const { client } = await bridgeTo({
    SendStreamingMessage: ({ before, events, end }) => {
      if (before === 0) {
        events(leading('WORKING'), chunkOf('one', false));
        finish = () => {
          events(chunkOf('two'), statusOf('COMPLETED'));
          end();
        };
        return;
      }
      events({ task: taskOf('WORKING', { artifacts: [{ artifactId: 'a', parts: [{ text: 'one' }] }] }) });
      finish();
      events(chunkOf('two'), statusOf('COMPLETED'));
      end();
    },
  });
  const stream = client.sendStream('go')[Symbol.asyncIterator]();
  const id = (await stream.next()).value.task.id;
  await stream.next();
  const { task } = await client.send('faster', { taskId: id });
  expect([task?.status.state, partsOf(task as Task)]).toEqual(['TASK_STATE_COMPLETED', ['one', 'two']]);
  const rest = [];
  for (let next = await stream.next(); !next.done; next = await stream.next()) rest.push(next.value);
  expect(outline(rest)).toEqual(['artifact', 'completed']);
});

/** The task as the first event of a stream. */
function leading(state: string): StreamResponse {
  return { task: taskOf(state) };
}
