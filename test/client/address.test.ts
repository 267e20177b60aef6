import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { newKey } from '../../src/auth/hash.ts';
import { bindings } from '../../src/client/bindings.ts';
import { addressOf } from '../../src/client/choose.ts';
import { connect } from '../../src/client/index.ts';
import { openGateway } from '../support/gateway.ts';
import { afterTest, listenOn } from '../support/peer.ts';

const [grpc] = bindings.filter(({ name }) => name === 'grpc');

it.each([
  ['a.example:50051', 'http://a.example/card.json', 'http://a.example:50051/'],
  ['a.example:50051', 'https://a.example/card.json', 'https://a.example:50051/'],
  ['a.example:443', 'http://a.example/card.json', 'https://a.example/'],
  ['http://a.example:50051', 'https://a.example/card.json', 'http://a.example:50051/'],
  ['grpcs://a.example:50051', 'http://a.example/card.json', 'https://a.example:50051/'],
])('a gRPC address %s in a card at %s is called at %s', (url, card, expected) => {
  if (!grpc) throw new Error('there is no gRPC');
  const face = { url, protocolBinding: 'GRPC', protocolVersion: '0.3' };
  expect(addressOf({ binding: grpc, interface: face }, card).href).toBe(expected);
});

describe.each(bindings)('a client over $name', ({ name: via }) => {
  it(`a client over ${via} calls the host that the card names, or with \`direct\` that of the target`, async () => {
    const { key: apiKey, hash } = newKey();
    let led = 0;
    const answer = (_: unknown, res: { writeHead(code: number): { end(): unknown } }): void => {
      led += 1;
      res.writeHead(503).end();
    };
    const named = (await listenOn(via === 'grpc' ? createHttp2Server(answer) : createServer(answer))).origin;
    const gateway = await openGateway(
      `listen: { port: 0, publicUrl: ${named} }\nauth: { apiKeys: [{ name: a, hash: "${hash}" }] }\nagents: { demo: { kind: reference } }`,
    );
    const target = `http://127.0.0.1:${gateway.port}`;
    const direct = await connect(target, { via, apiKey, direct: true });
    afterTest(() => direct.close());
    expect((await direct.send('say hi')).message?.parts[0]?.text).toBe('hi');
    expect(led).toBe(0);
    const agent = await connect(target, { via, apiKey });
    afterTest(() => agent.close());
    await expect(agent.send('say hi')).rejects.toThrow();
    expect(led).toBe(1);
  });
});
