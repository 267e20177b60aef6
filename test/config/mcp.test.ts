import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import { ConfigError, formatProblem } from '../../src/config/report.ts';
import { Secret } from '../../src/net/secret.ts';

/** `kind: mcp`: what it may hold, and what the environment says instead of it. */

const read = (agent: string, env: Record<string, string> = {}) => {
  const text = `agents:\n  tools:\n    kind: mcp\n${agent}`;
  const tools = parseConfig(text, { file: '/etc/gw.yaml', env, cwd: '/' }).agents.get('tools');
  return tools?.kind === 'mcp' ? Object.fromEntries(tools.servers) : expect.fail('another kind');
};

it('the example is read', () => {
  const file = fileURLToPath(new URL('../../examples/tools.yaml', import.meta.url));
  const { agents } = parseConfig(readFileSync(file, 'utf8'), { file, env: {} });
  expect(agents.get('tools')).toMatchObject({ kind: 'mcp' });
});

const common = { timeout: 60_000, answerTimeout: 3_600_000, taskTimeout: 3_600_000, maxResult: 10_485_760, deny: [] };

it('servers are read with their defaults', () => {
  const text = `    servers:
      web: { url: https://tools.example.com/mcp }
      local: { command: npx, args: [-y, some-mcp-server, 8] }
      legacy: { url: "http://me:secret@tools.example.com", style: method-per-tool, tools: [a, { name: b }] }
`;
  expect(read(text)).toEqual({
    web: { type: 'http', url: 'https://tools.example.com/mcp', auth: undefined, ...common },
    local: { type: 'stdio', command: 'npx', args: ['-y', 'some-mcp-server', '8'], env: {}, cwd: '/etc', ...common },
    legacy: {
      type: 'method-per-tool',
      url: 'http://tools.example.com/',
      auth: { type: 'basic', username: 'me', password: expect.any(Secret) },
      tools: [{ name: 'a' }, { name: 'b' }],
      ...common,
    },
  });
});

it('takes every key', () => {
  const text = `    servers:
      web:
        url: https://tools.example.com/mcp
        style: mcp
        protocol: 2025-11-25
        timeout: 5s
        answerTimeout: 10m
        taskTimeout: 6h
        roots: [data, "file:///srv"]
        sampling: tools
        maxResult: 1MiB
        allow: [read_*]
        deny: [read_secrets]
        auth: { type: bearer, token: "\${TOKEN}" }
      local: { command: ./server, cwd: ./data, env: { TOKEN: "\${TOKEN}", PORT: 80 } }
`;
  const { web, local } = read(text, { TOKEN: 'hidden' });
  expect(web).toMatchObject({ timeout: 5_000, maxResult: 1_048_576, allow: ['read_*'], deny: ['read_secrets'] });
  expect(web).toMatchObject({
    protocol: '2025-11-25',
    answerTimeout: 600_000,
    taskTimeout: 21_600_000,
    roots: ['file:///etc/data', 'file:///srv'],
  });
  expect(local).toMatchObject({ command: './server', cwd: '/etc/data', env: { TOKEN: expect.any(Secret) } });
  expect(JSON.stringify({ web, local })).not.toContain('hidden');
});

it('client credentials for the authorization server that a server names are a secret or a key', () => {
  const auth = 'type: oauth2Discovery, issuer: "https://idp.example.com", clientId: me';
  const text = `    servers:
      a: { url: http://a.b, auth: { ${auth}, clientSecret: "\${TOKEN}", scopes: [read] } }
      b: { url: http://a.b, auth: { ${auth}, privateKey: me.pem } }
`;
  const { a, b } = read(text, { TOKEN: 'hidden' });
  const common = { type: 'oauth2Discovery', issuer: 'https://idp.example.com', clientId: 'me' };
  expect(a).toMatchObject({ auth: { ...common, clientSecret: expect.any(Secret), scopes: ['read'] } });
  expect(b).toMatchObject({ auth: { ...common, privateKey: '/etc/me.pem' } });
});

