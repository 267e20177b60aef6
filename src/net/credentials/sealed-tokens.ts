import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

const cipher = 'aes-256-gcm';
/** Bytes of a nonce. */
const nonceLength = 12;
/** Bytes of the tag that authenticates a token. */
const tagLength = 16;
/** Bytes of a key. */
const keyLength = 32;

/** Tokens that only the gateway can read and create. */
export interface SealedTokens<Content> {
  /** Returns a token that is safe in URLs. Equal content always yields the same token. */
  seal(content: Content): string;
  /** Returns the content of a token. Undefined for a text that `seal` did not create. */
  open(token: string): Content | undefined;
}

/**
 * Creates sealed tokens: JSON values with authenticated encryption (AES-256-GCM). The nonce is derived from the value,
 * so that equal values always yield the same token.
 *
 * @param secret the store's secret, so that every replica can open a token, even after a restart
 * @param use the purpose of the tokens; tokens for another purpose cannot be opened
 * @param maxToken longest token that is accepted, in characters
 */
export function sealedTokens<Content>(secret: string, use: string, maxToken = 8_192): SealedTokens<Content> {
  const derive = (what: string) => Buffer.from(hkdfSync('sha256', secret, '', `a2a-gateway ${use} ${what}`, keyLength));
  const key = derive('key');
  const nonceKey = derive('nonce');
  const options = { authTagLength: tagLength };
  return {
    seal(content) {
      const text = JSON.stringify(content);
      const nonce = createHmac('sha256', nonceKey).update(text).digest().subarray(0, nonceLength);
      const sealing = createCipheriv(cipher, key, nonce, options);
      const body = [sealing.update(text), sealing.final()];
      return Buffer.concat([nonce, ...body, sealing.getAuthTag()]).toString('base64url');
    },
    open(token) {
      if (token.length > maxToken) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length <= nonceLength + tagLength || bytes.toString('base64url') !== token) return undefined;
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceLength), options);
      opening.setAuthTag(bytes.subarray(-tagLength));
      try {
        const text = Buffer.concat([opening.update(bytes.subarray(nonceLength, -tagLength)), opening.final()]);
        return JSON.parse(text.toString()) as Content;
      } catch {
        return undefined;
      }
    },
  };
}
