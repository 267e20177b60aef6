import * as z from 'zod';
import { type CardBinding, cardBindings } from '../../dialects/kernel/binding-names.ts';
import { dialectNames } from '../../dialects/registry.ts';
import type { CardsConfig, SigningKeyConfig } from '../../gen/settings.ts';
import type { KeyPlace } from '../../net/public-keys.ts';
import type { ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, flag, keyPlace, oneOf, section, text } from '../schema-parts.ts';

const names = Object.keys(cardBindings) as [CardBinding, ...CardBinding[]];
const expected = `a list of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}, at least one`;
const binding = oneOf(...names).register(schemaFacts, { input: 'ListedBinding' });
const interfaces = z.array(binding, anything(expected)).min(1, anything(expected));

const listing = () => ({
  interfaces: interfaces.optional().describe('The bindings that cards list. Default: all except `GRPC-WEB`.'),
  dialects: z
    .partialRecord(
      z.enum(dialectNames),
      section('what cards list of a dialect', () => ({
        interfaces: interfaces.describe('The bindings that cards list for this dialect.'),
      })),
      anything('dialects by name'),
    )
    .optional()
    .describe('The bindings that cards list for single dialects, by dialect.'),
});

export const agentCards = section('what the cards of the agent list', listing).register(schemaFacts, {
  input: 'CardListingSettings',
  output: 'CardListing',
});

const signingKey = () => ({
  key: text('the path of a PEM or JWK file with a private key').describe('The private key.'),
  kid: text("a key's id")
    .optional()
    .describe("The key's id in signatures. Default: the id in a JWK file, or the key's thumbprint."),
});

const previousKey = section('a key that signed before', signingKey).register(schemaFacts, {
  input: 'SigningKeySettings',
  output: 'SigningKeyConfig',
});

/** `cards` of the file: which interfaces cards list, and how cards are signed. */
export const cards = section('cards', () => ({
  signing: section('how cards are signed', () => ({
    ...signingKey(),
    previous: z
      .array(previousKey, anything('a list of keys'))
      .prefault([])
      .describe('Earlier keys, still published so that cached cards can be verified.'),
  }))
    .register(schemaFacts, { output: 'SigningConfig' })
    .optional()
    .describe('The key that signs cards. Default: cards are not signed.'),
  ...listing(),
})).register(schemaFacts, { input: 'CardsSettings', output: 'CardsConfig' });

export function resolveCards({ signing, ...listing }: z.output<typeof cards>, { locate }: ResolveContext): CardsConfig {
  const located = <K extends SigningKeyConfig>(each: K): K => ({ ...each, key: locate(each.key) });
  return { ...listing, signing: signing && { ...located(signing), previous: signing.previous.map(located) } };
}

/** `trust` of an upstream agent. */
export const trust = section('trusted signatures', () => ({
  jwks: keyPlace.describe('The trusted keys: the https URL of a JWK set, or the path of a file.'),
  required: flag
    .prefault(true)
    .describe('Whether a card without signatures is refused. A card with only invalid signatures is always refused.'),
}));

/** Required signers of an upstream's card. */
export interface TrustConfig {
  readonly jwks: KeyPlace;
  /** Whether a card without signatures is refused. A card with only invalid signatures is always refused. */
  readonly required: boolean;
}

export const resolveTrust = ({ jwks, required }: TrustConfig, { locate }: ResolveContext): TrustConfig => ({
  jwks: 'file' in jwks ? { file: locate(jwks.file) } : jwks,
  required,
});
