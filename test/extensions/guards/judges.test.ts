import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { A2AError, type Client, connect } from '../../../src/client/index.ts';
import { silent } from '../../support/core.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { afterTest, closedPortUrl } from '../../support/peer.ts';
import { byWords, startJudge, type TestJudge } from './judge.ts';

/** Judges that are slow, wrong, gone or hostile. */

let judge: TestJudge;
let opened: Opened;
const audited: Record<string, unknown>[] = [];
const note = (fields: object): void => void audited.push(fields as Record<string, unknown>);

beforeAll(async () => {
  judge = await startJudge();
  const gone = await closedPortUrl();
  opened = await openGateway(
    `
agents:
  held: { kind: reference }
  passed: { kind: reference }
  judged: { kind: reference }
  lost: { kind: reference }
guards:
  - name: blocking
    where: agent == "held"
    url: "${judge.url}?key=of-the-judge"
    authentication: { scheme: Bearer, credentials: of-the-gateway }
    timeout: 300ms
  - { name: passing, where: agent == "passed", url: "${judge.url}", timeout: 300ms, onError: pass }
  - { name: patient, where: agent == "judged", url: "${judge.url}" }
  - { name: gone, where: agent == "lost", url: "${gone}" }
`,
    { logger: { ...silent, info: note, warn: note } },
  );
});
afterAll(async () => {
  await opened.close();
  await judge.close();
});
beforeEach(() => {
  audited.splice(0);
  judge.asked.splice(0);
});

const clientAt = async (agent: string): Promise<Client> => {
  const client = await connect(`${opened.url}/${agent}`);
  afterTest(() => client.close());
  return client;
};

const errorOf = (call: Promise<unknown>): Promise<A2AError> =>
  call.then(
    () => Promise.reject(new Error('it was not refused')),
    (thrown: unknown) => A2AError.from(thrown),
  );

const answers: Readonly<Record<string, TestJudge['answer']>> = {
  'no answer': () => undefined,
  'an answer that never ends': (_, res) => void res.writeHead(200).write('{"action":'),
  'an endless answer': (_, res) => {
    res.writeHead(200);
    const more = (): void => void (res.destroyed || res.write(' '.repeat(65_536), more));
    more();
    return undefined;
  },
  'an error': (_, res) => void res.writeHead(500).end('{"action":"allow"}'),
  'another place': (_, res) => void res.writeHead(302, { location: judge.url }).end(),
  'no JSON': (_, res) => void res.end('allow'),
  'an empty answer': (_, res) => void res.end(),
  'a closed connection': (_, res) => void res.destroy(),
  'another word': (_, res) => void res.end('{"action":"permit"}'),
  'parts that are none': (_, res) => void res.end('{"action":"replace","parts":[{"kind":"text"}]}'),
  'compressed noise': (_, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'),
};

it.each(Object.keys(answers))('a judge with %s blocks or passes, as onError says', async (name) => {
  judge.answer = answers[name] as TestJudge['answer'];
  const error = await errorOf((await clientAt('held')).send('hello'));
  expect(error).toMatchObject({
    kind: 'permissionDenied',
    message: 'The guard blocking blocks the message: no valid verdict',
  });
  expect(audited).toContainEqual(
    expect.objectContaining({ security: 'guard.failed', guard: 'blocking', phase: 'request', agent: 'held' }),
  );
  // Neither the key of the judge nor that of the gateway is in the log.
  expect(JSON.stringify(audited)).not.toMatch(/of-the-judge|of-the-gateway/);
  const { task } = await (await clientAt('passed')).send('hello');
  expect(task?.artifacts?.[0]?.parts).toEqual([{ text: 'hello' }]);
});

it('a judge that is gone blocks', async () => {
  expect((await errorOf((await clientAt('lost')).send('hello'))).message).toContain('no valid verdict');
});

it('a judge is asked again if it closes the connection instead of answering', async () => {
  judge.answer = (_, res) => {
    if (judge.asked.length > 1) return { action: 'allow' };
    res.destroy();
    return undefined;
  };
  const { task } = await (await clientAt('judged')).send('hello');
  expect(task?.artifacts?.[0]?.parts).toEqual([{ text: 'hello' }]);
  // Once more for the message, and once for the answer.
  expect(judge.asked.map(({ phase }) => phase)).toEqual(['request', 'request', 'answer']);
});

it('the ids of another task in an answer change nothing, and a long reason is shortened', async () => {
  judge.answer = () => ({ action: 'block', reason: 'x'.repeat(10_000), taskId: 'another', guard: 'another' }) as never;
  const { message } = await errorOf((await clientAt('judged')).send('hello'));
  expect(message).toMatch(/^The guard patient blocks the message: x+/);
  expect(message.length).toBeLessThan(400);
});

it('a key with which a message was replaced gets the first answer again, and none with another message', async () => {
  let asked = 0;
  judge.answer = ({ phase }) => {
    asked += 1;
    return phase === 'answer' ? { action: 'allow' } : { action: 'replace', parts: [{ text: `judged ${asked}` }] };
  };
  const messageId = crypto.randomUUID();
  const send = (text: string) =>
    fetch(`${opened.url}/judged/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'idempotency-key': 'once' },
      body: JSON.stringify({ message: { messageId, role: 'ROLE_USER', parts: [{ text }] } }),
    });
  const first = await (await send('hello')).text();
  expect(first).toContain('judged 1');
  expect(await (await send('hello')).text()).toBe(first);
  expect((await send('something else')).status).toBe(422);
});

it('metrics count the verdicts of each guard', async () => {
  judge.answer = byWords;
  await errorOf((await clientAt('judged')).send('forbidden'));
  for (const text of ['rude', 'polite']) await (await clientAt('judged')).send(text);
  const metrics = await (await fetch(`${opened.url}/metrics`)).text();
  const verdicts = { allowed: 'patient', blocked: 'patient', replaced: 'patient', failed: 'blocking' } as const;
  for (const [outcome, guard] of Object.entries(verdicts))
    expect(metrics).toMatch(
      new RegExp(`a2a_gateway_guard_verdicts_total\\{guard="${guard}",phase="request",outcome="${outcome}"\\} \\d`),
    );
  expect(metrics).toMatch(/a2a_gateway_guard_seconds_total\{guard="patient",phase="request"\} \d/);
});
