import { describe, expect, it } from 'vitest';
import { bodyOf, sendJson, serve } from '../../support/peer.ts';
import { peerRow } from '../../support/peer-row.ts';
import { startBridge } from '../../support/upstreams.ts';

peerRow({
  software: 'fasta2a (pydantic-ai 1)',
  version: { golden: 'a2a-0.3/recorded-fasta2a.json', source: 'fasta2a * server (pydantic-ai 1)' },
  role: 'agent',
  speaks: 'A2A 0.3: JSON-RPC',
  does: "names `acceptedOutputModes`, without which it answers HTTP 500: the caller's, or all of its card",
});
peerRow({
  software: 'fasta2a (pydantic-ai 2)',
  version: { golden: 'a2a-1.0/recorded-fasta2a.json', source: 'fasta2a * server (pydantic-ai 2)' },
  role: 'agent',
  speaks: 'A2A 1.0: JSON-RPC',
  does: 'reads its times, which have no zone, as UTC',
});

/** Agents as frameworks make them, which demand or write what the documents do not: docs/reference/peers.md lists them. */

const skill = { id: 's', name: 's', description: 's', tags: [], outputModes: ['image/png', 'text/plain'] };
const common = {
  name: 'Framework',
  description: 'Made with a framework.',
  version: '1',
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [skill],
};

interface Rpc {
  readonly id: unknown;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the gateway sends
  readonly params: any;
}

/** Starts an agent over JSON-RPC and a gateway before it. */
async function before(card: (url: string) => object, answer: (rpc: Rpc) => { status?: number; result?: unknown }) {
  const requests: Rpc[] = [];
  let url = '';
  url = await serve(async (req, res) => {
    if (req.method === 'GET') {
      if (req.url?.endsWith('.json')) sendJson(res, card(url));
      else res.writeHead(404).end();
      return;
    }
    const rpc = JSON.parse(await bodyOf(req)) as Rpc;
    requests.push(rpc);
    const { status = 200, result } = answer(rpc);
    if (status === 200) sendJson(res, { jsonrpc: '2.0', id: rpc.id, result });
    else res.writeHead(status, { 'content-type': 'text/plain' }).end('Internal Server Error');
  });
  const bridge = await startBridge({ agent: { url } });
  return { requests, client: await bridge.client('agent') };
}

describe('an agent of fasta2a 0.6.1, which pydantic-ai 1 uses', () => {
  const card = (url: string) => ({ ...common, url, protocolVersion: '0.3.0', capabilities: {} });
  const answer = ({ params }: Rpc) => {
    if (!Array.isArray(params.configuration?.acceptedOutputModes)) return { status: 500 };
    const status = { state: 'completed', timestamp: '2026-11-22T08:00:00.123456' };
    return { result: { kind: 'task', id: 't', contextId: 'c', status } };
  };

  it('an agent of fasta2a 0.6.1, which pydantic-ai 1 uses receives the media types of its card as accepted when the caller names none', async () => {
    const { client, requests } = await before(card, answer);
    const { task } = await client.send('hi');
    expect(task?.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', timestamp: '2026-11-22T08:00:00.123Z' });
    expect(requests.at(-1)?.params.configuration.acceptedOutputModes).toEqual([
      'text/plain',
      'application/json',
      'image/png',
    ]);
  });

  it('an agent of fasta2a 0.6.1, which pydantic-ai 1 uses receives the media types that the caller accepts', async () => {
    const { client, requests } = await before(card, answer);
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };
    await client.sendMessage({ message, configuration: { acceptedOutputModes: ['audio/wav'] } });
    expect(requests.at(-1)?.params.configuration.acceptedOutputModes).toEqual(['audio/wav']);
  });
});

it('an agent of fasta2a 2.1.1, which pydantic-ai 2 uses may write times without a zone, which are read as UTC', async () => {
  const { client } = await before(
    (url) => ({
      ...common,
      supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      capabilities: {},
    }),
    () => {
      const status = { state: 'TASK_STATE_COMPLETED', timestamp: '2026-11-22T08:00:00.123456' };
      return { result: { task: { id: 't', contextId: 'c', status } } };
    },
  );
  const { task } = await client.send('hi');
  expect(task?.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', timestamp: '2026-11-22T08:00:00.123Z' });
});
