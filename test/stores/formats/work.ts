import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { idempotencyExtension } from '../../../src/core/model/agent.ts';

/**
 * Contents of every entry of the corpus, as far as its program supported them: tasks that ended, run and wait for input, in
 * several dialects and at an upstream agent, idempotency keys, webhooks with undelivered events, knowledge, and state of
 * agents.
 */

/** No server listens there: events for this webhook stay undelivered. */
export const receiver = 'http://127.0.0.1:18009';

export const acceptedOutputModes = ['text/plain', 'image/png'];

/** A request of the work, with the answer that it got. */
export interface Answered {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly method: string; readonly params: Record<string, unknown> };
  /** The JSON-RPC answers: several of a stream. */
  readonly answers: readonly Answer[];
}

export interface Answer {
  readonly result?: Json;
  readonly error?: Json;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of all dialects
export type Json = any;

/** The configuration for a program of a schema. */
export const configOf = (schema: number, store: string, upstream: string): string => `
store: ${store}
defaultAgent: demo
${schema >= 4 ? 'outbound: { allow: [127.0.0.1] }' : ''}
agents:
  demo: { kind: reference }
${schema >= 3 ? `  old: { kind: upstream, url: '${upstream}/.well-known/agent-card.json' }` : ''}
${schema >= 5 ? '  facts: { kind: reference, knowledge: {} }' : ''}
${schema >= 14 ? '  counter: { kind: module, path: ./counter-agent.ts }' : ''}
`;

export async function call(url: string, path: string, headers: Record<string, string>, body: object) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  });
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const frames = isStream
    ? text.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    : [text];
  return frames.map((frame) => JSON.parse(frame) as Answer);
}

/** Does the work at a gateway, and resolves with everything that it sent and got. */
export async function work(url: string, schema: number): Promise<Answered[]> {
  const done: Answered[] = [];
  const send = async (
    name: string,
    text: string,
    { path = '', method = 'SendMessage', taskId = '', metadata, ...configuration }: Record<string, Json> = {},
  ): Promise<Json> => {
    const message = { messageId: `m-${name}`, role: 'ROLE_USER', parts: [{ text }], ...(taskId && { taskId }) };
    const headers = { 'a2a-version': '1.0', 'idempotency-key': name };
    const params = {
      message,
      ...(Object.keys(configuration).length > 0 && { configuration }),
      ...(metadata && { metadata }),
    };
    const body = { method, params };
    const answers = await call(url, path || '/', headers, body);
    if (answers.some(({ error }) => error)) throw new Error(`${name}: ${JSON.stringify(answers)}`);
    done.push({ path: path || '/', headers, body, answers });
    return answers[0]?.result;
  };
  await send('ended', 'hello');
  await send('short', 'hello', { historyLength: 0 });
  await send('said', 'say hello');
  await send('streamed', 'stream 3 1', { method: 'SendStreamingMessage' });
  const asked = await send('asks', 'ask');
  await send('answers', 'Ada', { taskId: asked.task.id });
  await send('waits', 'ask');
  await send('runs', 'wait', { returnImmediately: true });
  if (schema >= 4) {
    const taskPushNotificationConfig = { id: 'hook', url: `${receiver}/hook`, token: 'secret' };
    await send('told', 'ask', { taskPushNotificationConfig });
  }
  if (schema >= 3) await send('upstream', 'work', { path: '/old', returnImmediately: true });
  if (schema >= 18) {
    const metadata = { 'https://example.com/trip': { seats: [1] } };
    await send('unanswered', 'unanswered', { path: '/old', returnImmediately: true, acceptedOutputModes, metadata });
  }
  if (schema >= 14) await send('counts', 'count', { path: '/counter' });
  const legacy = async (dialect: string, method: string, params: Record<string, unknown>, key?: string) => {
    const headers: Record<string, string> = key ? { 'idempotency-key': key } : {};
    const path = `/demo/as/${dialect}`;
    const answers = await call(url, path, headers, { method, params });
    if (answers.some(({ error }) => error)) throw new Error(`${dialect}: ${JSON.stringify(answers)}`);
    done.push({ path, headers, body: { method, params }, answers });
  };
  if (schema >= 2) {
    const parts = [{ kind: 'text', text: 'hello' }];
    const v03 = { kind: 'message', messageId: 'm-3', role: 'user', parts };
    await legacy('a2a-0.3', 'message/send', { message: v03 }, 'three');
    const message = { role: 'user', parts: [{ type: 'text', text: 'hello' }] };
    await legacy('a2a-0.1', 'tasks/send', { id: 'chosen', sessionId: 'session', message });
  }
  if (schema >= 5) {
    const statement = { subject: { id: 'urn:a' }, predicate: { id: 'urn:b' }, object: { value: 'c' } };
    const headers = { 'a2a-version': '1.0', 'idempotency-key': 'learnt' };
    const body = { method: 'knowledge/update', params: { mutations: [{ op: 'add', statement }] } };
    const answers = await call(url, '/facts', headers, body);
    done.push({ path: '/facts', headers, body, answers });
  }
  return done;
}

/** An agent of A2A 0.3 whose tasks run until `ended` is set, and which leaves one message unanswered until `answers` is. */
export async function openUpstream() {
  const state = { ended: false, answers: false };
  /** Params of the messages that it got with the text `unanswered`. */
  const unanswered: Json[] = [];
  const task = (id: string) => ({
    kind: 'task',
    id,
    contextId: 'context-there',
    status: { state: state.ended ? 'completed' : 'working', timestamp: '2026-11-21T00:00:00.000Z' },
    ...(state.ended && { artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text: 'done there' }] }] }),
  });
  const server = createServer(async (req, res) => {
    let text = '';
    for await (const chunk of req) text += chunk;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const card = {
      protocolVersion: '0.3.0',
      name: 'old',
      description: 'old',
      version: '1',
      url: `${url}/`,
      skills: [],
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: false, extensions: [{ uri: idempotencyExtension }] },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
    };
    res.setHeader('content-type', 'application/json');
    if (req.method === 'GET') {
      res.end(JSON.stringify(card));
      return;
    }
    const { id, params } = JSON.parse(text);
    const isUnanswered = params.message?.parts[0].text === 'unanswered';
    if (isUnanswered) unanswered.push(params);
    const result = task(isUnanswered ? 'task-unanswered' : (params.id ?? 'task-there'));
    if (state.answers || !isUnanswered) res.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { state, unanswered, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
