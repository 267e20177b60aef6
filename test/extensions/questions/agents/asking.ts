import { ask, defineAgent, status } from '../../../../src/index.ts';

export const schema = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 2 }, nights: { type: 'integer', maximum: 9 } },
  required: ['city'],
};

/**
 * Asks with a schema and other facts, which the first message names in JSON, or without a schema where that begins with `plain`.
 * The text of the last state is the part that came as the answer.
 */
export default defineAgent({
  name: 'Asking',
  description: 'Asks where to',
  async *execute({ text, task, request }) {
    if (task) yield status('TASK_STATE_COMPLETED', JSON.stringify(request.message.parts[0]));
    else yield text.startsWith('plain') ? ask(text) : ask('Where to?', { schema, ...JSON.parse(text) });
  },
});
