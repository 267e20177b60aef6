import { parse } from 'node:path';
import * as z from 'zod';
import type { AuthSettings } from '../../auth/settings.ts';
import type { Agent, WhileRunning } from '../../core/model/agent.ts';
import type { CardListing, RegistrationConfig } from '../../gen/settings.ts';
import type { Secret } from '../../net/secret.ts';
import { readHost } from '../addresses.ts';
import { below, type ReportProblem, type ResolveContext } from '../context.ts';
import {
  type AgentModuleConfigs,
  agentSections,
  type ModuleConfigs,
  moduleSegments,
  resolveModuleSettings,
  splitSettings,
} from '../module-sections.ts';
import { schemaFacts } from '../schema-facts.ts';
import { anything, oneOf, section, text, textAs, variants } from '../schema-parts.ts';
import { formerOfAgents } from '../taken-out.ts';
import { agentCards } from './cards.ts';
import { type McpConfig, mcp, resolveMcp } from './mcp.ts';
import { moduleSettings } from './module.ts';
import { resolveUpstream, type UpstreamConfig, upstream } from './upstream.ts';

const expectedHost = 'a host such as weather.example.com, with a port if only that port is meant';

/** The keys of agents of every kind. */
const common = () => ({
  hosts: z
    .array(textAs(expectedHost, readHost), anything('a list of hosts'))
    .prefault([])
    .describe('Hosts at whose root the agent is served.'),
  cards: agentCards.optional().describe("Settings for the agent's cards that differ from those of other agents."),
  ...agentSections(),
  whileRunning: oneOf('queue', 'forward', 'refuse')
    .optional()
    .describe(
      'Handling of a message to a task on which the agent is working. `queue`: the message waits until the earlier turns have ended. `forward`: the message is sent on at once; only for upstream agents. `refuse`: the caller receives an error. Default: `forward` for upstream agents, `queue` for others.',
    ),
});

/** Creates the schema of one kind of agent, with the keys of agents of every kind. */
const ofKind = <Shape extends z.ZodRawShape>(what: string, shapeOf: () => Shape) =>
  section(what, () => ({ ...shapeOf(), ...common() }), formerOfAgents);

/** The schema from which the type of the settings of every agent is generated. */
export const anyAgent = section('an agent', common)
  .describe('The settings of agents of every kind.')
  .register(schemaFacts, { input: 'CommonAgentSettings' });

const kinds = {
  reference: ofKind('a reference agent', () => ({
    kind: z.literal('reference').describe('The agent that shows every feature of A2A.'),
  })).register(schemaFacts, { input: 'ReferenceAgentSettings' }),
  module: ofKind('a module agent', () => ({
    kind: z.literal('module').describe('An agent in a JavaScript or TypeScript module.'),
    path: text('the path of a JavaScript or TypeScript module, such as ./my-agent.ts').describe('Path of the module.'),
    ...moduleSettings(),
  })).register(schemaFacts, { input: 'ModuleAgentSettings' }),
  upstream: ofKind('an upstream agent', upstream).register(schemaFacts, {
    input: 'UpstreamAgentSettings',
  }),
  mcp: ofKind('an agent of tools', mcp).register(schemaFacts, {
    input: 'ToolsAgentSettings',
  }),
};

/** An agent that is an object of the program, in the settings of a program. */
const code = ofKind('an agent in code', () => ({
  kind: z.literal('code'),
  agent: z.custom<Agent>((value) => typeof value === 'object' && value !== null, anything('what defineAgent returns')),
}));

const byName = <A extends z.ZodType>(agent: A) => z.record(z.string(), agent, anything('agents by their names'));

export const agents = byName(
  variants('kind', 'an agent', kinds)
    .describe('An agent, as a configuration file describes it.')
    .register(schemaFacts, { input: 'AgentFileSettings' }),
);

/** `agents` in the settings of a program. */
export const agentsOfProgram = byName(variants('kind', 'an agent', { ...kinds, code }));

type AgentsInput = z.output<typeof agentsOfProgram>;
type AgentInput = AgentsInput[string];

/** An agent in a JavaScript or TypeScript module. */
export interface ModuleConfig {
  readonly kind: 'module';
  /** Absolute path of the module. */
  readonly path: string;
  /** Settings for the module, which it checks itself. */
  readonly config?: unknown;
  /** Environment of the module: strings such as keys of other services. */
  readonly env?: ReadonlyMap<string, Secret> | undefined;
}

