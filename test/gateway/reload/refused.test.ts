import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfigError, formatProblem } from '../../../src/config/index.ts';
import { caller, keysOf, type Reloading, startReloading, taskIn } from './support.ts';

/** A configuration that cannot be used is refused whole, and said where it is wrong; the one before stays. */

const { key, line } = keysOf('alice', 'mallory');

const good = `store: "memory:"
auth: { anonymous: false, apiKeys: [${line('alice')}] }
limits: { answer: 30s }
defaultAgent: demo
agents:
  demo: { kind: reference }
  mine: { kind: module, path: ./agent.mjs }
`;

const agent = `export default {
  card: { name: 'mine', description: 'mine', version: '1', capabilities: {}, defaultInputModes: [], defaultOutputModes: [], skills: [] },
  async *execute() { yield { message: { messageId: 'a', role: 'ROLE_AGENT', parts: [{ text: 'one' }] } }; },
};
`;

/** The good one with mallory let in besides, and something wrong. */
const bad = (from: string, to: string): string =>
  good.replace(line('alice'), `${line('alice')}, ${line('mallory')}`).replace(from, to);

const added = (text: string): string => bad('  demo:', `  new: { kind: reference }\n${text}  demo:`);

const cases: readonly (readonly [name: string, text: string, said: RegExp, prepare?: (at: Reloading) => void])[] = [
  ['no YAML', 'agents: [', /^\S*gateway\.yaml:1: not valid YAML/],
  ['an empty file', '', /gateway\.yaml: the file is empty/],
  ['comments alone', '# store: "memory:"\n\n  # nothing\n', /the file is empty/],
  ['an unknown key', bad('limits: {', 'limitz: {'), /gateway\.yaml:3: limitz: unknown key/],
  ['a wrong value', bad('answer: 30s', 'answer: soon'), /gateway\.yaml:3: limits\.answer: expected a duration/],
  ['a wrong hash', bad('limits:', 'x-y: 1\nlimits:'), /gateway\.yaml:3: x-y/],
  [
    'a default agent that is none',
    bad('defaultAgent: demo', 'defaultAgent: nobody'),
    /defaultAgent: there is no agent/,
  ],
  ['a variable that is not set', added(`  up: { kind: upstream, url: "\${NOT_SET_AT_ALL}" }\n`), /NOT_SET_AT_ALL/],
  ['a module that is not there', bad('./agent.mjs', './gone.mjs'), /agents\.mine\.path: cannot read/],
  [
    'a module that throws',
    good,
    /gateway\.yaml:7: agents\.mine\.path: The agent .*agent\.mjs cannot be loaded: broken on purpose/,
    ({ write }) => write('agent.mjs', 'throw new Error("broken on purpose");'),
  ],
  [
    'a module that exports no agent',
    good,
    /gateway\.yaml:7: agents\.mine\.path: The agent .* returns, not a number/,
    ({ write }) => write('agent.mjs', 'export default 42;'),
  ],
  [
    'a certificate of an upstream that cannot be used',
    added('  up: { kind: upstream, url: "https://up.example.com", auth: { type: mtls, cert: a.pem, key: a.pem } }\n'),
    /gateway\.yaml:7: agents\.up: .*cannot be used for TLS/,
    ({ write }) => write('a.pem', 'no certificate'),
  ],
  [
    'keys of an identity provider that cannot be had',
    bad(
      'anonymous: false,',
      'anonymous: false, jwt: { issuer: "http://127.0.0.1:9", audience: a, jwksUrl: "http://127.0.0.1:9/keys" },',
    ),
    /gateway\.yaml:2: auth\.jwt\.jwksUrl: The keys of the identity provider cannot be fetched/,
  ],
  [
    'knowledge whose shapes cannot be read',
    added('  knows: { kind: reference, knowledge: { shapes: ./none.ttl } }\n'),
    /gateway\.yaml:7: agents\.knows\.knowledge.*none\.ttl/,
  ],
  [
    'another gateway altogether',
    bad('store:', 'listen: { host: 0.0.0.0, publicUrl: "https://agents.example.com" }\nstore:'),
    /gateway\.yaml:1: listen: switching between loopback-only and reachable/,
  ],
];

it('a file of any of many kinds is refused with its path and line, and everything is as before', async () => {
  const at = await startReloading(good, { files: { 'agent.mjs': agent } });
  const { reload, write, lines, url } = at;
  const alice = caller(url, key('alice'));
  const stream = await alice.stream('wait');
  await stream.until('WORKING');
  for (const [name, text, said, prepare] of cases) {
    lines.length = 0;
    write('agent.mjs', agent);
    prepare?.(at);
    const error = await reload(text).then(
      () => expect.fail(`${name} was taken`),
      (thrown: unknown) => thrown,
    );
    expect([name, error]).toEqual([name, expect.any(ConfigError)]);
    expect([name, formatProblem((error as ConfigError).problems[0] as ConfigError['problems'][0])]).toEqual([
      name,
      expect.stringMatching(said),
    ]);
    // Errors of the file itself are found before the gateway is asked.
    expect(lines.filter(({ level }) => level === 'error').length).toBeLessThanOrEqual(1);
    expect([name, (await caller(url, key('mallory')).send('hello')).status]).toEqual([name, 401]);
    expect([name, (await alice.send('hello', '/new')).status]).toEqual([name, 404]);
    expect([name, (await alice.send('hello', '/mine')).status]).toEqual([name, 200]);
  }
  // The very next one that is good counts.
  write('agent.mjs', agent.replace("'one'", "'another'"));
  expect((await reload(bad('limits:', 'limits:'))).agents.changed).toEqual(['mine']);
  expect((await caller(url, key('mallory')).send('hello')).status).toBe(200);
  await alice.post(`/tasks/${taskIn(stream.text())}:cancel`, {});
  expect(await stream.over).toContain('TASK_STATE_CANCELED');
});

it('a file that is gone is refused as well', async () => {
  const { reload, folder, url } = await startReloading(good, { files: { 'agent.mjs': agent } });
  rmSync(join(folder, 'agent.mjs'));
  await expect(reload(good)).rejects.toThrow(/agents\.mine\.path: cannot read/);
  expect((await caller(url, key('alice')).send('hello', '/mine')).status).toBe(200);
});
