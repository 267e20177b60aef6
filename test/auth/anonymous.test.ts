import { describe, expect, it } from 'vitest';
import { anonymous, createAnonymous } from '../../src/auth/anonymous.ts';
import type { CallerFacts } from '../../src/core/limits/admission.ts';

interface Request {
  readonly headers?: Readonly<Record<string, string>>;
  readonly host?: string | undefined;
  readonly remoteAddress?: string;
  readonly body?: boolean;
  readonly httpVersion?: string;
}

const callerOf = ({
  headers = {},
  body = false,
  remoteAddress = '127.0.0.1',
  httpVersion = '1.1',
  ...rest
}: Request): CallerFacts => ({
  header: (name) => headers[name],
  headerNames: () => Object.keys(headers),
  httpVersion,
  host: 'host' in rest ? rest.host : 'localhost:8080',
  remoteAddress,
  hasBody: body,
  encrypted: false,
});

const local = createAnonymous({ access: 'local', origins: ['https://console.example.com/'] });
/** Headers that proxies, load balancers and content delivery networks add. */
const proxied = [
  ...['x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'cf-connecting-ip', 'true-client-ip', 'cdn-loop'],
  ...['x-forwarded-port', 'x-forwarded-server', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-prefix'],
  ...['x-envoy-external-address', 'x-envoy-expected-rq-timeout-ms', 'x-original-host', 'x-original-forwarded-for'],
];
const withType = (type: string): Request => ({ body: true, headers: { 'content-type': type } });

it.each<[string, Request]>([
  ['from IPv4', {}],
  ['from IPv6', { remoteAddress: '::1', host: '[::1]:8080' }],
  ['from IPv4 in IPv6', { remoteAddress: '::ffff:127.0.0.1' }],
  ['from another loopback address', { remoteAddress: '127.8.9.1', host: '127.8.9.1' }],
  ['with any case in the host', { host: 'LocalHost' }],
  ['from the gateway’s own page', { headers: { origin: 'http://localhost:8080' } }],
  ['from a configured page', { headers: { origin: 'https://Console.example.com' } }],
  ['over HTTP/2', { httpVersion: '2.0' }],
  ['with a tracer’s and a client’s own headers', { headers: { traceparent: 'a', 'x-request-id': 'b', 'x-api': 'c' } }],
  ['with JSON', withType('application/json')],
  ['with JSON and a charset', withType('Application/JSON; charset=utf-8')],
  ['with A2A’s JSON', withType('application/a2a+json')],
  ['with protobuf', withType('application/proto')],
  ['with gRPC', withType('application/grpc')],
  ['with gRPC and a codec', withType('application/grpc+proto')],
  ['with gRPC-Web', withType('application/grpc-web+proto')],
  ['with Connect’s streams', withType('application/connect+json')],
])('a local caller without credentials is let in: %s', async (_, request) => {
  expect(await local(callerOf(request))).toMatchObject({ ...anonymous, local: true });
});

it.each<[string, Request, RegExp]>([
  ['from elsewhere', { remoteAddress: '10.0.0.5' }, /this machine/],
  ['from elsewhere by IPv6', { remoteAddress: 'fe80::1' }, /this machine/],
  ['from nowhere', { remoteAddress: '' }, /this machine/],
  ['by a rebound name', { host: 'evil.example.com' }, /Host/],
  ['by a name that looks like it', { host: 'localhost.evil.example.com' }, /Host/],
  ['by a number that looks like it', { host: '127.0.0.1.nip.io:8080' }, /Host/],
  ['without a host', { host: undefined }, /Host/],
  ['with an empty host', { host: '' }, /Host/],
  ['from another page', { headers: { origin: 'https://evil.example.com' } }, /origin/],
  ['from a page of another port', { headers: { origin: 'http://localhost:3000' } }, /origin/],
  ['from a page of another scheme', { headers: { origin: 'https://localhost:8080' } }, /origin/],
  ['from a sandboxed page', { headers: { origin: 'null' } }, /origin/],
  ['through a proxy', { headers: { 'x-forwarded-for': '127.0.0.1' } }, /x-forwarded-for/],
  ['through a proxy of the standard', { headers: { forwarded: 'for=1.2.3.4' } }, /forwarded/],
  ['through a proxy that says no more', { headers: { via: '1.1 p' } }, /via/],
  ['through nginx as it comes', { httpVersion: '1.0' }, /HTTP\/1\.0/],
  ...proxied.map((name): [string, Request, RegExp] => [`with ${name}`, { headers: { [name]: 'x' } }, new RegExp(name)]),
  ['with a form', withType('application/x-www-form-urlencoded'), /Content-Type/],
  ['with text', withType('text/plain'), /Content-Type/],
  ['with a multipart form', withType('multipart/form-data; boundary=x'), /Content-Type/],
  ['with something like JSON', withType('application/jsonp'), /Content-Type/],
  ['with JSON as a parameter', withType('text/plain; application/json'), /Content-Type/],
  ['with a body of no type', { body: true }, /Content-Type/],
])('a caller without credentials is refused, with the reason: %s', async (_, request, why) => {
  const judged = async () => local(callerOf(request));
  const kind = request.body ? 'contentTypeNotSupported' : 'unauthenticated';
  await expect(judged()).rejects.toMatchObject({ kind, message: expect.stringMatching(why) });
});

describe('an explicit access setting', () => {
  const stranger = callerOf({
    remoteAddress: '203.0.113.9',
    host: 'a.example',
    headers: { origin: 'https://b.example' },
  });

  it('an explicit access setting of "anyone" admits all callers, as one principal', async () => {
    expect(await createAnonymous({ access: 'anyone', origins: [] })(stranger)).toBe(anonymous);
  });

  it('an explicit access setting of "none" refuses callers on this machine, too', async () => {
    const judge = createAnonymous({ access: 'none', origins: [] });
    await expect((async () => judge(callerOf({})))()).rejects.toMatchObject({ kind: 'unauthenticated' });
  });
});
