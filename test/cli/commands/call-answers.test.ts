import { expect, it } from 'vitest';
import { noteCompleteness, printNumbers } from '../../../src/cli/commands/call-answers.ts';
import type { Output } from '../../../src/cli/output.ts';

/** Calls and their numbers, as the command line prints them. */

function collected() {
  const notes: string[] = [];
  const tables: (readonly (readonly unknown[])[])[] = [];
  const output = {
    note: (line: string) => notes.push(line),
    table: (titles: readonly string[], rows: readonly (readonly unknown[])[]) => tables.push([titles, ...rows]),
  };
  return { notes, tables, output: output as unknown as Output };
}

it('numbers are a table with a line for each group, and one for all', () => {
  const { notes, tables, output } = collected();
  const numbers = { calls: 4, failed: 1, refused: 2, tasksEnded: 3, tasksFailed: 1, p50Ms: 2, p90Ms: 3.5, p99Ms: 9 };
  const groups = [
    { principal: 'key:alice', numbers },
    { principal: '', numbers: { refused: 2 } },
  ];
  printNumbers({ groups, total: { numbers }, moreGroups: 3, countedWithOthers: 5 }, output);
  expect(tables).toEqual([
    [
      ['principal', 'calls', 'failed', 'refused', 'tasks ended', 'failed', 'p50 ms', 'p90 ms', 'p99 ms'],
      ['key:alice', '4', '1', '2', '3', '1', '2', '3.5', '9'],
      ['-', '0', '0', '2', '0', '0', '', '', ''],
      ['all', '4', '1', '2', '3', '1', '2', '3.5', '9'],
    ],
  ]);
  expect(notes).toEqual([
    'note: there are 3 more groups; list more of them with --page-size',
    'note: 5 more calls and refusals are counted with (others), and may be among these',
  ]);
});

it('an answer says since when it is complete, and what is missing before', () => {
  const { notes, output } = collected();
  const [kept, from, until] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-02T00:01:00Z'];
  const leftOut = [
    { principal: 'key:alice', count: 7 },
    { principal: '', count: 1 },
  ];
  noteCompleteness({ completeSince: until, keptSince: kept, gaps: [{ replica: 'one', from, until }], leftOut }, output);
  noteCompleteness({ completeSince: kept, keptSince: kept }, output);
  noteCompleteness({ completeSince: from, since: kept }, output);
  // The numbers of callers are whole, and lists of agents are of the present.
  noteCompleteness({ completeSince: kept, since: kept }, output);
  noteCompleteness({ completeSince: from }, output);
  noteCompleteness({}, output);
  expect(notes).toEqual([
    `note: complete since ${until}; kept since ${kept}`,
    `note: records of replica one from ${from} to ${until} are missing`,
    'note: 7 more calls of key:alice are counted, and not listed',
    'note: 1 more calls of callers without a valid credential are counted, and not listed',
    `note: complete since ${kept}`,
    `note: complete since ${from}; counted since ${kept}`,
  ]);
});
