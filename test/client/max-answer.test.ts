import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { newFolder } from '../support/folders.ts';
import { openGateway } from '../support/gateway.ts';
import { inProcess } from '../support/in-process.ts';
import { afterTest } from '../support/peer.ts';

/** An agent whose file is larger than what the gateway itself reads of one answer. */

const size = 20_000_000;
const vias = ['jsonrpc', 'rest', 'grpc', 'connect'] as const;

const gateway = await openGateway('agents: { large: { kind: module, path: ./agents/large-file-agent.ts } }\n', {
  file: fileURLToPath(new URL('../support/gateway.yaml', import.meta.url)),
});

it('an agent sends a file of 20 MB over gRPC; over JSON-RPC the command below receives it', async () => {
  const agent = await connect(gateway.url, { via: 'grpc' });
  afterTest(() => agent.close());
  const { task } = await agent.send('file');
  const [part] = task?.artifacts?.[0]?.parts ?? [];
  expect(Buffer.byteLength(part?.raw ?? '', 'base64')).toBe(size);
});

describe.each(vias)('over %s', (via) => {
  it(`the bound of an answer over ${via} can be chosen, and an answer beyond it is not called a mistake of the agent`, async () => {
    const agent = await connect(gateway.url, { via, maxAnswer: '1MiB' });
    afterTest(() => agent.close());
    const refusal = {
      kind: 'answerTooLarge',
      message: expect.stringMatching(/^The answer is larger than 1MiB, .*maxAnswer \(--max-answer/),
    };
    await expect(agent.send('small file')).rejects.toMatchObject(refusal);
    const readAll = async (): Promise<void> => {
      for await (const _ of agent.sendStream('small file'));
    };
    await expect(readAll()).rejects.toMatchObject(refusal);
  });
});

it('a bound that is no size is refused before anything is sent', async () => {
  await expect(connect('http://127.0.0.1:1', { maxAnswer: 'much' })).rejects.toMatchObject({
    kind: 'invalidParams',
    message: expect.stringMatching(/^maxAnswer: expected/),
  });
});

it('the command writes the file, and refuses it below a bound of its own', async () => {
  const folder = newFolder();
  const small = await inProcess(['send', gateway.url, 'small file', '--max-answer', '1MiB']);
  expect([small.code, small.stderr]).toEqual([1, expect.stringContaining('larger than 1MiB')]);
  const wrong = await inProcess(['send', gateway.url, 'file', '--max-answer', 'much']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--max-answer: expected a size')]);
  const path = join(folder, 'file.bin');
  expect((await inProcess(['send', gateway.url, 'file', '--out', path])).code).toBe(0);
  const expected = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  const written = readFileSync(path);
  expect(written.length).toBe(size);
  expect(written.equals(Buffer.alloc(size, expected))).toBe(true);
});
