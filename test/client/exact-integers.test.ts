import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { v1Card } from '../support/cards.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';
import { bodyOf, sendJson, serve } from '../support/peer.ts';

/** Integers of 64 bits, beyond what a double can hold, at an agent that writes them as numbers. */

const large = '9007199254740993';
const task = `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"generation":${large}}`;

/** The request line and the body of each request for a task. */
const requests: { url: string; body: string }[] = [];

const origin: string = await serve(async (req, res) => {
  const body = await bodyOf(req);
  const { url = '' } = req;
  if (url.endsWith('agent-card.json')) {
    const interfaces = ['HTTP+JSON', 'JSONRPC'].map((protocolBinding) => ({ url: origin, protocolBinding }));
    return sendJson(res, v1Card(interfaces.map((one) => ({ ...one, protocolVersion: '1.1' }))));
  }
  requests.push({ url, body });
  const id = body === '' ? undefined : JSON.parse(body).id;
  res.setHeader('Content-Type', 'application/json');
  res.end(id === undefined ? task : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${task}}`);
});

describe.each(['rest', 'jsonrpc'] as const)('over %s', (via) => {
  /** `currentGeneration` of the last request. */
  const sent = (): string | null => {
    const { url, body } = requests.at(-1) ?? { url: '', body: '' };
    if (via === 'rest') return new URL(url, origin).searchParams.get('currentGeneration');
    return JSON.parse(body).params.currentGeneration;
  };

  it(`the client library takes and gives integers exactly over ${via}`, async () => {
    const client = await connect(origin, { via, as: 'a2a-1.1' });
    try {
      const found = await client.getTask({ id: 't', currentGeneration: large });
      expect(found.generation).toBe(large);
      expect(sent()).toBe(large);
    } finally {
      await client.close();
    }
  });

  it.each([large, `"${large}"`])(
    `the command line takes and gives the integer %s exactly over ${via}`,
    async (given) => {
      const request = `{"id":"t","currentGeneration":${given}}`;
      const { stdout, stderr } = await inProcess(['call', origin, 'GetTask', request, '--via', via, '--as', 'a2a-1.1']);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout).generation).toBe(large);
      expect(sent()).toBe(large);
    },
  );
});

it('documents with such numbers are translated exactly', async () => {
  const dir = newFolder();
  const file = join(dir, 'task.json');
  writeFileSync(file, task);
  const args = ['translate', file, '--from', 'a2a-1.1', '--to', 'a2a-1.1', '--type', 'task'];
  expect(JSON.parse((await inProcess(args)).stdout)).toMatchObject({ id: 't', generation: large });
});
