import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { idleHttp1, idleHttp2 } from '../../../src/transports/listener/idle.ts';
import { startGateway } from '../../support/gateway.ts';

it('a connection over HTTP/1.1 stays open for longer than the minute that load balancers keep theirs', async () => {
  const gateway = await startGateway();
  const { headers } = await fetch(`${gateway.origin}/healthz`);
  const [, seconds] = /^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '') ?? [];
  expect(Number(seconds) * 1_000).toBe(idleHttp1);
  expect(Number(seconds)).toBeGreaterThan(60);
});

it('operators of load balancers read how long connections stay open', () => {
  const page = readFileSync(new URL('../../../docs/operate/operations.md', import.meta.url), 'utf8');
  expect(page).toContain(
    `closes connections without calls after ${idleHttp1 / 1_000} seconds over HTTP/1.1 and ${idleHttp2 / 60_000} minutes over HTTP/2`,
  );
});
