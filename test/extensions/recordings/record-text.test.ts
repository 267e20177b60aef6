import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallRecord } from '../../../src/extensions/recordings/call-record.ts';
import { shownRecord } from '../../../src/extensions/recordings/record-text.ts';
import { anyJson } from '../../support/arbitrary-json.ts';

/** Credentials in recorded calls, wherever they are. */

const home = { credentialHeaders: () => ['x-ticket'], grow: () => {} };
const text = { 'content-type': 'application/json' };

/** No letters that other text of these tests has. */
const secrets = fc
  .string({ unit: fc.constantFrom(...'ÄÖÜäöüßqQ7"\\/%+ $&'), minLength: 8, maxLength: 60 })
  .filter((secret) => secret.trim() === secret && secret.length >= 8);

/** All that is shown of a call, and of its bytes. */
function shown(record: CallRecord): string[] {
  const { client } = JSON.parse(JSON.stringify(shownRecord(record, 'id', () => undefined)));
  const bytes = [client.request, client.answer].map(({ base64 }) => Buffer.from(base64, 'base64').toString());
  // A reader of the text would read its JSON in this way.
  return [JSON.stringify(client), client.request.text, client.answer.text, ...bytes];
}

const begun = (headers: object): CallRecord => {
  const record = new CallRecord(home, 1, {});
  record.client.request.begin('POST /demo HTTP/1.1', { ...text, ...headers });
  record.client.answer.begin('HTTP/1.1 200', text);
  return record;
};

test('a credential of a header is not shown where the answer repeats it, in any form', () => {
  const headers = fc.constantFrom('authorization', 'cookie', 'x-api-key', 'x-ticket', 'x-amz-security-token');
  const forms = fc.constantFrom<(secret: string) => string>(
    (secret) => JSON.stringify({ said: secret }),
    (secret) => JSON.stringify({ said: JSON.stringify({ again: secret }) }).replace(/\\\\/g, '\\'),
    (secret) => `https://example.com/?q=${encodeURIComponent(secret)}`,
    (secret) => secret,
  );
  fc.assert(
    fc.property(secrets, headers, forms, anyJson, (secret, name, form, other) => {
      const record = begun({ [name]: name === 'authorization' ? `Bearer ${secret}` : secret });
      record.client.request.push(JSON.stringify(other));
      record.client.answer.push(form(secret));
      const forbidden = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
      for (const one of shown(record)) for (const each of forbidden) expect(one.includes(each)).toBe(false);
    }),
  );
});

test('a credential that a member of JSON is named for is not shown, whatever is around it', () => {
  const names = fc.constantFrom(
    'token',
    'credentials',
    'api_key',
    'X-Api-Key',
    'clientSecret',
    'access_token',
    'Password',
  );
  fc.assert(
    fc.property(secrets, names, anyJson, fc.boolean(), (secret, name, other, isNested) => {
      const body = JSON.stringify({ before: other, [name]: secret, after: [other, secret] });
      const record = begun({});
      record.client.request.push(isNested ? JSON.stringify({ inner: body }) : body);
      for (const one of shown(record)) expect(one.includes(secret)).toBe(false);
      const [, request = ''] = shown(record);
      // The text around the secret can still be read.
      const read = JSON.parse(request);
      const inner = isNested ? JSON.parse(read.inner) : read;
      expect(inner[name]).toBe('[secret]');
    }),
  );
});

test('a credential at the place where a body is cut is not shown in part', () => {
  fc.assert(
    fc.property(secrets, fc.nat(60), (secret, before) => {
      const escaped = JSON.stringify(secret).slice(1, -1);
      const record = begun({ 'x-api-key': secret });
      const room = 256 * 1024;
      const padding = 'z'.repeat(Math.max(0, room - Math.min(before, Buffer.byteLength(escaped) - 1)));
      record.client.answer.push(`${padding}${escaped} and more${'z'.repeat(200)}`);
      const [, , answer = ''] = shown(record);
      expect(answer.replace(/\uFFFD/g, '').includes(escaped.slice(0, 5))).toBe(false);
    }),
    { numRuns: 30 },
  );
});

test('bytes of a message are overwritten, and keep their length', () => {
  const record = new CallRecord(home, 1, {});
  const proto = { 'content-type': 'application/proto', authorization: 'Bearer not-to-be-seen' };
  record.client.request.begin('POST /demo/some.Service/Call HTTP/1.1', proto);
  record.client.request.push(Buffer.from('\u0012\u000enot-to-be-seen'));
  const { client } = shownRecord(record, 'id', () => undefined);
  expect(Buffer.from(client?.request?.base64 ?? '', 'base64').toString()).toBe('\u0012\u000e**************');
});

test('a credential in a query string, and the path of a webhook, are not shown, and what is around them is', () => {
  const record = begun({});
  const config = {
    pushNotificationConfig: { note: { url: 'https://a.example/shown' }, url: 'https://b.example/hidden' },
  };
  const nested = JSON.stringify({ said: '"x\\": "token": "not-this"', token: 'tell-nobody' });
  record.client.request.push(JSON.stringify({ ...config, webhook_url: 'https://c.example/masked', text: nested }));
  record.client.answer.push('/next?page_token=open-one&q=a?sig=closed-one&n=5 /hidden /masked');
  const [, request = '', answer] = shown(record);
  expect(answer).toBe('/next?page_token=open-one&q=a?sig=[secret]&n=5 [secret] [secret]');
  expect(JSON.parse(request)).toMatchObject({
    pushNotificationConfig: { note: { url: 'https://a.example/shown' }, url: 'https://b.example[secret]' },
    webhook_url: 'https://c.example[secret]',
  });
  expect(request).not.toContain('tell-nobody');
});

const credentialNames = [
  'pwd',
  'passphrase',
  'X-Api-Key',
  'private_key',
  'userPass',
  'session',
  'db.password',
  'API Key',
];

test.each(credentialNames)(
  'a credential named %s is not shown in JSON, in a list, in a form and in a query',
  (name) => {
    const secret = 'hünter-2-tells-nobody';
    const field = encodeURIComponent(name.replaceAll(' ', '_'));
    const value = encodeURIComponent(secret);
    for (const body of [
      JSON.stringify({ [name]: secret, shown: 'shown' }, null, 2),
      JSON.stringify({ [name]: [secret, `${secret} again`], shown: 'shown' }),
      JSON.stringify({ inner: JSON.stringify({ [name]: secret }), shown: 'shown' }),
      `${field}=${value}&shown=shown`,
      `shown=shown&${field}=${value}`,
      JSON.stringify({ text: `${field}=${value}&shown=shown` }),
      JSON.stringify({ url: `https://example.com/?shown=shown&${field}=${value}` }),
    ]) {
      const record = begun({});
      record.client.request.push(body);
      const [all = '', request] = shown(record);
      expect(all).not.toContain('nter-2-tells');
      expect(request).toContain('shown');
      expect(request).toContain('[secret]');
    }
  },
);

test('a credential that is a number is not shown, and numbers of tokens are', () => {
  const record = begun({});
  record.client.request.push(JSON.stringify({ pin: 4711, otp: [123456, 654321], inputTokens: 532, code: -32602 }));
  const [, request = ''] = shown(record);
  expect(JSON.parse(request)).toEqual({
    pin: '[secret]',
    otp: ['[secret]', '[secret]'],
    inputTokens: 532,
    code: -32602,
  });
});
