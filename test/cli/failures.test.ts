import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rpcAgent } from '../support/cards.ts';
import { cli, outcomeOf, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';
import { closedPortUrl, serve } from '../support/peer.ts';

it.each([
  [['sned'], /^error: unknown command 'sned'; did you mean send\? See a2a-gateway --help\n$/],
  [['send', 'localhost:1', 'x', '--strem'], /^error: unknown option '--strem'; did you mean --stream\? See .*\n$/],
  [['strat'], /^error: unknown command 'strat'; expected one of serve, .*; see a2a-gateway --help\n$/],
  [['send'], /^error: missing required argument 'target'; see a2a-gateway send --help\n$/],
  [
    ['send', 'localhost:1', 'x', '--via', 'pigeon'],
    /^error: --via: expected one of jsonrpc, rest, grpc, connect; see a2a-gateway send --help\n$/,
  ],
  [['send', 'localhost:1', 'x', '--as', 'a2a-9'], /^error: --as: expected one of a2a-1\.0.*\n$/],
  [['send', 'localhost:1'], /^error: nothing to send: .*\n$/],
  [['send', 'localhost:1', 'x', '--data', '{'], /^error: --data: expected JSON, .*\n$/],
  [['send', 'localhost:1', '--file', 'no-such-file'], /^error: --file: cannot read no-such-file \(no such file\)\n$/],
  [['send', 'localhost:1', 'x', '--stream', '--no-wait'], /^error: --stream and --no-wait exclude each other\n$/],
  [['task', 'get', 'localhost:1'], /^error: missing required argument 'id'; see a2a-gateway task get --help\n$/],
  [['task', 'list', 'localhost:1', '--limit', '0'], /^error: --limit: expected an integer from 1 to 100000; see .*\n$/],
  [
    ['task', 'list', 'localhost:1', '--state', 'busy'],
    /^error: --state: expected one of submitted, working, .*, rejected; see a2a-gateway task list --help\n$/,
  ],
  [
    ['serve', '--port', '65536'],
    /^error: --port: expected an integer from 0 to 65535; see a2a-gateway serve --help\n$/,
  ],
  [['serve', '--upstream', 'ftp://me:pw@x'], /^error: --upstream: expected the http or https URL of an agent [^@]*\n$/],
  [
    ['serve', '--upstream', 'http://x', '--config', 'x.yaml'],
    /^error: option '--config <file>' cannot be used with .*\n$/,
  ],
  [['serve', '--host', '0.0.0.0'], /^error: listen\.publicUrl: required .*\nerror: auth\.anonymous: .*\n$/],
  [['serve', '--store', 'redis://x'], /^error: --store: expected memory:, sqlite:PATH or .*\n$/],
  [['serve', '--config', 'none.yaml'], /^error: none\.yaml: no such file\n$/],
  [['config', 'check', 'none.yaml'], /^error: none\.yaml: no such file\n$/],
])('the command with the mistaken arguments %j ends with 2 and one line', async (args, said) => {
  const { code, stdout, stderr } = await inProcess(args);
  expect(stderr).toMatch(said);
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

it('a mistaken configuration ends the command with 2, and each of its problems has a line', async () => {
  const folder = newFolder();
  await writeFile(join(folder, 'gw.yaml'), 'listen:\n  prot: 1\nagents:\n  x: { kind: mpc }\n');
  const { code, stderr } = await cli(['config', 'check', 'gw.yaml'], { cwd: folder });
  expect(stderr.split('\n')).toEqual([
    'error: gw.yaml:2: listen.prot: unknown key; did you mean port?',
    'error: gw.yaml:4: agents.x.kind: expected kind: reference, module, upstream or mcp; did you mean mcp?',
    '',
  ]);
  expect(code).toBe(2);
});

it.each([
  ['send', ['hi']],
  ['task get', ['t']],
  ['card', []],
])('failures end with 1 and one line when the port is closed: %s', async (command, args) => {
  const url = await closedPortUrl();
  const { code, stderr } = await inProcess([...command.split(' '), url, ...args]);
  expect([code, stderr]).toEqual([1, `error: cannot reach ${url}: connection refused; is the gateway running?\n`]);
});

it('failures end with 1 and one line and shows more with --verbose', async () => {
  const { code, stderr } = await cli(['card', await closedPortUrl(), '--verbose']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/caused by: .*ECONNREFUSED/);
  expect(stderr).toMatch(/\n {4}at /);
});

it('failures end with 1 and one line when the agent says so', async () => {
  const url = await rpcAgent(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32001, message: 'no\nsuch task' } }));
  const { code, stderr, stdout } = await inProcess(['task', 'get', url, 'x']);
  expect([code, stderr, stdout]).toEqual([1, 'error: no such task\n', '']);
});

