import { expect, test, vi } from 'vitest';
import { paced } from '../../support/pace.ts';
import { Project } from './run-types.ts';

// Compilers run here, on machines that may be busy.
vi.setConfig({ testTimeout: paced(120_000) });

const agent = `syntax = "proto3";
package acme.v1;
import "common.proto";
service Agents { rpc Ask(Question) returns (acme.common.Answer); }
service Others {}
message Question { string text = 1; acme.common.Mood mood = 2; }
`;

const common = `syntax = "proto3";
package acme.common;
message Answer { string body = 1; Score score = 2; message Score { double of_ten = 1; } }
enum Mood { MOOD_NONE = 0; MOOD_GOOD = 1; MOOD_BAD = 2; }
`;

/** The report of a run after an edit of one of the protos, in a project with one more file. */
async function reported(file: 'agent.proto' | 'common.proto', edits: readonly [string, string][], code: string) {
  const project = new Project();
  project.write('agent.proto', agent);
  project.write('common.proto', common);
  project.write('src/use.ts', `${code}\n`);
  expect((await project.types({ proto: 'agent.proto' })).failure).toBeUndefined();
  for (const [from, to] of edits) project.edit(file, (text) => text.replace(from, to));
  const { failure, text } = await project.types();
  expect(failure).toBeUndefined();
  return text;
}

test.each([
  [
    'a field added',
    'string body = 1;',
    'string body = 1; int32 cost = 7;',
    'added field acme_common_Answer.cost: int32',
  ],
  ['a field removed', 'string body = 1;', '', 'removed field acme_common_Answer.body'],
  [
    'a field of a nested message renamed',
    'of_ten = 1',
    'of_five = 1',
    'renamed field acme_common_Answer_Score.ofTen: ofFive (a guess: number and type are the same)',
  ],
  [
    'a value of an enum renamed',
    'MOOD_GOOD',
    'MOOD_FINE',
    'renamed enum value acme_common_Mood.MOOD_GOOD: MOOD_FINE (a guess: the number is the same)',
  ],
  [
    'a value of an enum added',
    'MOOD_BAD = 2;',
    'MOOD_BAD = 2; MOOD_ODD = 3;',
    'added enum value acme_common_Mood.MOOD_ODD: 3',
  ],
])('a change in an imported proto is reported: %s', async (_, from, to, line) => {
  const text = await reported('common.proto', [[from, to]], 'export const none = 1;');
  expect(text).toContain(`Changed since the last run:\n  ${line}\n`);
});

test('lines that name what changed in an imported proto are found', async () => {
  const code = "import './a2a/types.ts';\nexport const body = (answer) => answer.body + ['MOOD_GOOD', 'MOOD_BAD'];";
  expect(await reported('common.proto', [['string body', 'string content']], code)).toContain(
    'Named in your project:\n  src/use.ts:2: renamed field acme_common_Answer.body',
  );
  expect(await reported('common.proto', [['MOOD_BAD = 2;', 'MOOD_BAD = 2; MOOD_ODD = 3;']], code)).toContain(
    'src/use.ts:2: added enum value acme_common_Mood.MOOD_ODD',
  );
});

test('another package is reported, with the lines that name the old one', async () => {
  const text = await reported(
    'agent.proto',
    [['package acme.v1;', 'package acme.v2;']],
    "fetch('/acme.v1.Agents/Ask');",
  );
  expect(text).toContain('Changed since the last run:\n  renamed package acme.v1: acme.v2; every rpc path has it\n');
  expect(text).toContain('Named in your project:\n  src/use.ts:1: renamed package acme.v1\n');
});

test('an rpc of another service is reported, with the lines that name it', async () => {
  const ask = ' rpc Ask(Question) returns (acme.common.Answer); ';
  const text = await reported(
    'agent.proto',
    [
      [`{${ask}}`, '{ rpc Stay(Question) returns (Question); }'],
      ['service Others {}', `service Others {${ask}}`],
    ],
    "fetch('/acme.v1.Agents/Ask');",
  );
  expect(text).toContain('  changed rpc Ask: path /acme.v1.Agents/Ask to /acme.v1.Others/Ask\n');
  expect(text).toContain('Named in your project:\n  src/use.ts:1: changed rpc Ask\n');
});

test('a run of which the files alone differ says that the specification does not', async () => {
  const text = await reported('agent.proto', [['message Question {', '// A question.\nmessage Question {']], '');
  expect(text).toContain('The specification equals that of the last run, except for comments and order.');
});
