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

/** Starts an agent, and a gateway in front of it; the client calls it through the gateway. */
async function bridgeTo(capabilities: object, dialect: string, answer: Answer) {
  const server = createServer(async (req, res) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    if (req.method === 'GET') {
      return sendJson(res, cardOf(url, capabilities), req.url === '/.well-known/agent-card.json' ? 200 : 404);
    }
    answer({ ...JSON.parse(await bodyOf(req)), res });
  });
  const { origin } = await listenOn(server);
  const url = `${origin}/`;
  const bridge = await startBridge({ far: { url, dialect: dialect as 'auto', bounds: hasty } });
  return bridge.client('far');
}

describe('capabilities under the names of the document of the PHP SDK', () => {
  it.each(['a2a-php-0.3', 'auto'])(
    'are read in the dialect %s, so that an agent that streams is not polled',
    async (dialect) => {
      const methods: string[] = [];
      const client = await bridgeTo({ supportsStreaming: true }, dialect, ({ id, method, res }) => {
        methods.push(method);
        const result = { kind: 'task', id: 't', contextId: 'c', status: { state: 'completed' } };
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.end(`event: task-status\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
      });
      for await (const _ of client.sendStream('hello'));
      expect(methods.filter((method) => method !== 'tasks/get')).toEqual(['message/stream']);
    },
  );
});
