import * as z from 'zod';
import { api } from '../../core/model/a2a.ts';
import type { DialectName } from '../../dialects/kernel/dialect.ts';
import { createDialects } from '../../dialects/kernel/registry.ts';
import type { KeyPlace } from '../../net/public-keys.ts';
import { expectedKeyPlace, readKeyPlace } from '../addresses.ts';
import type { ResolveContext } from '../context.ts';
import { anything, flag, oneOf, section, text, textAs } from '../schema-parts.ts';

/** Names of all dialects. */
export const dialectNames = createDialects(api).list.map(({ name }) => name) as [DialectName, ...DialectName[]];

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

/** `cards` of an agent: which interfaces its cards list. */
export const agentCards = section('what the cards of the agent list', listing);

/** A binding as cards call it. */
export type ListedBinding = z.output<typeof interfaces>[number];

/** Which interfaces cards list. */
export interface CardListing {
  /** Bindings of every dialect; undefined: all. */
  readonly interfaces?: readonly ListedBinding[] | undefined;
  /** Bindings of one dialect, where they differ from `interfaces`. */
  readonly dialects?:
    | Readonly<Partial<Record<DialectName, { readonly interfaces: readonly ListedBinding[] }>>>
    | undefined;
}

const signingKey = {
  key: text('the path of a PEM or JWK file with a private key'),
  /** The key id in signatures. Default: the id in a JWK file, or the key's thumbprint. */
  kid: text("a key's id").optional(),
};

/** `cards` of the file: which interfaces cards list, and how cards are signed. */
export const cards = section('cards', {
  signing: section('how cards are signed', {
    ...signingKey,
    /** Keys that signed before, so that cards in caches can still be verified. */
    previous: z.array(section('a key that signed before', signingKey), anything('a list of keys')).default([]),
  }).optional(),
  ...listing,
});

type SigningInput = NonNullable<z.output<typeof cards>['signing']>;

/** A private key that signs, or signed, cards; `key` is an absolute path. */
export type SigningKeyConfig = Readonly<Omit<SigningInput, 'previous'>>;

/** How the gateway signs its cards. */
export interface SigningConfig {
  readonly key: SigningKeyConfig;
  readonly previous: readonly SigningKeyConfig[];
}

export interface CardsConfig extends CardListing {
  /** Undefined: cards are not signed. */
  readonly signing: SigningConfig | undefined;
}

export function resolveCards(input: z.output<typeof cards>, { locate }: ResolveContext): CardsConfig {
  if (!input.signing) return { ...input, signing: undefined };
  const { previous, ...key } = input.signing;
  const located = (each: SigningKeyConfig): SigningKeyConfig => ({ ...each, key: locate(each.key) });
  return { ...input, signing: { key: located(key), previous: previous.map(located) } };
}

/** `trust` of an upstream agent. */
export const trust = section('whose signatures are believed', {
  jwks: textAs(expectedKeyPlace, readKeyPlace),
  /** Whether a card without signatures is refused. A card whose signatures are all invalid always is. */
  required: flag.default(true),
});

/** Whose signatures an upstream's card must bear. */
export interface TrustConfig {
  /** The keys: the URL of a key set, or the absolute path of a file that holds one. */
  readonly jwks: KeyPlace;
  readonly required: boolean;
}

export const resolveTrust = ({ jwks, required }: z.output<typeof trust>, { locate }: ResolveContext): TrustConfig => ({
  jwks: 'path' in jwks ? { file: locate(jwks.path) } : jwks,
  required,
});
