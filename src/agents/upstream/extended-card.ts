import type { AgentDescription } from '../../core/model/agent.ts';
import { newId } from '../../core/model/ids.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import { Calls } from './calls.ts';
import { describeUpstream } from './card.ts';
import type { Link } from './connection.ts';

/** The extended card of an agent that has one and gives it to the gateway, as it was when the agent's card was last read. */
export class ExtendedCard {
  readonly #link: Link;
  readonly #timeout: number;
  readonly #isAsked: boolean;
  #description: AgentDescription | undefined;

  /** @param auth what the gateway shows of itself: what callers show is not used for what others read */
  constructor(link: Link, auth: OutboundAuthSettings | undefined, timeout: number) {
    this.#link = link;
    this.#timeout = timeout;
    this.#isAsked = auth?.type !== 'forward';
  }

  /** Undefined when there is none that can be given out. */
  get description(): AgentDescription | undefined {
    return this.#description;
  }

  /** Fetches it anew. An agent that refuses has none. */
  async fetch(): Promise<void> {
    const offered = this.#link.card?.capabilities.extendedAgentCard === true;
    this.#description = offered && this.#isAsked ? await this.#ask() : undefined;
  }

  async #ask(): Promise<AgentDescription | undefined> {
    const calls = new Calls(this.#link, { requestId: newId(), extensions: [], hops: 0 });
    const bounds = { signal: AbortSignal.timeout(this.#timeout), timeout: this.#timeout };
    try {
      const card = await calls.value('GetExtendedAgentCard', {}, bounds);
      return describeUpstream(await this.#link.vouched(card, bounds.signal), true);
    } catch {
      return undefined;
    }
  }
}
