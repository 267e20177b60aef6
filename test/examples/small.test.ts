import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { connect, loadConfig } from '../../src/index.ts';
import { openGateway } from '../support/gateway.ts';

const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

it('the example configuration serves the example agents', async () => {
  const config = await loadConfig(example('gateway.yaml'), { port: 0, store: 'memory:' });
  const { gateway, url } = await openGateway(config);
  try {
    const client = await connect(url);
    const message = (text: string, taskId?: string) => ({
      message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text }], ...(taskId && { taskId }) },
    });
    const asked = await client.sendMessage(message('hi'));
    expect(asked.task?.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED' });
    const done = await client.sendMessage(message('Ada', asked.task?.id));
    expect(done.task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.task?.artifacts?.[0]?.parts).toEqual([{ text: 'Hello, Ada!' }]);
    await client.close();
    const other = await connect(`${url}/conformance`);
    expect((await other.sendMessage(message('hi'))).task?.status.message?.parts).toEqual([{ text: 'Hello from TCK' }]);
    await other.close();
  } finally {
    await gateway.close({ drainMs: 0 });
  }
});

it('an agent takes no more than thirty lines', async () => {
  const text = await readFile(example('hello-agent.ts'), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});
