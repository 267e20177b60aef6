// In a project of your own: import from 'a2a-gateway'.
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentRequest, type AgentSettings, artifact, ask, defineAgent, file, progress } from '../src/index.ts';

/** `config` of this agent in the configuration: how long the report is, and how many milliseconds a section takes. */
export const configSchema = {
  type: 'object',
  properties: {
    sections: { type: 'integer', minimum: 1, maximum: 1_000, default: 30 },
    pace: { type: 'integer', minimum: 1, default: 1_000 },
  },
  additionalProperties: false,
};

interface Config {
  readonly sections: number;
  readonly pace: number;
}

/**
 * Writes a report for half a minute: asks once for whom it is, streams it section by section, can be canceled at any time,
 * and leaves a file. If its gateway dies, it goes on with the next section after the restart.
 */
export default ({ config: { sections, pace } }: AgentSettings<Config>) => {
  const section = (topic: string, readers: string, number: number): string =>
    `## ${number}. ${topic}, for ${readers}\n\nWhat is to be said about ${topic} in section ${number}.\n\n`;

  async function* write({ state, signal }: Pick<AgentRequest, 'state' | 'signal'>, first: number) {
    const topic = await state.task.get<string>('topic');
    const readers = await state.task.get<string>('readers');
    if (topic === undefined || readers === undefined) throw new Error('The assignment is missing');
    for (let number = first; number <= sections; number++) {
      // Stops at once when the task is canceled.
      await sleep(pace, undefined, { signal });
      const content = section(topic, readers, number);
      const lastChunk = number === sections;
      yield artifact({ artifactId: 'draft', name: 'draft', content, append: number > 1, lastChunk });
    }
    const text = Array.from({ length: sections }, (_, index) => section(topic, readers, index + 1)).join('');
    yield artifact({ name: 'report', content: file('report.md', `# ${topic}\n\n${text}`, 'text/markdown') });
  }

  return defineAgent({
    name: 'Report writer',
    description: 'Writes a report on a topic, section by section.',
    skills: [
      {
        id: 'write-report',
        name: 'Write a report',
        description: 'Send a topic; then say for whom the report is.',
        tags: ['writing'],
        examples: ['The history of the lighthouse'],
      },
    ],
    card: { defaultOutputModes: ['text/plain', 'text/markdown'] },
    async *execute(request) {
      const { text, task, state } = request;
      if (!task) {
        await state.task.set('topic', text);
        yield ask('For whom is the report?');
        return;
      }
      await state.task.set('readers', text);
      yield progress('Writing the report');
      yield* write(request, 1);
    },
    async *resume(task, context) {
      const draft = task.artifacts?.find(({ artifactId }) => artifactId === 'draft');
      yield* write(context, (draft?.parts.length ?? 0) + 1);
    },
  });
};
