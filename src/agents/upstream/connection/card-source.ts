import { isDeepStrictEqual } from 'node:util';
import { type BindingName, bindings } from '../../../client/bindings.ts';
import { pathOfInterface } from '../../../client/card-addresses.ts';
import { addressOf, asWritten, type ReadCard, worksWithoutCard } from '../../../client/choose.ts';
import { allDialects, dialectsFor } from '../../../client/dialects.ts';
import type { DialectName } from '../../../client/index.ts';
import { type CardOverride, type FoundCard, readCard } from '../../../client/read-card.ts';
import { recognizeCard } from '../../../client/recognize-card.ts';
import { type CardTrust, signaturesOfCard, UntrustedCard } from '../../../client/verify-card.ts';
import type { AgentInterface } from '../../../core/model/a2a.ts';
import type { CardProblem, UpstreamCard } from '../../../core/model/agent.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { shownUrl } from '../../../core/model/shown-url.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { UrlGuard } from '../../../net/guard.ts';
import { lacksCredentials, neverArrived, requireAllowed } from '../../../net/network-errors.ts';
import { describeUnread } from '../describe-unread.ts';
import type { UpstreamSessionOptions } from './session.ts';

export interface CardSourceOptions extends UpstreamSessionOptions {
  /** The dialect that the agent speaks. `auto`: determined by its card or a probe. */
  readonly dialect: DialectName | 'auto';
  /** The binding to call it over. `auto`: determined by its card or a probe. */
  readonly transport: BindingName | 'auto';
  readonly logger: Logger;
  /** Required signers of the card. Default: the card is not verified. */
  readonly trust?: CardTrust | undefined;
  /** Members that replace those of the agent's card. Default: none. */
  readonly override?: CardOverride | undefined;
}

/** Milliseconds for reading the card. */
const cardTimeout = 15_000;

/** Problems of a card that one log line names. */
const maxLogged = 20;

/** Reads an agent's card. Keeps the latest card, with its problems. */
export class CardSource {
  readonly options: CardSourceOptions;
  /** The configured URL. */
  readonly target: URL;
  readonly signal: AbortSignal;
  /** The card by which the agent is called. Undefined: it was not read yet, or the agent has none. */
  current: FoundCard | undefined;
  /** Error of the latest attempt to read the card, while the agent is called without one. */
  unread: A2AError | undefined;
  /** Time when a card was last read: milliseconds since the epoch. */
  readAt = 0;
  /** Members of the card that cannot be used as they are written. */
  #problems: readonly CardProblem[] = [];
  #configured: FoundCard | undefined;

  constructor(options: CardSourceOptions, target: URL, signal: AbortSignal) {
    this.options = options;
    this.target = target;
    this.signal = signal;
  }

  /** Reads the card. Resolves with undefined if the agent has none that can be read, and is called without it. */
  async read(): Promise<FoundCard | undefined> {
    const began = Date.now();
    this.unread = undefined;
    try {
      const read = await this.#fetch();
      this.readAt = began;
      return read;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error instanceof UntrustedCard || this.signal.aborted || !this.#mayLackCard(error)) throw error;
      const { trust, override } = this.options;
      if (trust?.required) {
        const missing = `the agent at ${this.target.origin} has no card to verify`;
        throw error.kind === 'agentNotFound' ? new UntrustedCard(missing) : error;
      }
      if (error.kind !== 'agentNotFound') this.unread = error;
      if (!override) return undefined;
      this.readAt = began;
      return this.#configuredCard(override);
    }
  }

