import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCondition } from '../../../src/extensions/conditions/conditions.ts';
import { type GivenFacts, plainFacts } from '../../../src/extensions/conditions/facts.ts';

const faultOf = (text: string): string => {
  try {
    compileCondition(text);
    return 'none';
  } catch (thrown) {
    return (thrown as Error).message;
  }
};

const holds = (text: string, facts: GivenFacts = {}): unknown => {
  const verdict = compileCondition(text).holds(plainFacts(facts));
  return verdict instanceof Error ? `fails: ${verdict.message}` : verdict;
};

it.each([
  ['agnet == "x"', 'at character 1: there is no variable "agnet"; did you mean agent?'],
  [
    'caller.nmae == "x"',
    'at character 7: caller has no field "nmae"; expected one of id, anonymous, scopes, attributes',
  ],
  ['agent.name == "x"', 'at character 6: a string has no fields'],
  ['size == "x"', 'at character 5: an int is never equal to a string'],
  ['size > "x"', 'at character 5: > cannot be applied to an int and a string'],
  ['agent', 'it is a string, and a condition must be a bool'],
  ['agent && true', 'at character 1: expected a bool, and this is a string'],
  ['5 in caller.scopes', 'at character 2: an int is never in a list of string'],
  ['agent.startWith("x")', 'at character 6: there is no function "startWith"; did you mean startsWith?'],
  ['agent.startsWith()', 'at character 6: startsWith cannot be applied to a string'],
  ['agent == "x', 'at character 7: found = but expecting end of input'],
  ['true &&\n agent = "x"', 'at line 2, character 8: found = but expecting end of input'],
  ['true ||\n nobody', 'at line 2, character 2: there is no variable "nobody"; expected one of'],
  ['agent.matches(skill)', 'the pattern of matches must be a text of the policy'],
  ['agent.matches("(")', 'at character 6: error parsing regexp: missing closing )'],
  ['size.all(x, true)', 'expected a list or a mapping, and this is an int'],
  ['caller["id"] == "x"', 'the fields of caller are read with a dot'],
  ['google.protobuf.Duration{seconds: 1} == now', 'there is no type "google.protobuf.Duration"'],
  [`agent == "${'x'.repeat(5_000)}"`, 'it is longer than 4096 characters'],
  [`${'('.repeat(40)}true${')'.repeat(40)}`, 'its brackets are nested more than 32 deep'],
  ['metadata.all(a, metadata.all(b, a == b))', 'and 50000 is the most: lists of a call count as 500 members'],
])('a condition is refused when the configuration is read: %s', (text, message) => {
  expect(faultOf(text)).toContain(message);
});

it('conditions are refused in little time, whatever they are', () => {
  const parts = fc.constantFrom('(', ')', '[', ']', '!', '-', 'a', '"', '.', '?', ':', '&&', 'agent', '.all(x,', '1');
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 300 }), (words) => {
      expect(typeof faultOf(words.join(''))).toBe('string');
    }),
    { numRuns: 100 },
  );
  expect(faultOf('!'.repeat(4_000))).not.toBe('none');
});