it('without servers the environment tells of them', () => {
  const map = { filesystem: 'http://localhost:8001', 'code.run': 'https://tools.example.com/x/' };
  expect(read('', { MCP_SERVER_MAP: JSON.stringify(map), MCP_CALL_TIMEOUT: '2.5' })).toEqual({
    filesystem: {
      type: 'method-per-tool',
      url: 'http://localhost:8001/',
      auth: undefined,
      ...common,
      tools: [],
      timeout: 2_500,
    },
    'code.run': {
      type: 'method-per-tool',
      url: 'https://tools.example.com/x/',
      auth: undefined,
      ...common,
      tools: [],
      timeout: 2_500,
    },
  });
  expect(read('    servers: { a: { command: x } }\n', { MCP_SERVER_MAP: 'nonsense' })).toHaveProperty('a');
});

const server = (text: string): string => `    servers: { s: ${text} }\n`;
const at = 'gw.yaml:4: agents.tools.servers';

it.each<[string, string, Record<string, string>, string]>([
  ['neither url nor command', server('{}'), {}, `${at}.s: expected either url or command`],
  ['both', server('{ url: http://a.b, command: c }'), {}, `${at}.s: expected either url or command`],
  [
    'a URL that is none',
    server('{ url: tools }'),
    {},
    `${at}.s.url: expected the http or https URL of a server, such as https://tools.example.com/mcp`,
  ],
  [
    'an unknown agent for sampling',
    server('{ command: run, sampling: model }'),
    {},
    `${at}.s.sampling: there is no agent "model"; expected one of tools`,
  ],
  ['arguments for a URL', server('{ url: http://a.b, args: [] }'), {}, `${at}.s.args: only for servers with a command`],
  [
    'credentials for a program',
    server('{ command: c, auth: { type: forward } }'),
    {},
    `${at}.s.auth: only for servers with a url`,
  ],
  [
    'tools of a server that lists them',
    server('{ url: http://a.b, tools: [x] }'),
    {},
    `${at}.s.tools: only for style: method-per-tool; MCP servers list their tools themselves`,
  ],
  [
    'credentials of a client without any',
    server('{ url: http://a.b, auth: { type: oauth2Discovery, issuer: "http://i", clientId: c } }'),
    {},
    `${at}.s.auth: expected either clientSecret or privateKey`,
  ],
  [
    'discovery at a server that names no issuer',
    server(
      '{ url: http://a.b, style: method-per-tool, auth: { type: oauth2Discovery, issuer: "http://i", clientId: c } }',
    ),
    {},
    `${at}.s.auth.type: only for MCP servers, which name their authorization server`,
  ],
  ['a style', server('{ url: http://a.b, style: rpc }'), {}, `${at}.s.style: expected "mcp" or "method-per-tool"`],
  ['a key', server('{ comand: c }'), {}, `${at}.s.comand: unknown key; did you mean command?`],
  [
    'an id',
    '    servers: { "a b": { command: c } }\n',
    {},
    `${at}.a b: a server's id is made of letters, digits, _, . and -, at most 64`,
  ],
  [
    'no servers',
    '',
    {},
    'gw.yaml:2: agents.tools.servers: expected servers by their ids, here or in the environment variable MCP_SERVER_MAP',
  ],
  [
    'a map that is no JSON',
    '',
    { MCP_SERVER_MAP: '{filesystem' },
    'gw.yaml:2: agents.tools.servers: the environment variable MCP_SERVER_MAP is not a JSON object that maps the ids of servers to their base URLs',
  ],
  [
    'a map of no URLs',
    '',
    { MCP_SERVER_MAP: '{"a":"b"}' },
    'gw.yaml:2: agents.tools.servers: the environment variable MCP_SERVER_MAP gives "a" no http or https URL',
  ],
  [
    'a timeout',
    server('{ command: c }'),
    { MCP_CALL_TIMEOUT: 'soon' },
    `${at}: the environment variable MCP_CALL_TIMEOUT is not a number of seconds above zero`,
  ],
])('a mistake is told with its place: %s', (_, text, env, said) => {
  let problems: string[] = [];
  try {
    read(text, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems = error.problems.map(formatProblem).map((problem) => problem.replace('/etc/', ''));
  }
  expect(problems).toEqual([said]);
});
