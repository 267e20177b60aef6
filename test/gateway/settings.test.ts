import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import {
  type Agent,
  ConfigError,
  createGateway,
  createStore,
  defineAgent,
  type Gateway,
  type GatewaySettings,
  say,
} from '../../src/index.ts';
import { silent } from '../support/core.ts';
import { afterTest } from '../support/peer.ts';

const inMemory = { store: 'memory:', logger: silent, listen: { port: 0 } } as const;

const echo = defineAgent({ name: 'Echo', description: 'Repeats.', execute: ({ text }) => `echo ${text}` });

async function serve(settings: GatewaySettings): Promise<{ readonly gateway: Gateway; readonly url: string }> {
  const gateway = createGateway({ ...inMemory, ...settings });
  afterTest(() => gateway.close({ drainMs: 0 }));
  const { url } = await gateway.listen();
  return { gateway, url };
}

async function answerOf(url: string, text = 'hi'): Promise<string | undefined> {
  const client = await connect(url);
  try {
    const { message } = await client.send(text);
    return message?.parts[0]?.text;
  } finally {
    await client.close();
  }
}

const namesAt = async (url: string): Promise<string[]> => {
  const { agents } = (await (await fetch(`${url}/agents`)).json()) as { agents: { name: string }[] };
  return agents.map(({ name }) => name);
};

/** The problems of settings, each on a line. */
function problemsOf(settings: unknown): string[] {
  try {
    createGateway(settings as GatewaySettings);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return thrown.problems.map(({ where, path, message }) => `${where ?? '-'} ${path}: ${message}`);
  }
}

