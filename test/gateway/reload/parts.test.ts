import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalText, fingerprint } from '../../../src/config/fingerprint.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { RefCountedAgent } from '../../../src/core/middleware/ref-count.ts';
import type { Agent, AgentContext } from '../../../src/core/model/agent.ts';
import { Draining } from '../../../src/gateway/reload/draining.ts';
import { reloadable } from '../../../src/gateway/reload/reload.ts';
import { Secret } from '../../../src/net/secret.ts';
import { newFolder } from '../../support/folders.ts';
import { agentNamed } from '../../transports/http/serving.ts';
import { recordedLog } from './support.ts';

/** Parts that a reload consists of. */

const context = (key: string): AgentContext => ({ key }) as AgentContext;

/** An agent that reports its cancellations and its end. */
function working(name: string, told: string[]): Agent {
  return {
    ...agentNamed(name),
    async cancel(_, { key }) {
      told.push(`${name} cancels ${key}`);
      return undefined;
    },
    async close() {
      told.push(`${name} is closed`);
    },
  };
}

it('an agent that is replaced is asked to cancel what it works on, and closed when nothing is left', async () => {
  const told: string[] = [];
  const [before, after] = [working('before', told), working('after', told)];
  const [former, held] = [new RefCountedAgent(before), new RefCountedAgent(after)];
  const endRun = former.beginRun('one');
  held.replaces(former);
  const { logger } = recordedLog();
  const retired = new Draining(logger);
  retired.add({ name: 'agent', refs: former.refs, close: () => former.close() });
  const task = { id: 't', status: { state: 'TASK_STATE_WORKING' as const } };
  await held.cancel?.(task, context('one'));
  await held.cancel?.(task, context('another'));
  expect([told.splice(0), retired.size]).toEqual([['before cancels one', 'after cancels another'], 1]);
  endRun();
  await expect.poll(() => told.splice(0)).toEqual(['before is closed']);
  await held.cancel?.(task, context('one'));
  expect([told, retired.size]).toEqual([['after cancels one'], 0]);
});

it('an agent that is replaced is closed in the end, whatever goes on there, and with the gateway', async () => {
  const told: string[] = [];
  const { logger, lines } = recordedLog();
  for (const most of [10, 60_000]) {
    const held = new RefCountedAgent(working(`kept for ${most}`, told));
    held.beginRun('one');
    const retired = new Draining(logger, most);
    retired.add({ name: 'agent', refs: held.refs, close: () => held.close() });
    if (most === 10) await expect.poll(() => told).toEqual(['kept for 10 is closed']);
    else await retired.close();
  }
  expect(told).toEqual(['kept for 10 is closed', 'kept for 60000 is closed']);
  expect(lines.map(({ level }) => level)).toEqual(['warn']);
});

it('an agent that is replaced can do what the agent can do, and nothing else', () => {
  const held = new RefCountedAgent(agentNamed('plain'));
  expect([held.cancel, held.resume, held.extendedCard]).toEqual([undefined, undefined, undefined]);
  expect([held.forwards, held.restart, held.health(), held.card.name]).toEqual([
    false,
    false,
    { state: 'ok' },
    'plain',
  ]);
});

it('a part of a configuration is the same in any order, and another with another secret', () => {
  const part = (secret: string) => ({ a: 1, b: new Map([['x', { key: new Secret(secret) }]]), c: undefined });
  const turned = { b: new Map([['x', { key: new Secret('s') }]]), a: 1 };
  expect(canonicalText(part('s'))).toBe(canonicalText(turned));
  expect(canonicalText(part('s'))).not.toBe(canonicalText(part('t')));
  // A secret is no text that looks like one.
  expect(canonicalText(new Secret('s'))).not.toBe(canonicalText('secret "s"'));
});

it('a part of a configuration is another one with another file, and shows nothing', async () => {
  const folder = newFolder();
  const path = join(folder, 'agent.mjs');
  const part = { kind: 'module', path, key: new Secret('hidden') };
  const without = fingerprint(part);
  writeFileSync(path, 'one');
  const one = fingerprint(part);
  expect(fingerprint({ ...part })).toBe(one);
  writeFileSync(path, 'other');
  const prints = [without, one, fingerprint(part)];
  expect(new Set(prints).size).toBe(3);
  expect(prints.join()).not.toContain('hidden');
});

describe('a configuration that is to count', () => {
  const read = (text: string) =>
    parseConfig(`agents: { demo: { kind: reference } }\n${text}`, { file: '/gateway.yaml' });
  const tls = (more: string): string => `listen: { tls: { cert: c.pem, key: k.pem${more} } }\n`;

  it.each([
    ['port', 'listen: { port: 1 }', 'listen: { port: 2 }', ['listen.port']],
    ['store', 'store: "memory:"', 'store: sqlite:other.db', ['store']],
    ['TLS', '', tls(''), ['listen.tls']],
    ['client certificates', tls(''), tls(', clientCa: a.pem'), ['listen.tls.clientCa', 'auth.mtls.required']],
    ['other files of TLS', tls(''), 'listen: { tls: { cert: d.pem, key: l.pem } }', []],
    [
      'limits',
      'limits: { body: 1KiB }',
      'limits: { body: 2KiB, slowReader: 1s, buffered: 1MiB }',
      ['limits.slowReader', 'limits.buffered'],
    ],
    ['nothing', 'push: { timeout: 1s }', 'push: { timeout: 1s }', []],
  ])('a configuration that is to count keeps what takes a restart: %s', (_, running, wanted, restart) => {
    const { config, restart: named } = reloadable(read(wanted), read(running));
    expect(named).toEqual(restart);
    // Settings that need a restart keep their old values, so a second reload names the same ones.
    expect(reloadable(read(wanted), config).restart).toEqual(restart);
    expect(reloadable(config, read(running)).restart).toEqual([]);
  });
});
