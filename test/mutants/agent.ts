import { createUpstreamAgent } from '../../src/agents/upstream/index.ts';
import type { Agent } from '../../src/core/model/agent.ts';
import type { Store } from '../../src/core/ports/store.ts';
import type { HttpClient } from '../../src/net/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../../src/net/http-exchange.ts';
import { envelope } from '../../src/transports/rpc/envelope.ts';
import { encodeSse } from '../../src/wire/sse.ts';
import { silent } from '../support/core.ts';
import type { Answers } from './answers.ts';
import { textOf } from './garble.ts';

/** Kind of the agent's answer to tasks/get: the whole task, the task without its contents, or an error. */
export type GetMode = 'repeats' | 'leaves out' | 'fails';

/** The longest silence of an agent, in milliseconds of the virtual clock. */
export const silence = 60_000;

/** An agent of the gateway that is reached without a network: its answers are golden frames. */
export function agentOf(name: string, answers: Answers, get: GetMode, ids: Store): Agent {
  const { dialect, binding } = answers;
  return createUpstreamAgent({
    name,
    url: `http://${name}.test/`,
    dialect: dialect.name,
    transport: binding,
    silence,
    ids,
    logger: silent,
    http: httpOf(answers, get),
    bounds: { attempts: 2, pause: 100, call: 2_000, quiet: 300, pulse: 2_000, settle: 300, restart: 1_000 },
    breaker: { failures: 1_000 },
  });
}

interface Sent {
  readonly mediaType: string;
  readonly body: string | Buffer;
  readonly status?: number;
}

function httpOf(answers: Answers, get: GetMode): HttpClient {
  const respond = { jsonrpc: overJsonRpc, rest: overRest, connect: overConnect }[answers.binding];
  return {
    async request(request) {
      const isOfCard = request.method === 'GET' && isCard(request);
      return answerOf(isOfCard ? cardOf(answers) : withId(answers, request, respond(request, answers, get)));
    },
    close: () => undefined,
  };
}

/** The answer under the id that the gateway chose for the task, in dialects whose clients choose it. */
function withId({ dialect, bareTask }: Answers, { body }: HttpRequest, sent: Sent): Sent {
  const { params } = dialect.callersName ? JSON.parse(`${body}`) : {};
  if (typeof params?.id !== 'string') return sent;
  return { ...sent, body: `${sent.body}`.replaceAll(JSON.stringify(idOf(bareTask)), JSON.stringify(params.id)) };
}

const isCard = ({ url }: HttpRequest): boolean => url.pathname.endsWith('.json');

const json = (value: unknown, status = 200): Sent => ({ mediaType: 'application/json', body: textOf(value), status });

const cardOf = ({ dialect, binding, streams }: Answers): Sent => {
  const protocolBinding = { jsonrpc: 'JSONRPC', rest: 'HTTP+JSON', connect: 'GRPC' }[binding];
  const card = {
    name: 'golden',
    description: 'Answers with golden frames.',
    version: '1',
    supportedInterfaces: [
      { url: 'http://golden.test/', protocolBinding, protocolVersion: dialect.card.protocolVersion },
    ],
    capabilities: { streaming: streams },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 's', description: 's', tags: [] }],
  };
  return json(dialect.card.encode(card as never, { losses: new Set() }));
};

/** The answer to tasks/get; undefined where it fails. */
const taskOf = ({ task, bareTask }: Answers, get: GetMode): unknown =>
  get === 'fails' ? undefined : get === 'repeats' ? task : bareTask;

function overJsonRpc({ body }: HttpRequest, answers: Answers, get: GetMode): Sent {
  const { dialect, streams, frames } = answers;
  const { id, method } = JSON.parse(`${body}`);
  const operation = dialect.jsonrpc?.methods.get(method)?.operation;
  const result = (value: unknown): Sent =>
    value === undefined
      ? json({ jsonrpc: '2.0', id, error: { code: -32603, message: 'broken' } })
      : json({ jsonrpc: '2.0', id, result: value });
  if (dialect.name === 'agentvault-0.2' && method === 'tasks/send') return result(idOf(answers.bareTask));
  if (operation === 'GetTask')
    return result(taskOf(answers, dialect.name === 'agentvault-0.2' && !streams ? 'repeats' : get));
  if (operation !== 'SendMessage' && operation !== 'SendStreamingMessage' && !method.endsWith('sendSubscribe'))
    return json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } });
  if (!streams) return result(frames[0]?.data);
  const enveloped = dialect.jsonrpc?.stream.enveloped === true;
  return sse(
    frames.map(({ event, data }) => ({ event, data: enveloped ? { jsonrpc: '2.0', id, result: data } : data })),
  );
}

const idOf = (task: unknown): unknown => (task as { id?: unknown }).id;

const sse = (frames: readonly { readonly event?: string | undefined; readonly data: unknown }[]): Sent => ({
  mediaType: 'text/event-stream',
  body: frames
    .map(({ event, data }) => encodeSse({ ...(event !== undefined && { event }), data: textOf(data) }))
    .join(''),
});

function overRest({ method, url }: HttpRequest, answers: Answers, get: GetMode): Sent {
  const { frames } = answers;
  if (url.pathname.endsWith('/message:send') || url.pathname.endsWith('/message:stream'))
    return answers.streams ? sse(frames) : json(frames[0]?.data);
  const task = method === 'GET' && /\/tasks\/[^/:]+$/.test(url.pathname) ? taskOf(answers, get) : undefined;
  return task === undefined ? json({ error: { code: 500, message: 'broken' } }, 500) : json(task);
}

function overConnect({ url }: HttpRequest, answers: Answers, get: GetMode): Sent {
  const { frames } = answers;
  const rpc = url.pathname.split('/').at(-1);
  if (rpc === 'SendMessage') return json(frames[0]?.data);
  if (rpc === 'SendStreamingMessage') {
    const messages = frames.map(({ data }) => envelope(Buffer.from(textOf(data))));
    const body = Buffer.concat([...messages, envelope(Buffer.from('{}'), 2)]);
    return { mediaType: 'application/connect+json', body };
  }
  const task = rpc === 'GetTask' ? taskOf(answers, get) : undefined;
  return task === undefined ? json({ code: 'internal', message: 'broken' }, 500) : json(task);
}

function answerOf({ mediaType, body, status = 200 }: Sent): HttpAnswer {
  const bytes = Buffer.from(body as string);
  return {
    status,
    headers: { 'content-type': mediaType },
    mediaType,
    async *chunks() {
      yield bytes;
    },
    read: async () => bytes,
    readAvailable: async () => ({ bytes, failure: undefined }),
    discard: () => undefined,
  };
}
