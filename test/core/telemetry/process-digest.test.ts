import { hash } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { processDigest } from '../../../src/core/telemetry/process-digest.ts';

it('the digest of a name is the same within a process, and cannot be computed from the name elsewhere', async () => {
  const name = 'jwt:https://login.example.com#4711';
  const digest = processDigest(name);
  expect(processDigest(name)).toBe(digest);
  expect(processDigest('key:other')).not.toBe(digest);
  expect(digest).not.toBe(hash('sha256', name, 'base64url'));
  vi.resetModules();
  const elsewhere = await import('../../../src/core/telemetry/process-digest.ts');
  expect(elsewhere.processDigest(name)).not.toBe(digest);
});
