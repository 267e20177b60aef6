import { createHmac, timingSafeEqual } from 'node:crypto';
import { A2AError } from '../core/model/errors.ts';

/** Bytes of the token's signature. */
const sealLength = 12;

/**
 * Page tokens: the position of the next page, signed together with the list, so that a changed token, or one of another
 * list, is rejected. The secret is in the database, so a token is valid at every replica.
 */
export class PageTokens {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** @param list identifies the list: the same in every call for it */
  write(list: readonly unknown[], position: readonly (string | number)[]): string {
    const body = Buffer.from(JSON.stringify(position));
    return Buffer.concat([this.#seal(list, body), body]).toString('base64url');
  }

  /** The position given to `write`; undefined for the empty token. Throws `invalidParams` naming `field`. */
  read(list: readonly unknown[], token: string, field = 'pageToken'): (string | number)[] | undefined {
    if (token === '') return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const seal = bytes.subarray(0, sealLength);
    const body = bytes.subarray(sealLength);
    const whole = seal.length === sealLength && bytes.toString('base64url') === token;
    if (whole && timingSafeEqual(seal, this.#seal(list, body))) return JSON.parse(body.toString());
    throw A2AError.invalidField(field, 'is not a page token of this list');
  }

  #seal(list: readonly unknown[], body: Buffer): Buffer {
    const hmac = createHmac('sha256', this.#secret).update(JSON.stringify(list)).update('\0').update(body);
    return hmac.digest().subarray(0, sealLength);
  }
}
