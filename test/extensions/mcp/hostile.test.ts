import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { connect, type DialectName } from '../../../src/client/index.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import { silent } from '../../support/core.ts';
import { startTools, type ToolGateway } from '../../support/tools/gateway.ts';
import { programs } from '../../support/tools/servers.ts';

/** Programs that do what no server of tools should: each call gets an error that names the cause, and the next one is served. */

const generations: readonly DialectName[] = ['a2a-1.0', 'a2a-0.3', 'a2a-0.1', 'agentvault-0.2', 'a2a-php-0.3'];

let gateway: ToolGateway;
const logged: string[] = [];
const note = (fields: object, message: string): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
const logger: Logger = { ...silent, info: note, warn: note, error: note };

beforeAll(async () => {
  const hostile = {
    command: process.execPath,
    args: [programs.hostile],
    env: { TOOL_SECRET: 'for-the-tool' },
    timeout: '30s',
    maxResult: '1MiB',
  };
  gateway = await startTools({
    logger,
    servers: {
      hostile,
      other: hostile,
      hasty: { ...hostile, timeout: '300ms' },
      generous: { ...hostile, maxResult: '8MiB' },
      absent: { command: '/nowhere/no-such-program' },
      homeless: { ...hostile, cwd: './no-such-folder' },
      unfit: { command: process.execPath, args: ['-e', 'console.error("no license"); process.exitCode = 3'] },
      ...Object.fromEntries(generations.map((name) => [`mortal-${name}`, hostile])),
      liar: hostile,
    },
  });
  const wanted = ['server other', 'server hasty', 'server hostile'];
  for (let states: Record<string, string> = {}; !wanted.every((name) => states[name] === 'ok'); await delay(20))
    states = await gateway.health();
});

async function call(tool: string, server = 'hostile'): Promise<Task> {
  const client = await connect(gateway.origin);
  const data = { target_mcp_server_id: server, tool_name: tool, arguments: {} };
  const { task } = await client.send([{ data }]);
  return task ?? expect.fail('no task');
}

const ended: ReadonlySet<string> = new Set(['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED']);
const said = (task: Task): string => task.status.message?.parts[0]?.text ?? '';

/** A lost server is restarted soon, and calls wait until then. */
async function isServed(server = 'hostile'): Promise<void> {
  const task = await call('ok', server);
  expect(task.status.state, said(task)).toBe('TASK_STATE_COMPLETED');
}

it.each([
  ['hang', '[A2A_PROXY/MCP_TIMEOUT] The server did not answer within 300 ms'],
  ['die', "[A2A_PROXY/MCP_CONNECTION_ERROR] The server's program has ended with the code 7"],
  ['wrong', '[A2A_PROXY/MCP_INVALID_RESPONSE] The server answered with an unknown request id'],
  ['huge', '[A2A_PROXY/MCP_RESULT_TOO_LARGE] The result is larger than '],
  ['garbage', '[A2A_PROXY/MCP_INVALID_RESPONSE] The server did not answer with JSON-RPC'],
])('the failure of the hostile tool %s is reported, and its server serves on', async (tool, words) => {
  const task = await call(tool, tool === 'hang' ? 'hasty' : 'hostile');
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(said(task)).toContain(words);
  const [, source, code] = /^\[(\w+)\/(\w+)\]/.exec(words) ?? [];
  expect(task.artifacts?.[0]?.parts[0]?.data).toMatchObject({ success: false, error: { source, code } });
  await isServed();
});

it('an MCP agent returns the result that a program sends before it exits', async () => {
  const task = await call('last', 'generous');
  expect(task.status.state, said(task)).toBe('TASK_STATE_COMPLETED');
});

it('a flood of progress and invalid lines does not block other calls, and the result arrives', async () => {
  const flooding = call('flood');
  await isServed('other');
  const task = await flooding;
  expect(task.status.state, said(task)).toBe('TASK_STATE_COMPLETED');
  expect(task.history?.length ?? 0).toBeLessThan(100);
});

it('a program that sends an endless line is stopped', async () => {
  const task = await call('endless', 'other');
  expect(said(task)).toContain('MCP_RESULT_TOO_LARGE');
  // The program is ended as soon as it is clear that it will not stop, which the calls in between notice.
  while (said(await call('ok', 'other')) !== '') await delay(10);
});

it('a result that is a text is the content of the tool, which has run', async () => {
  const task = await call('text');
  expect(task.status.state, said(task)).toBe('TASK_STATE_COMPLETED');
  expect(task.artifacts?.[0]?.parts.at(-1)).toEqual({ text: 'a text' });
});

it('a log on standard output costs no call, whose answer may have a byte order mark and other members', async () => {
  const task = await call('chatty');
  expect(task.status.state, said(task)).toBe('TASK_STATE_COMPLETED');
  expect(task.artifacts?.[0]?.parts.at(-1)).toEqual({ text: 'said' });
});

it('tool content that is no list is read, and passed on unchanged', async () => {
  const task = await call('shapeless');
  expect(task.artifacts?.[0]?.parts).toEqual([
    {
      data: { success: true, mcp_result: { content: 'no list', structuredContent: { a: 1 } } },
      mediaType: 'application/json',
    },
    { text: 'no list' },
    { data: { a: 1 } },
  ]);
});

