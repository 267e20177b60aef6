import { createHmac, timingSafeEqual } from 'node:crypto';
import { A2AError } from '../core/model/errors.ts';

/** Bytes of the token's seal. */
const sealLength = 12;

/**
 * Page tokens: where the next page begins, sealed together with what is listed, so that a token which was changed, or
 * belongs to another list, is refused. The secret is the database's: a token is good at every gateway, at any time.
 */
export class PageTokens {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** @param list what is listed: the same in every call for the same list. */
  write(list: readonly unknown[], position: readonly (string | number)[]): string {
    const body = Buffer.from(JSON.stringify(position));
    return Buffer.concat([this.#seal(list, body), body]).toString('base64url');
  }

  /** The position that `write` was given; undefined for the empty token. Throws `invalidParams` naming `field`. */
  read(list: readonly unknown[], token: string, field = 'pageToken'): (string | number)[] | undefined {
    if (token === '') return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const [seal, body] = [bytes.subarray(0, sealLength), bytes.subarray(sealLength)];
    const whole = seal.length === sealLength && bytes.toString('base64url') === token;
    if (whole && timingSafeEqual(seal, this.#seal(list, body))) return JSON.parse(body.toString());
    const description = 'is not a token that this list was answered with';
    throw A2AError.invalidParams(undefined, [{ field, description }]);
  }

  #seal(list: readonly unknown[], body: Buffer): Buffer {
    const hmac = createHmac('sha256', this.#secret).update(JSON.stringify(list)).update('\0').update(body);
    return hmac.digest().subarray(0, sealLength);
  }
}
