import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';

const folder = newFolder();
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

file(
  'gateway.yaml',
  `
auth: { apiKeys: [{ name: a, hash: "\${NOT_SET}" }] }
policies:
  - { name: night, where: now.getHours() < 6, deny: true }
  - { name: quiet, deny: size > 100, shadow: true }
  - { name: payments, where: 'has(metadata.amount) && metadata.amount > 10', ask: { of: [a] } }
  - { name: large, where: has(metadata.amount), ask: { of: [a] }, shadow: true }
`,
);

const test = (cases: string) => inProcess(['policy', 'test', file('cases.yaml', cases)]);

it('policy test decides each case, and fails with 1 where one is decided otherwise', async () => {
  const { code, stdout, stderr } = await test(`
cases:
  - { name: by day, call: { now: 2026-01-05T09:00:00Z }, expect: allow }
  - { name: at night, call: { now: 2026-01-05T03:00:00Z }, expect: deny, policy: night }
  - { name: never, call: { now: 2026-01-05T03:00:00Z }, expect: allow }
  - { name: in shadow, call: { now: 2026-01-05T09:00:00Z, size: 200 }, expect: deny, policy: quiet }
  - { name: a payment, call: { now: 2026-01-05T09:00:00Z, metadata: { amount: 20 } }, expect: ask, policy: payments }
  - { name: asked by both, call: { now: 2026-01-05T09:00:00Z, metadata: { amount: 20 } }, expect: ask, policy: large }
  - { name: at night as well, call: { now: 2026-01-05T03:00:00Z, metadata: { amount: 20 } }, expect: deny, policy: night }
  - { name: read alone, call: { now: 2026-01-05T09:00:00Z, operation: GetTask, metadata: { amount: 20 } }, expect: allow }
  - { name: unreadable, call: { now: 2026-01-05T09:00:00Z, metadata: { amount: much } }, expect: allow }
  - { name: misspelt, call: {}, expect: deny, policy: nigth }
`);
  expect(code).toBe(1);
  expect(stdout).toBe(
    [
      'ok    by day',
      'ok    at night',
      'FAIL  never: expected allow, and it was deny by night',
      'ok    in shadow',
      'ok    a payment',
      'ok    asked by both',
      'ok    at night as well',
      'ok    read alone',
      "FAIL  unreadable: expected allow, and it was ask by payments, which cannot be evaluated: found no matching overload for '_>_' applied to '(string, int)'",
      'FAIL  misspelt: there is no policy nigth',
      '',
    ].join('\n'),
  );
  expect(stderr).toContain('3 of 10 cases failed');
});

it('policy test says what is wrong with a file, with its line', async () => {
  const faults = await test('cases:\n  - name: x\n    call: { agnet: a, now: noon }\n    expect: refuse\n');
  expect(faults.code).toBe(2);
  expect(faults.stderr).toContain('cases.yaml:3: cases.0.call.agnet: unknown key; did you mean agent?');
  expect(faults.stderr).toContain('cases.yaml:3: cases.0.call.now: expected a time, such as 2026-01-05T09:00:00Z');
  expect(faults.stderr).toContain('cases.yaml:4: cases.0.expect: expected "deny" or "allow" or "ask"');
  const wrong = file('wrong.yaml', 'policies:\n  - { name: a, deny: agnet == "x" }\n');
  const cases = file('good.yaml', 'cases: [{ name: x, expect: allow }]');
  const refused = await inProcess(['policy', 'test', cases, '--config', wrong]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('wrong.yaml:2: policies.0.deny: at character 1: there is no variable "agnet"');
  expect((await inProcess(['policy', 'test', join(folder, 'absent.yaml')])).stderr).toContain('no such file');
  expect((await test('cases: [')).stderr).toContain('not valid YAML');
});

it('policy test has its conditions checked by config check, too', async () => {
  const wrong = file(
    'check.yaml',
    'agents: { a: { kind: reference } }\npolicies:\n  - { name: a, deny: size == "x" }\n',
  );
  const { code, stderr } = await inProcess(['config', 'check', wrong]);
  expect(code).toBe(2);
  expect(stderr).toContain('check.yaml:3: policies.0.deny: at character 5: an int is never equal to a string');
});
