import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentDefinition, artifact, defineAgent, say, status } from '../../src/index.ts';
import { inProcess } from '../support/cli.ts';
import { openGateway } from '../support/gateway.ts';

/** Agents of frameworks give their answer in one of these ways. */
const agents: Record<string, AgentDefinition['execute']> = {
  'a-message': () => say('Hello, Ada!'),
  'an-artifact': async function* () {
    yield status('TASK_STATE_WORKING', 'thinking');
    yield artifact({ content: 'Hello, Ada!' });
  },
  'the-last-status': async function* () {
    yield status('TASK_STATE_WORKING', 'thinking');
    yield status('TASK_STATE_COMPLETED', 'Hello, Ada!');
  },
  'a-status-on-the-way': async function* () {
    yield status('TASK_STATE_WORKING', 'Hello, Ada!');
    yield status('TASK_STATE_COMPLETED');
  },
};

describe('an agent whose answer is', () => {
  let opened: Awaited<ReturnType<typeof openGateway>>;
  beforeAll(async () => {
    const own = Object.entries(agents).map(([name, execute]) => [
      name,
      defineAgent({ name, description: name, execute }),
    ]);
    opened = await openGateway('', { agents: Object.fromEntries(own) });
  });
  afterAll(() => opened.close());

  it.each(Object.keys(agents))('%s: send prints it, with and without --stream', async (name) => {
    for (const flags of [[], ['--stream']]) {
      const { stdout } = await inProcess(['send', `${opened.url}/${name}`, 'Ada', ...flags]);
      expect(stdout).toBe('Hello, Ada!\n');
    }
  });
});
