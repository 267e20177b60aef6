import type { AgentCard } from '../../src/core/model/a2a.ts';
import { bodyOf, sendJson, serve } from './peer.ts';

/** A card of A2A 1.0 that lists these interfaces, or JSON-RPC at a URL. */
export const v1Card = (
  interfaces: string | AgentCard['supportedInterfaces'],
  more: Partial<AgentCard> = {},
): AgentCard => ({
  name: 'Test',
  description: 'For tests',
  version: '1',
  capabilities: {},
  skills: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  supportedInterfaces:
    typeof interfaces === 'string'
      ? [{ url: interfaces, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
      : interfaces,
  ...more,
});

/** An agent of A2A 1.0 whose answers over JSON-RPC are made by `answer`; its origin. */
export async function rpcAgent(answer: (request: { method: string; id: string }) => unknown): Promise<string> {
  const origin: string = await serve(async (req, res) => {
    if (req.method === 'POST') return sendJson(res, answer(JSON.parse(await bodyOf(req))));
    if (req.url !== '/.well-known/agent-card.json') return res.writeHead(404).end();
    return sendJson(res, v1Card(origin));
  });
  return origin;
}
