import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { A2AError, type Client, connect, type StreamResponse, type Task } from '../../../src/client/index.ts';
import { type Receiver, startReceiver } from '../../push/receiver.ts';
import { newFolder } from '../../support/folders.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { alice, recordingAt, settings } from '../../support/recording.ts';
import { toolsAt } from '../mcp/client.ts';
import { byWords, startJudge, type TestJudge, textIn } from './judge.ts';
import { codeWord } from './speaker.ts';

/** What a guard blocks of an answer is nowhere: in no answer, list, stream, notification, recording, and no file of the store. */

const file = fileURLToPath(new URL('gateway.yaml', import.meta.url));
const secret = 'forbidden fruit';
const said = `${codeWord} fruit`;

let judge: TestJudge;
let receiver: Receiver;
let near: Opened;
const folder = newFolder();
beforeAll(async () => {
  judge = await startJudge();
  receiver = await startReceiver();
  const far = await openGateway('defaultAgent: speaker\nagents: { speaker: { kind: module, path: ./speaker.ts } }\n', {
    file,
  });
  near = await openGateway(
    `
store: "sqlite:${join(folder, 'gateway.db')}"
outbound: { allow: [127.0.0.1, localhost] }
guards:
  - { name: words, url: "${judge.url}", window: 20 }
${settings(`
  module: { kind: module, path: ./speaker.ts }
  other: { kind: module, path: ./speaker.ts }
  same: { kind: upstream, url: "${far.url}" }
  v03: { kind: upstream, url: "${far.url}/as/a2a-0.3", dialect: a2a-0.3, transport: jsonrpc }
  vault: { kind: upstream, url: "${far.url}/as/agentvault-0.2", dialect: agentvault-0.2, transport: jsonrpc }
  through: { kind: upstream, url: "${far.url}", keep: none }`)}`,
    { file },
  );
});
beforeEach(() => {
  judge.answer = (question) => {
    const text = `${question.window ?? ''}${textIn(question)}`;
    return text.includes(secret) ? { action: 'block', reason: 'fruit' } : { action: 'allow' };
  };
});

const clientAt = async (agent: string, via = 'rest'): Promise<Client> => {
  const client = await connect(`${near.url}/${agent}`, { via, apiKey: alice.key } as never);
  afterTest(() => client.close());
  return client;
};

const errorOf = (call: Promise<unknown>): Promise<A2AError> =>
  call.then(
    (value) => Promise.reject(new Error(`it was answered with ${JSON.stringify(value)}`)),
    (thrown: unknown) => A2AError.from(thrown),
  );

async function eventsOf(events: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const reasonOf = (task: Task | undefined): string => task?.status.message?.parts[0]?.text ?? '';

describe.each(['module', 'same', 'v03', 'vault'])('an agent whose tasks the gateway keeps: %s', (agent) => {
  it.each(['give', 'say', 'stream', 'task'])('what is blocked of its answer by %s is shown in no way', async (word) => {
    const client = await clientAt(agent);
    const hook = { url: `${receiver.url}/${agent}/${word}` };
    const streamed = await eventsOf(
      client.sendStreamingMessage({
        message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: `${word} ${said}` }] },
        configuration: { taskPushNotificationConfig: { taskId: '', ...hook } },
      }),
    );
    const taskId = streamed.map(({ task, statusUpdate }) => task?.id ?? statusUpdate?.taskId).find((id) => id) ?? '';
    const task = await client.getTask({ id: taskId });
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(reasonOf(task)).toBe('The guard words blocks the answer: fruit');
    const subscribed = await eventsOf(client.subscribeToTask({ id: taskId })).catch((thrown: unknown) => [`${thrown}`]);
    const { tasks } = await client.listTasks({ includeArtifacts: true, historyLength: 10 });
    const pushed = await receiver.until((got) =>
      got.some(({ path, body }) => path.endsWith(`${agent}/${word}`) && JSON.stringify(body).includes('FAILED')),
    );
    const seen = JSON.stringify([streamed, task, subscribed, tasks, pushed]);
    expect(seen).toContain('The guard words blocks the answer');
    expect(seen).not.toContain(secret);
  });

  it('what is blocked of its answer is in no recording', async () => {
    const client = await clientAt(agent);
    const { recorded } = recordingAt(() => near.url);
    const records = await recorded({ agent }, async () => {
      const { task } = await client.send(`give ${said}`);
      expect(task?.status.state).toBe('TASK_STATE_FAILED');
    });
    const text = Buffer.from(JSON.stringify(records)).toString();
    expect(text).toContain('The guard words blocks the answer');
    expect(text).not.toContain(secret);
  });
});

