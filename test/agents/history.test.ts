import { expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { type AgentRequest, artifact, ask, defaultConfig, defineAgent, say, textOf } from '../../src/index.ts';
import { type Opened, openGateway } from '../support/gateway.ts';

/** The conversation history that an agent receives with each message. */

let gateway: Opened | undefined;

/** Answers with the texts of the conversation so far. */
async function* recall({ history, text }: AgentRequest) {
  const [, limit] = /^last (\d+)$/.exec(text) ?? [];
  const texts = (await history(limit === undefined ? undefined : Number(limit))).map(textOf);
  if (text === 'quick') yield say(texts.join('|'));
  else if (text === 'ask') yield ask('Which?');
  else yield artifact({ content: texts.join('|') });
}

const agent = defineAgent({ name: 'A', description: 'Remembers', execute: recall });

async function open() {
  const config = defaultConfig({ host: 'localhost', port: 0, store: 'memory:' });
  gateway = await openGateway(config, { agents: { a: agent } });
  const client = await connect(`${gateway.url}/a`);
  return async (text: string, contextId?: string, taskId?: string) => {
    const { task, message } = await client.send(text, { ...(contextId && { contextId }), ...(taskId && { taskId }) });
    const said = task?.artifacts?.at(-1)?.parts[0]?.text ?? message?.parts[0]?.text;
    return { said, contextId: task?.contextId ?? message?.contextId ?? '', taskId: task?.id };
  };
}

it('the history of a conversation has the messages of all tasks in the context, oldest first, without the one that is answered', async () => {
  const send = await open();
  const first = await send('one');
  expect(first.said).toBe('');
  const { contextId } = first;
  expect((await send('two', contextId)).said).toBe('one');
  const question = await send('ask', contextId);
  expect((await send('this one', contextId, question.taskId)).said).toBe('one|two|ask|Which?');
  expect((await send('quick', contextId)).said).toBe('one|two|ask|Which?|this one');
  expect((await send('last 2', contextId)).said).toBe('Which?|this one');
  expect((await send('last 0', contextId)).said).toBe('');
});

it('the history of a conversation has nothing of other contexts', async () => {
  const send = await open();
  const { contextId } = await send('one');
  await send('elsewhere');
  expect((await send('two', contextId)).said).toBe('one');
});

it('the history of a conversation reaches over more tasks than are read at once', async () => {
  const send = await open();
  const { contextId } = await send('0');
  for (let i = 1; i < 60; i += 1) await send(String(i), contextId);
  const texts = (await send('last 55', contextId)).said?.split('|');
  expect(texts).toEqual(Array.from({ length: 55 }, (_, i) => String(i + 5)));
});
