import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { forTenant } from '../../src/client/choose.ts';
import { type AgentCard, allDialects, bindings, connect, type WireLine } from '../../src/client/index.ts';
import { v1Card } from '../support/cards.ts';
import { openGateway } from '../support/gateway.ts';
import { afterTest } from '../support/peer.ts';

const pem = (name: string): Buffer => readFileSync(new URL(`../support/tls/${name}`, import.meta.url));
const place = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));

it('connect takes authorities, a client certificate and a tenant, and tells what is sent', async () => {
  const gateway = await openGateway(
    `listen: { host: localhost, port: 0, tls: { cert: ${place('server.pem')}, key: ${place('server.key')}, clientCa: ${place('ca.pem')} } }\n` +
      'auth: { anonymous: false, mtls: { others: accept } }\n' +
      'agents: { demo: { kind: reference }, two: { kind: reference } }\n',
  );
  const tls = { ca: pem('ca.pem'), cert: pem('client.pem'), key: pem('client.key') };
  for (const { name: via } of bindings) {
    const lines: WireLine[] = [];
    const url = `${gateway.url}/two`;
    const agent = await connect(url, { via, tls, tenant: 'acme', onWire: (line) => lines.push(line) });
    afterTest(() => agent.close());
    expect((await agent.send('say hi')).message?.parts[0]?.text).toBe('hi');
    expect(lines.filter(({ direction }) => direction === 'note').map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^TLSv1\.3, .*certificate of localhost, issued by a2a-gateway test authority$/),
    );
    expect(lines.map(({ text }) => text).join('\n')).toContain('acme');
    await expect(connect(url, { via, tls: { ...tls, ca: pem('client.pem') } })).rejects.toThrow('unknown authority');
  }
});

describe('a tenant', () => {
  const [v1] = allDialects();
  const legacy = allDialects().find(({ name }) => name === 'a2a-0.3');
  const [jsonrpc] = bindings;
  if (!v1 || !legacy || !jsonrpc) throw new TypeError('a dialect or a binding is missing');
  const listed = (protocolBinding: string, tenant?: string) => ({
    url: 'https://x.example',
    protocolBinding,
    protocolVersion: '1.0',
    ...(tenant !== undefined && { tenant }),
  });
  const card = (...interfaces: ReturnType<typeof listed>[]): AgentCard => v1Card(interfaces);
  const tenantOf = (all: ReturnType<typeof listed>[], at: number, tenant?: string) => {
    const choice = { binding: jsonrpc, dialect: v1, interface: all[at] ?? listed('JSONRPC') };
    return forTenant(choice, card(...all), tenant).interface.tenant;
  };

  it.each([
    [[listed('JSONRPC')], 0, 'acme', 'acme'],
    [[listed('JSONRPC', 'one'), listed('GRPC', 'one')], 1, 'acme', 'acme'],
    [[listed('JSONRPC'), listed('GRPC', 'weather')], 1, 'acme', 'weather/acme'],
    [[listed('JSONRPC'), listed('GRPC', 'weather')], 0, 'acme', 'acme'],
    [[listed('JSONRPC'), listed('GRPC', 'weather')], 1, undefined, 'weather'],
    [[listed('JSONRPC'), listed('GRPC')], 1, 'acme', 'acme'],
  ])(
    "the caller's tenant replaces the card's, unless that says which agent is meant: %#",
    (all, at, tenant, expected) => expect(tenantOf(all, at, tenant)).toBe(expected),
  );

  it('a tenant is refused where the dialect has none', () => {
    const choice = { binding: jsonrpc, dialect: legacy, interface: listed('JSONRPC') };
    expect(() => forTenant(choice, card(listed('JSONRPC')), 'acme')).toThrow('a2a-0.3 has no tenants');
  });
});
