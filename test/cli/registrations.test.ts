import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import type { RegisteredAgent } from '../../src/gen/admin-v1/types.ts';
import { adminHeaders, openGateway } from '../support/gateway.ts';
import { inProcess } from '../support/in-process.ts';
import { listenOn } from '../support/peer.ts';

/** Commands for agents that are registered while the gateway runs. */

/** A server of one card, which can change. */
async function startCard() {
  const card: Record<string, unknown> = {
    name: 'Weather',
    description: 'An agent',
    version: '1',
    capabilities: {},
    skills: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
  };
  const server = createServer((_, res) => {
    res.setHeader('content-type', 'application/json').end(JSON.stringify(card));
  });
  const { origin } = await listenOn(server);
  card.supportedInterfaces = [{ url: origin, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
  return { url: `${origin}/card.json`, card };
}

async function startGateway() {
  const { url } = await openGateway('agents: {}\nregistration: { allow: true }');
  const connection = [url, '--api-key', adminHeaders(url)['x-api-key'] ?? ''];
  const run = (...args: string[]) => inProcess(['admin', ...args, ...connection]);
  const registered = async (...args: string[]): Promise<RegisteredAgent> => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as RegisteredAgent;
  };
  return { run, registered };
}

it('the command line registers, lists, approves, renews and removes an agent', async () => {
  const { run, registered } = await startGateway();
  const { url } = await startCard();
  const { revisions: [first] = [] } = await registered('register-agent', 'weather', url, '--lease-seconds', '60');
  const listed = await run('list-registrations');
  expect(listed.stdout).toMatch(/^weather {2}\S+ {2}false {2}20\S+Z\n/);
  expect(listed.stdout).toContain(`admin approve-agent weather ${first?.id}\n`);
  expect(listed.stdout).toContain('  + card.name: "Weather"\n');

  expect(await registered('approve-agent', 'weather', first?.id ?? '')).toMatchObject({ active: true });
  const approved = (await run('list-registrations')).stdout;
  expect(approved).toMatch(/^weather {2}\S+ {2}true /);
  expect(approved).not.toContain('approve-agent');

  expect(await registered('renew-agent', 'weather')).toMatchObject({ active: true });
  expect(await run('remove-agent', 'weather')).toMatchObject({ code: 0 });
  expect(await run('list-registrations')).toMatchObject({ code: 0, stdout: '', stderr: 'no registrations\n' });
  expect((await run('list-registrations', '--removed')).stdout).toMatch(/^weather {2}/);
  expect(await run('remove-agent', 'weather', '--forget')).toMatchObject({ code: 0 });
  expect(await run('list-registrations', '--removed')).toMatchObject({ stderr: 'no registrations\n' });
});

it('the command line shows each change of a card on a line of its own, whatever the card says', async () => {
  const { run, registered } = await startGateway();
  const { url, card } = await startCard();
  const { revisions: [first] = [] } = await registered('register-agent', 'weather', url);
  await registered('approve-agent', 'weather', first?.id ?? '');
  Object.assign(card, { description: 'Another', 'x\nother waits': '\u202e\u001b[2J', version: '2' });
  const { revisions: [second] = [] } = await registered('register-agent', 'weather', url);
  const lines = (await run('list-registrations', '--agent', 'weather')).stdout.trimEnd().split('\n');
  expect(lines.slice(1)).toEqual([
    '',
    `weather waits for approval: a2a-gateway admin approve-agent weather ${second?.id}`,
    '  card.description: "An agent" -> "Another"',
    '  card.version: "1" -> "2"',
    expect.stringContaining('  + card.x other waits: "'),
  ]);

  expect(lines.at(-1)).not.toContain('\u202e');

  await registered('approve-agent', 'weather', second?.id ?? '', '--reject');
  expect((await run('list-registrations')).stdout).not.toContain('waits');
});

it('the command line says which argument is missing, and takes no agent for the gateway', async () => {
  for (const [args, missing] of [
    [['register-agent', 'weather'], 'url'],
    [['approve-agent', 'weather'], 'revision'],
  ] as const) {
    expect(await inProcess(['admin', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(missing) });
  }
  expect(await inProcess(['admin', 'list-registrations', '--page-size', 'many'])).toMatchObject({ code: 2 });
});
