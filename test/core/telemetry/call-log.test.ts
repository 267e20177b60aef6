import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { CallLog } from '../../../src/core/telemetry/call-log.ts';

it('the log of calls waits once for an answer that many failed calls share, and notes its status for each', async () => {
  const log = new CallLog();
  const listeners: number[] = [];
  const server = createServer((_, res) => {
    for (let count = 0; count < 20; count += 1) log.noteRefused('other', 'invalidParams', { res });
    listeners.push(res.listenerCount('close'));
    res.writeHead(418).write('one');
    log.noteRefused('other', 'invalidParams', { res });
    listeners.push(res.listenerCount('close'));
    res.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await answer.text();
    await once(server.close(), 'close');
  } finally {
    server.closeAllConnections();
  }
  expect(listeners[1]).toBe(listeners[0]);
  expect(listeners[0]).toBeLessThan(4);
  expect([...log.records(true)].map(({ status }) => status)).toEqual(Array(21).fill('418'));
});
