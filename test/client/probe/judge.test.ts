import { expect, it } from 'vitest';
import { type DialectCandidate, judgeDialects, type MethodEvidence } from '../../../src/client/probe/judge.ts';
import type { DialectName } from '../../../src/dialects/kernel/dialect.ts';

/** Methods that some of the dialects with `tasks/get` have, as their tables say. */
const configs = ['tasks/pushNotificationConfig/get', 'tasks/pushNotificationConfig/list'];
const extended = 'agent/getAuthenticatedExtendedCard';
const older = 'tasks/pushNotification/get';
const own: Readonly<Partial<Record<DialectName, readonly string[]>>> = {
  'a2a-0.3': [...configs, extended],
  'a2a-0.2': configs,
  'a2a-0.1': [older],
  'agentvault-0.2': [],
  'a2a-php-0.3': [...configs, extended, 'ping', 'get_agent_card'],
};
const all = [...new Set(Object.values(own).flat())];

/** All of them, with what the card lists and what the agent knows. */
function told(present: readonly string[], card: Partial<Record<DialectName, DialectCandidate['listed']>> = {}) {
  const candidates = Object.entries(own).map(([name, names]): DialectCandidate => {
    return { name: name as DialectName, own: new Set(names), listed: card[name as DialectName] ?? false };
  });
  const signs: MethodEvidence = { present: new Set(present), missing: new Set(all).difference(new Set(present)) };
  const results = judgeDialects(candidates, signs);
  return {
    kept: results.filter(({ why }) => why === undefined).map(({ name }) => name),
    unsure: results.filter(({ unsure }) => unsure !== undefined).map(({ name }) => name),
    results,
  };
}

it.each<[what: string, present: string[], card: Parameters<typeof told>[1], kept: string[], unsure: string[]]>([
  ['0.3', [...configs, extended], {}, ['a2a-0.3'], []],
  ['0.3 with its card', [...configs, extended], { 'a2a-0.3': true, 'a2a-php-0.3': 'doubtful' }, ['a2a-0.3'], []],
  ['0.2.5', configs, {}, ['a2a-0.2'], []],
  ['0.2.0, which has no list', [configs[0] as string], {}, ['a2a-0.2'], []],
  ['0.1', [older], {}, ['a2a-0.1'], []],
  ['0.1 with a card like one of 0.2', [older], { 'a2a-0.2': true, 'a2a-0.1': 'doubtful' }, ['a2a-0.1'], []],
  ['PHP', own['a2a-php-0.3'] as string[], {}, ['a2a-php-0.3'], []],
  [
    'PHP with its card, which is of 0.3',
    own['a2a-php-0.3'] as string[],
    { 'a2a-0.3': true, 'a2a-php-0.3': 'doubtful' },
    ['a2a-php-0.3', 'a2a-0.3'],
    [],
  ],
  ['AgentVault with its card', [], { 'agentvault-0.2': true }, ['agentvault-0.2'], []],
  [
    'anything with nothing but the shared method',
    [],
    {},
    ['agentvault-0.2', 'a2a-0.1', 'a2a-0.2', 'a2a-0.3', 'a2a-php-0.3'],
    ['agentvault-0.2', 'a2a-0.1', 'a2a-0.2', 'a2a-0.3', 'a2a-php-0.3'],
  ],
  [
    'no more, with a card that two can read',
    [],
    { 'a2a-0.2': true, 'a2a-0.1': 'doubtful' },
    ['a2a-0.1', 'a2a-0.2'],
    ['a2a-0.1', 'a2a-0.2'],
  ],
  ['several at once', all, {}, ['a2a-php-0.3', 'a2a-0.3', 'a2a-0.2', 'a2a-0.1', 'agentvault-0.2'], ['agentvault-0.2']],
])('dialects that share a method are told apart: %s', (_, present, card, kept, unsure) => {
  expect(told(present, card)).toMatchObject({ kept, unsure });
});

it('dialects that share a method are distinguished, with reasons', () => {
  const { results } = told(configs);
  expect(results).toEqual([
    { name: 'a2a-0.2', because: `knows ${configs.join(', ')}` },
    { name: 'a2a-0.3', why: 'nothing shows that the agent speaks this besides a2a-0.2' },
    { name: 'a2a-php-0.3', why: 'nothing shows that the agent speaks this besides a2a-0.2' },
    { name: 'agentvault-0.2', why: `the agent knows ${configs.join(', ')}, which this dialect does not have` },
    { name: 'a2a-0.1', why: `the agent knows ${configs.join(', ')}, which this dialect does not have` },
  ]);
  expect(told([], { 'agentvault-0.2': true }).results[0]).toEqual({
    name: 'agentvault-0.2',
    because: 'its card says so',
  });
});
