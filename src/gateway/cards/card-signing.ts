import { createHash, sign } from 'node:crypto';
import type { SigningConfig } from '../../config/sections/signing-schema.ts';
import type { AgentCardSignature } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { distinct } from '../../dialects/kernel/card-signing.ts';
import type { CardShape } from '../../dialects/kernel/dialect.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import { keySetPath } from '../../transports/pages/key-set.ts';
import type { CardFactory } from './card-source.ts';
import { type CardKey, loadCardKey, type PublicJwk } from './signing-key.ts';

/** Signs cards. */
export interface CardSigner {
  /** The public keys, of all that sign or have signed. */
  readonly keySet: { readonly keys: readonly PublicJwk[] };
  /** The signatures of a document, for readers of these kinds: one for each form that one of them may verify. */
  signatures(document: object, readers: readonly CardShape[]): AgentCardSignature[];
}

/** As many documents as signatures are remembered of. */
const maxRemembered = 1_000;

/**
 * Reads the keys of the configuration. A document is signed once, however often it is asked for: most signatures are
 * different each time, and a card that has not changed must not look changed.
 *
 * Rejects with A2AError `internal` when a key cannot be used.
 *
 * @param publicUrl what cards advertise, where it is known: signatures say that the keys are found there (`jku`)
 */
export async function cardSigner(
  signing: SigningConfig | undefined,
  publicUrl: () => string | undefined,
): Promise<CardSigner | undefined> {
  if (!signing) return undefined;
  const own = await loadCardKey(signing.key);
  const retired = await Promise.all(signing.previous.map(loadCardKey));
  const remembered = new Map<string, AgentCardSignature[]>();
  return {
    keySet: { keys: [own, ...retired].map(({ publicJwk }) => publicJwk) },
    signatures(document, readers) {
      const base = publicUrl();
      const header = headerOf(own, base === undefined ? undefined : base + keySetPath);
      const kinds = readers.map(({ protocolVersion }) => protocolVersion).join();
      const version = createHash('sha256')
        .update(`${header} ${kinds} ${JSON.stringify(document)}`)
        .digest('base64url');
      const known = remembered.get(version);
      if (known) return known;
      const forms = distinct(readers.flatMap(({ signing: how }) => how?.forms(document) ?? []));
      const made = forms.map(({ payload }) => signatureOf(payload, header, own));
      if (remembered.size >= maxRemembered) remembered.clear();
      remembered.set(version, made);
      return made;
    },
  };
}

/** The protected header (A2A 1.0 section 8.4.2), encoded. */
function headerOf({ alg, kid }: CardKey, jku: string | undefined): string {
  return base64url(JSON.stringify({ alg, typ: 'JOSE', kid, ...(jku !== undefined && { jku }) }));
}

/** RFC 7515 section 7.2, without the payload: that is the card. */
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
  /** What cards advertise; undefined where the gateway does not know, and the request says. */
  readonly publicUrl: () => string | undefined;
}

/** The same cards, signed: each document as it is served, where one of its readers knows signatures. */
export function signedCards({ cards, signer, agents, dialects, publicUrl }: SignedCardsOptions): CardFactory {
  /** A Host header must not write a card that is signed. */
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
