import { signaturesOfCard, UntrustedCard, verifyCard } from '../../client/verify-card.ts';
import type { UpstreamCard } from '../../core/model/agent.ts';
import { ownDialect } from '../../core/model/call.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { ReceivedCard, ServedCard, SignatureFacts } from '../../extensions/admin/cards.ts';
import type { Opened } from '../compose/open.ts';
import type { CardFactory } from './card-source.ts';

interface AgentCardsDeps extends Pick<Opened, 'active' | 'dialects' | 'publicUrl' | 'signer' | 'state'> {
  readonly cards: CardFactory;
}

/** Reads the cards of an agent as clients get them below `/as/{dialect}`, and verifies them with the gateway's own keys. */
export function createAgentCards({ active, dialects, publicUrl, signer, state, cards }: AgentCardsDeps) {
  const { agents } = active;
  const own = dialects.byName.get(ownDialect);

  const signatureOf = async (document: unknown, dialect: Dialect): Promise<SignatureFacts> => {
    const keyIds = keyIdsOf(document);
    if (keyIds.length === 0 || !signer) return { verdict: 'unsigned', keyIds: [], reason: unsignedReason(signer) };
    try {
      const { kid } = await verifyCard(document, signer.keySet, [dialect], 'the card');
      return { verdict: 'verified', keyIds, reason: `the gateway signed it with the key ${kid}` };
    } catch (thrown) {
      if (!(thrown instanceof UntrustedCard)) throw thrown;
      return { verdict: 'invalid', keyIds, reason: thrown.message };
    }
  };

  return async (name: string): Promise<ServedCard[]> => {
    const origin = publicUrl() ?? 'http://localhost';
    const base = name === agents.defaultName ? '' : `/${name}`;
    const place = { agent: name, origin, base, grpc: state.grpc === true };
    const source = (dialect: Dialect): unknown => cards.source({ ...place, dialects: [dialect], pinned: dialect });
    const ordered = dialects.list.toSorted((one, other) => Number(other === own) - Number(one === own));
    const canonical = own?.card.decode(source(own), { losses: new Set() });
    return Promise.all(
      ordered.map(async (dialect) => {
        const document = source(dialect);
        const losses = new Set<string>();
        // Versions of A2A 1.x have a place for everything.
        if (canonical && dialect !== own) dialect.card.encode(canonical, { losses });
        return {
          ...{ dialect: dialect.name, path: `${base}/as/${dialect.name}/.well-known/agent-card.json`, document },
          ...{ signature: await signatureOf(document, dialect), dropped: losses },
        };
      }),
    );
  };
}

const keyIdsOf = (document: unknown): string[] => signaturesOfCard(document).map(({ kid = '' }) => kid);

const unsignedReason = (signer: object | undefined): string =>
  signer ? 'the dialect has no signatures' : 'cards.signing is not configured';

/** What is known about the own card of an upstream agent. */
export function receivedCard(card: UpstreamCard | undefined): ReceivedCard | undefined {
  if (!card) return undefined;
  const { document, verified, refused } = card;
  const keyIds = keyIdsOf(document);
  const signature = (verdict: SignatureFacts['verdict'], reason: string): ReceivedCard => ({
    document,
    signature: { verdict, keyIds, reason },
  });
  if (refused !== undefined) return signature('invalid', refused);
  if (keyIds.length === 0) return signature('unsigned', 'the card has no signatures');
  return verified
    ? signature('verified', 'one of the keys in trust has signed it')
    : signature('not-verified', 'trust is not configured for the agent');
}
