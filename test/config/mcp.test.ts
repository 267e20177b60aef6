import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
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

it('an agent of the kind mcp takes every key', () => {
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

it('the environment names the servers if the configuration has none', () => {
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
