import { expect, it } from 'vitest';
import { v1Card } from '../support/cards.ts';
import { startGateway } from '../support/gateway.ts';
import { inProcess } from '../support/in-process.ts';
import { closedPortUrl, sendJson, serve } from '../support/peer.ts';

const gateway = await startGateway();

/** Output of `doctor` for an agent, with `ORIGIN` in place of its origin. */
async function examined(url: string, ...args: string[]) {
  const { code, stdout, stderr } = await inProcess(['doctor', url, ...args]);
  const origin = new URL(url).origin;
  return { code, text: stdout.replaceAll(origin, 'ORIGIN'), stderr: stderr.replaceAll(origin, 'ORIGIN'), stdout };
}

/** The lines below a heading. */
const below = (text: string, heading: string): string[] => {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(heading));
  return start < 0 ? [] : lines.slice(start + 1, lines.indexOf('', start));
};

it('a2a-gateway doctor says what works, what does not, and what a gateway would make of it', async () => {
  const { code, text, stderr } = await examined(`${gateway.origin}/as/agentvault-0.2`);
  expect([code, stderr]).toEqual([0, '']);
  expect(text).toMatch(/^Reference agent 1\.0\.0, ORIGIN\/as\/agentvault-0\.2\n\ncards\n/);
  expect(below(text, 'cards')).toContain(
    '  ORIGIN/as/agentvault-0.2/.well-known/agent-card.json  a card of agentvault-0.2, used',
  );
  expect(below(text, 'works')[0]).toBe(
    '  JSON-RPC  agentvault-0.2  ORIGIN/as/agentvault-0.2  tasks/get of an unknown id: Task not found: …; its card says so',
  );
  expect(below(text, 'does not work')).toContain(
    '  JSON-RPC   a2a-0.3, a2a-0.2, a2a-0.1, a2a-php-0.3  ORIGIN/as/agentvault-0.2  nothing shows that the agent speaks this besides agentvault-0.2',
  );
  const fates = below(text, 'through the gateway, over JSON-RPC in agentvault-0.2');
  expect(fates[0]).toBe('  native      SendMessage, SendStreamingMessage, GetTask, CancelTask, SubscribeToTask');
  expect(fates.filter((line) => /^ {2}(lifted|impossible) /.test(line))).toEqual([
    '  lifted      ListTasks: from the tasks that the gateway keeps (agentvault-0.2 has no such operation over JSON-RPC)',
    '  lifted      CreateTaskPushNotificationConfig, GetTaskPushNotificationConfig, ListTaskPushNotificationConfigs, DeleteTaskPushNotificationConfig: the gateway calls the webhooks itself (agentvault-0.2 has no such operation over JSON-RPC)',
    '  impossible  GetExtendedAgentCard: agentvault-0.2 has no such operation over JSON-RPC',
  ]);
  expect(fates).toContain('  supplied    GetTask: historyLength');
  expect(below(text, 'put a gateway in front of it')).toEqual([
    '  a2a-gateway serve --upstream ORIGIN/as/agentvault-0.2',
  ]);
});

it('a2a-gateway doctor says how to configure what the card does not say', async () => {
  const { code, text } = await examined(`${gateway.origin}/as/a2a-0.1`);
  expect(code).toBe(0);
  const advice = below(text, 'put a gateway in front of it');
  if (advice.length > 1) {
    expect(advice[1]).toContain('url: "ORIGIN/as/a2a-0.1", dialect: a2a-0.1, transport: jsonrpc');
  } else expect(advice).toEqual(['  a2a-gateway serve --upstream ORIGIN/as/a2a-0.1']);
});

it('a2a-gateway doctor names the card for clients that accept URLs of its own origin alone', async () => {
  const { stderr } = await examined(gateway.origin);
  expect(stderr).toMatch(/such as Google ADK, refuse .*: give them ORIGIN\/as\/http\/\.well-known\/agent-card\.json/);
});

