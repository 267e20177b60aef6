import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type FurtherBlow, furtherNames } from './further.ts';
import { type Plan, planOf } from './plan.ts';

test('each kind of further trouble is in the plan of a seed of the first hundred', () => {
  const blows = Array.from({ length: 100 }, (_, i) => planOf(i + 1).blows).flat();
  const planned = new Set<string>(blows.map(({ what }) => what));
  expect(furtherNames.filter((name) => !planned.has(name))).toEqual([]);
});

test('every agent is in the plan of a seed of the first hundred, and every manner', () => {
  const agents = Array.from({ length: 100 }, (_, i) => planOf(i + 1).agents ?? []).flat();
  expect(new Set(agents.map(({ name }) => name)).size).toBe(9);
  expect(new Set(agents.flatMap(({ manners }) => manners)).size).toBe(6);
});

/** One blow of each kind, one after the other. */
const blows: readonly FurtherBlow[] = [
  { at: 1_000, what: 'chopped', replica: 0, from: 'clients', ms: 2_000 },
  { at: 1_900, what: 'storm', ms: 1_000 },
  { at: 2_800, what: 'unheard' },
  { at: 3_700, what: 'sluggish', ms: 1_500 },
  { at: 4_600, what: 'reload', replica: 1, how: 'agent' },
  { at: 5_500, what: 'reload', replica: 1, how: 'limit' },
  { at: 6_400, what: 'reload', replica: 0, how: 'nothing' },
  { at: 7_300, what: 'older', replica: 2, schema: 10, ms: 3_000 },
  { at: 8_000, what: 'unanswered', replica: 2, agent: 'far', how: 'cut', ms: 8_000 },
  { at: 8_200, what: 'one way', replica: 0, from: 'clients', ms: 1_500 },
  { at: 9_100, what: 'half open', replica: 1, from: 'clients', ms: 1_500 },
  { at: 13_100, what: 'stalled', replica: 1, from: 'clients', ms: 1_500 },
  { at: 10_900, what: 'idle reset', replica: 0, from: 'clients', ms: 4_000 },
  { at: 11_800, what: 'crash', agent: 'wire-10', after: 'goes on', ms: 1_000 },
  { at: 12_700, what: 'apart', agent: 'wire-10', replica: 0, how: 'slow', ms: 1_000 },
  { at: 13_600, what: 'distant', replica: 0, ms: 2_000 },
];

const plan: Plan = {
  seed: 1,
  size: 3,
  clients: 3,
  ms: 16_000,
  skews: [0, 0, 0],
  blows,
  agents: [{ name: 'wire-10', manners: [] }],
};

/** Milliseconds that one simulation may take on a machine that is busy with other things. */
const timeout = 300_000;

test('each kind of further trouble changes something, and the invariants hold', { timeout }, async () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const args = [main, '--plan', JSON.stringify(plan), '--counts'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout });
  const [, counted = ''] = /^struck: (.*)$/m.exec(stdout) ?? [];
  const struck = new Map(counted.split(', ').map((each) => [each.replace(/ \d+$/, ''), Number(/\d+$/.exec(each))]));
  expect(furtherNames.filter((name) => !((struck.get(name) ?? 0) > 0))).toEqual([]);
  expect(struck.get('reload')).toBe(3);
});
