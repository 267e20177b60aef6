import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import {
  A2AError,
  type Client,
  connect,
  type Part,
  type StreamResponse,
  type Task,
} from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { dialectBindings, folded, streamed } from '../../support/conversations.ts';
import { silent } from '../../support/core.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { byWords, startJudge, type TestJudge } from './judge.ts';
import speaker from './speaker.ts';

/** Guards judge what callers and agents say, over every binding of every dialect. */

const alice = newKey();
const operator = newKey();
let judge: TestJudge;
let opened: Opened;
const audited: Record<string, unknown>[] = [];
const note = (fields: object): void => void audited.push(fields as Record<string, unknown>);

const settings = (url: string) => `
auth:
  apiKeys:
    - { name: alice, hash: "${alice.hash}" }
    - { name: operator, hash: "${operator.hash}", scopes: [tasks, admin] }
agents:
  demo: { kind: reference }
guards:
  - { name: words, url: "${url}" }
  - { name: watching, where: agent == "watched", url: "${url}", shadow: true }
`;

beforeAll(async () => {
  judge = await startJudge();
  const config = parseConfig(
    `listen: { host: localhost, port: 0 }\nstore: "memory:"\npreview: [a2a-1.1]\n${settings(judge.url)}`,
    { file: '/gateway.yaml' },
  );
  opened = await openGateway(
    {
      ...config,
      defaultAgent: 'speaker',
      agents: new Map([
        ...config.agents,
        ['speaker', { kind: 'code', agent: speaker }],
        ['watched', { kind: 'code', agent: speaker }],
      ]),
    } as never,
    { logger: { ...silent, info: note, warn: note, error: note } },
  );
});
afterAll(async () => {
  await opened.close();
  await judge.close();
});
beforeEach(() => {
  audited.splice(0);
  judge.asked.splice(0);
  judge.answer = byWords;
});

const clientAt = async (agent: string, as = 'a2a-1.0', via = 'jsonrpc'): Promise<Client> => {
  const client = await connect(`${opened.url}${agent && `/${agent}`}/as/${as}`, {
    as,
    via,
    apiKey: alice.key,
  } as never);
  afterTest(() => client.close());
  return client;
};

const errorOf = (call: Promise<unknown>): Promise<A2AError> =>
  call.then(
    () => Promise.reject(new Error('it was not refused')),
    (thrown: unknown) => A2AError.from(thrown),
  );

const statusText = ({ status: { message } }: Task): string => message?.parts.map(({ text }) => text).join('') ?? '';
const textsOf = ({ artifacts = [] }: Task): string =>
  artifacts.flatMap(({ parts }) => parts.map(({ text }) => text)).join(' ');

