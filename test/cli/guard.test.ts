import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startJudge } from '../extensions/guards/judge.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';

const folder = newFolder();
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

file(
  'judge.mjs',
  `export default ({ parts, window = '', phase }) => {
  const text = parts.map(({ text = '' }) => text).join('');
  if (text.includes('pay')) return { action: 'ask', reason: 'a payment' };
  if ((window + text).includes('secret')) return { action: 'block', reason: 'a secret' };
  if (phase === 'answer' && text.includes('rude')) return { action: 'replace', parts: [{ text: text.replace('rude', '****') }] };
  return { action: 'allow' };
};`,
);
file(
  'gateway.yaml',
  `
auth: { apiKeys: [{ name: a, hash: "\${NOT_SET}" }] }
guards:
  - { name: words, where: agent != "bank", module: ./judge.mjs, window: 5 }
  - { name: of-pay, where: agent == "pay", module: ./judge.mjs, shadow: true }
  - { name: of-bank, where: agent == "bank", module: ./judge.mjs, approvers: [carol] }
`,
);

const test = (cases: string) => inProcess(['guard', 'test', file('cases.yaml', cases)]);

it('guard test has the guards judge each case, and fails with 1 where one is judged otherwise', async () => {
  const { code, stdout, stderr } = await test(`
cases:
  - { name: harmless, text: hello, expect: allow }
  - { name: a secret, text: the secret, expect: block, guard: words }
  - { name: cut in two, phase: answer, chunks: [the sec, ret], expect: block, guard: words }
  - { name: replaced, phase: answer, text: a rude word, expect: replace, result: a **** word }
  - { name: in shadow, call: { agent: pay }, parts: [{ text: secret }], expect: block, guard: words }
  - { name: of another agent, text: secret, expect: block, guard: of-pay }
  - { name: asked, call: { agent: bank }, text: pay Ada, expect: ask, guard: of-bank }
  - { name: without approvers, text: pay Ada, expect: block, guard: words }
  - { name: in an answer, call: { agent: bank }, phase: answer, text: paid, expect: allow }
  - { name: asked in an answer, call: { agent: bank }, phase: answer, text: pay Ada, expect: block, guard: of-bank }
  - { name: not asked, call: { agent: bank }, text: hello, expect: ask }
  - { name: never, text: secret, expect: allow }
  - { name: another text, phase: answer, text: rude, expect: replace, result: polite }
  - { name: misspelt, text: secret, expect: block, guard: wrods }
`);
  expect(stdout).toBe(
    [
      'ok    harmless',
      'ok    a secret',
      'ok    cut in two',
      'ok    replaced',
      'ok    in shadow',
      'FAIL  of another agent: expected block by of-pay, and it was block by words',
      'ok    asked',
      'ok    without approvers',
      'ok    in an answer',
      'ok    asked in an answer',
      'FAIL  not asked: expected ask, and it was allow, by no guard',
      'FAIL  never: expected allow, and it was block by words',
      'FAIL  another text: expected the text "polite", and it was "****"',
      'FAIL  misspelt: there is no guard wrods',
      '',
    ].join('\n'),
  );
  expect(code).toBe(1);
  expect(stderr).toContain('5 of 14 cases failed');
});

it('guard test asks a judge outside with the credentials of the environment', async () => {
  const judge = await startJudge();
  const credentials = `authentication: { scheme: Bearer, credentials: "\${JUDGE_KEY}" }`;
  const config = file('outside.yaml', `guards:\n  - { name: outside, url: "${judge.url}", ${credentials} }\n`);
  const cases = file('outside.cases.yaml', 'cases: [{ name: x, text: forbidden, expect: block }]');
  const missing = await inProcess(['guard', 'test', cases, '--config', config]);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain(
    'outside.yaml:2: guards.0.authentication.credentials: the environment variable JUDGE_KEY is not set',
  );
  vi.stubEnv('JUDGE_KEY', 'a-key');
  expect((await inProcess(['guard', 'test', cases, '--config', config])).stdout).toContain('1 case passed');
  expect(judge.asked).toMatchObject([{ guard: 'outside', phase: 'request', parts: [{ text: 'forbidden' }] }]);
});

it('guard test says what is wrong with a file, with its line', async () => {
  const faults = await test('cases:\n  - name: x\n    phase: both\n    expect: refuse\n');
  expect(faults.code).toBe(2);
  expect(faults.stderr).toContain('cases.yaml:3: cases.0.phase: expected "request" or "answer"');
  expect(faults.stderr).toContain('cases.yaml:4: cases.0.expect: expected "allow" or "block" or "replace" or "ask"');
  const wrong = file('wrong.yaml', 'guards:\n  - { name: a, where: agnet == "x", module: ./judge.mjs }\n');
  const cases = file('good.yaml', 'cases: [{ name: x, expect: allow }]');
  const refused = await inProcess(['guard', 'test', cases, '--config', wrong]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('wrong.yaml:2: guards.0.where: at character 1: there is no variable "agnet"');
  const both = file('both.yaml', 'guards:\n  - { name: a, url: "http://localhost:1", module: ./judge.mjs }\n');
  const forms = await inProcess(['guard', 'test', cases, '--config', both]);
  expect(forms.stderr).toContain('both.yaml:2: guards.0: expected either url or module, not both');
});
