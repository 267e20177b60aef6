import { expect, it } from 'vitest';
import { bindings } from '../../src/client/bindings.ts';
import { addressOf } from '../../src/client/choose.ts';

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
