import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { defined, isObject, parsedJson } from '../../core/model/json.ts';
import { longestTimer } from '../../core/model/timing.ts';
import type { DiscoveredAuthSettings, ToolServerSettings } from '../../net/tool-server-settings.ts';
import { isWebUrl, readUrlWithUser } from '../addresses.ts';
import { below, type ResolveContext } from '../context.ts';
import { schemaFacts } from '../schema-facts.ts';
import {
  anything,
  flag,
  oneOf,
  scopes,
  secretOf,
  section,
  serverUrl,
  size,
  text,
  textThat,
  timeout,
  variants,
} from '../schema-parts.ts';
import { credentialKinds, pem, resolveTarget, secret } from './outbound-auth.ts';

const names = (what: string) => z.array(text(what), anything(`a list: ${what}`));

const expectedTool = 'the name of a tool, or a mapping with name, description, inputSchema';

const tool = z.union(
  [
    text(expectedTool),
    section('a tool', () => ({
      name: text('the name of a tool').describe("The tool's name."),
      description: text('what the tool does').optional().describe('Description of the tool.'),
      inputSchema: z
        .record(z.string(), z.unknown(), anything('a JSON Schema'))
        .optional()
        .describe("The JSON Schema of the tool's arguments."),
    })),
  ],
  anything(expectedTool),
);

const variable = secretOf(z.union([z.string(), z.number(), z.boolean()], anything('a text')));

const argument = z.union([z.string(), z.number()], anything('a text')).register(schemaFacts, { secret: 'whole' });

const toolServerAuth = variants('type', 'credentials', {
  ...credentialKinds,
  oauth2Discovery: section('client credentials at the authorization server that the tool server names', () => ({
    type: z
      .literal('oauth2Discovery')
      .describe('Client credentials for tokens from the authorization server that an MCP server names.'),
    issuer: textThat('the http or https URL of an authorization server, its issuer', isWebUrl).describe(
      'The issuer of the authorization server. The MCP server must name it, and only it receives the credentials.',
    ),
    clientId: text('the id of a client').describe("The client's id."),
    clientSecret: secret("the client's secret")
      .optional()
      .describe("The client's secret. Either `clientSecret` or `privateKey` is required."),
    privateKey: pem("the client's private key")
      .optional()
      .describe('The private key that signs the assertions of the client (`private_key_jwt`): RSA, EC or Ed25519.'),
    scopes: scopes('a list of scopes, each without spaces')
      .optional()
      .describe(
        'The only scopes to request. Default: the scopes that the server names, and further ones if a call needs them.',
      ),
  })),
})
  .describe("The gateway's credentials at a tool server.")
  .register(schemaFacts, { input: 'ToolServerAuthFileSettings' });

/** The keys of a server at a URL. */
const atUrl = () => ({
  url: serverUrl('the http or https URL of a server, such as https://tools.example.com/mcp')
    .optional()
    .describe("The server's URL. Either `url` or `command` is required."),
  style: oneOf('mcp', 'method-per-tool')
    .optional()
    .describe("Protocol of the server at a URL: MCP, or AgentVault's pattern with one method per tool. Default `mcp`."),
  protocol: oneOf('auto', '2025-11-25')
    .optional()
    .describe(
      'The newest version of MCP to use, for servers that support fewer features in newer versions. Default `auto`: the newest version that the server supports.',
    ),
  auth: toolServerAuth.optional().describe("The gateway's credentials at the server. Default: none."),
  tools: z
    .array(tool, anything('a list of tools'))
    .optional()
    .describe('The tools of a server with `method-per-tool`, which cannot list them.'),
});

/** The keys of a server that is a program. */
const ofProgram = () => ({
  command: text('the name or path of a program')
    .optional()
    .describe('The program of a server, which the gateway starts and calls over standard input and output.'),
  args: z.array(argument, anything('a list of arguments')).optional().describe('Arguments of the program.'),
  env: z
    .record(z.string(), variable, anything('variables by their names'))
    .optional()
    .describe('Environment variables of the program, in addition to the few that every program needs.'),
  cwd: text('the path of a folder').optional().describe('The working directory of the program.'),
});

