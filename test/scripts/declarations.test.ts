import { expect, it } from 'vitest';
import { declarationForConsumers } from '../../scripts/declarations.ts';

it('relative .ts imports of a declaration file become .js, and nothing else changes', () => {
  const before = `/** It says './a.ts' — « ünïcode » 😀. */
import type { A } from './a.ts';
import type { B } from "../b/b.ts";
import type { C } from 'some-package/c.ts';
export * from './d.js';
export type E = typeof import('./e.ts');
declare module './f.ts' {}
`;
  expect(declarationForConsumers(before)).toBe(`/** It says './a.ts' — « ünïcode » 😀. */
import type { A } from './a.js';
import type { B } from '../b/b.js';
import type { C } from 'some-package/c.ts';
export * from './d.js';
export type E = typeof import('./e.js');
declare module './f.js' {}
`);
});
