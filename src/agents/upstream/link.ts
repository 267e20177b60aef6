import { type BindingName, bindings } from '../../client/bindings.ts';
import { addressOf, type Choice, choose } from '../../client/choose.ts';
import { type HeaderSource, mayShare } from '../../client/credentials.ts';
import { allDialects } from '../../client/dialects.ts';
import type { DialectName } from '../../client/index.ts';
import { type FoundCard, readCard } from '../../client/read-card.ts';
import type { AgentHealth } from '../../core/agent.ts';
import type { Call, Invoke, Reply } from '../../core/call.ts';
import { A2AError, type ErrorKind } from '../../core/errors.ts';
import type { Logger } from '../../core/ports.ts';
import type { AgentCard } from '../../gen/a2a-v1/types.ts';
import { neverArrived } from '../../net/failures.ts';
import type { HttpClient } from '../../net/http-client.ts';

export interface LinkOptions {
  /** The agent's base URL or the URL of its card. */
  readonly url: string;
  /** The generation that it speaks, where the card is not to decide. */
  readonly dialect: DialectName | 'auto';
  /** The binding that it is called over, where the card is not to decide. */
  readonly transport: BindingName | 'auto';
  readonly strict: boolean;
  /** Milliseconds that an answer, or the beginning of a stream, may take where the call itself says nothing else. */
  readonly timeout: number;
  readonly http: HttpClient;
  /** Credentials; shown to the host of `url` only. */
  readonly headers: HeaderSource;
  readonly logger: Logger;
  /** Milliseconds to read the card. Default 15,000. */
  readonly cardTimeout?: number;
  /** Milliseconds after which the card is read again when the agent is used. Default 300,000. */
  readonly cardAge?: number;
}

/** One way to the agent, opened. */
interface Wire {
  readonly choice: Choice;
  readonly address: string;
  readonly invoke: Invoke;
  readonly close: () => void | Promise<void>;
}

/** Milliseconds between two attempts to read the card of an agent that is away: from, to. */
const patience = [500, 30_000] as const;
/** Milliseconds within which the card is not read again because of a call that failed. */
const rest = 2_000;

/** Failures that mean that the agent may have moved, or speaks something else by now. Nothing was carried out. */
const outdated: ReadonlySet<ErrorKind> = new Set([
  'methodNotFound',
  'routeNotFound',
  'verbNotAllowed',
  'agentNotFound',
  'versionNotSupported',
]);

