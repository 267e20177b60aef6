import type { CardSecurity } from '../../auth/card-security.ts';
import type { Config } from '../../config/types.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import type { AgentDescription } from '../../core/model/agent.ts';
import type { CallContext } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { type KnowledgeExtensionParams, knowledgeExtension } from '../../core/model/knowledge.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { interfacesOf, type ServedAt } from '../../dialects/kernel/card-interfaces.ts';
import type { Dialect, DialectName } from '../../dialects/kernel/dialect.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import type { CardSource } from '../../transports/pages/cards.ts';

export interface CardFactoryOptions {
  readonly agents: AgentDirectory;
  readonly dialects: Dialects;
  /** What cards advertise; undefined where the gateway does not know, and the request says. */
  readonly publicUrl: () => string | undefined;
  /** Whether clients of the URLs that cards advertise reach the gateway's own listener, which serves gRPC. */
  readonly servesGrpc: () => boolean;
  /** Says which interfaces cards list. */
  readonly config: () => Pick<Config, 'cards' | 'agents'>;
  /** The query languages that an agent's knowledge understands; undefined for one without knowledge. */
  readonly languagesOf?: (agent: string) => readonly string[] | undefined;
  /** How callers get in at this origin. */
  readonly security: (origin: string) => CardSecurity;
}

/** Makes the cards that are served, and those for authenticated callers. */
export interface CardFactory {
  readonly source: CardSource;
  readonly extended: (agent: string, caller: Pick<CallContext, 'dialect'>) => AgentCard;
}

/** Makes the cards that are served: one v1 card is the truth, and every dialect derives its own from it. */
export function createCardFactory(options: CardFactoryOptions): CardFactory {
  const { agents, dialects, publicUrl, security, servesGrpc } = options;
  /** Those that a card can tell apart by a version number. */
  const versioned = dialects.list.filter(({ versions }) => versions.length > 0);

  const describe = (name: string): AgentDescription => {
    const agent = agents.get(name);
    // It may be gone since it was found.
    if (!agent) throw new A2AError('agentNotFound', `No such agent: ${name}`);
    return knowing(agent.card, options.languagesOf?.(name));
  };

  /** Which bindings of a dialect the agent's cards list: the most exact word counts. Undefined: all. */
  const listedBindings = (agent: string, dialect: DialectName): readonly string[] | undefined => {
    const { cards, agents: configured } = options.config();
    const own = configured.get(agent)?.cards;
    return (
      own?.dialects?.[dialect]?.interfaces ??
      own?.interfaces ??
      cards.dialects?.[dialect]?.interfaces ??
      cards.interfaces
    );
  };

  /** Whether callers reach the agent without naming it. */
  const isAtRoot = (agent: string, origin: string): boolean =>
    (agents.forHost(new URL(origin).host) ?? agents.defaultName) === agent;

  const source: CardSource = (request) => {
    const { agent, dialects: readers, pinned } = request;
    const atOwnHost = agents.forHost(new URL(request.origin).host) === agent;
    const origin = atOwnHost ? request.origin : (publicUrl() ?? request.origin);
    const tenant = isAtRoot(agent, origin) ? '' : agent;
    const at = publicUrl() ?? request.origin;
    const documents = readers.map((reader) => {
      // Clients of one dialect stay on its path, where no detection has to guess.
      const only = pinned ?? (readers.length === 1 && reader.versions.length === 0 ? reader : undefined);
      const base = only ? `${request.base}/as/${only.name}` : request.base;
      const served: ServedAt = {
        origin,
        base,
        tenant,
        grpc: servesGrpc(),
        listed: (name) => listedBindings(agent, name),
      };
      const spoken = only ? [only] : [...versioned, ...(versioned.includes(reader) ? [] : [reader])];
      const supportedInterfaces = interfacesOf(spoken, served);
      return documentOf(reader, { ...secured(describe(agent), security(at)), supportedInterfaces });
    });
    return documents.reduce(merge);
  };

  const extended = (name: string, { dialect }: Pick<CallContext, 'dialect'>): AgentCard => {
    const origin = publicUrl() ?? 'http://localhost';
    const isDefault = name === agents.defaultName;
    const only = dialects.list.find((one) => one.name === dialect && !versioned.includes(one));
    const base = `${isDefault ? '' : `/${name}`}${only ? `/as/${only.name}` : ''}`;
    const listed = (dialectName: DialectName) => listedBindings(name, dialectName);
    const served: ServedAt = { origin, base, tenant: isDefault ? '' : name, grpc: servesGrpc(), listed };
    const extendedCard = agents.get(name)?.extendedCard;
    const description = extendedCard ? knowing(extendedCard, options.languagesOf?.(name)) : describe(name);
    return {
      ...secured(description, security(origin)),
      supportedInterfaces: interfacesOf(only ? [only] : versioned, served),
    };
  };
  return { source, extended };
}

/**
 * Who gets in is the gateway's matter, whatever an agent says; but where the gateway judges nobody's credentials, another
 * program in front of it may, and a module's card then says how.
 */
function secured(description: AgentDescription, security: CardSecurity): AgentDescription {
  if (!security.securitySchemes) return description;
  const skills = description.skills.map(({ securityRequirements: _, ...skill }) => skill);
  return { ...description, ...security, skills };
}

/** Whether callers find a knowledge graph here is the gateway's to say, whatever an agent says. */
function knowing(description: AgentDescription, languages: readonly string[] | undefined): AgentDescription {
  const { extensions = [], ...capabilities } = description.capabilities;
  const others = extensions.filter(({ uri }) => uri !== knowledgeExtension);
  if (!languages && others.length === extensions.length) return description;
  const params: KnowledgeExtensionParams = { queryLanguages: languages ?? [] };
  const own = {
    uri: knowledgeExtension,
    description: 'Agents query, change and follow what this agent knows',
    params: { ...params },
  };
  const all = languages ? [...others, own] : others;
  return { ...description, capabilities: { ...capabilities, ...(all.length > 0 && { extensions: all }) } };
}

const documentOf = (dialect: Dialect, card: AgentCard): unknown => dialect.card.encode(card, { losses: new Set() });

/**
 * One document out of two, for readers who ignore what they do not know: what both say is the first one's, lists that
 * both have are merged item by item.
 */
function merge(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second) && first.length === second.length) {
    return first.map((item, at) => merge(item, second[at]));
  }
  if (!isObject(first) || !isObject(second)) return first;
  const merged: Record<string, unknown> = { ...second, ...first };
  for (const key of Object.keys(first)) if (key in second) merged[key] = merge(first[key], second[key]);
  return merged;
}
