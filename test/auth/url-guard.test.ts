import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import { api } from '../../src/core/model/a2a.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { v1Card } from '../support/cards.ts';
import { openGateway } from '../support/gateway.ts';
import { card10 } from '../support/hostile-words.ts';
import { afterTest, sendJson, serve, serveTcp } from '../support/peer.ts';
import { RawGrpc, RawHttp, rpcError } from '../support/raw.ts';

/** A gateway that others can reach, and what they would like it to call: webhooks, and where cards and redirects lead. */

type Fields = Readonly<Record<string, unknown>>;

interface Settings {
  readonly agents: string;
  readonly allow?: string;
  /** Under a name that others know. Default true. */
  readonly known?: boolean;
}

/** The gateway, and what was audited. */
async function started({ agents, allow = '', known = true }: Settings) {
  const refused: Fields[] = [];
  const log = (fields: object): void => {
    if ((fields as Fields).security === 'url.refused') refused.push(fields as Fields);
  };
  const text = `listen: { host: localhost, port: 0${known ? ', publicUrl: "https://agents.example.com"' : ''} }
auth: { anonymous: true }
store: "memory:"
outbound: { allow: [${allow}] }
agents: { ${agents} }
`;
  const config = parseConfig(text, { file: '/guard.yaml' });
  const { gateway, port } = await openGateway(config, { logger: { debug: log, info: log, warn: log, error: log } });
  afterTest(() => gateway.close({ drainMs: 0 }));
  const http = new RawHttp(port);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    http.send({ path, body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
  return { port, http, post, refused };
}

const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 7, method, params });
const userSays = (text: string) => ({ messageId: 'm', role: 'ROLE_USER', parts: [{ text }] });

describe('a webhook URL in a network that the gateway may not call', () => {
  const demo = { agents: 'demo: { kind: reference }' };
  const url = 'http://169.254.169.254/latest/meta-data/?token=s3cret';
  const says = 'http://169.254.169.254 is refused: it is a link-local address';

  it.each([
    ['CreateTaskPushNotificationConfig', (taskId: string) => ({ taskId, url }), 'url'],
    [
      'SendMessage',
      () => ({ message: userSays('ask'), configuration: { taskPushNotificationConfig: { url } } }),
      'configuration.taskPushNotificationConfig.url',
    ],
  ])(
    'a webhook URL in a network that the gateway may not call is refused over JSON-RPC: %s',
    async (method, params, field) => {
      const { post, refused } = await started(demo);
      const created = await post('/as/a2a-1.0', rpc('SendMessage', { message: userSays('ask') }));
      const { id } = JSON.parse(created.body.toString()).result.task;
      const response = await post('/as/a2a-1.0', rpc(method, params(id)));
      expect(rpcError(response)).toMatchObject({ code: -32602, fields: [field] });
      expect(response.body.toString()).toContain(says);
      expect(response.body.toString()).not.toContain('s3cret');
      expect(refused).toEqual([
        { security: 'url.refused', target: 'http://169.254.169.254', reason: expect.stringContaining('link-local') },
      ]);
    },
  );

  it('a webhook URL in a network that the gateway may not call is refused over HTTP+JSON and gRPC', async () => {
    const { post, port } = await started(demo);
    const created = await post('/message:send', { message: userSays('ask') }, { 'a2a-version': '1.0' });
    const { id } = JSON.parse(created.body.toString()).task;
    const response = await post(`/tasks/${id}/pushNotificationConfigs`, { url }, { 'a2a-version': '1.0' });
    expect(response.status).toBe(400);
    expect(response.body.toString()).toContain(says);
    const old = await post(`/v1/tasks/${id}/pushNotificationConfigs`, { config: { pushNotificationConfig: { url } } });
    expect([old.status, old.body.toString()]).toEqual([400, expect.stringContaining(says)]);
    const grpc = new RawGrpc(`localhost:${port}`);
    const bytes = encode(api, 'lf.a2a.v1.TaskPushNotificationConfig', { taskId: id, url });
    const refusal = await grpc.send('/lf.a2a.v1.A2AService/CreateTaskPushNotificationConfig', bytes);
    expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT', message: expect.stringContaining(says) });
  });

  it.each(['http://localhost:9/hook', 'http://127.0.0.1:9/hook', 'https://example.com/hook'])(
    'a webhook URL %s is stored when only this machine can reach the gateway',
    async (webhook) => {
      const { post, refused } = await started({ ...demo, known: false });
      const created = await post('/as/a2a-1.0', rpc('SendMessage', { message: userSays('ask') }));
      const { id: taskId } = JSON.parse(created.body.toString()).result.task;
      const stored = await post('/as/a2a-1.0', rpc('CreateTaskPushNotificationConfig', { taskId, url: webhook }));
      expect(JSON.parse(stored.body.toString()).result).toMatchObject({ taskId, url: webhook });
      expect(refused).toEqual([]);
    },
  );
});

