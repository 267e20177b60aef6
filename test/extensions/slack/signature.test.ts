import { expect, test } from 'vitest';
import { signatureFault } from '../../../src/extensions/slack/signature.ts';

/** The example in the documentation of Slack. */
const example = {
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  timestamp: '1531420618',
  body: Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  ),
  signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
};

const faultOf = ({ body, secret, now, ...headers }: Partial<typeof example> & { now?: number }): string | undefined =>
  signatureFault(
    { timestamp: example.timestamp, signature: example.signature, ...headers },
    body ?? example.body,
    secret ?? example.secret,
    now ?? 1_531_420_618_000,
  );

test('the signature in the example of Slack is right', () => {
  expect(faultOf({})).toBeUndefined();
});

test('a signature of another secret, another time or another body is refused, also where one byte differs', () => {
  const changed = Buffer.from(example.body);
  changed[7] = (changed[7] ?? 0) ^ 1;
  const wrong = 'its signature is not that of the signing secret and the body';
  expect(faultOf({ secret: 'another' })).toBe(wrong);
  expect(faultOf({ body: changed })).toBe(wrong);
  expect(faultOf({ timestamp: '1531420619' })).toBe(wrong);
  for (const signature of ['v0=', example.signature.slice(3), example.signature.slice(0, -1), 'ü'.repeat(67)]) {
    expect(faultOf({ signature })).toBe(wrong);
  }
});

test.each([
  [299_999, undefined],
  [300_000, undefined],
  [300_001, 'its signature is more than five minutes old'],
  [-300_000, undefined],
  [-300_001, 'its signature is from the future'],
])('a right signature that is %i milliseconds old is taken for five minutes', (age, fault) => {
  expect(faultOf({ now: 1_531_420_618_000 + age })).toBe(fault);
});

test('a request without a signature, or with a time that is no number of seconds, is refused', () => {
  expect(faultOf({ signature: '' })).toBe('it has no signature of Slack');
  expect(faultOf({ timestamp: '' })).toBe('it has no signature of Slack');
  for (const timestamp of ['NaN', '1e9', '-1', ' 1531420618', '1531420618.0', '9'.repeat(400)]) {
    expect(faultOf({ timestamp })).toBe('the time of its signature cannot be read');
  }
});
