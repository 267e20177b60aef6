import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { inProcess } from '../support/in-process.ts';

/** Integers of 64 bits, beyond what a double can hold, at an agent that writes them as numbers. */

const large = '9007199254740993';
const task = `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"generation":${large}}`;

let server: Server;
let origin: string;
/** The request line and the body of each request for a task. */
const requests: { url: string; body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    const { url = '' } = req;
    const isCard = url.endsWith('agent-card.json');
    if (!isCard) requests.push({ url, body });
    const id = body === '' ? undefined : JSON.parse(body).id;
    res.setHeader('Content-Type', 'application/json');
    if (isCard) res.end(JSON.stringify(card()));
    else res.end(id === undefined ? task : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${task}}`);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const card = () => ({
  ...{ name: 'a', description: 'a', version: '1', capabilities: {}, skills: [] },
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  supportedInterfaces: ['HTTP+JSON', 'JSONRPC'].map((protocolBinding) => ({
    url: origin,
    protocolBinding,
    protocolVersion: '1.1',
  })),
});

describe.each(['rest', 'jsonrpc'] as const)('over %s', (via) => {
  /** How the last request had `currentGeneration`. */
  const sent = (): string | null => {
    const { url, body } = requests.at(-1) ?? { url: '', body: '' };
    if (via === 'rest') return new URL(url, origin).searchParams.get('currentGeneration');
    return JSON.parse(body).params.currentGeneration;
  };

  it('the client library takes and gives them exactly', async () => {
    const client = await connect(origin, { via, as: 'a2a-1.1' });
    try {
      const found = await client.getTask({ id: 't', currentGeneration: large });
      expect(found.generation).toBe(large);
      expect(sent()).toBe(large);
    } finally {
      await client.close();
    }
  });

  it.each([large, `"${large}"`])('so does the command line, for %s', async (given) => {
    const request = `{"id":"t","currentGeneration":${given}}`;
    const { stdout, stderr } = await inProcess(['call', origin, 'GetTask', request, '--via', via, '--as', 'a2a-1.1']);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).generation).toBe(large);
    expect(sent()).toBe(large);
  });
});

it('documents with such numbers are translated exactly', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'a2a-translate-'));
  try {
    const file = join(dir, 'task.json');
    writeFileSync(file, task);
    const args = ['translate', file, '--from', 'a2a-1.1', '--to', 'a2a-1.1', '--type', 'task'];
    expect(JSON.parse((await inProcess(args)).stdout)).toMatchObject({ id: 't', generation: large });
  } finally {
    rmSync(dir, { recursive: true });
  }
});
