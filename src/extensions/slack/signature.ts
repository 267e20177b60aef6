import { createHmac, timingSafeEqual } from 'node:crypto';

/** Most milliseconds between the time of a signature and the gateway's time. */
const maxAge = 300_000;

/** Headers with the signature of Slack. */
export interface SignatureHeaders {
  /** `X-Slack-Request-Timestamp`: seconds since the epoch. */
  readonly timestamp: string | undefined;
  /** `X-Slack-Signature`. */
  readonly signature: string | undefined;
}

/**
 * Returns the reason for which a request is not taken as one of Slack; it reveals none of the content. Undefined: the signature
 * is valid.
 *
 * @param body signed bytes, as they arrived
 * @param now milliseconds since the epoch
 */
export function signatureFault(
  { timestamp = '', signature = '' }: SignatureHeaders,
  body: Buffer,
  secret: string,
  now: number,
): string | undefined {
  if (timestamp === '' || signature === '') return 'it has no signature of Slack';
  if (!/^\d{1,12}$/.test(timestamp)) return 'the time of its signature cannot be read';
  const age = now - Number(timestamp) * 1_000;
  if (Math.abs(age) > maxAge) return `its signature is ${age > 0 ? 'more than five minutes old' : 'from the future'}`;
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex');
  const [given, expected] = [signature, `v0=${digest}`].map((text) => Buffer.from(text)) as [Buffer, Buffer];
  const isRight = given.length === expected.length && timingSafeEqual(given, expected);
  return isRight ? undefined : 'its signature is not that of the signing secret and the body';
}
