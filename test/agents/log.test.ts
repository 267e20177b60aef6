import { expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { artifact, defaultConfig, defineAgent } from '../../src/index.ts';
import { type Opened, openGateway } from '../support/gateway.ts';
import { recorder } from '../transports/rpc-support.ts';

/** Log lines that agents write through the gateway. */

let gateway: Opened | undefined;

it('the log of an agent has the task and the request in each line, whatever fields the agent adds', async () => {
  const agent = defineAgent({
    name: 'A',
    description: 'Writes',
    async *execute({ log, taskId }) {
      log.info('begun', { step: 1, task: 'another' });
      const { warn } = { warn: log.warn.bind(log) };
      warn('half way');
      log.error('failed a little', { err: new Error('oh') });
      log.debug('details', { taskId });
      yield artifact({ content: 'done' });
    },
  });
  const logger = recorder();
  const config = defaultConfig({ host: 'localhost', port: 0, store: 'memory:' });
  gateway = await openGateway(config, { agents: { a: agent }, logger });
  const client = await connect(`${gateway.url}/a`);
  const { task } = await client.send('go');
  const own = { task: task?.id, principal: 'anonymous', request: expect.any(String) };
  const written = logger.lines.filter(({ message }) => /begun|half way|failed a little|details/.test(message));
  expect(written).toMatchObject([
    { message: 'begun', fields: { ...own, step: 1 } },
    { message: 'half way', fields: own },
    { message: 'failed a little', fields: { ...own, err: new Error('oh') } },
    { message: 'details', fields: { ...own, taskId: task?.id } },
  ]);
});