  #fetch(): Promise<FoundCard> {
    const { dialect, http, auth, trust, override } = this.options;
    const isConfigured = ({ name }: { name: DialectName }): boolean => name === dialect;
    const dialects = [
      ...allDialects().filter(isConfigured),
      ...dialectsFor(undefined).filter((one) => !isConfigured(one)),
    ];
    return readCard(this.target, {
      http,
      dialects,
      headers: (to) => auth.headers(undefined, to, this.signal),
      signal: this.signal,
      timeout: cardTimeout,
      trust,
      override,
      ...(this.current && { known: this.current }),
    });
  }

  /** The card for an agent without one, as the configuration describes it. */
  #configuredCard(members: CardOverride): FoundCard {
    const { target } = this;
    this.#configured ??= {
      ...recognizeCard(describeUnread(this.options.name, true, 'none'), dialectsFor(undefined), target, members),
      problems: [],
      document: undefined,
      url: target.href,
      validators: {},
    };
    return this.#configured;
  }

  /** Whether the agent is called although its card was not read. A card is needed only if the configuration is incomplete. */
  #mayLackCard(error: A2AError): boolean {
    const { dialect, transport } = this.options;
    if (dialect === 'auto' || transport === 'auto') {
      return error.kind === 'agentNotFound' || error.kind === 'invalidAgentResponse';
    }
    return worksWithoutCard(error, transport, this.target) || !(neverArrived(error) || lacksCredentials(error));
  }

  /** A card with only those interfaces that may be called. Notes the problems of the card. */
  usable(read: FoundCard | undefined): FoundCard | undefined {
    const { http, trust } = this.options;
    const permitted = read && withoutForbidden(read, http.guard);
    this.#note(permitted?.problems ?? []);
    // With `required`, only a signed card determines where the agent is.
    return permitted && trust?.required ? onlyWritten(permitted) : permitted;
  }

  /** Notes the reason why the card was not read, if there is one. */
  noteUnread(): void {
    if (this.unread) this.#note([{ path: '', reason: this.unread.message }]);
  }

  /** Keeps the problems of the card, and logs them if they have changed. */
  #note(problems: readonly CardProblem[]): void {
    if (isDeepStrictEqual(problems, this.#problems)) return;
    this.#problems = problems;
    const { name, logger } = this.options;
    const facts = { agent: name, url: shownUrl(this.target) };
    if (problems.length === 0) {
      logger.info(facts, 'the agent card no longer has problems');
      return;
    }
    const lines = problems.slice(0, maxLogged).map(({ path, reason }) => (path === '' ? reason : `${path} ${reason}`));
    logger.warn({ ...facts, problems: lines }, 'parts of the agent card cannot be used as they are');
  }

  /** The card as it was received, for operators. Undefined: nothing is known about it. */
  received(attemptedAt: number, failure: A2AError | undefined): UpstreamCard | undefined {
    const nothing = { document: undefined, readAt: attemptedAt, verified: false };
    if (failure instanceof UntrustedCard) return { ...nothing, refused: failure.message, problems: [] };
    const problems = this.#problems;
    if (!this.current) return problems.length > 0 ? { ...nothing, problems } : undefined;
    const { trust, override } = this.options;
    const { document } = this.current;
    // If trust is configured, a card whose signature is not valid is not used.
    return {
      document,
      readAt: this.readAt,
      problems,
      ...(override && { overridden: true }),
      // Members from the configuration are not signed.
      verified: trust?.verifies === true && !override && signaturesOfCard(document).length > 0,
    };
  }
}

/**
 * The card without the interfaces that the URL guard forbids: agents list interfaces that only their own network can reach, which
 * are named as problems. If all interfaces are forbidden, those at further addresses included, the card stays unchanged, and the
 * call reports the reason.
 */
function withoutForbidden(found: FoundCard, guard: UrlGuard | undefined): FoundCard {
  if (guard === undefined) return found;
  const known = new Map<string, A2AError | undefined>();
  // The guard reports each refusal.
  const refusal = (listed: AgentInterface): A2AError | undefined => {
    const key = `${listed.protocolBinding} ${listed.url}`;
    if (!known.has(key)) known.set(key, refusalOf(listed, found.url, guard));
    return known.get(key);
  };
  const filtered = <T extends ReadCard>(reading: T): T => {
    const isPermitted = (listed: AgentInterface): boolean => refusal(listed) === undefined;
    const allowed = reading.card.supportedInterfaces.filter(isPermitted);
    const further = (reading.further ?? []).filter(isPermitted);
    if (allowed.length + further.length === 0) return reading;
    return { ...reading, card: { ...reading.card, supportedInterfaces: allowed }, further };
  };
  const problems = found.card.supportedInterfaces.flatMap((listed, at): CardProblem[] => {
    const error = refusal(listed);
    return error ? [{ path: pathOfInterface(found.dialect, at), reason: `is not called: ${error.message}` }] : [];
  });
  return {
    ...filtered(found),
    alternatives: found.alternatives.map(filtered),
    problems: [...found.problems, ...problems],
  };
}

const onlyWritten = (found: FoundCard): FoundCard => ({
  ...asWritten(found),
  alternatives: found.alternatives.map(asWritten),
});

/** Why the guard does not allow an interface. An invalid URL counts as allowed: the call reports it. */
function refusalOf(listed: AgentInterface, cardUrl: string, guard: UrlGuard): A2AError | undefined {
  const binding = bindings.find(({ protocolBinding }) => protocolBinding === listed.protocolBinding.toUpperCase());
  if (binding === undefined) return undefined;
  try {
    requireAllowed(guard, addressOf({ binding, interface: listed }, cardUrl));
    return undefined;
  } catch (thrown) {
    const error = A2AError.from(thrown);
    return error.kind === 'upstreamUnreachable' ? error : undefined;
  }
}