/** Something of the local network that counts who comes. */
async function inner() {
  let visits = 0;
  const url = await serveTcp((socket) => {
    visits++;
    socket.destroy();
  });
  return { url, host: new URL(url).host, visits: () => visits };
}

describe('an upstream agent', () => {
  const sent = rpc('SendMessage', { message: userSays('go') });

  it.each([
    ['JSONRPC', 'jsonrpc'],
    ['HTTP+JSON', 'rest'],
    ['GRPC', 'grpc'],
  ])('an upstream agent cannot make the gateway call what its card names: %s', async (binding) => {
    const target = await inner();
    const named = binding === 'GRPC' ? target.host : `${target.url}/secret-path`;
    const agent = await serve((req, res) =>
      req.url === '/.well-known/agent-card.json' ? sendJson(res, card10(named, binding)) : res.writeHead(404).end(),
    );
    const up = `up: { kind: upstream, url: "${agent}", silence: 1s }`;
    const { post, refused } = await started({ agents: up });
    const response = await post('/as/a2a-1.0', sent);
    // Over HTTP the origin of the card is called instead, where nothing is.
    expect(response.body.toString()).toMatch(/not allowed to call the address in its card|HTTP 404/);
    expect(response.body.toString()).not.toContain(target.url);
    expect(refused).toContainEqual({ security: 'url.refused', target: target.url, reason: 'it is a loopback address' });
    expect(JSON.stringify(refused)).not.toContain('secret-path');
    expect(target.visits()).toBe(0);

    // The operator may want just that.
    const open = await started({ agents: up, allow: `"${target.host}"` });
    await open.post('/as/a2a-1.0', sent);
    expect(target.visits()).toBeGreaterThan(0);
    expect(open.refused).toEqual([]);
  });

  it('an upstream agent is called at the public interface when its card also lists one in a private network', async () => {
    const target = await inner();
    const agent = await serve((req, res) => {
      const url = `http://${req.headers.host}/rpc`;
      const interfaceAt = (at: string, protocolBinding: string) => ({
        url: at,
        protocolBinding,
        protocolVersion: '1.0',
      });
      const supportedInterfaces = [
        interfaceAt(target.host, 'GRPC'),
        interfaceAt(target.url, 'HTTP+JSON'),
        interfaceAt(url, 'JSONRPC'),
      ];
      if (req.method === 'GET') sendJson(res, { ...card10(url, 'JSONRPC'), supportedInterfaces });
      else sendJson(res, { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'the agent has been reached' } });
    });
    const { post, http } = await started({ agents: `up: { kind: upstream, url: "${agent}", silence: 1s }` });
    expect((await post('/as/a2a-1.0', sent)).body.toString()).toContain('the agent has been reached');
    expect((await http.send({ method: 'GET', path: '/readyz' })).body.toString()).toContain('"transport":"jsonrpc"');
    expect(target.visits()).toBe(0);
  });

  it('an upstream agent cannot redirect the gateway to a card in a private network', async () => {
    const target = await inner();
    const agent = await serve((_, res) => res.writeHead(302, { location: `${target.url}/card.json` }).end());
    const { post, refused } = await started({ agents: `up: { kind: upstream, url: "${agent}", silence: 1s }` });
    const response = await post('/as/a2a-1.0', sent);
    expect(response.body.toString()).toContain('not allowed to call the address in its card');
    expect(refused[0]).toMatchObject({ target: target.url });
    expect(target.visits()).toBe(0);
  });

  it('an upstream agent cannot make the gateway probe bindings in a private network', async () => {
    const target = await inner();
    // A card that several generations may have written: the gateway probes the agent.
    const card = { ...v1Card([]), url: `${target.url}/rpc`, supportedInterfaces: undefined };
    const agent = await serve((req, res) =>
      req.url?.startsWith('/.well-known/agent') ? sendJson(res, card) : res.writeHead(404).end(),
    );
    const { post } = await started({ agents: `up: { kind: upstream, url: "${agent}", silence: 1s }` });
    await post('/as/a2a-1.0', sent);
    expect(target.visits()).toBe(0);
  });
});
