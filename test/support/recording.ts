import { newKey } from '../../src/auth/hash.ts';
import { connect } from '../../src/client/index.ts';
import { api } from '../../src/core/model/a2a.ts';
import type { ListRecordsResponse, RecordedCall, RecordRequest, RecordResponse } from '../../src/gen/admin-v1/types.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { askAdmin } from './admin.ts';
import { openGateway } from './gateway.ts';

/** Gateways whose calls are recorded, and what records them. */

export const alice = newKey();
export const bob = newKey();
const operator = newKey();
/** The key of the gateway at its upstream agents. */
export const peer = newKey();
export const asAlice = { 'x-api-key': alice.key };
export const asOperator = { 'x-api-key': operator.key };

/** Upstream agents, in each way in which a gateway calls older ones, and what their requests look like. */
export const upstreams = [
  { name: 'vault', dialect: 'agentvault-0.2', transport: 'jsonrpc', sent: '"content":"say good day"' },
  { name: 'google', dialect: 'a2a-0.1', transport: 'jsonrpc', sent: '"type":"text"' },
  { name: 'rpc03', dialect: 'a2a-0.3', transport: 'jsonrpc', sent: '"method":"message/' },
  { name: 'rest03', dialect: 'a2a-0.3', transport: 'rest', sent: '"ROLE_USER"' },
  { name: 'grpc03', dialect: 'a2a-0.3', transport: 'grpc', sent: '"ROLE_USER"' },
] as const;

/** The configuration of a gateway with these callers. @param more agents */
export const settings = (more = ''): string =>
  `
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${alice.hash}" }
    - { name: bob, hash: "${bob.hash}" }
    - { name: operator, hash: "${operator.hash}", scopes: [admin, tasks] }
agents:
  demo: { kind: reference }
${more}
defaultAgent: demo
`;

/** Opens a gateway with an agent of its own and with the upstream agents, which another gateway has. */
export async function openRecorded() {
  const far = await openGateway(`
auth: { anonymous: false, apiKeyHeader: x-peer, apiKeys: [{ name: peer, hash: "${peer.hash}" }] }
agents: { demo: { kind: reference } }
defaultAgent: demo
`);
  const auth = `{ type: apiKey, header: x-peer, key: "${peer.key}" }`;
  const agents = upstreams.map(({ name, dialect, transport }) => {
    const to = transport === 'grpc' ? far.url : `${far.url}/demo/as/${dialect}`;
    return `  ${name}: { kind: upstream, url: "${to}", dialect: ${dialect}, transport: ${transport}, auth: ${auth} }`;
  });
  const near = await openGateway(settings(agents.join('\n')));
  return {
    url: near.url,
    async close(): Promise<void> {
      await near.close();
      await far.close();
    },
  };
}

export const message = (text: string) => ({ messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] });

export function enveloped(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

const protobuf = (request: object): Uint8Array => encode(api, 'lf.a2a.v1.SendMessageRequest', request);
export const service = '/lf.a2a.v1.A2AService/SendMessage';

type Send = (
  agent: string,
  request: { message: ReturnType<typeof message>; [more: string]: unknown },
  headers?: object,
) => Promise<unknown>;

/** Calls the gateway at a URL, and records its calls. */
export function recordingAt(url: () => string) {
  const record = (request: RecordRequest): Promise<RecordResponse> => askAdmin(url(), 'Record', request, asOperator);
  const list = (recording: string, more: object = {}): Promise<ListRecordsResponse> =>
    askAdmin(url(), 'ListRecords', { recording, ...more }, asOperator);

  /** Returns the recordings of the calls that `call` makes, the latest first. */
  async function recorded(request: RecordRequest, call: () => Promise<unknown>): Promise<RecordedCall[]> {
    const id = (await record(request)).recording?.id ?? '';
    try {
      await call();
      for (;;) {
        const { records = [] } = await list(id);
        // The answer may reach its client before the gateway notes its end.
        if (records.every(({ durationMs, error }) => durationMs !== undefined || error)) return records;
      }
    } finally {
      await record({ stop: id });
    }
  }

  async function post(path: string, type: string, body: string | Uint8Array, headers: object = {}): Promise<Response> {
    const response = await fetch(`${url()}${path}`, {
      method: 'POST',
      headers: { ...asAlice, 'a2a-version': '1.0', 'content-type': type, ...headers },
      body: body as string,
    });
    await response.clone().arrayBuffer();
    return response;
  }

  /** Each way in which a client sends a message. */
  const bindings: readonly { name: string; binding: string; binary?: true; send: Send }[] = [
    {
      name: 'JSON-RPC',
      binding: 'jsonrpc',
      send: (agent, params, headers) =>
        post(
          `/${agent}`,
          'application/json',
          JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }),
          headers,
        ),
    },
    {
      name: 'HTTP+JSON',
      binding: 'rest',
      send: (agent, request, headers) =>
        post(`/${agent}/message:send`, 'application/json', JSON.stringify(request), headers),
    },
    {
      name: 'gRPC',
      binding: 'grpc',
      binary: true,
      async send(agent, request, headers = {}) {
        const client = await connect(`${url()}/${agent}`, { via: 'grpc', headers: { ...asAlice, ...headers } });
        try {
          await client.sendMessage(request as never);
        } finally {
          await client.close();
        }
      },
    },
    {
      name: 'gRPC-Web',
      binding: 'grpc-web',
      binary: true,
      send: (agent, request, headers) =>
        post(`/${agent}${service}`, 'application/grpc-web+proto', enveloped(protobuf(request)), headers),
    },
    {
      name: 'gRPC-Web in text',
      binding: 'grpc-web',
      binary: true,
      send: (agent, request, headers) =>
        post(
          `/${agent}${service}`,
          'application/grpc-web-text',
          enveloped(protobuf(request)).toString('base64'),
          headers,
        ),
    },
    {
      name: 'Connect in JSON',
      binding: 'connect',
      send: (agent, request, headers) =>
        post(`/${agent}${service}`, 'application/json', JSON.stringify(request), {
          'connect-protocol-version': '1',
          ...headers,
        }),
    },
    {
      name: 'Connect in protobuf',
      binding: 'connect',
      binary: true,
      send: (agent, request, headers) => post(`/${agent}${service}`, 'application/proto', protobuf(request), headers),
    },
  ];

  return { record, list, recorded, post, bindings };
}
