import { inspect } from 'node:util';
import { expect, it, vi } from 'vitest';
import { accessLines, shownStoreFromHere } from '../../src/cli/config-summary.ts';
import { activeSettings } from '../../src/config/active-settings.ts';
import { ConfigError } from '../../src/config/index.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { createRedaction } from '../../src/gateway/process/logger.ts';
import { createStore } from '../../src/stores/index.ts';
import { silent } from '../support/core.ts';
import { afterTest } from '../support/peer.ts';

const parsed = (store: string) => parseConfig(`store: "${store}"`, { file: '/gw.yaml' });

it('settings of a store that are not known are refused with the file', () => {
  expect(() => parsed('postgres://gw:s3cret@a,b/db?pool=3')).toThrow(
    /store: The store postgres:\/\/gw@a,b\/db has an unknown setting: pool/,
  );
  expect(() => parsed('postgres://gw:s3cret@a,b/db?pool=3')).not.toThrow(/s3cret/);
});

it.each([
  ['postgres://gw:s3cret@a:5432,b:5433/db?max=20', 'postgres://gw@a:5432,b:5433/db'],
  ['postgres://gw:s3cret@a/db', 'postgres://gw@a/db'],
  ['postgres://a,b/db?user=gw&password=s3cret', 'postgres://a,b/db'],
])('the password of %s is shown nowhere', (store, shown) => {
  const config = parsed(store);
  expect(shownStoreFromHere(config.store)).toBe(shown);
  const line = createRedaction(config)(`{"msg":"password authentication failed for s3cret"}`);
  expect(line).not.toContain('s3cret');
});

it.each(['ab/S3CR3T', 'ab?S3CR3T', 'ab#S3CR3T', 'ab@S3CR3T', 'ab:S3CR3T', 'ab%S3CR3T', '12/S3CR3T', '12?S3CR3T@x'])(
  'the password %s, inserted as it is, is shown nowhere',
  async (password) => {
    const store = `postgres://gw:${password}@127.0.0.1:1/db?connectionTimeoutMillis=100`;
    const config = parsed(store);
    expect(shownStoreFromHere(config.store)).toBe('postgres://gw@127.0.0.1:1/db');
    expect(JSON.stringify(activeSettings(config))).not.toContain('S3CR3T');
    const redact = createRedaction(config);
    for (const form of [password, encodeURIComponent(password), store]) {
      expect(redact(`{"msg":"failed for ${form}"}`)).not.toContain('S3CR3T');
    }
    const opening = createStore(config.store, { instance: 'one', logger: silent }).open();
    const error = await opening.catch((thrown: Error) => thrown);
    expect(String(error)).toContain('The store postgres://gw@127.0.0.1:1/db cannot be opened');
    expect(inspect(error, { depth: 8, showHidden: true })).not.toContain('S3CR3T');
  },
);

it.each([
  ['a store that cannot be read', 'store: "postgres://gw:ab/S3CR3T@h:99999/db"'],
  ['a store that may be read in two ways', 'store: "postgres://gw:12/S3CR3T@h"'],
  ['a store without host', 'store: "postgres://gw:S3CR3T"'],
  ['a store that a comment cuts off', 'store: postgres://gw:S3CR3T #x@h/db'],
  ['a key', 'postgres://gw:S3CR3T@h/db: 1'],
  ['notifications', 'store: postgres://h/db\nnotifications: "nats://me:ab/S3CR3T@h"'],
  ['an agent', 'agents: { a: { kind: upstream, url: "https://me:ab/S3CR3T@h/" } }'],
  ['a server of tools', 'agents: { a: { kind: mcp, servers: { s: { url: "https://me:ab/S3CR3T@h/" } } } }'],
  ['a receiver of telemetry', 'tracing: { endpoint: "https://me:S3CR3T@h" }'],
  ['a key set', 'auth: { jwt: { issuer: i, audience: a, jwksUrl: "https://me:S3CR3T@h" } }'],
  ['a webhook', 'questions: { webhook: { url: "https://me:S3CR3T@h" } }'],
  ['an alias', 'store: *S3CR3T'],
])('the message about %s has no part of its password', (_, text) => {
  const read = () => parseConfig(text, { file: '/gw.yaml' });
  expect(read).toThrow(ConfigError);
  expect(read).not.toThrow(/S3CR3T/);
});

it('a URL of another setting shows no password to operators', () => {
  const text = 'auth: { jwt: { issuer: "https://me:S3CR3T@idp", audience: a, jwksUrl: "https://idp/keys" } }';
  const config = parseConfig(text, { file: '/gw.yaml' });
  expect(JSON.stringify(activeSettings(config))).not.toContain('S3CR3T');
  expect(accessLines(config).join()).toContain('of https://idp for a');
  expect(createRedaction(config)('{"msg":"no answer of https://me:S3CR3T@idp"}')).not.toContain('S3CR3T');
});

it('the variables of the receiver of telemetry have no secrets in the log', () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'https://me:S3CR3T-1@otlp.example.com');
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-key=S3CR3T-2,y=z');
  afterTest(() => vi.unstubAllEnvs());
  const redact = createRedaction(parseConfig('', { file: '/gw.yaml' }));
  expect(redact('{"msg":"S3CR3T-1 and S3CR3T-2"}')).toBe('{"msg":"[secret] and [secret]"}');
});

it.each(['nats://me:s3cret@a:4222,nats://me:s3cret@b', 'tls://s3cret@a'])(
  'the secret of %s is logged nowhere',
  (servers) => {
    const config = parseConfig(`store: postgres://a/b\nnotifications: "${servers}"`, { file: '/gw.yaml' });
    expect(createRedaction(config)(`{"msg":"refused s3cret"}`)).not.toContain('s3cret');
  },
);
