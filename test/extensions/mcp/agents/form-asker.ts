import { artifact, ask, defineAgent, status } from '../../../../src/index.ts';

/** Asks by a form, for a visit of a URL, or for a line of text, and returns the answer, or asks again where that says so. */
export default defineAgent({
  name: 'Form asker',
  description: 'Asks before it works.',
  async *execute({ text, message, task }) {
    if (text === 'again') yield ask('Again?');
    else if (task?.status.state.endsWith('_REQUIRED')) {
      const [part] = message.parts;
      yield artifact({ name: 'answer', content: JSON.stringify(part?.data ?? part?.text) });
    } else if (text === 'login') {
      yield status('TASK_STATE_AUTH_REQUIRED', ['Log in', { url: 'https://example.com/in' }]);
    } else if (text === 'word') yield ask('Which word?');
    else {
      const properties = { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } };
      yield ask('Where, and how long?', { schema: { type: 'object', properties, required: ['city', 'days'] } });
    }
  },
});