it('what was blocked is in no file of the store', async () => {
  for (const agent of ['module', 'same']) await (await clientAt(agent)).send(`give ${said}`);
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  expect(files.some((content) => content.includes('The guard words blocks the answer'))).toBe(true);
  expect(files.some((content) => content.includes(secret))).toBe(false);
});

it('an MCP client gets no answer of a tool that a guard blocks, and its arguments are judged', async () => {
  const { call } = await toolsAt(`${near.url}/mcp`, { requestInit: { headers: { 'X-API-Key': alice.key } } });
  const blocked = await call('send_message', { agent: 'module', message: `give ${said}` });
  expect(blocked.text).toContain('The guard words blocks the answer: fruit');
  expect(JSON.stringify(blocked.result)).not.toContain(secret);
  const refused = await call('send_message', { agent: 'module', message: secret });
  expect(refused.text).toContain('The guard words blocks the message: fruit');
});

describe('an agent that keeps its tasks itself', () => {
  it.each(['give', 'say', 'stream', 'task'])('what is blocked of its answer by %s is in no answer', async (word) => {
    const client = await clientAt('through');
    const refused = await errorOf(client.send(`${word} ${said}`));
    expect(refused).toMatchObject({ kind: 'permissionDenied', message: 'The guard words blocks the answer: fruit' });
    const events: StreamResponse[] = [];
    const streaming = async (): Promise<void> => {
      for await (const event of client.sendStream(`${word} ${said}`)) events.push(event);
    };
    expect(await errorOf(streaming())).toMatchObject({ message: 'The guard words blocks the answer: fruit' });
    expect(JSON.stringify(events)).not.toContain(secret);
    if (word === 'say') return;
    judge.answer = () => ({ action: 'allow' });
    const { task } = await client.send(`${word} ${said}`);
    judge.answer = (question) => (textIn(question).includes('forb') ? { action: 'block' } : { action: 'allow' });
    const id = task?.id ?? '';
    expect((await errorOf(client.getTask({ id }))).kind).toBe('permissionDenied');
    expect((await errorOf(client.listTasks({ includeArtifacts: true }))).kind).toBe('permissionDenied');
  });

  it('its messages are judged and replaced, and its answers are replaced in streams too', async () => {
    judge.answer = byWords;
    const client = await clientAt('through');
    expect((await errorOf(client.send('give forbidden'))).message).toContain('blocks the message');
    const { task } = await client.send('give rude');
    expect(JSON.stringify(task?.artifacts)).toContain('****');
    judge.answer = (question) => (question.phase === 'answer' ? byWords(question) : { action: 'allow' });
    const events = await eventsOf(client.sendStream('give very rude'));
    expect(JSON.stringify(events)).toContain('very ****');
    expect(JSON.stringify(events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []))).not.toContain('rude"');
  });

  it('it gets no webhook, to which it would send its answers itself', async () => {
    const client = await clientAt('through');
    const configuration = { taskPushNotificationConfig: { taskId: '', url: `${receiver.url}/none` } };
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'give it' }] };
    expect(await errorOf(client.call('SendMessage', { message, configuration } as never))).toMatchObject({
      kind: 'permissionDenied',
      message: expect.stringContaining('could not judge those that this agent sends to webhooks itself'),
    });
  });
});

it('the words of an error that an agent throws are judged', async () => {
  const { task } = await (await clientAt('same')).send(`throw ${said}`);
  expect(reasonOf(task)).toBe('The guard words blocks the answer: fruit');
  expect(JSON.stringify(task)).not.toContain(secret);
});

it.each(['module', 'same'])('a task of %s that is canceled gets no words that a guard blocks', async (agent) => {
  const client = await clientAt(agent);
  for (const [words, isShown] of [
    ['wait, it is over', true],
    [`wait ${said}`, false],
  ] as const) {
    const { task } = await client.send(words.replace(',', ' '), { returnImmediately: true });
    const canceled = await client.cancelTask({ id: task?.id ?? '' });
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    if (agent === 'module') expect(canceled.status.message !== undefined).toBe(isShown);
    expect(JSON.stringify(canceled)).not.toContain(secret);
  }
});

it('what two turns of a task add to one artifact is judged together', async () => {
  const client = await clientAt('module');
  const { task } = await client.send(`part ${codeWord} fr`);
  expect(task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const { task: ended } = await client.send('append uit', { taskId: task?.id ?? '' });
  expect(ended?.status.state).toBe('TASK_STATE_FAILED');
  expect(ended?.artifacts?.[0]?.parts).toEqual([{ text: 'forbidden fr' }]);
});

it('an agent that calls another agent gets no answer that a guard blocks', async () => {
  const { message } = await (await clientAt('module')).send(`call ${said}`);
  expect(message?.parts[0]?.text).toBe('TASK_STATE_FAILED: harmless');
});
