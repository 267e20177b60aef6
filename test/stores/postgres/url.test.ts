import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readPostgresUrl } from '../../../src/stores/postgres/url.ts';

it('the URL of a PostgreSQL store names one server, with what is usual for all else', () => {
  expect(readPostgresUrl('postgresql://gw:s%40c@db.example.com:5433/tasks')).toEqual({
    shown: 'postgres://gw@db.example.com:5433/tasks',
    servers: [{ host: 'db.example.com', port: 5433 }],
    connectionString: 'postgres://gw:s%40c@localhost/tasks',
    limits: {
      max: 10,
      connect: 5_000,
      idle: 10_000,
      statement: 8_000,
      answer: 10_000,
      idleInTransaction: 10_000,
    },
    channelBinding: false,
    shared: false,
  });
});

it.each([
  [
    'postgres://gw:pw@a:1,b:2,[::1]:3/db',
    [
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
      { host: '::1', port: 3 },
    ],
  ],
  ['postgres://a,b', [{ host: 'a' }, { host: 'b' }]],
  ['postgres:///db?host=/run/postgresql', [{}]],
  ['postgres://%2Frun%2Fpostgresql/db', [{ host: '/run/postgresql' }]],
])('the URL of a PostgreSQL store finds the servers of %s', (url, servers) => {
  expect(readPostgresUrl(url).servers).toEqual(servers);
});

it('the URL of a PostgreSQL store takes a password as it is, where it is not encoded', () => {
  const { connectionString, servers } = readPostgresUrl('postgres://gw:p: {w} #x/y?z@w@db.example/tasks?max=3');
  expect(new URL(connectionString).password).toBe(encodeURIComponent('p: {w} #x/y?z@w'));
  expect(servers).toEqual([{ host: 'db.example' }]);
});

it('the URL of a PostgreSQL store takes every password that is inserted as it is, and finds the host behind it', () => {
  const password = fc.string({ unit: fc.constantFrom(...'aB3+/=?#@:;&, ü'), minLength: 1, maxLength: 44 });
  fc.assert(
    fc.property(password, fc.constantFrom('', '?max=3', '?application_name=me@home'), (secret, settings) => {
      const { connectionString, servers, shown } = readPostgresUrl(
        `postgres://gw:${secret}@db.example:5433/db${settings}`,
      );
      expect(decodeURIComponent(new URL(connectionString).password)).toBe(secret);
      expect(servers).toEqual([{ host: 'db.example', port: 5433 }]);
      expect(shown).toBe('postgres://gw@db.example:5433/db');
    }),
    { numRuns: 300 },
  );
});

it.each([
  ['an encoded password', 'p%40%2Fw', 'p@/w'],
  ['a password whose % encodes nothing', '50%', '50%'],
  ['a password with another %', '100%/x', '100%/x'],
])('the URL of a PostgreSQL store takes %s', (_, written, password) => {
  const { connectionString } = readPostgresUrl(`postgres://gw:${written}@h/db`);
  expect(decodeURIComponent(new URL(connectionString).password)).toBe(password);
});

it.each([
  ['a password that is encoded in part', 'postgres://gw:se%2Fcr/et@h/db'],
  ['a database that may be the host', 'postgres://gw:secret@h/my@db'],
  ['a password that may be port and database', 'postgres://gw:12/secret@h'],
])('the URL of a PostgreSQL store refuses %s, says how to write it, and shows no part of it', (_, url) => {
  const refusal = /^The store URL can be read in several ways; percent-encode .* \/ as %2F/;
  expect(() => readPostgresUrl(url)).toThrow(refusal);
  expect(() => readPostgresUrl(url)).not.toThrow(/secret|se%2F|cr\/et/);
});

it('the URL of a PostgreSQL store takes limits, and gives an answer more time than its statement', () => {
  const { limits } = readPostgresUrl(
    'postgres://h/db?max=40&statement_timeout=20000&connect_timeout=3&idleTimeoutMillis=60000',
  );
  expect(limits).toMatchObject({ max: 40, connect: 3_000, statement: 20_000, answer: 22_000, idle: 60_000 });
});

it('the URL of a PostgreSQL store leaves to node-postgres what is its own', () => {
  const url = 'postgres://h/db?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem&options=-c%20search_path%3Ds&max=3';
  expect(readPostgresUrl(`${url}&channel_binding=require&target_session_attrs=read-write`)).toMatchObject({
    connectionString: 'postgres:///db?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem&options=-c%20search_path%3Ds',
    channelBinding: true,
  });
});

it.each([
  ['?pool_size=3', 'has an unknown setting: pool_size'],
  ['?constructor=3', 'has an unknown setting: constructor'],
  ['?max=0', 'has an invalid max: expected 1 to 1000'],
  ['?max=ten', 'has an invalid max: expected 1 to 1000'],
  ['?statement_timeout=0', 'has an invalid statement_timeout: expected 100 to 3600000'],
  ['?target_session_attrs=standby', 'has an invalid target_session_attrs: expected read-write or primary'],
])('the URL of a PostgreSQL store refuses %s, and says why', (settings, why) => {
  const message = `The store postgres://gw@h/db ${why}`;
  expect(() => readPostgresUrl(`postgres://gw:secret@h/db${settings}`)).toThrow(new TypeError(message));
});

it.each([
  'postgres://',
  'postgres://gw:se cret@h:99999/db',
  'postgres://gw:secret@a,b/db?host=c',
  'postgres://gw:%zz@h:x/d',
  'postgres://gw:secret',
  'postgres://gw:secret/x',
  'postgres://gw:12?secret',
  'postgres://gw:secret/x@',
  'postgres://gw:12/secret?x@h:99999/db',
])('the URL of a PostgreSQL store refuses %s, and shows no password', (url) => {
  expect(() => readPostgresUrl(url)).toThrow(TypeError);
  expect(() => readPostgresUrl(url)).not.toThrow(/secret|se cret|%zz/);
});
