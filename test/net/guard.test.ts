import { describe, expect, test } from 'vitest';
import { createUrlGuard, UrlRefused } from '../../src/net/guard.ts';
import { harmless, hostile } from './guard-corpus.ts';

/** Why a URL is refused; undefined where it is let through. */
function refusal(url: string, guard = createUrlGuard()): string | undefined {
  try {
    guard.check(url);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UrlRefused) return thrown.message;
    throw thrown;
  }
}

test('the corpus is large, and says everything once', () => {
  const urls = [...hostile, ...harmless].map(([url]) => url);
  expect(hostile.length).toBeGreaterThanOrEqual(150);
  expect(new Set(urls).size).toBe(urls.length);
});

test.each(hostile)('the corpus has %j, which is refused: %s', (url) => {
  expect(refusal(url)).toMatch(/ is refused: its? /);
});

test.each(harmless)('the corpus has %j, which passes: %s', (url) => {
  const checked = createUrlGuard().check(url);
  expect(checked.href).toBe(new URL(url).href);
});

test('the corpus is refused as a URL object, too, wherever it can be one', () => {
  const guard = createUrlGuard();
  const readable = hostile.filter(([url]) => URL.canParse(url) && !/[\s\\\p{Cc}]/u.test(url));
  expect(readable.length).toBeGreaterThan(150);
  for (const [url] of readable) expect(() => guard.check(new URL(url)), url).toThrow(UrlRefused);
});

describe('what the operator allows', () => {
  const allow = [
    '10.1.0.0/16',
    '192.168.7.7',
    '10.9.9.9:8443',
    'hooks.internal',
    'ports.internal:8443',
    'mail.example.com:25',
    '*.corp.example',
    '[fd00:1::/32]:443',
    'fd00:2::/32',
    '::ffff:172.16.0.0/108',
  ];
  const guard = createUrlGuard({ allow });

  test.each([
    'http://10.1.2.3/',
    'http://10.1.255.255:8080/',
    'http://0x0a010203/',
    'http://[::ffff:10.1.2.3]/',
    'http://192.168.7.7/',
    'https://10.9.9.9:8443/',
    'http://hooks.internal/',
    'http://HOOKS.internal.:8080/',
    'https://ports.internal:8443/',
    'http://mail.example.com:25/',
    'http://a.b.corp.example/',
    'https://[fd00:1::5]/',
    'http://[fd00:2::5]:8080/',
    'http://172.16.5.5/',
  ])('%s passes if the operator allows it', (url) => {
    expect(refusal(url, guard)).toBeUndefined();
  });

  test.each([
    ['http://10.2.0.1/', 'outside the block'],
    ['http://192.168.7.8/', 'the next address'],
    ['https://10.9.9.9/', 'another port'],
    ['https://10.9.9.9:8444/', 'another port yet'],
    ['http://hooks.internal:6379/', 'the port of another service, not named'],
    ['https://ports.internal/', 'a name on another port'],
    ['http://mail.example.com/', 'a public name that is allowed on another port only'],
    ['http://[fd00:1::5]:8080/', 'an address on another port'],
    ['http://[fd00:3::5]/', 'another network'],
    ['http://user@10.1.2.3/', 'a user'],
    ['ftp://hooks.internal/', 'another scheme'],
    ['http://metadata.google.internal/', 'a name of metadata, although blocks are allowed'],
  ])('%s does not pass if the operator allows others: %s', (url) => {
    expect(refusal(url, guard)).toBeDefined();
  });

  test('if blocks are allowed, local names wait for their addresses', () => {
    expect(refusal('http://db.internal/', createUrlGuard({ allow: ['10.1.0.0/16'] }))).toBeUndefined();
    expect(refusal('http://db.internal/', createUrlGuard({ allow: ['hooks.internal'] }))).toBeDefined();
  });

  test.each([
    ['10.1.0.0/16', 'http://localhost/', false],
    ['10.1.0.0/16', 'http://a.localhost:8080/', false],
    ['127.0.0.1:9000', 'http://localhost:8080/', false],
    ['127.0.0.1:9000', 'http://localhost:9000/', true],
    ['127.0.0.0/8', 'http://localhost:8080/', true],
    ['::1', 'http://a.localhost/', true],
    ['localhost', 'http://localhost/', true],
  ])('if %s is allowed, a name of this machine such as in %s passes: %s', (line, url, passes) => {
    const said = refusal(url, createUrlGuard({ allow: [line] }));
    expect(said?.includes('it is a name of this machine') ?? true).toBe(true);
    expect(said === undefined).toBe(passes);
  });

  test.each([
    '',
    '*',
    'http://x.example',
    'x.example/24',
    '10.1.0.0/33',
    '10.1',
    '0x7f.1',
    'x y',
    '[::1',
    '[x]:1',
    'x:0',
    'x:65536',
    'user@x',
    'fe80::1%eth0',
  ])('the line %j allows nothing', (line) => {
    expect(() => createUrlGuard({ allow: [line] })).toThrow(TypeError);
  });
});

describe('this machine', () => {
  const guard = createUrlGuard({ loopback: true });

  test.each([
    'http://localhost:3000/',
    'http://a.localhost/',
    'http://127.0.0.1:9/',
    'http://[::1]:22/',
    'http://[::ffff:127.0.0.1]/',
  ])('%s on this machine is allowed when only this machine can reach the gateway', (url) => {
    expect(refusal(url, guard)).toBeUndefined();
  });

  test.each([
    'http://0.0.0.0/',
    'http://10.0.0.1/',
    'http://[::]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://db.internal/',
    'ftp://localhost/',
    'http://me@localhost/',
  ])('%s is not allowed even when only this machine can reach the gateway', (url) => {
    expect(refusal(url, guard)).toBeDefined();
  });
});

test('a refusal names scheme, host and port, and nothing else of the URL', () => {
  const told: [string, string][] = [];
  const guard = createUrlGuard({ onRefused: (...facts) => told.push(facts) });
  const secret = 's3cret';
  const urls = [
    `http://10.0.0.1:8080/${secret}?token=${secret}#${secret}`,
    `http://${secret}:${secret}@example.com/${secret}`,
    `data:text/plain,${secret}`,
    `javascript:${secret}`,
    `http://exa mple.com/${secret}`,
    `:${secret}`,
  ];
  const said = urls.map((url) => refusal(url, guard));
  expect(said[0]).toBe('http://10.0.0.1:8080 is refused: it is a private address');
  expect(told[0]).toEqual(['http://10.0.0.1:8080', 'it is a private address']);
  expect(JSON.stringify([said, told])).not.toContain(secret);
  expect(told).toHaveLength(urls.length);
});

describe('what the operator wrote down', () => {
  const guard = createUrlGuard().trusting('http://10.0.0.5:8080/agent/card.json', 'https://idp.internal/token');

  test.each([
    'http://10.0.0.5:8080/a2a',
    'https://idp.internal/',
    'https://idp.internal:443/x',
    'https://example.com/',
  ])('%s is trusted, since the operator wrote down its origin', (url) => {
    expect(refusal(url, guard)).toBeUndefined();
  });

  test.each([
    'http://10.0.0.5/',
    'https://10.0.0.5:8080/',
    'http://10.0.0.6:8080/',
    'http://idp.internal/',
    'https://a.idp.internal/',
  ])('%s is not trusted: the operator wrote down another origin', (url) => {
    expect(refusal(url, guard)).toBeDefined();
  });
});
