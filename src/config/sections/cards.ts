import * as z from 'zod';
import type { DialectName } from '../../dialects/kernel/dialect.ts';
import { createDialects } from '../../dialects/kernel/registry.ts';
import type { KeyPlace } from '../../net/public-keys.ts';
import { expectedKeyPlace, readKeyPlace } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { anything, flag, oneOf, section, text, textAs } from '../schema-parts.ts';

/** Names of all dialects. */
export const dialectNames = createDialects().list.map(({ name }) => name) as [DialectName, ...DialectName[]];

const expected = 'a list of JSONRPC, HTTP+JSON and GRPC, at least one';
const interfaces = z.array(oneOf('JSONRPC', 'HTTP+JSON', 'GRPC'), anything(expected)).min(1, anything(expected));

const listing = {
  interfaces: interfaces.optional().describe('which bindings cards list'),
  dialects: z
    .partialRecord(
      z.enum(dialectNames),
      section('what cards list of a dialect', { interfaces }),
      anything('dialects by name'),
    )
    .optional()
    .describe('which bindings cards list of one dialect'),
};

/** `cards` of an agent. */
export const agentCards = section('what the cards of the agent list', listing);

/** Which interfaces cards list: bindings of every dialect, and those of one dialect where they differ. Undefined: all. */
export interface CardListing {
  readonly interfaces?: readonly ListedBinding[] | undefined;
  readonly dialects?: { readonly [K in DialectName]?: { readonly interfaces: readonly ListedBinding[] } } | undefined;
}

type ListedBinding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

const signingKey = {
  key: text('the path of a PEM or JWK file with a private key'),
  kid: text("a key's id").optional(),
};

/** `cards` of the file: which interfaces cards list, and how cards are signed. */
export const cards = section('cards', {
  signing: section('how cards are signed', {
    ...signingKey,
    previous: z.array(section('a key that signed before', signingKey), anything('a list of keys')).default([]),
  }).optional(),
  ...listing,
});

/** A private key that signs, or signed, cards. */
export interface SigningKeyConfig {
  /** Absolute path of a PEM or JWK file. */
  readonly key: string;
  /** The key id in signatures. Default: the id in a JWK file, or the key's thumbprint. */
  readonly kid?: string | undefined;
}

/** How the gateway signs its cards. */
export interface SigningConfig extends SigningKeyConfig {
  /** Keys that signed before, so that cards in caches can still be verified. */
  readonly previous: readonly SigningKeyConfig[];
}

/** What cards list, and how they are signed. */
export interface CardsConfig extends CardListing {
  /** Undefined: cards are not signed. */
  readonly signing: SigningConfig | undefined;
}

export function resolveCards({ signing, ...listing }: z.output<typeof cards>, { locate }: ResolveContext): CardsConfig {
  const located = <K extends SigningKeyConfig>(each: K): K => ({ ...each, key: locate(each.key) });
  return { ...listing, signing: signing && { ...located(signing), previous: signing.previous.map(located) } };
}

/** `trust` of an upstream agent. */
export const trust = section('whose signatures are believed', {
  jwks: textAs(expectedKeyPlace, readKeyPlace),
  required: flag.default(true),
});

/** Whose signatures an upstream's card must have. */
export interface TrustConfig {
  readonly jwks: KeyPlace;
  /** Whether a card without signatures is refused. A card whose signatures are all invalid always is. */
  readonly required: boolean;
}

export const resolveTrust = ({ jwks, required }: TrustConfig, { locate }: ResolveContext): TrustConfig => ({
  jwks: 'file' in jwks ? { file: locate(jwks.file) } : jwks,
  required,
});
