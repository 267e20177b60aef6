import {
  A2AError,
  type AgentRequest,
  artifact,
  defineAgent,
  type StreamResponse,
  say,
  status,
} from '../../../src/index.ts';

/** What a message has in place of the word that the agent is to say. */
export const codeWord = 'f0rbidden';

/**
 * Does what the first word of a message wants with the rest of it, where it says `forbidden` for the code word: `say` is a direct
 * message, `ask` a question, `throw` an error, `task` a whole task, `wait` a status when it is canceled, `stream` chunks of three
 * characters, `part` an artifact and a question, `append` more of that artifact, `call` an answer of another agent, and anything else artifacts.
 */
export default defineAgent({
  name: 'Speaker',
  description: 'Says what tests want',
  execute,
  // The task tells what to say when it is canceled.
  async cancel({ id, contextId, history = [] }) {
    const text = history[0]?.parts[0]?.text?.replaceAll(codeWord, 'forbidden') ?? '';
    const message = { messageId: `${id}-canceled`, role: 'ROLE_AGENT' as const, parts: [{ text }], taskId: id };
    return { state: 'TASK_STATE_CANCELED', message: contextId === undefined ? message : { ...message, contextId } };
  },
});

async function* execute(request: AgentRequest): AsyncGenerator<StreamResponse> {
  const [, word = '', rest = ''] = /^(\w+) (.*)$/s.exec(request.text) ?? [];
  const words = rest.replaceAll(codeWord, 'forbidden');
  if (word === 'say') yield say(words);
  else if (word === 'ask') yield status('TASK_STATE_INPUT_REQUIRED', words);
  else if (word === 'throw') throw new A2AError('agentError', words);
  else if (word === 'task') {
    const artifacts = [{ artifactId: 'a', parts: [{ text: words }] }];
    yield { task: { id: request.taskId, contextId: '', status: { state: 'TASK_STATE_COMPLETED' }, artifacts } };
  } else if (word === 'stream') {
    const chunks = words.match(/.{1,3}/gs) ?? [];
    for (const [at, content] of chunks.entries()) yield artifact({ artifactId: 'a', content, append: at > 0 });
  } else if (word === 'part') {
    yield artifact({ artifactId: 'a', content: words });
    yield status('TASK_STATE_INPUT_REQUIRED', 'More?');
  } else if (word === 'append') {
    yield artifact({ artifactId: 'a', content: words, append: true });
  } else if (word === 'wait') {
    yield status('TASK_STATE_WORKING');
    await new Promise((resolve) => request.signal.addEventListener('abort', resolve, { once: true }));
  } else if (word === 'call') {
    const { text, state } = await request.agent('other').send(`give ${rest}`);
    yield say(`${state}: ${text}`);
  } else {
    yield status('TASK_STATE_WORKING');
    yield artifact({ artifactId: 'first', content: 'harmless' });
    yield artifact({ artifactId: 'second', content: words });
    yield status('TASK_STATE_COMPLETED');
  }
}