it('failures end with 1 and one line when credentials are missing, with what to do', async () => {
  const url = await serve((_, res) => res.writeHead(401).end());
  const { code, stderr } = await inProcess(['card', url]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/asks for credentials \(HTTP 401\); use --api-key or --bearer\n$/);
});

it('failures end with 1 and one line when the task failed, with the reason', async () => {
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'out of fuel' }] };
  const task = { id: 't9', contextId: 'c', status: { state: 'TASK_STATE_FAILED', message } };
  const url = await rpcAgent(({ id }) => ({ jsonrpc: '2.0', id, result: { task } }));
  const { code, stderr, stdout } = await inProcess(['send', url, 'fly']);
  expect([code, stderr, stdout]).toEqual([1, 'error: task t9 failed: out of fuel\n', '']);
});

it('the command shows credentials from the environment, and those of the command line first', async () => {
  const seen: unknown[] = [];
  const url = await serve((req, res) => {
    seen.push(req.headers['x-api-key'], req.headers.authorization);
    res.writeHead(404).end();
  });
  await cli(['card', `${url}/a.json`], { env: { A2A_API_KEY: 'k1', A2A_BEARER: 'b1' } });
  await cli(['card', `${url}/a.json`, '--api-key', 'k2'], { env: { A2A_API_KEY: 'k1' } });
  expect(seen).toEqual(['k1', 'Bearer b1', 'k2', undefined]);
});

it('the command follows a task that the agent answered with too early', async () => {
  let polls = 0;
  const at = (state: string) => ({ id: 't', contextId: 'c', status: { state } });
  const url = await rpcAgent(({ id, method }) => {
    const result =
      method === 'SendMessage'
        ? { task: at('TASK_STATE_WORKING') }
        : {
            ...at(++polls < 3 ? 'TASK_STATE_WORKING' : 'TASK_STATE_COMPLETED'),
            artifacts: [{ artifactId: 'a', parts: [{ text: 'done' }] }],
          };
    return { jsonrpc: '2.0', id, result };
  });
  expect(await inProcess(['send', url, 'x'])).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
  expect(polls).toBe(3);
});

it('the command ends quietly when the reader of its output has gone', async () => {
  const text = 'a long line of text\n'.repeat(200_000);
  const url = await rpcAgent(({ id }) => ({
    jsonrpc: '2.0',
    id,
    result: { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] } },
  }));
  const child = startCli(['send', url, 'x']);
  child.stdout?.once('data', () => child.stdout?.destroy());
  const { code, stderr } = await outcomeOf(child);
  expect([code, stderr]).toEqual([0, '']);
});

it('the command helps, with an example', async () => {
  for (const args of [['serve'], ['config', 'check'], ['send'], ['task', 'watch'], ['task', 'list'], ['card']]) {
    const { code, stdout } = await inProcess([...args, '--help']);
    expect(stdout).toContain(`Example:\n  $ a2a-gateway ${args.join(' ')}`);
    expect(code).toBe(0);
  }
  for (const args of [['--help'], ['send', '--help']]) {
    expect((await inProcess(args)).stdout).toContain('3  the task waits for input or authorization');
  }
  expect((await cli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