it('a gateway of settings in a program serves agents, definitions, and agents that settings describe', async () => {
  class Greeter implements Agent {
    readonly #greeting = 'good day';
    readonly card = echo.card;
    async *execute() {
      yield say(this.#greeting);
    }
  }
  const { url } = await serve({
    defaultAgent: 'made',
    agents: {
      made: echo,
      defined: { name: 'Inline', description: 'Written in place.', execute: ({ text }) => `inline ${text}` },
      instance: new Greeter(),
      described: { kind: 'reference' },
      hosted: { kind: 'code', agent: echo, hosts: ['echo.localhost'], knowledge: true },
    },
  });
  expect(await namesAt(url)).toEqual(['made', 'defined', 'instance', 'described', 'hosted']);
  expect(await answerOf(url)).toBe('echo hi');
  expect(await answerOf(`${url}/defined`)).toBe('inline hi');
  expect(await answerOf(`${url}/instance`)).toBe('good day');
  expect(await answerOf(`${url}/described`, 'say so')).toBe('so');
  const card = await fetch(`${url}/hosted/.well-known/agent-card.json`);
  expect(await card.text()).toContain('knowledge');
});

it('a gateway of settings in a program has the only agent at its root', async () => {
  const { url } = await serve({ agents: { echo } });
  expect(await answerOf(url)).toBe('echo hi');
});

it('a gateway of settings in a program serves no agent where none is named, and says so in the log', async () => {
  const warnings: string[] = [];
  const { url } = await serve({ logger: { ...silent, warn: (_: object, text: string) => void warnings.push(text) } });
  expect(await namesAt(url)).toEqual([]);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect((await fetch(`${url}/.well-known/agent-card.json`)).status).toBe(404);
  expect(warnings).toEqual([expect.stringContaining('no agent is configured')]);
});

it('a gateway of settings in a program uses a store of the program, and closes it', async () => {
  const store = createStore('memory:', { instance: 'test', logger: silent });
  let closed = 0;
  const { close } = store;
  store.close = () => {
    closed += 1;
    return close.call(store);
  };
  const { gateway } = await serve({ store, agents: { echo } });
  await gateway.close({ drainMs: 0 });
  expect(closed).toBe(1);
});

it('a gateway of settings in a program rejects the start when the card of an agent is not valid', async () => {
  const wrong = { ...echo, card: { ...echo.card, skills: undefined } };
  const gateway = createGateway({ ...inMemory, agents: { wrong: wrong as unknown as Agent } });
  await expect(gateway.start()).rejects.toThrow('The agent wrong has a card that is not valid: ');
});

it('a gateway of settings in a program opens and closes agents that a reload adds and removes, and keeps those that stay', async () => {
  const log: string[] = [];
  const logged = (name: string): Agent => ({
    ...echo,
    open: () => void log.push(`open ${name}`),
    close: async () => void log.push(`close ${name}`),
  });
  const [first, second, third] = [logged('first'), logged('second'), logged('third')];
  const { gateway, url } = await serve({ agents: { first, second } });
  const report = await gateway.reload({ ...inMemory, agents: { first, second: third } });
  expect(report).toMatchObject({ agents: { added: [], changed: ['second'], removed: [] }, restart: [] });
  await gateway.reload({ ...inMemory, agents: { first } });
  await expect.poll(() => log).toEqual(['open first', 'open second', 'open third', 'close second', 'close third']);
  expect(await namesAt(url)).toEqual(['first']);
  await expect(gateway.reload({ agents: { first }, limits: { body: 'much' } })).rejects.toThrow(ConfigError);
  await expect(gateway.reload()).rejects.toThrow('reload needs settings: there is no configuration file to read again');
  expect(await answerOf(url)).toBe('echo hi');
});

describe('a reload of hooks in code', () => {
  const authenticate = () => ({ id: 'ada' });
  it.each([
    ['ends no stream where they are the same', { authenticate }, 0],
    ['ends the streams of their callers where they are others', { authenticate: () => ({ id: 'ada' }) }, 1],
    ['ends the streams of their callers where there are none', {}, 1],
  ])('a reload of hooks in code %s', async (_, auth, ended) => {
    const agents = { demo: { kind: 'reference' } } as const;
    const { gateway, url } = await serve({ agents, auth: { authenticate } });
    const client = await connect(url);
    const events = client.sendStream('stream 100 100')[Symbol.asyncIterator]();
    await events.next();
    expect(await gateway.reload({ ...inMemory, agents, auth })).toMatchObject({ ended });
    await events.return?.().catch(() => undefined);
    await client.close();
  });
});

it('the configuration of a gateway takes relative paths from the working directory', async () => {
  const gateway = createGateway({ ...inMemory, agents: { mine: { kind: 'module', path: './mine.ts' } } });
  await expect(gateway.start()).rejects.toThrow(resolve('mine.ts'));
});

it.each([
  ['a key that does not exist', { limit: {} }, '- limit: unknown key; did you mean limits?'],
  ['a number for a duration', { push: { timeout: 15 } }, '- push.timeout: expected a duration above zero'],
  ['a store that is none', { store: {} }, '- store: expected a URL, or a store as createStore makes it'],
  ['no store', { store: null }, '- store: expected memory:, sqlite:PATH'],
  ['a logger that is none', { logger: console.log }, '- logger: expected an object with the methods'],
  ['hooks that are none', { auth: { authenticate: 1 } }, '- auth.authenticate: expected a function'],
  [
    'a module and hooks',
    { auth: { module: './a.ts', authorize: () => true } },
    '- auth.authorize: the module defines it',
  ],
  ['an agent that is nothing', { agents: { a: 'x' } }, '- agents.a: expected an agent: a mapping with kind:'],
  ['a definition without name', { agents: { a: { execute: () => 'x' } } }, '- agents.a: An agent needs a name'],
  [
    'a definition without execute',
    { agents: { a: { name: 'a', description: 'b', card: {} } } },
    '- agents.a: An agent',
  ],
  ['agents in a list', { agents: [echo] }, '- agents: expected agents by their names'],
  [
    'a host of two agents',
    { agents: { a: { kind: 'code', agent: echo, hosts: ['h', 'h'] } } },
    '- agents.a.hosts.1: h',
  ],
])('settings with %s are refused', (_, settings, problem) => {
  expect(problemsOf(settings)[0]).toContain(problem);
});

it('settings that are not valid are all named', () => {
  const problems = problemsOf({ agents: { a: { execute: 1 }, b: { kind: 'x' } }, log: { level: 'loud' } });
  expect(problems.map((line) => line.split(':')[0])).toEqual(['- agents.a', '- agents.b.kind', '- log.level']);
});
