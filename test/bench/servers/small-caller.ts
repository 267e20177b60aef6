/**
 * A caller with small calls, one after another: `small-caller.ts PORT`. Answers `waits` with how long they have taken, and
 * begins anew.
 */
import { setTimeout } from 'node:timers/promises';
import { percentile } from '../part.ts';
import { params10, version10 } from '../requests.ts';
import { report } from './child.ts';

/** Milliseconds since the last question. */
export interface Waits {
  readonly p95: number;
  readonly longest: number;
}

/** Milliseconds between two calls. */
const interval = 10;

const [port = ''] = process.argv.slice(2);
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: params10('say hello') });
const headers = { 'Content-Type': 'application/json', ...version10 };
let waits: number[] = [];
/** Time when the present call began. */
let begun = performance.now();

process.on('message', (question) => {
  if (question !== 'waits') return;
  const all = [...waits, Math.max(0, performance.now() - begun)];
  process.send?.({ p95: percentile(all, 0.95), longest: Math.max(...all) } satisfies Waits);
  waits = [];
});
report({});
for (;;) {
  await setTimeout(interval);
  begun = performance.now();
  const signal = AbortSignal.timeout(60_000);
  await (await fetch(`http://localhost:${port}/`, { method: 'POST', headers, body, signal })).arrayBuffer();
  waits.push(performance.now() - begun);
}
