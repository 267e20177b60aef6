import { createHash, sign } from 'node:crypto';
import type { SigningConfig } from '../../config/sections/cards.ts';
import type { AgentCardSignature } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { distinct } from '../../dialects/kernel/card-signing.ts';
import type { CardShape } from '../../dialects/kernel/dialect.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import { keySetPath } from '../../transports/pages/key-set.ts';
import type { CardFactory } from './card-source.ts';
import { type CardKey, loadCardKey, type PublicJwk } from './signing-key.ts';

export interface CardSigner {
  /** The public keys of all that sign or have signed. */
  readonly keySet: { readonly keys: readonly PublicJwk[] };
  /** The signatures of a document: one for each form that a reader of these shapes may verify. */
  signatures(document: object, readers: readonly CardShape[]): AgentCardSignature[];
}

/** Documents whose signatures are cached. */
const maxCached = 1_000;

/**
 * Reads the keys of the configuration. Each document is signed once: most signatures differ each time, and an unchanged
 * card must stay the same for caches.
 *
 * Rejects with A2AError `internal` when a key cannot be used.
 *
 * @param publicUrl what cards advertise, where it is known; signatures name it as the place of the keys (`jku`)
 */
export async function cardSigner(
  signing: SigningConfig | undefined,
  publicUrl: () => string | undefined,
): Promise<CardSigner | undefined> {
  if (!signing) return undefined;
  const own = await loadCardKey(signing);
  const previous = await Promise.all(signing.previous.map(loadCardKey));
  const cache = new Map<string, AgentCardSignature[]>();
  return {
    keySet: { keys: [own, ...previous].map(({ publicJwk }) => publicJwk) },
    signatures(document, readers) {
      const base = publicUrl();
      const header = headerOf(own, base === undefined ? undefined : base + keySetPath);
      const kinds = readers.map(({ protocolVersion }) => protocolVersion).join();
      const version = createHash('sha256')
        .update(`${header} ${kinds} ${JSON.stringify(document)}`)
        .digest('base64url');
      const known = cache.get(version);
      if (known) return known;
      const forms = distinct(readers.flatMap(({ signing: how }) => how?.forms(document) ?? []));
      const made = forms.map(({ payload }) => signatureOf(payload, header, own));
      if (cache.size >= maxCached) cache.clear();
      cache.set(version, made);
      return made;
    },
  };
}

/** The protected header (A2A 1.0 section 8.4.2), encoded. */
function headerOf({ alg, kid }: CardKey, jku: string | undefined): string {
  return base64url(JSON.stringify({ alg, typ: 'JOSE', kid, ...(jku !== undefined && { jku }) }));
}

/** RFC 7515 section 7.2, without the payload, which is the card. */
function signatureOf(payload: string, header: string, { hash, privateKey }: CardKey): AgentCardSignature {
  const input = Buffer.from(`${header}.${base64url(payload)}`);
  const signature = sign(hash, input, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return { protected: header, signature: signature.toString('base64url') };
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

export interface SignedCardsOptions {
  readonly cards: CardFactory;
  readonly signer: CardSigner;
  readonly agents: AgentDirectory;
  readonly dialects: Dialects;
  /** What cards advertise; undefined where the request's origin is used. */
  readonly publicUrl: () => string | undefined;
}

/** The same cards, signed as they are served, where one of the readers knows signatures. */
export function signedCards({ cards, signer, agents, dialects, publicUrl }: SignedCardsOptions): CardFactory {
  /** A Host header must not decide what is in a signed card. */
  const isOurs = (origin: string): boolean => {
    const { host, hostname } = new URL(origin);
    return publicUrl() !== undefined || agents.forHost(host) !== undefined || loopback.has(hostname);
  };
  return {
    source: (request) => {
      const document = cards.source(request);
      if (!isObject(document) || !isOurs(request.origin)) return document;
      const signatures = signer.signatures(
        document,
        request.dialects.map(({ card }) => card),
      );
      return signatures.length > 0 ? { ...document, signatures } : document;
    },
    extended: (name, caller) => {
      const card = cards.extended(name, caller);
      const shape = dialects.byName.get(caller.dialect ?? '')?.card ?? dialects.list[0]?.card;
      if (!shape?.signing) return card;
      const document = shape.encode(card, { losses: new Set() }) as object;
      return shape.signing.attach(card, signer.signatures(document, [shape]));
    },
  };
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
