import type { AgentDescription } from '../../core/agent.ts';
import { newId } from '../../core/ids.ts';
import type { AgentCard } from '../../gen/a2a-v1/types.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import { Calls } from './calls.ts';
import { describeUpstream } from './card.ts';
import type { Link } from './link.ts';

/** Milliseconds between two attempts to fetch the same one. */
const pause = 30_000;

/**
 * The extended card of an agent that has one and knows the gateway: fetched in the background, once for each card that
 * was read, and given out as it was last fetched.
 */
export class ExtendedCard {
  readonly #link: Link;
  readonly #timeout: number;
  readonly #known: boolean;
  #for: AgentCard | undefined;
  #description: AgentDescription | undefined;
  #triedAt = 0;
  #tried: AgentCard | undefined;

  /** @param auth what the gateway shows of itself; what a caller shows is not used for what others read */
  constructor(link: Link, auth: OutboundAuthSettings | undefined, timeout: number) {
    this.#link = link;
    this.#timeout = timeout;
    this.#known = auth !== undefined && auth.type !== 'forward';
  }

  /** Undefined when there is none, or none yet. */
  get extended(): AgentDescription | undefined {
    const { card } = this.#link;
    if (!this.#known || !card?.capabilities.extendedAgentCard) return undefined;
    if (this.#for !== card) this.#fetch(card);
    return this.#description;
  }

  #fetch(card: AgentCard): void {
    if (this.#tried === card && Date.now() - this.#triedAt < pause) return;
    this.#tried = card;
    this.#triedAt = Date.now();
    const signal = AbortSignal.timeout(this.#timeout);
    const calls = new Calls(this.#link, { requestId: newId(), extensions: [], hops: 0 });
    calls
      .value('GetExtendedAgentCard', {}, { signal, timeout: this.#timeout })
      .then((extended) => {
        this.#for = card;
        this.#description = describeUpstream(extended, true);
      })
      // The next reader of the card asks for it again.
      .catch(() => undefined);
  }
}
