import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultConfig } from '../../src/config/index.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { openGateway } from '../support/gateway.ts';

let gateway: Gateway;
/** Type and help by name. */
const families = new Map<string, { type?: string; help?: string }>();

beforeAll(async () => {
  const opened = await openGateway(defaultConfig({ store: 'memory:', port: 0 }));
  ({ gateway } = opened);
  const { url } = opened;
  await fetch(`${url}/`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  const text = await (await fetch(`${url}/metrics`)).text();
  for (const [, kind = '', name = '', said = ''] of text.matchAll(/^# (HELP|TYPE) (\S+) (.+)$/gm)) {
    families.set(name, { ...families.get(name), [kind === 'HELP' ? 'help' : 'type']: said });
  }
});
afterAll(() => gateway.close({ drainMs: 0 }));

/** The rules of `promtool check metrics`, and which names break them. */
const rules: Readonly<Record<string, (name: string, type: string) => boolean>> = {
  'counters end with _total': (name, type) => type === 'counter' && !name.endsWith('_total'),
  'nothing else ends with _total': (name, type) => type !== 'counter' && name.endsWith('_total'),
  'nothing ends like the parts of a histogram or summary': (name) => /_(?:bucket|count|sum|created)$/.test(name),
  'there are no colons and no capitals': (name) => !/^[a-z][a-z0-9_]*$/.test(name),
  'no name says its type': (name, type) => name.split('_').includes(type),
  'units are base units': (name) =>
    /_(?:ms|milliseconds|microseconds|us|minutes|hours|kb|mb|kilobytes|percent)(?:_|$)/.test(name),
};

it.each(Object.entries(rules))('names of metrics keep a rule: %s', (_, breaks) => {
  expect(families.size).toBeGreaterThan(30);
  expect([...families].flatMap(([name, { type = '' }]) => (breaks(name, type) ? [name] : []))).toEqual([]);
});

it('every name has a type and a help', () => {
  expect([...families].filter(([, { type, help }]) => !type || !help)).toEqual([]);
});
