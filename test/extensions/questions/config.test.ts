import { expect, test } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { activeSettings } from '../../../src/config/active-settings.ts';
import { parseConfig } from '../../../src/config/parse.ts';

const { hash } = newKey();

const configOf = (questions: object, ofAgent?: object) =>
  parseConfig(
    JSON.stringify({
      auth: { apiKeys: [{ name: 'alice', hash }] },
      questions,
      agents: { demo: { kind: 'reference', ...(ofAgent && { questions: ofAgent }) }, other: { kind: 'reference' } },
    }),
    { file: '/gateway.yaml', env: {} },
  );

test('settings for the questions of one agent replace those for all, one by one', () => {
  const config = configOf(
    { deadline: '2d', remind: '1d', for: 'alice' },
    { deadline: 'forever', otherwise: { answer: 2 } },
  );
  const ofAll = { deadline: 2 * 86_400_000, remind: 86_400_000, for: 'alice' };
  expect(config.agents.get('other')?.questions).toEqual(ofAll);
  expect(config.agents.get('demo')?.questions).toEqual({
    ...ofAll,
    deadline: Number.POSITIVE_INFINITY,
    otherwise: { answer: 2 },
  });
  expect(activeSettings(config)).toMatchObject({
    questions: { deadline: '2d', remind: '1d', for: 'alice' },
    agents: { demo: { questions: { deadline: 'forever', otherwise: { answer: 2 } } } },
  });
});

test.each([
  [{ for: 'bob' }, 'questions.for: no caller is called "bob"'],
  [{ otherwise: {} }, 'questions.otherwise'],
  [{ otherwise: 'wait' }, 'questions.otherwise: expected "fail" or a mapping with answer'],
  [{ deadline: 5 }, 'questions.deadline: expected a duration such as 30d or 12h, or "forever"'],
])('the section `questions` refuses %j and says where', (questions, problem) => {
  expect(() => configOf(questions)).toThrow(problem);
  expect(() => configOf({}, questions)).toThrow(`agents.demo.${problem}`);
});
