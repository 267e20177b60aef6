import type { AgentHealth, CardProblem } from '../../core/model/agent.ts';
import { defined, isObject, type JsonObject } from '../../core/model/json.ts';
import { droppedFindings, findingsOf } from '../../dialects/card-rules/findings.ts';
import { inOrder } from '../../dialects/card-rules/group-findings.ts';
import type { AgentCopy, CardSignature, DialectCard } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from '../handlers.ts';
import { requireAgent } from '../subjects.ts';
import { type AgentHandlersDeps, statusOf } from './agents.ts';

/** Facts about the signatures of a card. `not-verified`: no trusted keys are configured. */
export interface SignatureFacts {
  readonly verdict: 'unsigned' | 'verified' | 'not-verified' | 'invalid';
  readonly keyIds: readonly string[];
  /** Reason for the verdict. */
  readonly reason: string;
}

/** The card of an agent in one dialect, as the gateway serves it. */
export interface ServedCard {
  readonly dialect: string;
  /** Path below the gateway's mount point. */
  readonly path: string;
  readonly document: unknown;
  readonly signature: SignatureFacts;
  /** Fields of the card in A2A 1.0 that the dialect cannot express. */
  readonly dropped: Iterable<string>;
}

/** Card that an upstream agent itself publishes. */
export interface ReceivedCard {
  /** Undefined: the card was refused, or none could be read. */
  readonly document: unknown;
  /** Undefined: no card was read. */
  readonly signature: SignatureFacts | undefined;
  readonly problems: readonly CardProblem[];
}

export interface CardHandlersDeps extends AgentHandlersDeps {
  /** Returns an agent's cards, one for each dialect. The card in A2A 1.0 comes first. */
  readonly cardsOf: (name: string) => Promise<readonly ServedCard[]>;
  /** Returns the card that an upstream agent publishes. Undefined: the gateway has no upstream agent of this name. */
  readonly receivedOf: (name: string) => ReceivedCard | undefined;
  /** Most bytes of cards in one answer. Read for each call, since the configuration may change. */
  readonly limits: { readonly page: number };
}

export function cardHandlers(deps: CardHandlersDeps): AdminHandlers<'GetAgent'> {
  return {
    async GetAgent({ name }) {
      requireAgent(deps.agents, name);
      const served = await deps.cardsOf(name);
      const received = deps.receivedOf(name);
      let room = deps.limits.page;
      const fitting = (document: unknown, bytes: number): JsonObject | undefined => {
        if (!isObject(document) || bytes > room) return undefined;
        room -= bytes;
        return document;
      };
      const sized = served.map((card) => ({ ...card, bytes: bytesOf(card.document) }));
      const cards = sized.map(({ dialect, path, document, bytes, signature }): DialectCard => {
        const card = fitting(document, bytes);
        return { dialect, path, ...(card && { card }), bytes, signature: signatureOf(signature) };
      });
      const [first] = sized;
      const upstreamBytes = bytesOf(received?.document);
      const upstream = fitting(received?.document, upstreamBytes);
      const findings = inOrder([
        ...(first ? findingsOf(first.dialect, first.document, first.bytes) : []),
        ...(received ? findingsOf(upstreamName, received.document, upstreamBytes, received.problems) : []),
        ...served.flatMap(({ dialect, dropped }) => droppedFindings(dialect, dropped)),
      ]);
      const copies = deps.agents.get(name)?.health?.().parts;
      const value = {
        status: statusOf(name, deps),
        cards,
        findings,
        ...(upstream && { upstreamCard: upstream }),
        ...(received?.signature && { upstreamSignature: signatureOf(received.signature) }),
        ...(copies && { copies: copies.map(copyOf) }),
      };
      return { value };
    },
  };
}

const copyOf = ({ url = '', state, reason, breaker, outstanding, leftOut }: AgentHealth): AgentCopy => ({
  url,
  state,
  ...defined({ reason, breaker }),
  outstanding: Number(outstanding),
  leftOut: leftOut === 'true',
});

/** Name of the dialect in findings about the card that an upstream agent publishes. */
const upstreamName = 'upstream';

const bytesOf = (document: unknown): number =>
  document === undefined ? 0 : Buffer.byteLength(JSON.stringify(document));

const signatureOf = ({ verdict, keyIds, reason }: SignatureFacts): CardSignature => ({
  verdict,
  reason,
  keyIds: [...keyIds],
});