/** An agent of the program that embeds the gateway. */
interface CodeConfig {
  readonly kind: 'code';
  readonly agent: Agent;
}

export type AgentConfig = ({ readonly kind: 'reference' } | ModuleConfig | UpstreamConfig | McpConfig | CodeConfig) &
  AgentModuleConfigs & {
    /** Interfaces in its cards, if they differ from those of all agents. */
    readonly cards?: CardListing;
    /** Handling of messages that arrive while the agent is working on their task. */
    readonly whileRunning?: WhileRunning;
  };

/**
 * Returns the name of an agent that is served without a configuration: the name of its file, if an agent can have that
 * name.
 */
export function agentNameOf(path: string): string {
  const name = parse(path)
    .name.toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return name === '' || reservedNames.has(name) ? 'my-agent' : name;
}

/** First segments of the gateway's own paths, which cannot be names of agents. */
export const reservedNames: ReadonlySet<string> = new Set([
  'admin',
  'agent',
  'agents',
  'as',
  'card',
  'console',
  'files',
  'healthz',
  'mcp',
  'message',
  'metrics',
  'oauth',
  'readyz',
  'tasks',
  'v1',
  ...moduleSegments,
]);

/** Returns the reason why an agent cannot have this name. Undefined if it can. */
export function agentNameFault(name: string): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) return "an agent's name is made of a-z, 0-9 and -, and does not begin with -";
  if (!reservedNames.has(name)) return undefined;
  const all = [...reservedNames].toSorted().join(', ');
  return `"${name}" is a reserved word, as are the others of ${all}; choose another name for this agent`;
}

/** Whether a configuration may have no agents, because agents can be registered while the gateway runs. */
export const mayHaveNoAgents = ({ registration }: { readonly registration: RegistrationConfig }): boolean =>
  registration.allow;

export function resolveAgents(
  {
    agents: input,
    ...ofAll
  }: { readonly registration: RegistrationConfig } & ModuleConfigs & { readonly agents?: AgentsInput | undefined },
  auth: AuthSettings,
  cx: ResolveContext,
): Map<string, AgentConfig> {
  if (input === undefined && mayHaveNoAgents(ofAll)) return new Map();
  if (input === undefined) {
    const demo = anyAgent.parse({});
    const given = resolveModuleSettings(demo, { ofAll, keepsNothing: false }, auth, below(cx, 'demo'));
    return new Map([['demo', { kind: 'reference', ...given }]]);
  }
  const resolved = new Map<string, AgentConfig>();
  for (const [name, agent] of Object.entries(input)) {
    const inAgent = below(cx, name);
    const fault = agentNameFault(name);
    if (fault !== undefined) inAgent.report([], fault);
    const { cards, whileRunning } = agent;
    if (whileRunning === 'forward' && agent.kind !== 'upstream')
      inAgent.report(['whileRunning'], 'messages can be forwarded only to upstream agents; choose queue or refuse');
    const keepsNothing = agent.kind === 'upstream' && agent.keep === 'none';
    resolved.set(name, {
      ...resolveKind(agent, inAgent, Object.keys(input)),
      ...resolveModuleSettings(agent, { ofAll, keepsNothing }, auth, inAgent),
      ...(cards && { cards }),
      ...(whileRunning && { whileRunning }),
    });
  }
  return resolved;
}

function resolveKind(
  { hosts: _, cards: __, whileRunning: ___, ...all }: AgentInput,
  cx: ResolveContext,
  names: readonly string[],
): AgentConfig {
  const agent = splitSettings(all).others;
  if (agent.kind === 'upstream') return resolveUpstream(agent, cx);
  if (agent.kind === 'mcp') return resolveMcp(agent, cx, names);
  return agent.kind === 'module' ? { ...agent, path: cx.locate(agent.path) } : agent;
}

/** Returns the names of agents by their hosts. */
export function resolveHosts(input: AgentsInput = {}, report: ReportProblem): Map<string, string> {
  const owners = new Map<string, string>();
  for (const [name, { hosts }] of Object.entries(input)) {
    for (const [index, host] of hosts.entries()) {
      const owner = owners.get(host);
      if (owner === undefined) owners.set(host, name);
      else report([name, 'hosts', String(index)], `${host} already belongs to ${owner}`);
    }
  }
  return owners;
}
