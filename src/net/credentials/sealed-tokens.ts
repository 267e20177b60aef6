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
  /** A text for URLs. The same content always has the same token. */
  seal(content: Content): string;
  /** Undefined for a text that `seal` did not create. */
  open(token: string): Content | undefined;
}

/**
 * Encrypts JSON values, without a random nonce, so that the same value always has the same token (authenticated, AES-256-GCM).
 *
 * @param secret of the store, so that every replica can open a token, also after a restart
 * @param use what the tokens are for: those of another use cannot be opened
 * @param maxToken characters of the longest accepted token
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
