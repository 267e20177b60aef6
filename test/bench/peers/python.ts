import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../support/peer.ts';
import { type Peer, Running, run } from './peer.ts';

/** Virtual environments stay here for the next run: to install them takes minutes and a gigabyte. */
const environments = process.env.A2A_BENCH_PEERS ?? join(tmpdir(), 'a2a-gateway-bench-peers');

/** Installs packages in a virtual environment of their own; resolves with its folder of programs. */
async function environment(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(environments, `${name}-${packages.join('+').replace(/[^\w.+-]/g, '_')}`);
  const programs = join(folder, 'bin');
  if (existsSync(join(folder, 'complete'))) return programs;
  mkdirSync(environments, { recursive: true });
  console.error(`  installing ${packages.join(' ')} in ${folder} …`);
  await run('python3', ['-m', 'venv', '--clear', folder]);
  await run(join(programs, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
  writeFileSync(join(folder, 'complete'), '');
  return programs;
}

const pythonSdk: Peer = {
  name: 'official SDK for Python, forwarding agent',
  does: 'decodes, keeps the task in memory, calls the agent with the SDK’s client, encodes',
  streams: false,
  async start({ agent, folder }) {
    const programs = await environment('sdk', ['a2a-sdk[http-server]==1.3.0', 'uvicorn==0.54.0']);
    const port = await freePort();
    const script = fileURLToPath(new URL('./sdk_forwarder.py', import.meta.url));
    const process = new Running(join(programs, 'python'), [script, String(port), String(agent)], { cwd: folder });
    await process.answers(`http://127.0.0.1:${port}/.well-known/agent-card.json`);
    return { pid: process.pid, port, path: '/', headers: {}, stop: () => process.stop() };
  },
};

const liteLlm: Peer = {
  name: 'LiteLLM 1.106.2',
  does: 'checks the key, converts through the Python SDK, calls guardrail and logging hooks; keeps nothing without a database',
  streams: false,
  async start({ agent, folder }) {
    const programs = await environment('litellm', ['litellm[proxy]==1.106.2', 'a2a-sdk[http-server]==1.3.0']);
    const port = await freePort();
    const card = {
      name: 'bare',
      description: 'Finishes every task at once',
      url: `http://127.0.0.1:${agent}/`,
      version: '1.0.0',
      protocolVersion: '1.0',
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: false },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [],
    };
    const config = {
      general_settings: { master_key: 'sk-bench' },
      agents: [{ agent_name: 'bare', agent_card_params: card, litellm_params: {} }],
    };
    // JSON is YAML.
    const file = join(folder, 'litellm.yaml');
    writeFileSync(file, JSON.stringify(config));
    const args = ['--config', file, '--port', String(port), '--host', '127.0.0.1'];
    const env = { LITELLM_LOG: 'ERROR', LITELLM_LOCAL_MODEL_COST_MAP: 'True' };
    const process = new Running(join(programs, 'litellm'), args, { cwd: folder, env });
    await process.answers(`http://127.0.0.1:${port}/health/liveliness`);
    const headers = { Authorization: 'Bearer sk-bench' };
    return { pid: process.pid, port, path: '/a2a/bare', headers, stop: () => process.stop() };
  },
};

const secret = 'a-secret-of-this-benchmark-only-0123456789';

const contextForge: Peer = {
  name: 'ContextForge 1.0.7',
  does: 'checks a JWT and permissions, finds the agent in its database (SQLite), passes the body on, records metrics',
  streams: false,
  async start({ agent, folder }) {
    const programs = await environment('contextforge', ['mcp-contextforge-gateway==1.0.7.post20260921']);
    const port = await freePort();
    const env = {
      DATABASE_URL: `sqlite:///${join(folder, 'contextforge.db')}`,
      JWT_SECRET_KEY: secret,
      AUTH_ENCRYPTION_SECRET: secret,
      BASIC_AUTH_PASSWORD: 'Bench-Passw0rd-123',
      PLATFORM_ADMIN_EMAIL: 'admin@example.com',
      PLATFORM_ADMIN_PASSWORD: 'Bench-Passw0rd-123',
      SSRF_ALLOW_LOCALHOST: 'true',
      RATE_LIMITING_ENABLED: 'false',
      LOG_LEVEL: 'ERROR',
    };
    const args = ['--host', '127.0.0.1', '--port', String(port)];
    const process = new Running(join(programs, 'mcpgateway'), args, { cwd: folder, env });
    const base = `http://127.0.0.1:${port}`;
    await process.answers(`${base}/health`);
    try {
      const module = ['-m', 'mcpgateway.utils.create_jwt_token', '--username', 'admin@example.com', '--admin'];
      const printed = await run(join(programs, 'python'), [...module, '--exp', '600', '--secret', secret], env);
      const headers = { Authorization: `Bearer ${printed.trim().split('\n').at(-1)}` };
      const described = { name: 'bare', endpoint_url: `http://127.0.0.1:${agent}/`, agent_type: 'jsonrpc' };
      const response = await fetch(`${base}/a2a`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ agent: { ...described, protocol_version: '1.0' }, visibility: 'public' }),
        signal: AbortSignal.timeout(20_000),
      });
      if (!response.ok) throw new Error(`ContextForge refuses the agent: ${await response.text()}`);
      return { pid: process.pid, port, path: '/v1/a2a/bare/jsonrpc', headers, stop: () => process.stop() };
    } catch (error) {
      await process.stop();
      throw error;
    }
  },
};

/** Peers from the Python registry, each in a virtual environment of its own. */
export const pythonPeers: readonly Peer[] = [pythonSdk, liteLlm, contextForge];