describe.each(dialectBindings.map((protocol) => ({ ...protocol, title: `${protocol.as} over ${protocol.via}` })))(
  '$title',
  ({ as, via }) => {
    it('a message that a guard blocks is refused with the name of the guard and the reason', async () => {
      const error = await errorOf((await clientAt('', as, via)).send('give forbidden'));
      expect(error.kind).toBe('permissionDenied');
      expect(error.message).toBe('The guard words blocks the message: a forbidden word');
      expect(judge.asked).toEqual([
        expect.objectContaining({ guard: 'words', phase: 'request', agent: 'speaker', principal: 'key:alice' }),
      ]);
    });

    it('the agent gets the parts with which a guard replaces those of a message', async () => {
      const { task } = await streamed(await clientAt('', as, via), 'give a rude word');
      expect(textsOf(task as Task)).toBe('harmless a **** word');
    });

    it('an answer that a guard blocks fails the task, and none of it is shown', async () => {
      const client = await clientAt('', as, via);
      const events: StreamResponse[] = [];
      for await (const event of client.sendStream('give f0rbidden')) events.push(event);
      expect(JSON.stringify(events)).not.toMatch(/: ?"forbidden/);
      const { task } = folded(events);
      expect(task?.status.state).toBe('TASK_STATE_FAILED');
      const { task: known } = await client.send('give f0rbidden');
      expect(JSON.stringify(known)).toContain('The guard words blocks the answer: a forbidden word');
      expect(JSON.stringify(known?.artifacts ?? [])).not.toContain('forbidden');
    });

    it('a direct answer that a guard blocks becomes a failed task', async () => {
      const { task, message } = await (await clientAt('', as, via)).send('say f0rbidden');
      expect(message).toBeUndefined();
      expect(task?.status.state).toBe('TASK_STATE_FAILED');
      // AgentVault has no message in a status.
      const reason = as === 'agentvault-0.2' ? '' : 'The guard words blocks the answer: a forbidden word';
      expect(statusText(task as Task)).toBe(reason);
    });
  },
);

it.each(['say', 'ask', 'throw', 'task', 'give'])('a guard judges what an agent says with %s', async (word) => {
  const client = await clientAt('speaker');
  const { task } = await client.send(`${word} f0rbidden`);
  expect(task?.status.state).toBe('TASK_STATE_FAILED');
  expect(statusText(task as Task)).toBe('The guard words blocks the answer: a forbidden word');
  expect(textsOf(task as Task)).not.toContain('forbidden');
});

it.each([
  ['say', 'message'],
  ['ask', 'task'],
  ['task', 'task'],
  ['give', 'task'],
] as const)('a guard replaces what an agent says with %s, and its metadata name the guard', async (word, kind) => {
  judge.answer = (question) => (question.phase === 'answer' ? byWords(question) : { action: 'allow' });
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: `${word} something rude` }] };
  const answer = await fetch(`${opened.url}/speaker/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': alice.key, 'a2a-version': '1.0' },
    body: JSON.stringify({ message }),
  });
  const text = JSON.stringify(((await answer.json()) as Record<string, unknown>)[kind]);
  expect(text).toContain('something ****');
  expect(text).toContain('"a2a-gateway/guards":[{"guard":"words","action":"replace","reason":"a rude word"}]');
});

it('the log says that a guard has blocked an answer, and of no failure of the agent', async () => {
  await (await clientAt('')).send('give f0rbidden');
  const reason = 'The guard words blocks the answer: a forbidden word';
  expect(audited.filter((fields) => 'reason' in fields && fields.reason === reason)).toHaveLength(1);
  expect(audited.filter((fields) => 'err' in fields)).toEqual([]);
});

it('a guard sees every kind of part in A2A v1, in messages and in artifacts', async () => {
  const client = await clientAt('demo');
  const parts: Part[] = [
    { text: 'see', metadata: { note: 'with what follows' } },
    { data: { list: [1, 'two', null] } },
    { raw: 'AAAA', mediaType: 'image/png', filename: 'pixel.png' },
    { url: 'https://files.example/report.pdf', mediaType: 'application/pdf' },
  ];
  await client.send(parts);
  expect(judge.asked.map(({ phase, parts: seen }) => ({ phase, seen }))).toEqual([
    { phase: 'request', seen: parts },
    { phase: 'answer', seen: parts },
  ]);
});

it('a guard knows the task, the conversation, the message and the artifact that parts belong to', async () => {
  const client = await clientAt('speaker');
  const { task } = await client.send('give something');
  const ids = { taskId: task?.id, contextId: task?.contextId, agent: 'speaker', tenant: '', principal: 'key:alice' };
  const [request, first, second] = judge.asked;
  expect(request).toMatchObject({ ...ids, messageId: task?.history?.[0]?.messageId, artifactId: '' });
  expect(first).toMatchObject({ ...ids, messageId: '', artifactId: 'first' });
  expect(second).toMatchObject({ ...ids, messageId: '', artifactId: 'second' });
});

it('a guard judges further messages of a task, and answers to questions, also those of operators', async () => {
  const client = await clientAt('demo');
  const { task } = await client.send('ask');
  const taskId = task?.id ?? '';
  const refused = await errorOf(client.send('forbidden', { taskId }));
  expect(refused.kind).toBe('permissionDenied');
  const answer = (text: string) =>
    fetch(`${opened.url}/admin/v1/questions/${taskId}:answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': operator.key },
      body: JSON.stringify({ parts: [{ text }] }),
    });
  expect((await answer('forbidden')).status).toBe(403);
  expect((await client.getTask({ id: taskId })).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const { task: answered } = await client.send('rude Ada', { taskId });
  expect(textsOf(answered as Task)).toBe('Hello, **** Ada');
});