describe('a condition holds', () => {
  it.each<[string, GivenFacts, unknown]>([
    ['agent == "a" && !caller.anonymous', { agent: 'a', caller: { id: 'key:alice' } }, true],
    ['"tasks" in caller.scopes', {}, true],
    ['"payroll" in caller.scopes', { caller: { scopes: ['payroll'] } }, true],
    ['operation in ["SendMessage", "GetTask"]', { operation: 'GetTask' }, true],
    ['size > 10', { size: 11 }, true],
    ['mediaTypes.exists(type, type.startsWith("image/"))', { mediaTypes: ['text/plain', 'image/png'] }, true],
    ['has(metadata.amount) && metadata.amount > 100', { metadata: { amount: 250 } }, true],
    ['has(metadata.amount) && metadata.amount > 100', {}, false],
    ['metadata.amount > 100', {}, 'fails: field not found: amount'],
    ['metadata.amount > 100 || agent == "a"', { agent: 'a' }, true],
    ['agent == "a" && metadata.amount > 100', {}, false],
    ['caller.attributes.team == "blue"', { caller: { attributes: { team: 'blue' } } }, true],
    ['caller.attributes.teams.exists(t, t == "blue")', { caller: { attributes: { teams: ['red', 'blue'] } } }, true],
    ['task.state == "TASK_STATE_COMPLETED"', { task: { state: 'TASK_STATE_COMPLETED' } }, true],
    ['now.getHours("Europe/Berlin") < 8', { now: Date.UTC(2026, 0, 5, 5) }, true],
    ['now < timestamp("2027-01-01T00:00:00Z")', { now: Date.UTC(2026, 0, 5) }, true],
    ['skill.matches("^pay.*")', { skill: 'payout' }, true],
    ['size(path) == 0', {}, true],
    ['metadata == {"a": 1}', { metadata: { a: 1 } }, true],
    ['"image/png" in mediaTypes', { mediaTypes: ['Image/PNG'] }, true],
    ['mediaTypes == ["image/png", "text/html"]', { mediaTypes: [' image/png', 'TEXT/HTML; charset="UTF-8"'] }, true],
    ['mediaTypes.all(type, type == "text/plain")', { mediaTypes: ['text/plain ;format=flowed', 'Text/Plain'] }, true],
    [
      'metadata.text == "x"',
      { metadata: { text: 'x'.repeat(70_000) } },
      'fails: a mapping of the call has more than 65536 characters',
    ],
    [
      'metadata.list.all(x, x < 2)',
      { metadata: { list: Array(2_000).fill(1) } },
      'fails: a mapping of the call has more than 500 members',
    ],
  ])('a condition holds: %s', (text, facts, expected) => {
    expect(holds(text, facts)).toBe(expected);
  });

  const differing = {
    messageMetadata: { amount: null, note: 'a', same: [1] },
    requestMetadata: { amount: 5, same: [1] },
  };
  const conflict = expect.stringContaining('differ in "amount"');
  it.each([
    ['metadata.note == "a" && metadata.same == [1]', true],
    ['metadata.amount > 4', conflict],
    ['metadata["amount"] == null', conflict],
    ['has(metadata.amount)', conflict],
    ['has(metadata.note) && has(metadata.same)', true],
    ['has(messageMetadata.amount)', false],
    ['has(messageMetadata.note) && !has(requestMetadata.note)', true],
    ['requestMetadata.amount > 4', true],
    ['messageMetadata.amount == null', true],
  ])(
    'a condition reads the metadata of the message and of the request, where neither hides the other: %s',
    (text, expected) => {
      expect(holds(text, differing)).toEqual(expected);
    },
  );

  const long = 'x'.repeat(65_537);
  it.each<[string, GivenFacts]>([
    ['skill.matches("x*")', { skill: long }],
    ['int(skill) > 1', { skill: '1'.repeat(65_537) }],
    ['skill == "x"', { skill: long }],
    ['"x" != skill', { skill: long }],
    ['skill in ["x"]', { skill: long }],
    ['agent == "a" && skill.contains("y")', { agent: 'a', skill: long }],
    ['tenant.matches("x*")', { tenant: long }],
    ['caller.id.endsWith("y")', { caller: { id: long } }],
    ['task.contextId.matches("x")', { task: { contextId: long } }],
    ['task.id == "y"', { task: { id: long } }],
    ['mediaTypes.exists(t, t.matches("y"))', { mediaTypes: [long] }],
    ['mediaTypes.exists(t, t == "y")', { mediaTypes: ['a'.repeat(40_000), 'b'.repeat(40_000)] }],
    ['extensions.all(t, t != "y")', { extensions: [long] }],
    ['"y" in path', { path: [long] }],
    ['"y" in caller.scopes', { caller: { scopes: Array(501).fill('x') } }],
    ['caller.attributes.a == "y"', { caller: { attributes: { a: long } } }],
    ['messageMetadata.a == "y"', { messageMetadata: { a: long } }],
    ['requestMetadata.a == "y"', { requestMetadata: { a: long } }],
  ])('a condition does not hold for a text that is too long to be judged: %s', (text, facts) => {
    expect(holds(text, facts)).toMatch(/^fails: a (?:text|list|mapping) of the call has more than/);
  });

  it('no condition takes exponential time for a regular expression', () => {
    const facts = { skill: `${'a'.repeat(60_000)}!` };
    expect(holds('skill.matches("^(a+)+$")', facts)).toBe(false);
    expect(holds('skill.matches("(a|aa)+$") || skill.matches("(.*a){20}$")', facts)).toBe(false);
  });
});
