import {
  type AgentConfig,
  type Config,
  formatDuration,
  formatSize,
  listenerUrl,
  loadConfig,
} from '../../config/index.ts';
import { accessLines, configWarnings, hostsOf, shownAgent, shownStoreFromHere } from '../config-summary.ts';
import { CommandFailed } from '../exit-code.ts';
import type { Output } from '../output.ts';

interface CheckOptions {
  readonly strict?: boolean;
}

/**
 * `a2a-gateway config check`: validates a configuration and prints a summary of the gateway. It loads modules and
 * validates their cards, but opens no database and calls no agent.
 */
export async function configCheck(file: string, { strict = false }: CheckOptions, output: Output): Promise<void> {
  const config = await loadConfig(file);
  const { checkModules } = await import('../../gateway/agents/module-agents.ts');
  await checkModules(config);
  const { checkExtensions } = await import('../../gateway/compose/extensions.ts');
  await checkExtensions(config);
  const { listen, limits, retention, agents, defaultAgent } = config;
  const url = listenerUrl(listen, listen.port === 0 ? 'a free port' : listen.port);
  const lines = [
    `${file} is valid`,
    '',
    `listen      ${url}${listen.tls?.clientCa === undefined ? '' : ', with client certificates'}`,
    ...(listen.publicUrl === undefined ? [] : [`public      ${listen.publicUrl}`]),
    ...(listen.cors.length === 0 ? [] : [`browsers    ${listen.cors.join(', ')}`]),
    `store       ${shownStoreFromHere(config.store)}, ${durabilityOf(config)}`,
    `retention   ${retention.tasks === Number.POSITIVE_INFINITY ? 'tasks are kept forever' : `tasks are deleted after ${formatDuration(retention.tasks)} at rest`}`,
    `limits      ${shownLimits(limits)}`,
    ...accessLines(config),
    '',
    'agents',
    ...[...agents].map(([name, agent]) => {
      const places = [`/${name}`, ...(name === defaultAgent ? ['/'] : []), ...hostsOf(config, name)];
      return `  ${name}: ${shownAgent(agent)}${upstreamSettings(agent)}, at ${places.join(' and ')}`;
    }),
  ];
  output.print(`${lines.join('\n')}\n`);
  const warnings = configWarnings(config);
  for (const warning of warnings) output.note(`warning: ${warning}`);
  if (!strict || warnings.length === 0) return;
  throw new CommandFailed(
    `${warnings.length === 1 ? 'a warning counts' : `${warnings.length} warnings count`} with --strict`,
  );
}

const unlimited = Number.POSITIVE_INFINITY;

/** Formats the limits for a request, and those for a caller if there are any. */
function shownLimits({ body, answer, requestsPerMinute, streams, streamsPerTask }: Config['limits']): string {
  return [
    `body ${formatSize(body)}`,
    `answer ${formatDuration(answer)}`,
    ...(requestsPerMinute === unlimited ? [] : [`${requestsPerMinute} requests per minute`]),
    ...(streams === unlimited ? [] : [`${streams} streams`]),
    ...(streamsPerTask === unlimited ? [] : [`${streamsPerTask} streams per task`]),
  ].join(', ');
}

function upstreamSettings(agent: AgentConfig): string {
  if (agent.kind !== 'upstream') return '';
  const { dialect, transport, auth, silence, strict } = agent;
  const words = [`dialect ${dialect}`, `transport ${transport}`, `auth ${auth?.type ?? 'none'}`];
  return ` (${[...words, `silence ${formatDuration(silence)}`, ...(strict ? ['strict'] : [])].join(', ')})`;
}

/** Describes the failures that stored tasks survive. */
function durabilityOf({ store, durability }: Config): string {
  if (store === 'memory:') return 'lost when the process ends';
  return durability === 'full' ? 'survives power cuts' : 'survives crashes of the process';
}
