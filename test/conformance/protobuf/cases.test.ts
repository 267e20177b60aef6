import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answerOf, caseOf, cases, descriptors, type Row } from './cases.ts';
import { ConformanceCodec } from './codec.ts';

test("the codec answers the cases of protobuf's conformance suite as it did when the suite passed them", () => {
  const codec = new ConformanceCodec(descriptors);
  const rows = readFileSync(cases, 'utf8').trim().split('\n');
  expect(rows.length).toBeGreaterThan(500);
  for (const line of rows) {
    const row: Row = JSON.parse(line);
    expect([row.name, answerOf(codec.answer(caseOf(row)))]).toEqual([row.name, row.answer]);
  }
});
