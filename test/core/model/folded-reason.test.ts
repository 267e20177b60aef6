import { expect, it } from 'vitest';
import { foldedReason } from '../../../src/core/model/folded-reason.ts';

it.each([
  ['courier within reach of 35 Hill Rd', 'courier within reach of … Hill Rd'],
  ['waited 1.5s, 20% of 1,000', 'waited …s, …% of …'],
  ['connect ECONNREFUSED 10.0.0.1:8080', 'connect ECONNREFUSED …'],
  ['provider answered 402 for order 402', 'provider answered 402 for order …'],
  ['HTTP 502 after 3 attempts', 'HTTP 502 after … attempts'],
  ['gpt-4 speaks a2a-1.0 to v2', 'gpt-4 speaks a2a-1.0 to v2'],
  ['until 2026-11-29T14:05:00Z, task 01a21aec-7e5c-7000-b9ef-556ec748adab', 'until …, task …'],
  ['at -5 degrees', 'at … degrees'],
  ['no numbers', 'no numbers'],
])('the reason %s is folded to %s, and stays so', (reason, folded) => {
  expect(foldedReason(reason)).toBe(folded);
  expect(foldedReason(folded)).toBe(folded);
});