const server = section('a server of tools', () => ({
  ...atUrl(),
  ...ofProgram(),
  timeout: timeout
    .optional()
    .describe('Time without a result or progress after which a tool call is canceled. Default `60s`.'),
  answerTimeout: timeout
    .prefault('1h')
    .describe(
      'Time for which a tool call waits for the answer to a question of the server, in MCP 2025-11-25 or earlier.',
    ),
  taskTimeout: timeout
    .prefault('1h')
    .describe(
      'Time within which a tool call that became an MCP task must end. It starts again after each answer to a question.',
    ),
  roots: names('paths or file URIs of folders')
    .optional()
    .describe('Paths or `file:` URIs of folders that the server receives through `roots/list`. Default: none.'),
  path: flag
    .optional()
    .describe(
      'Whether calls carry `a2a-gateway/path` if `limits.root.keys` are set, because the server is another gateway with such a key. Default false.',
    ),
  sampling: text("an agent's name")
    .optional()
    .describe(
      "The agent that answers the server's sampling requests, on behalf of the caller. Default: none; sampling requests are refused.",
    ),
  maxResult: size.prefault('10MiB').describe('Maximum size of one result.'),
  allow: names('names of tools, where * stands for any characters')
    .optional()
    .describe('Names of tools that may be called. `*` matches any characters. Default: all tools.'),
  deny: names('names of tools, where * stands for any characters')
    .prefault([])
    .describe('Names of tools that may not be called, even if `allow` lists them. `*` matches any characters.'),
}))
  .describe('A tool server: at a URL, or a program.')
  .register(schemaFacts, { input: 'ToolServerFileSettings' });

/** The keys of an agent of tools, in addition to those of every agent. */
export const mcp = () => ({
  kind: z.literal('mcp').describe('An agent that calls tools of MCP servers.'),
  servers: z
    .record(z.string(), server, anything('servers by the ids that callers use'))
    .optional()
    .describe('Servers by the ids that callers use. Default: the servers in `MCP_SERVER_MAP`.'),
});

type ServerInput = z.output<typeof server>;

/** An agent that calls tools of MCP servers. */
export interface McpConfig {
  readonly kind: 'mcp';
  /** Servers by the ids that callers use; at least one. */
  readonly servers: ReadonlyMap<string, ToolServerSettings>;
}

/** Default timeout, in milliseconds. */
const defaultTimeout = 60_000;

/** Keys that only servers at URLs have. */
const ofUrls = ['style', 'auth', 'tools'] as const;
/** Keys that only servers that are programs have. */
const ofPrograms = ['args', 'env', 'cwd'] as const;

/**
 * Resolves an agent of tools. Like AgentVault's proxy, it reads `MCP_SERVER_MAP` (a JSON object with the base URLs of
 * method-per-tool servers by their ids) if the file names no server, and `MCP_CALL_TIMEOUT` (seconds) for servers
 * without a timeout.
 *
 * @param agents names of all agents
 */
export function resolveMcp(
  input: z.output<z.ZodObject<ReturnType<typeof mcp>>>,
  cx: ResolveContext,
  agents: readonly string[],
): McpConfig {
  const timeout = timeoutFromEnv(cx);
  const servers = new Map<string, ToolServerSettings>();
  for (const [id, server] of input.servers ? Object.entries(input.servers) : serversFromEnv(cx)) {
    const inServer = below(cx, 'servers', id);
    if (!/^[\w.-]{1,64}$/.test(id) || id === '__proto__') {
      inServer.report([], "a server's id is made of letters, digits, _, . and -, at most 64");
    }
    const { sampling } = server;
    if (sampling !== undefined && !agents.includes(sampling))
      inServer.report(['sampling'], `there is no agent "${sampling}"; expected one of ${agents.join(', ')}`);
    const settings = resolveServer({ ...server, timeout: server.timeout ?? timeout }, inServer);
    if (settings) servers.set(id, settings);
  }
  if (input.servers !== undefined && Object.keys(input.servers).length === 0) {
    cx.report(['servers'], 'expected at least one server');
  }
  return { kind: 'mcp', servers };
}

