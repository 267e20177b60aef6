import { ownUris } from '../../client/dialects.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import { type AgentDescription, idempotencyExtension } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import { transient } from '../../net/network-errors.ts';
import { upstreamValue } from './calls.ts';
import type { UpstreamConnection } from './connection/connection.ts';
import type { Keep } from './describe-unread.ts';

/**
 * An agent's card in the form that the gateway advertises. Interfaces, security and signatures are left out, because the gateway
 * has its own. If the gateway keeps the agent's tasks, it adds the capabilities that the agent lacks.
 *
 * @param extended whether there is an extended card that callers may see
 * @param keep whether the gateway keeps the agent's tasks
 */
export function describeUpstream(card: AgentCard, extended: boolean, keep: Keep): AgentDescription {
  const { supportedInterfaces: _, securitySchemes: __, securityRequirements: ___, signatures: ____, ...rest } = card;
  // Leaves out the extensions in which the gateway preserves parts of cards of older dialects, and the one for idempotency
  // keys, which the gateway declares for itself unless it only translates.
  const isKept = ({ uri = '' }) => !uri.startsWith(ownUris) && (uri !== idempotencyExtension || keep === 'none');
  const extensions = (card.capabilities.extensions ?? []).filter(isKept);
  return {
    ...rest,
    capabilities: {
      streaming: keep === 'tasks' || card.capabilities.streaming === true,
      pushNotifications: keep === 'tasks' || card.capabilities.pushNotifications === true,
      // A card that declares no extended card stays that way.
      ...((extended || card.capabilities.extendedAgentCard === false) && { extendedAgentCard: extended }),
      ...(extensions.length > 0 && { extensions }),
    },
    skills: card.skills.map(({ securityRequirements: _, ...skill }) => skill),
  };
}

/** Milliseconds until the next attempt after an extended card could not be read: at first, and at most. */
const rereading = { first: 500, longest: 60_000 } as const;

/** The extended card of an agent. If it cannot be read for a reason that may pass, it stays as it was, and is read again. */
export class ExtendedCard {
  /** The description. Undefined: the agent has none, refuses it, or it has not been read yet. */
  description: AgentDescription | undefined;
  readonly #connection: UpstreamConnection;
  readonly #timeout: number;
  readonly #keep: Keep;
  #pause: number = rereading.first;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param timeout milliseconds for reading it once */
  constructor(connection: UpstreamConnection, timeout: number, keep: Keep) {
    this.#connection = connection;
    this.#timeout = timeout;
    this.#keep = keep;
  }

  /** Reads the extended card, after the card of the agent. Never rejects. */
  async read(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      this.description = await this.#fetch();
      this.#pause = rereading.first;
    } catch (thrown) {
      const { kind } = A2AError.from(thrown);
      if (transient(thrown) || kind === 'canceled') this.#readAgain();
      else this.description = undefined;
    }
  }

  /** Stops reading the extended card. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #fetch(): Promise<AgentDescription | undefined> {
    const connection = this.#connection;
    if (connection.card?.capabilities.extendedAgentCard !== true) return undefined;
    const timeout = this.#timeout;
    const origin = { requestId: newId(), extensions: [], hops: 0 };
    const signal = AbortSignal.timeout(timeout);
    const card = await upstreamValue(connection, origin, 'GetExtendedAgentCard', {}, { signal, timeout });
    return describeUpstream(await connection.verifiedCard(card, signal), true, this.#keep);
  }

  #readAgain(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.read(), this.#pause).unref();
    this.#pause = Math.min(2 * this.#pause, rereading.longest);
  }
}
