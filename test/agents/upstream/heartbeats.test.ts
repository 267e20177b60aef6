import { expect, it } from 'vitest';
import type { Logger } from '../../../src/core/ports/logger.ts';
import { openGateway } from '../../support/gateway.ts';
import { startBridge } from '../../support/upstreams.ts';
import { type Script, startScripted, statusOf, taskOf } from './scripted-agent.ts';

/** Agents whose streams have heartbeats between their answers, or nothing else. */

const beat = 'event: ping\ndata: {"type":"ping"}\n\n';

/** Begins a stream, and sends a heartbeat again and again until its client leaves. */
const beating: Script = ({ res }) => {
  if (!res.headersSent) res.writeHead(200, { 'content-type': 'text/event-stream' });
  const timer = setInterval(() => res.write(beat), 5);
  res.on('close', () => clearInterval(timer));
};

it('a stream with heartbeats arrives, and they are counted and logged once for each agent', async () => {
  const lines: { fields: object; message: string }[] = [];
  const warn = (fields: object, message: string): void => void lines.push({ fields, message });
  const logger: Logger = { debug() {}, info() {}, warn, error: warn };
  const agent = await startScripted({
    SendStreamingMessage({ res, events, end }) {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(beat);
      events({ task: taskOf('SUBMITTED') });
      res.write(beat);
      events(statusOf('COMPLETED'));
      end();
    },
  });
  const settings = `agents: { up: { kind: upstream, url: "${agent.url}" } }\nauth: { anonymous: true }\n`;
  const { url } = await openGateway(settings, { logger });
  for (let turn = 0; turn < 2; turn += 1) {
    const answer = await fetch(`${url}/up/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message: { messageId: `m${turn}`, role: 'ROLE_USER', parts: [{ text: 'hi' }] } }),
    });
    expect(await answer.json()).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
  }
  expect(lines.filter(({ message }) => message.includes('events that are not answers'))).toEqual([
    { fields: { agent: 'up', event: 'ping', data: '{"type":"ping"}' }, message: expect.stringContaining('skipped') },
  ]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('a2a_gateway_upstream_skipped_events_total{agent="up"} 4\n');
});

it('a stream with nothing but heartbeats before its first answer ends within the silence limit', async () => {
  const agent = await startScripted({ SendStreamingMessage: beating });
  const bridge = await startBridge({ up: { url: agent.url, silence: 300 } });
  const client = await bridge.client('up');
  await expect(client.send('hi')).rejects.toMatchObject({
    kind: 'upstreamTimeout',
    message: expect.stringContaining('no sign of life for 300 ms'),
  });
});

it('a task fails whose agent sends nothing but heartbeats and does not say how the task is', async () => {
  const agent = await startScripted({
    SendStreamingMessage(call) {
      call.events({ task: taskOf('WORKING') });
      beating(call);
    },
    SubscribeToTask: beating,
    // Never answered.
    GetTask: () => {},
  });
  const bridge = await startBridge({
    up: { url: agent.url, silence: 300, bounds: { pulse: 50, quiet: 50, call: 50 } },
  });
  const client = await bridge.client('up');
  const { task } = await client.send('hi');
  expect(task?.status.state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify(task?.status.message)).toContain('no sign of life for 300 ms');
});