function resolveServer(
  input: ServerInput & { readonly timeout: number },
  cx: ResolveContext,
): ToolServerSettings | undefined {
  const { url, command, allow, deny, protocol, path, sampling, timeout, answerTimeout, taskTimeout, maxResult } = input;
  const roots = input.roots?.map((root) => (root.startsWith('file:') ? root : pathToFileURL(cx.locate(root)).href));
  const common = {
    timeout,
    answerTimeout,
    taskTimeout,
    maxResult,
    deny,
    ...defined({ allow, roots, path, sampling }),
    ...(protocol === '2025-11-25' && { protocol }),
  };
  const refuse = (keys: readonly (keyof ServerInput)[], message: string): void => {
    for (const key of keys) if (input[key] !== undefined) cx.report([key], message);
  };
  if (url !== undefined && command === undefined) {
    refuse(ofPrograms, 'only for servers with a command');
    const discovered = input.auth?.type === 'oauth2Discovery' ? input.auth : undefined;
    const auth = input.auth?.type === 'oauth2Discovery' ? undefined : input.auth;
    const target = resolveTarget({ url, auth }, cx);
    if (input.style === 'method-per-tool') {
      if (discovered) cx.report(['auth', 'type'], 'only for MCP servers, which name their authorization server');
      return { type: input.style, ...target, ...common, tools: (input.tools ?? []).map(toolOf) };
    }
    refuse(['tools'], 'only for style: method-per-tool; MCP servers list their tools themselves');
    if (!discovered) return { type: 'http', ...target, ...common };
    if (target.auth)
      cx.report(['auth'], 'the URL already contains a user name and a password; remove them, or remove auth');
    return { type: 'http', ...common, url: target.url, auth: resolveDiscovery(discovered, below(cx, 'auth')) };
  }
  if (command !== undefined && url === undefined) {
    refuse(ofUrls, 'only for servers with a url');
    const { args = [], env = {}, cwd = '.' } = input;
    return { type: 'stdio', command, args: args.map(String), env, cwd: cx.locate(cwd), ...common };
  }
  cx.report([], 'expected either url or command');
  return undefined;
}

function resolveDiscovery(
  { clientSecret, privateKey, scopes, ...auth }: Extract<ServerInput['auth'], { type: 'oauth2Discovery' }>,
  { locate, report }: ResolveContext,
): DiscoveredAuthSettings {
  if ((clientSecret === undefined) === (privateKey === undefined)) {
    report([], 'expected either clientSecret or privateKey');
  }
  return {
    ...auth,
    ...defined({ clientSecret, scopes, privateKey: privateKey === undefined ? undefined : locate(privateKey) }),
  };
}

const toolOf = (tool: NonNullable<ServerInput['tools']>[number]) => (typeof tool === 'string' ? { name: tool } : tool);

function serversFromEnv({ env, report }: ResolveContext): ReadonlyMap<string, ServerInput> {
  const text = env.MCP_SERVER_MAP?.trim() ?? '';
  if (text === '') {
    report(['servers'], 'expected servers by their ids, here or in the environment variable MCP_SERVER_MAP');
    return new Map();
  }
  const fault = (what: string): void => report(['servers'], `the environment variable MCP_SERVER_MAP ${what}`);
  const map = parsedJson(text);
  if (!isObject(map)) {
    fault('is not a JSON object that maps the ids of servers to their base URLs');
    return new Map();
  }
  const servers = new Map<string, ServerInput>();
  for (const [id, base] of Object.entries(map)) {
    const url = typeof base === 'string' ? readUrlWithUser(base) : undefined;
    if (url === undefined) fault(`gives "${id}" no http or https URL`);
    else servers.set(id, server.parse({ url: base, style: 'method-per-tool' }));
  }
  if (Object.keys(map).length === 0) fault('names no server');
  return servers;
}

function timeoutFromEnv({ env, report }: ResolveContext): number {
  const text = env.MCP_CALL_TIMEOUT?.trim() ?? '';
  if (text === '') return defaultTimeout;
  const ms = Math.round(Number(text) * 1_000);
  if (ms > 0 && ms <= longestTimer) return ms;
  report(['servers'], 'the environment variable MCP_CALL_TIMEOUT is not a number of seconds above zero');
  return defaultTimeout;
}
