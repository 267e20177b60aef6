import * as z from 'zod';
import type { KeyPlace } from '../../net/public-keys.ts';
import { anything, flag, section, text, textAs } from '../schema-parts.ts';
import { listing } from './cards-schema.ts';
import { expectedKeyPlace, readKeyPlace } from './key-place.ts';

/** What `cards`, and `trust` of an upstream agent, may hold: whose signatures cards bear, and whose are believed. */

/** A private key that signs, or signed, cards. */
export interface SigningKeyConfig {
  /** Absolute path of a PEM or JWK file. */
  readonly key: string;
  /** What signatures call it. Default: the id in a JWK file, or the key's thumbprint. */
  readonly kid: string | undefined;
}

/** How the gateway signs its cards. */
export interface SigningConfig {
  readonly key: SigningKeyConfig;
  /** Keys that signed before, so that cards which somebody has kept can still be verified. */
  readonly previous: readonly SigningKeyConfig[];
}

/** Whose signatures an upstream's card must bear. */
export interface TrustConfig {
  /** The keys: the URL of a key set, or the absolute path of a file that holds one. */
  readonly jwks: KeyPlace;
  /** Whether a card without signatures is refused. One with signatures of which none is good always is. Default true. */
  readonly required: boolean;
}

const keyFile = text('the path of a PEM or JWK file with a private key');
const kid = text("a key's id").optional();

/** `cards` of a configuration file. */
export const cards = section('cards', {
  signing: section('how cards are signed', {
    key: keyFile,
    kid,
    previous: z
      .array(section('a key that signed before', { key: keyFile, kid }), anything('a list of keys'))
      .optional(),
  }).optional(),
  ...listing,
});

/** `trust` of an upstream agent. */
export const trust = section('whose signatures are believed', {
  jwks: textAs(expectedKeyPlace, readKeyPlace),
  required: flag.optional(),
});

/** Signing as the file says it, with absolute paths; undefined: cards are not signed. */
export function resolveSigning(
  input: z.output<typeof cards> | undefined,
  locate: (path: string) => string,
): SigningConfig | undefined {
  const { signing } = input ?? {};
  if (!signing) return undefined;
  const located = ({ key, kid }: { key: string; kid?: string | undefined }): SigningKeyConfig => ({
    key: locate(key),
    kid,
  });
  return { key: located(signing), previous: (signing.previous ?? []).map(located) };
}

/** Trust as the file says it, with its default and with absolute paths. */
export function resolveTrust(
  input: z.output<typeof trust> | undefined,
  locate: (path: string) => string,
): TrustConfig | undefined {
  if (!input) return undefined;
  const { jwks, required = true } = input;
  return { jwks: 'path' in jwks ? { file: locate(jwks.path) } : jwks, required };
}
