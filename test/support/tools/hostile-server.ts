import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** An MCP server over standard input and output that does what no server should, by the name of the tool. */

type Id = number | string | null;

const write = (text: string): void => void process.stdout.write(text);
const send = (message: object): void => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const answer = (id: Id, result: unknown): void => send({ id, result });
const say = (text: string): object => ({ content: [{ type: 'text', text }] });
const chunk = 'x'.repeat(1024 * 1024);

let listed = [
  'hang',
  'die',
  'last',
  'orphan',
  'flood',
  'wrong',
  'huge',
  'endless',
  'garbage',
  'text',
  'shapeless',
  'chatty',
  'large',
  'add',
  'ok',
  'grow',
];

const tools: Record<string, (id: Id, args: Record<string, unknown>) => void> = {
  ok: (id) => answer(id, say('fine')),
  hang: () => {},
  die: () => process.exit(7),
  last: (id) =>
    void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: say(chunk) })}\n`, () => process.exit(0)),
  orphan(id) {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    child.unref();
    answer(id, say(String(child.pid)));
  },
  flood(id) {
    // Unrequested progress, garbage, and requests that want answers.
    for (let i = 0; i < 4_000; i += 1) {
      send({ method: 'notifications/progress', params: { progressToken: id, progress: i } });
      if (i % 10 === 0) write('this is no JSON\n');
      if (i % 100 === 0) send({ id: `s${i}`, method: 'sampling/createMessage', params: {} });
      if (i % 100 === 0) send({ method: 'notifications/tools/list_changed' });
    }
    answer(id, say('flooded'));
  },
  wrong: () => answer(4711, say('for another request')),
  huge(id) {
    write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    for (let i = 0; i < 100; i += 1) write(chunk);
    write('"}]}}\n');
  },
  endless: () => void setInterval(() => write(chunk), 1),
  garbage: (id) => send({ id, neither: 'nor' }),
  text: (id) => answer(id, 'a text'),
  shapeless: (id) => answer(id, { content: 'no list', structuredContent: { a: 1 } }),
  chatty(id) {
    write('{"level":30,"msg":"calling"}\n[1]\n{"time":1,"error":null}\n');
    write(`\uFEFF${JSON.stringify({ id, result: say('said'), error: null, method: '' })}\r\n`);
  },
  large: (id) => answer(id, say(chunk + chunk)),
  grow(id) {
    listed = ['ok', 'grown'];
    send({ method: 'notifications/tools/list_changed' });
    answer(id, say('grown'));
  },
  grown: (id) => answer(id, say('yes')),
};

const anything = { type: 'object' };
const schemas: Record<string, object> = { add: { type: 'object', properties: { a: { type: 'number' } } } };

const methods: Record<string, (id: Id, params: Record<string, unknown>) => void> = {
  initialize: (id, { protocolVersion }) =>
    answer(id, {
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'hostile', version: '1' },
    }),
  'tools/list': (id) => answer(id, { tools: listed.map((name) => ({ name, inputSchema: schemas[name] ?? anything })) }),
  'tools/call': (id, { name, arguments: args }) => tools[String(name)]?.(id, args as Record<string, unknown>),
};

process.stderr.write(`a complaint that is for the log alone: ${process.env.TOOL_SECRET ?? 'no secret'}\n`);
for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  methods[method]?.(id, params ?? {});
}