/**
 * The way to one upstream agent: finds its card, chooses binding and dialect, keeps the connection, and looks again when
 * time or a call says that something may have changed. Never throws at start: the agent may be down.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #target: URL;
  #found: FoundCard | undefined;
  #wire: Wire | undefined;
  #opening: Promise<Wire> | undefined;
  #readAt = 0;
  #failure: A2AError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #silent = false;
  readonly #closing = new AbortController();

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#target = new URL(options.url);
  }

  /** Reads the card in the background, again and again until it is there. */
  start(): void {
    const attempt = (delay: number): void => {
      this.open().catch(() => {
        if (this.#closing.signal.aborted) return;
        this.#timer = setTimeout(attempt, delay, Math.min(delay * 2, patience[1]));
        this.#timer.unref();
      });
    };
    attempt(patience[0]);
  }

  /** The card as it was last read. */
  get card(): AgentCard | undefined {
    return this.#found?.card;
  }

  /** What is called, once it is known. */
  get choice(): Choice | undefined {
    return this.#wire?.choice;
  }

  /** Whether the agent streams: its card says so, and it has not shown otherwise. */
  get streams(): boolean {
    return !this.#silent && this.card?.capabilities.streaming === true;
  }

  /** The agent has shown that it does not stream, whatever its card says. */
  refusesStreams(): void {
    this.#silent = true;
  }

  /** Whether the agent's answer to a message can be waited for; otherwise the task is asked for right after. */
  get waits(): boolean {
    return this.choice?.dialect.jsonrpc?.calls.get('SendMessage')?.next === undefined;
  }

  get health(): AgentHealth {
    const { href: url } = this.#target;
    const wire = this.#wire;
    if (wire && !this.#failure) {
      return { state: 'ok', url, dialect: wire.choice.dialect.name, transport: wire.choice.binding.name };
    }
    if (!this.#failure) return { state: 'connecting', url };
    return { state: 'unreachable', url, reason: this.#failure.message };
  }

  /** Resolves when the agent can be called. Rejects with why it cannot. */
  async open(): Promise<Choice> {
    return (await this.#open()).choice;
  }

  /** Calls the agent. What a stale card may have made fail, and never arrived, is tried once more with a fresh one. */
  async invoke(call: Call): Promise<Reply> {
    const wire = await this.#open();
    try {
      const reply = await wire.invoke(withTenant(call, wire));
      this.#failure = undefined;
      return reply;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.kind === 'upstreamUnreachable') this.#failure = error;
      if (!outdated.has(error.kind) && !neverArrived(error)) throw error;
      const fresh = await this.#again(wire).catch(() => wire);
      if (fresh === wire) throw error;
      return fresh.invoke(withTenant(call, fresh));
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#wire?.close();
    this.#options.http.close();
  }

  async #open(): Promise<Wire> {
    const { cardAge = 300_000 } = this.#options;
    if (!this.#wire) return this.#read();
    if (Date.now() - this.#readAt > cardAge) this.#read().catch(() => undefined);
    return this.#wire;
  }

  /** The way as a fresh card has it, unless one was read just now. */
  async #again(wire: Wire): Promise<Wire> {
    if (this.#wire !== wire && this.#wire) return this.#wire;
    return Date.now() - this.#readAt < rest ? wire : this.#read();
  }

  /** One reader at a time. */
  #read(): Promise<Wire> {
    this.#opening ??= this.#connect()
      .then(
        (wire) => {
          this.#failure = undefined;
          return wire;
        },
        (thrown: unknown) => {
          this.#failure = A2AError.from(thrown);
          throw this.#failure;
        },
      )
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  async #connect(): Promise<Wire> {
    const { dialect, transport, headers, http, cardTimeout = 15_000 } = this.#options;
    const all = allDialects();
    this.#readAt = Date.now();
    const found = await readCard(this.#target, {
      http,
      dialects: dialect === 'auto' ? all : all.filter(({ name }) => name === dialect),
      headers,
      signal: this.#closing.signal,
      timeout: cardTimeout,
      ...(this.#found && { known: this.#found }),
    }).catch((thrown: unknown) => {
      const error = A2AError.from(thrown);
      if (error.kind !== 'agentNotFound') throw error;
      return undefined;
    });
    const choice = found
      ? choose(found, all, {
          ...(transport !== 'auto' && { via: transport }),
          ...(dialect !== 'auto' && { as: dialect }),
        })
      : this.#told();
    if (found && found.card !== this.#found?.card) this.#silent = false;
    if (found) this.#found = found;
    return this.#use(choice, addressOf(choice, found?.url ?? this.#target.href));
  }

  /** The way that was configured, to an agent that has no card. */
  #told(): Choice {
    const { dialect: name, transport } = this.#options;
    const dialect = allDialects().find((one) => one.name === name);
    const binding = bindings.find((one) => one.name === transport);
    if (dialect && binding) {
      const { protocolBinding } = binding;
      return {
        dialect,
        binding,
        interface: { url: this.#target.href, protocolBinding, protocolVersion: dialect.card.protocolVersion },
      };
    }
    throw new A2AError(
      'upstreamUnreachable',
      `no agent card at ${this.#target.href}; an agent without one needs both dialect and transport`,
    );
  }

  /** Opens the way, unless it is the one that is open. */
  async #use(choice: Choice, url: URL): Promise<Wire> {
    const address = [choice.binding.name, choice.dialect.name, url.href, choice.interface.tenant].join(' ');
    const before = this.#wire;
    if (before?.address === address) return before;
    const { headers, http, timeout, strict, logger } = this.#options;
    const shown = mayShare(this.#target, url);
    if (!shown) logger.warn({ url: url.href }, 'credentials are held back from an address that a card names');
    const transport = await choice.binding.open({
      url: url.href,
      dialect: choice.dialect,
      http,
      headers: shown ? headers : () => ({}),
      timeout,
      strict,
    });
    const wire: Wire = { choice, address, invoke: transport.invoke, close: () => transport.close() };
    this.#wire = wire;
    // Streams over the former way break, and are taken up over the new one.
    await before?.close();
    if (this.#closing.signal.aborted) await wire.close();
    return wire;
  }
}

/** A client copies the tenant of the interface into each request (A2A 1.0.1 section 8.3.2). */
function withTenant(call: Call, { choice }: Wire): Call {
  const { tenant } = choice.interface;
  return tenant ? ({ ...call, request: { ...call.request, tenant } } as Call) : call;
}