it.each([
  ['absent', 'The server\'s program cannot be started: there is no program "no-such-program"'],
  ['homeless', "The server's program cannot be started: its working directory does not exist"],
  ['unfit', "The server's program has ended with the code 3"],
])('a call of a program that cannot be started fails with the reason: %s', async (server, why) => {
  const task = await call('anything', server);
  expect(said(task)).toBe(`[A2A_PROXY/MCP_CONNECTION_ERROR] ${why}`);
  expect((await gateway.health())[`server ${server}`]).toBe(`unreachable: ${why}`);
  const lines = logged.filter(
    (line) => line.startsWith('cannot reach an MCP server; trying again') && line.includes(`.${server}"`),
  );
  expect(lines).toEqual([expect.stringContaining(JSON.stringify(why))]);
});

it('the log contains what a program wrote before it failed', () => {
  expect(logged).toContainEqual(
    expect.stringMatching(/^last stderr output of an MCP server that ended .*tools\.unfit.*no license/),
  );
});

describe.each(generations)('a client of %s gets', (dialect) => {
  const rows: readonly (readonly [server: string, tool: unknown, args: unknown, words: string])[] = [
    ['nowhere', 'ok', {}, '[A2A_PROXY/MCP_UNKNOWN_SERVER] There is no server "nowhere"; the servers are '],
    ['hostile', 'fly', {}, '[MCP_PROTOCOL/-32601] "hostile" has no tool "fly"; it has '],
    ['hostile', 'add', { a: 'x' }, '[MCP_PROTOCOL/-32602] Invalid arguments: arguments.a must be number'],
    ['hasty', 'hang', {}, '[A2A_PROXY/MCP_TIMEOUT] The server did not answer within 300 ms'],
    [`mortal-${dialect}`, 'die', {}, "[A2A_PROXY/MCP_CONNECTION_ERROR] The server's program has ended with the code 7"],
    ['liar', 'wrong', {}, '[A2A_PROXY/MCP_INVALID_RESPONSE] The server answered with an unknown request id'],
    ['hostile', 'large', {}, '[A2A_PROXY/MCP_RESULT_TOO_LARGE] The result is larger than '],
    ['absent', 'ok', {}, "[A2A_PROXY/MCP_CONNECTION_ERROR] The server's program cannot be started"],
  ];

  it(`a client of ${dialect} gets the error of a failed tool as text and as data`, async () => {
    const client = await connect(`${gateway.origin}/as/${dialect}`, { as: dialect });
    const failures = await Promise.all(
      rows.map(async ([target_mcp_server_id, tool_name, given]) => {
        const { task } = await client.send([{ data: { target_mcp_server_id, tool_name, arguments: given } }]);
        let now = task ?? expect.fail('no task');
        // Not every generation has answers that wait for the end.
        while (!ended.has(now.status.state)) {
          await delay(20);
          now = await client.getTask({ id: now.id });
        }
        return now;
      }),
    );
    for (const [index, [, , , words]] of rows.entries()) {
      const task = failures[index] as Task;
      expect(task.status.state).toBe('TASK_STATE_FAILED');
      expect(JSON.stringify([task.status.message, task.history])).toContain(JSON.stringify(words).slice(1, -1));
      const [, source, code] = /^\[(\w+)\/([-\w]+)\]/.exec(words) ?? [];
      const data = task.artifacts?.flatMap(({ parts }) => parts.map((part) => part.data));
      expect(data).toContainEqual({ success: false, error: expect.objectContaining({ source, code }) });
    }
  });

  it.each([
    ['no data at all', [{ text: 'hello' }]],
    ['no name of a tool', [{ data: { target_mcp_server_id: 'hostile', arguments: {} } }]],
    ['a list of arguments', [{ data: { tool_name: 'hostile.ok', arguments: [1] } }]],
  ])(`a client of ${dialect} gets an error that names what is expected instead of %s`, async (_, parts) => {
    const client = await connect(`${gateway.origin}/as/${dialect}`, { as: dialect });
    await expect(client.send(parts)).rejects.toMatchObject({
      kind: 'invalidParams',
      message: expect.stringMatching(/message\.parts.*expected/),
    });
  });
});

it('changed tools are found, and appear on the card', async () => {
  const skills = async () => (await connect(gateway.origin)).card.skills.map(({ id }) => id);
  expect(await skills()).toContain('hostile.hang');
  await call('grow');
  while (!(await skills()).includes('hostile.grown')) await delay(10);
  expect(await skills()).not.toContain('hostile.hang');
  const task = await call('grown');
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
});

it('programs of MCP servers write errors to the log only, and secrets of the configuration appear nowhere else', async () => {
  expect(logged.join('\n')).toContain('a complaint that is for the log alone');
  expect(JSON.stringify(await call('die', 'other'))).not.toContain('complaint');
});

it('programs of MCP servers end with their child processes when the gateway stops', async () => {
  const own = await startTools({ servers: { hostile: { command: process.execPath, args: [programs.hostile] } } });
  const client = await connect(own.origin);
  const { task } = await client.send([{ data: { tool_name: 'orphan' } }]);
  const pid = Number(task?.artifacts?.[0]?.parts[1]?.text);
  expect(alive(pid)).toBe(true);
  await own.close();
  await expect.poll(() => alive(pid)).toBe(false);
});

/** Whether a process runs. An ended process may still be a zombie that its parent has not reaped. */
function alive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.includes('Z');
}