it('a2a-gateway doctor names that card by the origin that it has, and says so where only a gateway would have one', async () => {
  const other = new URL(gateway.origin);
  other.hostname = other.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  const { stderr } = await examined(other.origin);
  expect(stderr).toContain(`give them ${gateway.origin}/as/http/.well-known/agent-card.json`);
  const interfaces = [{ url: 'agent.example.com:443', protocolBinding: 'GRPC', protocolVersion: '1.0' }];
  const url = await serve((req, res) =>
    req.url === '/.well-known/agent-card.json' ? sendJson(res, v1Card(interfaces)) : res.writeHead(404).end(),
  );
  expect((await examined(url)).stderr).toMatch(/such as Google ADK, refuse .*\/NAME\/as\/http\//);
});

it('a2a-gateway doctor names what of a card is not used as it is written', async () => {
  const url: string = await serve((req, res) => {
    if (req.url !== '/.well-known/agent-card.json') return res.writeHead(404).end();
    return sendJson(res, { ...v1Card('http://0.0.0.0:9/'), capabilities: ['streaming'] });
  });
  const findings = below((await examined(url)).text, 'findings about the card').join('\n');
  expect(findings).toMatch(/error +capabilities: is a list: streaming of it can be read/);
  expect(findings).toMatch(/error +supportedInterfaces\[0\].url: leads to no host \(0.0.0.0\): ORIGIN\/ is called/);
});

it('a2a-gateway doctor judges the card by the rules of the console, also one with several mistakes', async () => {
  const { text } = await examined(`${gateway.origin}/as/a2a-0.2`);
  const loopback = '  note     url: leads to the machine of each client: only clients on this one can call it';
  expect(below(text, 'findings about the card')).toContain(`${loopback} (A2A 0.3.0 section 5.5.5)`);
  const skill = { id: 'a', name: 'A', description: 'A', tags: [] };
  const card = { name: 7, description: '', supportedInterfaces: [], skills: Array.from({ length: 5 }, () => skill) };
  const url = await serve((_, res) => res.end(JSON.stringify(card)));
  const { stdout } = await examined(url, '--json');
  expect(below((await examined(url)).text, 'findings about the card')).toEqual(
    expect.arrayContaining([
      '  error  description, version: is required: a text that is not empty (A2A 1.0.1 section 4.4.1)',
      '  error  name: is a number: read as the text "7" (A2A 1.0.1 section 4.4.1)',
      expect.stringMatching(
        /^ {2}error {2}skills\[0\]\.tags, skills\[1\]\.tags, skills\[2\]\.tags and 2 more: is required/,
      ),
    ]),
  );
  expect(JSON.parse(stdout).findings).toContainEqual({
    severity: 'error',
    dialect: 'a2a-1.0',
    field: 'supportedInterfaces',
    section: 'A2A 1.0.1 section 8.3.1',
    message: 'is required: list at least one interface',
  });
});

it('a2a-gateway doctor prints the whole report as JSON', async () => {
  const { code, stdout } = await examined(gateway.origin, '--json', '--as', 'a2a-1.0');
  expect(code).toBe(0);
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({
    target: `${gateway.origin}/`,
    card: { dialect: 'a2a-1.0', url: `${gateway.origin}/.well-known/agent-card.json`, alternatives: [] },
    found: [{ binding: 'jsonrpc' }, { binding: 'rest' }, { binding: 'grpc' }, { binding: 'connect' }],
    rejected: [],
    notes: [expect.stringContaining('/as/http/.well-known/agent-card.json')],
  });
  expect(report.abilities).toHaveLength(11);
});

it('a2a-gateway doctor fails where nothing can be called, with one line on why', async () => {
  const closed = await examined(await closedPortUrl());
  expect([closed.code, closed.stderr]).toEqual([1, 'error: cannot reach ORIGIN: connection refused\n']);
  expect(below(closed.text, 'works')).toEqual([]);
  const web = await examined(await serve((_, res) => res.writeHead(404).end()));
  expect(web).toMatchObject({
    code: 1,
    stderr: 'error: no A2A interface found at ORIGIN/, and there is no agent card\n',
    text: expect.stringMatching(/^no agent card, ORIGIN\//),
  });
  const locked = await examined(await serve((_, res) => res.writeHead(401).end()), '--json');
  expect(locked).toMatchObject({
    code: 1,
    stderr: 'error: ORIGIN/ requires credentials; use --api-key or --bearer\n',
  });
  expect(JSON.parse(locked.stdout).found).toEqual([]);
});

it('a2a-gateway doctor lets no agent steer the terminal, or break the lines', async () => {
  const url = await serve((_, res) =>
    res.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ message: 'a\u001b[2J\nb' })),
  );
  const { text } = await examined(url);
  expect(text).not.toContain('\u001b');
  expect(text).not.toMatch(/^b/m);
});

it('a2a-gateway doctor is called with a target', async () => {
  expect((await inProcess(['doctor'])).code).toBe(2);
  expect((await inProcess(['doctor', 'ftp://x'])).stderr).toMatch(/is not the URL of an agent/);
});
