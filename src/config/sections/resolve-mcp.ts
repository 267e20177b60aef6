import { type ToolServerSettings, toolServerDefaults } from '../../net/tool-server-settings.ts';
import type { ReportProblem } from '../resolve.ts';
import type { ConfigFile } from '../schema.ts';
import type { McpConfig } from '../types.ts';
import { resolveReach } from './resolve-upstream.ts';
import { readUpstreamUrl } from './upstream-url.ts';

type McpInput = Extract<NonNullable<ConfigFile['agents']>[string], { kind: 'mcp' }>;
type ServerInput = NonNullable<McpInput['servers']>[string];

/** What an agent of tools is read against. */
export interface McpSurroundings {
  /** Makes a path absolute. */
  readonly locate: (path: string) => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly report: ReportProblem;
}

/** What callers can name a server by. */
const serverId = /^[\w.-]{1,64}$/;

/** Keys that make sense for servers of the other sort only. */
const ofUrls = ['style', 'auth', 'tools'] as const;
const ofPrograms = ['args', 'env', 'cwd'] as const;

/**
 * An agent of tools as the file says it, with its defaults and with absolute paths. As AgentVault's proxy does, it reads
 * `MCP_SERVER_MAP` (a JSON object: base URLs by the ids of servers that speak method-per-tool) where the file names no
 * server, and `MCP_CALL_TIMEOUT` (seconds) where it names no timeout.
 */
export function resolveMcp(input: McpInput, surroundings: McpSurroundings): McpConfig {
  const { report } = surroundings;
  const timeout = defaultTimeout(surroundings);
  const servers = new Map<string, ToolServerSettings>();
  for (const [id, server] of Object.entries(input.servers ?? mapped(surroundings))) {
    const inServer: ReportProblem = (path, message) => report(['servers', id, ...path], message);
    if (!serverId.test(id)) inServer([], "a server's id is made of letters, digits, _, . and -, at most 64");
    const settings = resolveServer(server, { ...surroundings, report: inServer }, timeout);
    if (settings) servers.set(id, settings);
  }
  if (input.servers !== undefined && Object.keys(input.servers).length === 0) {
    report(['servers'], 'expected at least one server');
  }
  return { kind: 'mcp', servers };
}

function resolveServer(
  input: ServerInput,
  { locate, report }: McpSurroundings,
  defaultMs: number,
): ToolServerSettings | undefined {
  const { url, command, allow, deny = [], timeout = defaultMs, maxResult = toolServerDefaults.maxResult } = input;
  const common = { timeout, maxResult, deny, ...(allow && { allow }) };
  const refuse = (keys: readonly (keyof ServerInput)[], message: string): void => {
    for (const key of keys) if (input[key] !== undefined) report([key], message);
  };
  if (url !== undefined && command === undefined) {
    refuse(ofPrograms, 'this is for servers with a command');
    const reach = resolveReach({ url, auth: input.auth }, locate, report);
    if (input.style === 'method-per-tool') return { type: input.style, ...reach, ...common, tools: input.tools ?? [] };
    refuse(['tools'], 'MCP servers list their tools themselves; this is for style: method-per-tool');
    return { type: 'http', ...reach, ...common };
  }
  if (command !== undefined && url === undefined) {
    refuse(ofUrls, 'this is for servers with a url');
    const { args = [], env = {}, cwd = '.' } = input;
    return { type: 'stdio', command, args, env, cwd: locate(cwd), ...common };
  }
  report([], 'expected either url or command');
  return undefined;
}

/** What `MCP_SERVER_MAP` says, as the file would have said it. */
function mapped({ env, report }: McpSurroundings): Readonly<Record<string, ServerInput>> {
  const said = env.MCP_SERVER_MAP;
  if (said === undefined || said.trim() === '') {
    report(['servers'], 'expected servers by their ids, here or in the environment variable MCP_SERVER_MAP');
    return {};
  }
  const fault = (what: string): void => report(['servers'], `the environment variable MCP_SERVER_MAP ${what}`);
  let map: unknown;
  try {
    map = JSON.parse(said);
  } catch {
    map = undefined;
  }
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    fault('is not a JSON object that maps the ids of servers to their base URLs');
    return {};
  }
  const servers: Record<string, ServerInput> = {};
  for (const [id, base] of Object.entries(map)) {
    const url = typeof base === 'string' ? readUpstreamUrl(base) : undefined;
    if (url === undefined) fault(`gives "${id}" no http or https URL`);
    else servers[id] = { url, style: 'method-per-tool' };
  }
  if (Object.keys(map).length === 0) fault('names no server');
  return servers;
}

/** Milliseconds. */
function defaultTimeout({ env, report }: McpSurroundings): number {
  const said = env.MCP_CALL_TIMEOUT;
  if (said === undefined || said.trim() === '') return toolServerDefaults.timeout;
  const ms = Math.round(Number(said) * 1_000);
  if (ms > 0 && ms < 2 ** 31) return ms;
  report(['servers'], 'the environment variable MCP_CALL_TIMEOUT is not a number of seconds above zero');
  return toolServerDefaults.timeout;
}
