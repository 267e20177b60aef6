import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { bodyOf, listenOn, sendJson } from '../../support/peer.ts';
import { hasty, startBridge } from '../../support/upstreams.ts';

/** Agents that speak as the document of the PHP SDK has it, where its code does otherwise. */

type Answer = (call: {
  readonly id: unknown;
  readonly method: string;
  readonly params: never;
  readonly res: ServerResponse;
}) => void;

/** A card as the document lists its members. */
const cardOf = (url: string, capabilities: object): object => ({
  name: 'Documented',
  description: 'Speaks as it is written.',
  url,
  version: '1.0.0',
  protocolVersion: '0.3.0',
  capabilities,
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
});

/** Starts an agent, and a gateway in front of it. */
async function bridgeBefore(capabilities: object, dialect: string, answer: Answer) {
  const server = createServer(async (req, res) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    if (req.method === 'GET') {
      return sendJson(res, cardOf(url, capabilities), req.url === '/.well-known/agent-card.json' ? 200 : 404);
    }
    answer({ ...JSON.parse(await bodyOf(req)), res });
  });
  const { origin } = await listenOn(server);
  const url = `${origin}/`;
  return startBridge({ far: { url, dialect: dialect as 'auto', bounds: hasty } });
}

/** A client of the agent through the gateway. */
const bridgeTo = async (...agent: Parameters<typeof bridgeBefore>) => (await bridgeBefore(...agent)).client('far');

it.each(['a2a-php-0.3', 'auto'])(
  'capabilities under the names of the document of the PHP SDK are read in the dialect %s, so that an agent that streams is not polled',
  async (dialect) => {
    const methods: string[] = [];
    const client = await bridgeTo({ supportsStreaming: true }, dialect, ({ id, method, res }) => {
      methods.push(method);
      const result = { kind: 'task', id: 't', contextId: 'c', status: { state: 'completed' } };
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(`event: task-status\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    });
    for await (const _ of client.sendStream('hello'));
    expect(methods.filter((method) => !method.endsWith('tasks/get'))).toEqual(['message/stream']);
  },
);

describe("a stream for the PHP SDK's client", () => {
  const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };
  const completed = { kind: 'task', id: 't', contextId: 'c', status: { state: 'completed' }, history: [message] };
  const answerWith = ({ id, res }: Parameters<Answer>[0], result: object): void =>
    sendJson(res, { jsonrpc: '2.0', id, result });

  it.each<[string, object, Answer]>([
    ['an agent that is polled', {}, (call) => answerWith(call, completed)],
    [
      'an agent that answers with the task whose status is yet to come',
      {},
      (call) =>
        answerWith(call, { ...completed, status: { state: call.method === 'tasks/get' ? 'completed' : 'working' } }),
    ],
    [
      'an agent that streams as the document has it',
      { supportsStreaming: true },
      ({ id, res }) => {
        const frames = [message, { ...completed, history: undefined }].map(
          (result) =>
            `event: ${result.kind === 'task' ? 'task-status' : 'message'}\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`,
        );
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.end(frames.join(''));
      },
    ],
  ])(
    "a stream for the PHP SDK's client has the status of the task under the name that its document has, before %s",
    async (_, capabilities, answer) => {
      const { origin } = await bridgeBefore(capabilities, 'a2a-php-0.3', answer);
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/stream', params: { message } });
      const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
      const stream = await fetch(`${origin}/far/as/a2a-php-0.3`, { method: 'POST', headers, body });
      const frames = (await stream.text()).split('\n\n').filter((frame) => frame.includes('event: '));
      const names = frames.map((frame) => /event: (.*)/.exec(frame)?.[1]);
      expect([names[0], ...names.slice(-2)]).toEqual(['event', 'task-status', 'close']);
      const last = JSON.parse(/data: (.*)/.exec(frames.at(-2) ?? '')?.[1] ?? '');
      expect(last.result).toMatchObject({ kind: 'status-update', status: { state: 'completed' }, final: true });
    },
  );
});
