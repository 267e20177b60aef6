import { type AgentConfig, type Config, formatDuration, formatSize, loadConfig } from '../../config/index.ts';
import { accessLines, configWarnings, hostsOf, shownAgent, shownStore } from '../config-summary.ts';
import type { Output } from '../output.ts';

/**
 * `a2a-gateway config check`: validates a configuration and prints what it would serve. Modules are loaded and their
 * cards judged; no database is opened and nothing called.
 */
export async function configCheck(file: string, output: Output): Promise<void> {
  const config = await loadConfig(file);
  const { checkModules } = await import('../../gateway/compose/module-agents.ts');
  await checkModules(config);
  const { listen, limits, retention, agents, defaultAgent } = config;
  const scheme = listen.tls === undefined ? 'http' : 'https';
  const host = listen.host.includes(':') ? `[${listen.host.replace(/^\[|\]$/g, '')}]` : listen.host;
  const port = listen.port === 0 ? 'a free port' : String(listen.port);
  const lines = [
    `${file} is valid`,
    '',
    `listens     ${scheme}://${host}:${port}${listen.tls?.clientCa === undefined ? '' : ', with client certificates'}`,
    ...(listen.publicUrl === undefined ? [] : [`public      ${listen.publicUrl}`]),
    ...(listen.cors.length === 0 ? [] : [`browsers    ${listen.cors.join(', ')}`]),
    `store       ${shownStore(config.store)}, ${endurance(config)}`,
    `keeps       ${retention.tasks === undefined ? 'tasks for ever' : `tasks at rest for ${formatDuration(retention.tasks)}`}`,
    `limits      ${shownLimits(limits)}`,
    ...accessLines(config),
    '',
    'agents',
    ...[...agents].map(([name, agent]) => {
      const places = [`/${name}`, ...(name === defaultAgent ? ['/'] : []), ...hostsOf(config, name)];
      return `  ${name}: ${shownAgent(agent)}${manner(agent)}, at ${places.join(' and ')}`;
    }),
  ];
  output.print(`${lines.join('\n')}\n`);
  for (const warning of configWarnings(config)) output.note(`warning: ${warning}`);
}

/** What bounds a request, and what bounds a caller where anything does. */
function shownLimits({ body, answer, requestsPerMinute, streams, streamsPerTask }: Config['limits']): string {
  return [
    `body ${formatSize(body)}`,
    `answer ${formatDuration(answer)}`,
    ...(requestsPerMinute === undefined ? [] : [`${requestsPerMinute} requests a minute`]),
    ...(streams === undefined ? [] : [`${streams} streams`]),
    ...(streamsPerTask === undefined ? [] : [`${streamsPerTask} streams of one task`]),
  ].join(', ');
}

/** How an upstream is called. */
function manner(agent: AgentConfig): string {
  if (agent.kind !== 'upstream') return '';
  const { dialect, transport, auth, silence, strict } = agent;
  const words = [`dialect ${dialect}`, `transport ${transport}`, `auth ${auth?.type ?? 'none'}`];
  return ` (${[...words, `silence ${formatDuration(silence)}`, ...(strict ? ['strict'] : [])].join(', ')})`;
}

/** What tasks survive. */
function endurance({ store, durability }: Config): string {
  if (store === 'memory:') return 'lost when the process ends';
  return durability === 'full' ? 'survives power cuts' : 'survives the death of the process';
}
