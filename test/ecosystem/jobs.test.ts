import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { peerComplaints } from './app.ts';
import { jobs } from './jobs.ts';

describe('the jobs of npm run test:ecosystem', () => {
  it('have names of their own, by which one is chosen', () => {
    const names = jobs.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('run programs that exist', () => {
    const programs = jobs.flatMap(({ program }) => program ?? []);
    expect(programs.length).toBeGreaterThan(20);
    for (const program of programs) {
      expect([program, existsSync(new URL(`apps/${program}`, import.meta.url))]).toEqual([program, true]);
    }
  });
});

it('an installation that complains about peers or engines has failed', () => {
  expect(peerComplaints('added 12 packages in 3s\n')).toEqual([]);
  expect(peerComplaints('npm warn deprecated glob@7.2.3: no longer supported\n')).toEqual([]);
  for (const line of [
    'npm error code ERESOLVE',
    'npm warn ERESOLVE overriding peer dependency',
    'npm warn Could not resolve dependency: peer graphql@"^17.1.0" from a2a-gateway@0.1.0',
    'npm warn EBADENGINE Unsupported engine {',
  ]) {
    expect(peerComplaints(`${line}\nadded 12 packages in 3s\n`)).toEqual([line]);
  }
});
