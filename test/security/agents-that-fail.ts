import { defineAgent, say } from '../../src/agents/define.ts';

/** An agent whose code goes wrong in every way, with secrets on its errors. Its message says in which. */

/** An error as clients of other services throw it, with the request and the credentials in its headers. */
const withRequest = (message: string): Error =>
  Object.assign(new Error(message, { cause: { headers: { authorization: 'Bearer planted-on-an-error' } } }), {
    config: { headers: { authorization: 'Bearer planted-on-an-error' } },
  });

const ways: Readonly<Record<string, () => void>> = {
  throw: () => {
    throw withRequest(`own words, and ${process.env.UP_BEARER}`);
  },
  reject: () => void Promise.reject(withRequest('own words of a promise')),
  'reject nothing': () => void Promise.reject({ token: 'planted-on-an-error' }),
  timer: () => void setTimeout(() => ways.throw?.(), 1),
};

export default defineAgent({
  name: 'Failing',
  description: 'Fails as it is told to.',
  async *execute({ text }) {
    ways[text]?.();
    yield say('fine');
  },
});
