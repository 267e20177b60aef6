import { type CardSecurity, challengeOf } from '../../auth/schemes.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import { type Agent, type AgentDescription, idempotencyExtension } from '../../core/model/agent.ts';
import type { CallContext } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { interfacesOf, type ServedAt } from '../../dialects/kernel/cards.ts';
import type { Dialects } from '../../dialects/kernel/detect.ts';
import type { Dialect, DialectName } from '../../dialects/kernel/dialect.ts';
import type { CardSource } from '../../transports/http/cards.ts';
import type { GatewayState } from '../process/state.ts';
import type { ActiveConfig } from '../reload/active-config.ts';
import type { CardSigner } from './card-signer.ts';

export interface CardFactoryOptions {
  readonly active: ActiveConfig;
  readonly dialects: Dialects;
  /** The URL in cards; undefined while it is not known. */
  readonly publicUrl: () => string | undefined;
  readonly state: Pick<GatewayState, 'grpc'>;
  /** Returns the card of an agent with the additions of extensions. */
  readonly describe: (card: AgentDescription, agent: string) => AgentDescription;
}

/** Creates the public cards and the extended ones. */
export interface CardFactory {
  readonly source: CardSource;
  readonly extended: (agent: string, caller: Pick<CallContext, 'dialect' | 'principal'>) => AgentCard;
}

/** Creates the cards: every dialect's card is encoded from one v1 card. */
export const createCardFactory = (options: CardFactoryOptions): CardFactory => new GatewayCards(options);

class GatewayCards implements CardFactory {
  readonly #options: CardFactoryOptions;
  /** The dialects that have version numbers, by which one card can list several. */
  readonly #versioned: readonly Dialect[];

  constructor(options: CardFactoryOptions) {
    this.#options = options;
    this.#versioned = options.dialects.list.filter(({ versions }) => versions.length > 0);
  }

  readonly source: CardSource = (request) => {
    const { publicUrl, active } = this.#options;
    const { agent, dialects: readers, pinned } = request;
    const atOwnHost = active.agents.forHost(new URL(request.origin).host) === agent;
    const origin = atOwnHost ? request.origin : (publicUrl() ?? request.origin);
    const tenant = this.#isAtRoot(agent, origin) ? '' : agent;
    const at = publicUrl() ?? request.origin;
    const documents = readers.map((reader) => {
      // Clients of one dialect stay on its path, on which the dialect need not be detected.
      const only = pinned ?? (readers.length === 1 && reader.versions.length === 0 ? reader : undefined);
      const base = only ? `${request.base}/as/${only.name}` : request.base;
      const served: ServedAt = {
        origin,
        base,
        tenant,
        grpc: request.grpc,
        listed: (name) => this.#listedBindings(agent, name),
      };
      const listed = only ? [only] : [...this.#versioned, ...(this.#versioned.includes(reader) ? [] : [reader])];
      const supportedInterfaces = interfacesOf(listed, served);
      const all = { ...secured(this.#describe(agent), this.#security(at)), supportedInterfaces };
      return reader.card.encode(all, { losses: new Set() });
    });
    return documents.reduce(merge);
  };

  readonly extended = (name: string, { dialect, principal }: Pick<CallContext, 'dialect' | 'principal'>): AgentCard => {
    const { active, dialects, publicUrl, state } = this.#options;
    const origin = publicUrl() ?? 'http://localhost';
    const declared = this.#security(origin);
    // A caller must authenticate with one of the schemes that the public card declares (A2A 1.0.1 section 3.1.11).
    if (declared.securitySchemes && principal.anonymous) {
      const challenge = challengeOf(active.snapshot.config.auth, false);
      throw new A2AError('unauthenticated', undefined, { challenge });
    }
    const isDefault = name === active.agents.defaultName;
    const only = dialects.list.find((one) => one.name === dialect && !this.#versioned.includes(one));
    const base = `${isDefault ? '' : `/${name}`}${only ? `/as/${only.name}` : ''}`;
    const listed = (dialectName: DialectName) => this.#listedBindings(name, dialectName);
    const served: ServedAt = { origin, base, tenant: isDefault ? '' : name, grpc: state.grpc === true, listed };
    const agent = active.agents.get(name);
    const card = agent?.extendedCard;
    const description = agent && card ? this.#withOwnExtensions(agent, card, name) : this.#describe(name);
    return {
      ...secured(description, declared),
      supportedInterfaces: interfacesOf(only ? [only] : this.#versioned, served),
    };
  };

  #security(origin: string): CardSecurity {
    return this.#options.active.snapshot.access.security(origin);
  }

  #describe(name: string): AgentDescription {
    const agent = this.#options.active.agents.get(name);
    // A reload may have removed the agent.
    if (!agent) throw new A2AError('agentNotFound', `No such agent: ${name}`);
    return this.#withOwnExtensions(agent, agent.card, name);
  }

  #withOwnExtensions({ invoke }: Agent, card: AgentDescription, name: string): AgentDescription {
    const known = this.#options.describe(card, name);
    // An agent that keeps its tasks itself receives the keys, and its card says whether it honours them.
    return invoke ? known : withIdempotency(known);
  }

  /** The bindings of a dialect that the agent's cards list, according to the most specific setting. Undefined: all. */
  #listedBindings(agent: string, dialect: DialectName): readonly string[] | undefined {
    const { cards, agents: configured } = this.#options.active.snapshot.config;
    const own = configured.get(agent)?.cards;
    return (
      own?.dialects?.[dialect]?.interfaces ??
      own?.interfaces ??
      cards.dialects?.[dialect]?.interfaces ??
      cards.interfaces
    );
  }

  /** Whether callers reach the agent without naming it. */
  #isAtRoot(agent: string, origin: string): boolean {
    const { agents } = this.#options.active;
    return (agents.forHost(new URL(origin).host) ?? agents.defaultName) === agent;
  }
}

/**
 * A description in which the gateway's security schemes replace the agent's. If the gateway does not check credentials, a program
 * in front of it may do so, and the agent's own schemes stay.
 */
function secured(description: AgentDescription, security: CardSecurity): AgentDescription {
  if (!security.securitySchemes) return description;
  const skills = description.skills.map(({ securityRequirements: _, ...skill }) => skill);
  return { ...description, ...security, skills };
}

/** The extension for idempotency keys: the gateway carries out a message once per key, for every agent. */
const idempotency = {
  uri: idempotencyExtension,
  description: 'A message that is sent again under the same Idempotency-Key within a day is carried out once',
};

function withIdempotency({ capabilities, ...description }: AgentDescription): AgentDescription {
  const others = (capabilities.extensions ?? []).filter(({ uri }) => uri !== idempotencyExtension);
  return { ...description, capabilities: { ...capabilities, extensions: [...others, idempotency] } };
}

/**
 * Merges two documents, for readers who ignore unknown fields. The first wins; lists in both are merged item by item.
 */
function merge(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second) && first.length === second.length) {
    return first.map((item, at) => merge(item, second[at]));
  }
  if (!isObject(first) || !isObject(second)) return first;
  const merged: Record<string, unknown> = { ...second, ...first };
  for (const key of Object.keys(first)) if (Object.hasOwn(second, key)) merged[key] = merge(first[key], second[key]);
  return merged;
}

/** Returns the cards, signed when they are served, if one of the readers knows signatures. */
export function signCards(
  cards: CardFactory,
  signer: CardSigner,
  agents: AgentDirectory,
  { dialects, publicUrl }: Pick<CardFactoryOptions, 'dialects' | 'publicUrl'>,
): CardFactory {
  /** Whether an origin is one of the gateway's: a Host header must not determine the content of a signed card. */
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
